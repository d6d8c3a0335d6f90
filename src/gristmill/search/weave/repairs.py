"""What a small change of the strands would have led to, where they leave a model.

An event that cannot happen may be the one that is wrong, or one before it may be missing. So small changes are tried:
is the event there too much, were its values or its parameters seen wrong, did it happen earlier or later in its strand,
or was there a step shortly before that nobody saw? How many events then fit tells which is likely.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from gristmill.search.model import State, Taken
from gristmill.search.weave.departure import Departure, Stuck
from gristmill.search.weave.strands import Act, Event, Position, Strands
from gristmill.search.weave.weaver import Weaver

_ENOUGH = 100  # events that then fit
_FURTHEST = 8  # events by which one is moved, or before which a step is missing
_MOST_STARTS = 20
_MOST_STEPS = 400  # that nobody saw
_BOUND = 1_000  # pairs for one change
_ALL_IN_ALL = 20_000  # pairs for all of them
_MOST_STUCK = 3  # events that are looked into
_MOST_REPAIRS = 3

Kind: TypeAlias = Literal["values", "parameters", "earlier", "later", "missing", "superfluous"]
_KINDS: tuple[Kind, ...] = (
    "values",
    "parameters",
    "earlier",
    "later",
    "missing",
    "superfluous",
)  # the likely ones first

_Start: TypeAlias = tuple[Position, State]


@dataclass(frozen=True, slots=True)
class Repair:
    """A change of the event `number` of a strand, after which `events` more fit: all of them, or at least so many.

    - "values", "parameters": what was seen of the state, or of the parameters of the step, is not asked for.
    - "earlier": it comes before the event `other` of its strand. "later": after it.
    - "missing": the step `taken` comes at some place before it, and before the event `other` of its strand.
    - "superfluous": it is left out.

    `stuck`: the event that could not happen, by its number.
    """

    kind: Kind
    strand: int
    number: int
    stuck: int
    events: int
    reaches: Literal["end", "enough", "less"]
    other: int | None = None
    taken: Taken | None = None
    is_direct: bool = True  # of a missing step: the event can happen right after it


def repairs(weaver: Weaver, departure: Departure) -> tuple[Repair, ...]:
    """The changes after which the most events fit."""
    found: list[Repair] = []
    purse = _Purse(_ALL_IN_ALL)
    with weaver.model.undisturbed():
        for stuck in departure.stuck[:_MOST_STUCK]:
            found += _Trial(weaver, departure, stuck, purse).repairs()
    best = max((each.events for each in found), default=0)
    useful = [each for each in found if 2 * each.events > best and (each.events > 1 or each.reaches == "end")]
    useful.sort(key=lambda each: (-each.events, _KINDS.index(each.kind), not each.is_direct))
    different: dict[object, Repair] = {}
    for each in useful:
        different.setdefault(_what(each), each)
    return tuple(different.values())[:_MOST_REPAIRS]


def _what(repair: Repair) -> object:
    """An event that is moved may be moved further as well, and a step may be missing for several events."""
    if repair.taken is not None:
        return repair.taken.action, repair.taken.parameters
    return repair.kind, repair.strand, repair.number


@dataclass(slots=True)
class _Purse:
    left: int  # pairs that may still be looked at


class _Trial:
    """One event that cannot happen, from some of the states in which it would be next, or a little before that."""

    def __init__(self, weaver: Weaver, departure: Departure, stuck: Stuck, purse: _Purse) -> None:
        self.weaver, self.stuck, self.purse, self.base = weaver, stuck, purse, weaver.deepest
        self.strand = list(weaver.strands.events[stuck.strand])
        pairs = [number for number in departure.pairs if self._is_next(weaver.pairs.position(number))]
        self.starts: list[_Start] = list(dict.fromkeys(map(self._start, pairs)))[:_MOST_STARTS]
        self.way = weaver.pairs.way(pairs[0])  # one behaviour up to there

    def _is_next(self, position: Position) -> bool:
        is_allowed = self.stuck.strand in self.weaver.strands.next_at(position)
        return is_allowed and position[self.stuck.strand] == self.stuck.number

    def _start(self, pair: int) -> _Start:
        return self.weaver.pairs.position(pair), self.weaver.pairs.state(pair)

    def repairs(self) -> Iterator[Repair]:
        """The likely ones first: what there is to spend may not do for all."""
        event, number = self.stuck.event, self.stuck.number
        if event.before or event.after:
            yield from self._tried("values", number, self._with(replace(event, before=(), after=())), self.starts)
        if any(act.parameters or act.such_that for way in event.ways for act in way):
            bare = tuple(tuple(Act(act.action) for act in way) for way in event.ways)
            yield from self._tried("parameters", number, self._with(replace(event, ways=bare)), self.starts)
        yield from self._tried("superfluous", number, self._with(Event(rank=event.rank)), self.starts, less=1)
        yield from self._moves()
        yield from self._missing()

    def _with(self, event: Event) -> list[Event]:
        return [*self.strand[: self.stuck.number], event, *self.strand[self.stuck.number + 1 :]]

    def _moves(self) -> Iterator[Repair]:
        number = self.stuck.number
        for other in range(number + 1, min(number + 1 + _FURTHEST, len(self.strand))):
            yield from self._tried("earlier", other, _moved(self.strand, other, number), self.starts, number)
            if other > number + 1:  # else it is the same
                yield from self._tried("later", number, _moved(self.strand, number, other), self.starts, other)
        for other in range(number - 1, max(-1, number - 1 - _FURTHEST), -1):
            before = self._last_before(other)
            if before is not None:
                yield from self._tried("earlier", number, _moved(self.strand, number, other), [before], other)

    def _last_before(self, number: int) -> _Start | None:
        """On the way, the last pair before an event of the strand."""
        found = [each for each in self.way if self.weaver.pairs.position(each)[self.stuck.strand] == number]
        return self._start(found[-1]) if found else None

    def _missing(self) -> Iterator[Repair]:
        """One step by any action: before the event, or before one of those that came last. The best of each action."""
        best: dict[int, Repair] = {}
        for starts in (self.starts, *([self._start(pair)] for pair in self.way[-2 : -2 - _FURTHEST : -1])):
            by_action: dict[int, dict[_Start, Taken]] = {}
            for start, taken in self._steps(starts).items():
                by_action.setdefault(taken.action, {})[start] = taken
            for action, steps in by_action.items():
                found = self._with_a_step(steps)
                if found is not None and (action not in best or found.events > best[action].events):
                    best[action] = found
        yield from best.values()

    def _steps(self, starts: Sequence[_Start]) -> dict[_Start, Taken]:
        steps: dict[_Start, Taken] = {}
        for position, state in starts:
            for taken in self.weaver.model.steps(state):
                if len(steps) < _MOST_STEPS and taken.state != state:
                    steps.setdefault((position, taken.state), taken)
        return steps

    def _with_a_step(self, steps: dict[_Start, Taken]) -> Repair | None:
        found = self._run(self.strand, steps)
        if found.deepest <= self.base:
            return None
        first = found.pairs.way(found.pairs.at(found.deepest)[0])[0]
        start = found.pairs.position(first), found.pairs.state(first)
        return Repair(
            "missing",
            self.stuck.strand,
            self.stuck.number,
            self.stuck.number,
            found.deepest - self.base,
            self._reach(found),
            start[0][self.stuck.strand],
            steps[start],
            any(self.weaver.outcomes(self.stuck.event, [start[1]])),
        )

    def _tried(
        self,
        kind: Kind,
        number: int,
        strand: Sequence[Event],
        starts: Collection[_Start],
        other: int | None = None,
        less: int = 0,
    ) -> Iterator[Repair]:
        found = self._run(strand, starts)
        events = found.deepest - self.base - less
        if events > 0:
            yield Repair(kind, self.stuck.strand, number, self.stuck.number, events, self._reach(found), other)

    def _run(self, strand: Sequence[Event], starts: Collection[_Start]) -> Weaver:
        """The order between strands is that of the places, whatever stands in them."""
        events = [list(each) for each in self.weaver.strands.events]
        events[self.stuck.strand] = list(strand)
        found = Weaver(
            self.weaver.model,
            Strands(events, self.weaver.strands.needs),
            starts=starts,
            hidden=self.weaver.hidden,
            bound=max(1, min(_BOUND, self.purse.left)),
            enough=self.base + _ENOUGH,
        )
        found.run()
        self.purse.left -= len(found.pairs)
        return found

    def _reach(self, found: Weaver) -> Literal["end", "enough", "less"]:
        if found.ends:
            return "end"
        return "enough" if found.deepest >= self.base + _ENOUGH else "less"


def _moved(strand: Sequence[Event], number: int, to: int) -> list[Event]:
    moved = [*strand[:number], *strand[number + 1 :]]
    moved.insert(to, strand[number])
    return moved
