"""How the next event is chosen: at random, by PCT, depth-first, or as a schedule says.

A search makes one strategy after the other, each for one run.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Protocol

from gristmill.controlled.event import FAULTS, OF_NETWORK, Event


class Strategy(Protocol):
    def choose(self, events: Sequence[Event], step: int) -> Event:
        """One of the events, which are never none. The first is what would usually happen next."""


class First:
    """The usual: loops run as soon as they can, packets arrive in order, timers wait for both; no faults."""

    def choose(self, events: Sequence[Event], step: int) -> Event:
        return events[0]


_WEIGHTS = {"run": 8.0, "deliver": 3.0, "timer": 1.0}
_FAULT_WEIGHT = 0.15


class RandomWalk:
    """Each kind of event, and each node, has a weight that is drawn once a run.

    Runs differ more that way than if all choices had the same odds: in some a node is slow, in some timers are fast.
    """

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(seed)
        draw = self.random.choice
        self.weights = {kind: weight * draw((0.3, 1.0, 3.0)) for kind, weight in _WEIGHTS.items()}
        self.weights |= {kind: _FAULT_WEIGHT * draw((0.0, 0.3, 1.0, 3.0)) for kind in FAULTS if kind not in OF_NETWORK}
        self.weights["restart"] = draw((0.05, 0.5, 2.0))
        # Drawn apart, so that a run without partitions is the same whether or not there could be some.
        draw = random.Random(f"{seed} network").choice
        self.weights["partition"] = _FAULT_WEIGHT * draw((0.0, 0.3, 1.0))
        self.weights["heal"] = draw((0.05, 0.2, 0.8))
        self.keys: dict[str, float] = {}

    def choose(self, events: Sequence[Event], step: int) -> Event:
        weights = self.weights
        groups: dict[str, list[Event]] = {}
        for event in events:
            groups.setdefault(event.kind, []).append(event)
        kinds = list(groups)
        odds = [weights[kind] for kind in kinds]
        kind = self.random.choices(kinds, odds)[0] if sum(odds) else kinds[0]
        return self._among(groups[kind])

    def _among(self, events: list[Event]) -> Event:
        if len(events) == 1:
            return events[0]
        return self.random.choices(events, [self._speed(event.key) for event in events])[0]

    def _speed(self, key: str) -> float:
        """Of a node or a link, whatever number stands behind its name."""
        name = key.partition(" ")[0]
        speed = self.keys.get(name)
        if speed is None:
            speed = self.keys[name] = self.random.choice((0.1, 1.0, 1.0, 4.0))
        return speed


class Pct:
    """Probabilistic concurrency testing (Burckhardt et al.): nodes and packets have priorities, the highest goes first,
    and at `depth - 1` random steps the one that was about to go falls behind all others. Faults happen at steps that
    are drawn beforehand.
    """

    def __init__(self, seed: int | str, depth: int, length: int, faults: int) -> None:
        self.random = random.Random(seed)
        self.priorities: dict[str, float] = {}
        self.changes = {self.random.randrange(1, length + 1) for _ in range(depth - 1)}
        self.fault_steps = {self.random.randrange(1, length + 1) for _ in range(faults)}
        self.lowest = 0.0
        self.due = False  # a fault was due when none was possible
        self.steps = 0

    def choose(self, events: Sequence[Event], step: int) -> Event:
        self.steps = step
        self.due = self.due or step in self.fault_steps
        faults = [event for event in events if event.kind in FAULTS]
        usual = [event for event in events if event.kind not in FAULTS]
        if faults and (self.due or not usual):
            self.due = False
            return self.random.choice(faults)
        if step in self.changes:
            self.lowest -= 1.0
            self.priorities[self._agent(self._highest(usual))] = self.lowest
        return self._highest(usual)

    def _highest(self, events: list[Event]) -> Event:
        return max(events, key=lambda event: self._priority(self._agent(event)))

    def _priority(self, agent: str) -> float:
        found = self.priorities.get(agent)
        if found is None:
            # Timers below the rest, mostly: time that runs away before anything happens is one schedule of many.
            found = self.random.random() * (0.3 if agent.startswith("timer") and self.random.random() < 0.8 else 1.0)
            self.priorities[agent] = found
        return found

    def _agent(self, event: Event) -> str:
        """A node, a connection, or a datagram: datagrams do not wait for one another."""
        if event.kind == "deliver" and event.subject.lane is None:
            return event.text
        return f"{event.kind} {event.key.partition(' ')[0]}"


class Path:
    """The choices of a prefix, and then always the first. The first `depth` choices are noted, as they can be varied.

    Searches that vary choices run the program anew for each path, as its states cannot be stored.
    """

    def __init__(self, prefix: Sequence[int], depth: int | None) -> None:
        self.prefix = prefix
        self.depth = depth
        self.taken: list[int] = []
        self.widths: list[int] = []

    def choose(self, events: Sequence[Event], step: int) -> Event:
        if len(events) == 1 or (self.depth is not None and len(self.taken) >= self.depth):
            return events[0]
        position = len(self.taken)
        index = self.prefix[position] if position < len(self.prefix) else 0
        if index >= len(events):
            raise Diverged(step, f"choice {index + 1} of {len(events)}", events)
        self.taken.append(index)
        self.widths.append(len(events))
        return events[index]


def next_prefix(taken: list[int], widths: list[int], deviations: int | None) -> list[int] | None:
    """What a depth-first search does after these choices, with at most so many that are not the usual one."""
    for position in range(len(taken) - 1, -1, -1):
        others = sum(1 for index in taken[:position] if index)
        may_deviate = deviations is None or others + 1 <= deviations
        if taken[position] + 1 < widths[position] and may_deviate:
            return [*taken[:position], taken[position] + 1]
    return None


def deviating(taken: list[int], widths: list[int]) -> Iterator[tuple[int, ...]]:
    """All that differ from these choices in one more, behind the last unusual one: so each is come by once."""
    last = max((position for position, index in enumerate(taken) if index), default=-1)
    for position in range(last + 1, len(taken)):
        for index in range(1, widths[position]):
            yield (*taken[:position], index)


class Diverged(Exception):
    """A schedule asks for an event that is not possible."""

    def __init__(self, step: int, wanted: str, events: Sequence[Event]) -> None:
        possible = ", ".join(event.text for event in events) or "nothing"
        super().__init__(f"step {step} of the schedule is `{wanted}`, but possible are: {possible}")


class Follow:
    """As a schedule says. What is not possible is passed over, or with `exactly` an error; at its end, the usual."""

    def __init__(self, schedule: Sequence[str], exactly: bool = False) -> None:
        self.schedule = schedule
        self.exactly = exactly
        self.position = 0

    def choose(self, events: Sequence[Event], step: int) -> Event:
        by_text = {event.text: event for event in events}
        while self.position < len(self.schedule):
            wanted = self.schedule[self.position]
            self.position += 1
            found = by_text.get(wanted)
            if found is not None:
                return found
            if self.exactly:
                raise Diverged(step, wanted, events)
        return events[0]
