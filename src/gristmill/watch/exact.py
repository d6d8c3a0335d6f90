"""The exact search over the last messages of a node: every schedule, without the reductions.

Between two messages that the node has sent, it may have looked at any of the messages that had arrived, and done
anything by itself. Only what cannot matter is left out:

- a state with the same local state, which owes less or may look at fewer messages: it can do no more than the other;
- where a node handles what comes on a connection in order (as the mapping says): messages before one looked at; and a
  message whose answer changes nothing in the node is not used up by it, as if it might still be looked at. That allows
  for more than the node can do, never for less, and in which order thousands of such messages were looked at needs not
  be tried;
- a state in which a variable that only grows is beyond what a message says that is still to be sent (`Ceiling`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gristmill.values import Value
from gristmill.watch.applying import Local
from gristmill.watch.growing import Ceiling
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Arrived, Node, Records, State

_COMPARED = 8  # states that are compared with another one, while an action is evaluated


class TooManyStatesError(Exception):
    """The search has reached its limit: nothing is known."""


@dataclass(slots=True)
class Shelf:
    """States of which none can do less than another one."""

    by_local: dict[Local, list[State]] = field(default_factory=dict)
    compared: int = 0  # so many states with others

    def add(self, state: State) -> bool:
        known = self.by_local.setdefault(state.local, [])
        self.compared += len(known)
        if any(each.can_all_of(state) for each in known):
            return False
        known[:] = [each for each in known if not state.can_all_of(each)]
        known.append(state)
        return True

    def __iter__(self) -> Iterator[State]:
        return (state for known in self.by_local.values() for state in known)

    def __contains__(self, state: State) -> bool:
        return state in self.by_local.get(state.local, ())


class ExactSearch:
    """`history`: messages of the node in the order of the recording, from a point where it was in one of `states`, and
    these messages had arrived before.

    `patient`: what a node may do by itself is tried only where nothing else explains a message. That is no proof over
    longer stretches, but finds what explains them.

    Raises `TooManyStatesError` after so many evaluations, and what takes as long.
    """

    def __init__(
        self,
        node: Node,
        states: Iterable[State],
        arrived: Arrived,
        history: Sequence[Message],
        evaluations: int,
        patient: bool = False,
        channels: Mapping[int, object] | None = None,
    ) -> None:
        """`channels`: the connection of each message that had arrived, by its number, if they are handled in order."""
        self.node, self.patient = node, patient
        self.last_evaluation = node.evaluations + evaluations
        self.compared = 0  # states with others, as if that were evaluations
        self.start = list(states)
        self.arrived = dict(arrived)
        self.inputs = [each for each in history if each.target == node.name]
        self.outputs = [each for each in history if each.source == node.name]
        # The last one may have been overtaken by those before it: it excludes nothing before its turn.
        last = len(self.outputs) - 1
        self.ceilings = [Ceiling.of(node, self.outputs[at : max(last, at + 1)]) for at in range(len(self.outputs))]
        self.before = None if channels is None else self._before(channels)
        self.overtaken_by: Message | None = None  # the first that has overtaken the last one
        self._owed: dict[Records, Records] = {}
        self._used: dict[frozenset[int], frozenset[int]] = {}

    def _before(self, channels: Mapping[int, object]) -> dict[int, frozenset[int]]:
        """For each message that has arrived, it and those before it on its connection."""
        known = {**channels, **{each.number: each.channel for each in self.inputs}}
        numbers = sorted({*self.arrived.values(), *(each.number for each in self.inputs)})
        found: dict[int, frozenset[int]] = {}
        latest: dict[object, frozenset[int]] = {}
        for number in numbers:
            channel = known.get(number, number)
            latest[channel] = found[number] = latest.get(channel, frozenset()) | {number}
        return found

    def run(self, late: int) -> list[State] | None:
        """States in which the node may be after all it has sent; None if there is none, even if the last message was
        overtaken by up to `late` messages on other connections."""
        before = self._along(self.start, 0)
        if len(before) > len(self.outputs):
            return before[-1]
        if len(before) < len(self.outputs):
            return None  # something before the last message cannot be explained any more
        last, earlier = self.outputs[-1], self.outputs[:-1]
        for at in range(len(earlier) - 1, max(-1, len(earlier) - 1 - late), -1):
            if earlier[at].channel == last.channel:
                break
            sent = self._after(before[at], last.record, earlier[at].number, None)
            found = self._along(sent, at, len(earlier))
            if sent and len(found) > len(earlier) - at:
                self.overtaken_by = earlier[at]
                return found[-1]
        return None

    def _along(self, states: list[State], first: int, end: int | None = None) -> list[list[State]]:
        """The states before each of the messages sent from one on, and those after the last one; as far as there are
        any."""
        found = [states]
        end = len(self.outputs) if end is None else end
        for at in range(first, end):
            output = self.outputs[at]
            after = self._after(found[-1], output.record, output.number, self.ceilings[at])
            if not after:
                break
            found.append(after)
        return found

    def after(self, states: list[State], record: Value) -> list[State]:
        """After the message has been sent, before which had arrived what is said to have."""
        return self._after(states, record, 0, None)

    def _after(self, states: list[State], record: Value, number: int, ceiling: Ceiling | None) -> list[State]:
        """After the message has been sent, before which all up to that number had arrived."""
        arrived = {**self.arrived, **{each.record: each.number for each in self.inputs if each.number < number}}
        shelf = Shelf()
        for alone in (False, True) if self.patient else (True,):
            shelf = Shelf()
            for state in self._closure(states, arrived, alone, ceiling):
                for after in self.node.send(state, record):
                    shelf.add(after)
            if shelf.by_local:
                break
        return list(shelf)

    def _closure(self, states: Iterable[State], arrived: Arrived, alone: bool, ceiling: Ceiling | None) -> Shelf:
        """All that may have become of these states, unseen. `alone`: also by what the node does by itself."""
        shelf = Shelf()
        waiting = [state for state in states if shelf.add(state)]
        for state in waiting:
            if state in shelf:
                if self.node.evaluations + self.compared + shelf.compared // _COMPARED > self.last_evaluation:
                    raise TooManyStatesError
                for each in self._moves(state, arrived, alone):
                    if ceiling is None or not ceiling.excludes(each):
                        shared = self._shared(each)
                        if shelf.add(shared):
                            waiting.append(shared)
        self.compared += shelf.compared // _COMPARED
        return shelf

    def _shared(self, state: State) -> State:
        """With sets that other states have, too: each may have hundreds of elements, and few are different."""
        owed, used = self._owed.setdefault(state.owed, state.owed), self._used.setdefault(state.used, state.used)
        return State(state.local, owed, used)

    def _moves(self, state: State, arrived: Arrived, alone: bool) -> Iterator[State]:
        """What can only be owed besides, is: such a state can do all that this one can, and is gone on from alone. Else
        dozens of heartbeats would be answered in every combination."""
        local, owed, used = state
        moved: list[State] = []
        for record, number in arrived.items():
            if number in used:
                continue
            for each in self.node.consume(state, record, number):
                if each.local == local and (self.before is not None or each.used == used):
                    owed |= each.owed
                else:
                    moved.append(each if self.before is None else each._replace(used=each.used | self.before[number]))
        if owed != state.owed:
            yield state._replace(owed=owed)
            return
        yield from moved
        if alone:
            yield from self.node.act(state)
