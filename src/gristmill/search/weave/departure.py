"""Where strands leave a model: the events that cannot happen next, and what each of them would have needed.

There may be many pairs furthest along. What is missing is told for all of them together: each thing that is missing
once, with the number of states in which it is; and the one state in which the least is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from gristmill.search.model import Model, State, Taken
from gristmill.search.observation import same
from gristmill.search.weave.strands import Act, Claim, Condition, Event, Position
from gristmill.search.weave.weaver import Weaver, fulfilling, take, values_for
from gristmill.trace import Blocked

_MOST_STATES = 60  # that are looked into; to say why an action is blocked takes milliseconds
_MOST_EXAMPLES = 3
_MOST_STEPS = 500  # of one state that are compared with what was seen

Kind: TypeAlias = Literal["before", "guard", "such-that", "after"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that was seen to have one value, and has another one.

    `of` is what: a parameter, a condition on parameters, or an expression over the state before or after.
    """

    of: Literal["parameter", "such-that", "before", "after"]
    text: str
    wanted: Any
    own: Any


@dataclass(frozen=True, slots=True)
class Lack:
    """What an event would have needed: that a guard of an action holds, that there are parameters of which its
    condition does, or that something has the value that was seen.

    `count`: of the states that were looked into, those in which it is missing. Of a guard, `examples` tell the values
    that make it false; of a value, `owns` are those in the model, each with the number of states that have it.
    """

    kind: Kind
    action: str | None
    text: str
    count: int
    wanted: Any = None
    owns: tuple[tuple[Any, int], ...] = ()
    examples: tuple[Blocked, ...] = ()


@dataclass(frozen=True, slots=True)
class Nearest:
    """Steps that are possible and come nearest to an event, from the state in which they are."""

    state: State
    taken: tuple[Taken, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Stuck:
    """An event that may come next and cannot happen, by its strand and its number there.

    `count`: the states in which it would be next; `looked_into`: how many of these `lacks` speak of.
    """

    strand: int
    number: int
    event: Event
    count: int
    looked_into: int
    lacks: tuple[Lack, ...]
    nearest: Nearest | None


@dataclass(frozen=True, slots=True)
class Departure:
    """`positions`: those furthest along; `count`: of the states there. `pairs`: some of them, by their numbers."""

    positions: tuple[Position, ...]
    count: int
    stuck: tuple[Stuck, ...]
    pairs: tuple[int, ...]


def departure(weaver: Weaver) -> Departure:
    """Of a search that has found no behaviour; if it was cut, of what it has tried."""
    furthest = weaver.pairs.at(weaver.deepest)
    by_event: dict[tuple[int, int], dict[State, None]] = {}
    positions: dict[Position, None] = {}
    for number in furthest:
        pair = weaver.pairs[number]
        positions[pair.position] = None
        for strand in weaver.strands.next_at(pair.position):
            by_event.setdefault((strand, pair.position[strand]), {})[pair.state] = None
    with weaver.model.undisturbed():
        stuck = [_stuck(weaver, strand, at, list(states)) for (strand, at), states in by_event.items()]
        stuck = [each for each in stuck if weaver.is_complete or not _may_happen(weaver, each, by_event)]
    stuck.sort(key=lambda each: (len(each.nearest.differences) if each.nearest else 1_000_000, each.strand))
    return Departure(tuple(positions), len(furthest), tuple(stuck), tuple(furthest[:_MOST_STATES]))


def _may_happen(weaver: Weaver, stuck: Stuck, states: Mapping[tuple[int, int], Collection[State]]) -> bool:
    return any(True for _ in weaver.outcomes(stuck.event, list(states[stuck.strand, stuck.number])))


def _stuck(weaver: Weaver, strand: int, at: int, states: list[State]) -> Stuck:
    event = weaver.strands.events[strand][at]
    sample, tally, nearest = states[:_MOST_STATES], _Tally(), None
    for state in sample:
        found = _Look(weaver.model, event, state)
        found.look()
        tally.add(found)
        if found.nearest and (nearest is None or len(found.nearest.differences) < len(nearest.differences)):
            nearest = found.nearest
    return Stuck(strand, at, event, len(states), len(sample), tuple(tally.lacks()), nearest)


class _Look:
    """Why an event cannot happen in one state."""

    def __init__(self, model: Model, event: Event, state: State) -> None:
        self.model, self.event, self.state = model, event, state
        self.differences: list[tuple[str | None, Difference]] = []  # with the action they are about
        self.blocked: list[Blocked] = []
        self.nearest: Nearest | None = None

    def look(self) -> None:
        before = self._unlike("before", self.event.before, self.state)
        self.differences += [(None, each) for each in before]
        for way in self.event.ways:
            self._along(way, before)

    def _along(self, way: Sequence[Act], before: tuple[Difference, ...]) -> None:
        begun: list[tuple[tuple[Taken, ...], State]] = [((), self.state)]
        for number, act in enumerate(way):
            found = take(self.model, [state for _, state in begun], act)
            following = [
                ((*taken, each), each.state)
                for (taken, _), several in zip(begun, found, strict=True)
                for each in several[:_MOST_STEPS]
            ]
            if not following:
                self._not_possible(begun, act, len(way) == number + 1, before)
                return
            begun = following
        self._compare(way, begun, before)

    def _compare(
        self, way: Sequence[Act], ends: list[tuple[tuple[Taken, ...], State]], before: tuple[Difference, ...]
    ) -> None:
        """The steps are possible: what was seen afterwards is not."""
        unlike = [(self._unlike("after", self.event.after, state), taken) for taken, state in ends]
        least, taken = min(unlike, key=lambda each: len(each[0]))
        self.differences += [(way[-1].action if way else None, each) for each in least]
        self._offer(taken, (*before, *least))

    def _not_possible(
        self,
        begun: list[tuple[tuple[Taken, ...], State]],
        act: Act,
        is_last: bool,
        before: tuple[Difference, ...],
    ) -> None:
        for taken, state in begun[:_MOST_EXAMPLES]:
            self.blocked += self.model.blocked(state, act.action, act.parameters)
            if act.such_that is not None and take(self.model, [state], Act(act.action, act.parameters))[0]:
                self.differences.append((act.action, _unfulfilled(act.such_that)))
            if act.parameters or act.such_that:
                self._otherwise(taken, state, act, is_last, before)

    def _otherwise(
        self, taken: tuple[Taken, ...], state: State, act: Act, is_last: bool, before: tuple[Difference, ...]
    ) -> None:
        """With other parameters the action may be possible."""
        for each in take(self.model, [state], Act(act.action))[0][:_MOST_STEPS]:
            other = list(_other_parameters(each, act))
            if act.such_that is not None and not fulfilling(self.model, state, [each], act):
                other.append(_unfulfilled(act.such_that))
            after = self._unlike("after", self.event.after, each.state) if is_last else ()
            self._offer((*taken, each), (*before, *other, *after))

    def _unlike(self, of: Literal["before", "after"], claims: Iterable[Claim], state: State) -> tuple[Difference, ...]:
        claims = list(claims)
        values = values_for(self.model, state, claims)
        found = ((claim, claim.own(values)) for claim in claims)
        return tuple(Difference(of, each.text, each.wanted, own) for each, own in found if not same(own, each.wanted))

    def _offer(self, taken: tuple[Taken, ...], differences: tuple[Difference, ...]) -> None:
        if self.nearest is None or len(differences) < len(self.nearest.differences):
            self.nearest = Nearest(self.state, taken, differences)


def _unfulfilled(condition: Condition) -> Difference:
    return Difference("such-that", condition.text, True, False)


def _other_parameters(taken: Taken, act: Act) -> Iterator[Difference]:
    own = dict(taken.parameters)
    for name, wanted in act.parameters.items():
        if name not in own or not same(own[name], wanted):
            yield Difference("parameter", name, wanted, own.get(name))


@dataclass(slots=True)
class _Counted:
    kind: Kind
    action: str | None
    text: str
    count: int = 0
    wanted: Any = None
    owns: list[tuple[Any, int]] = field(default_factory=list)  # what was seen may not be hashable
    examples: list[Blocked] = field(default_factory=list)

    @property
    def key(self) -> tuple[Kind, str | None, str]:
        return self.kind, self.action, self.text


class _Tally:
    """What is missing in several states, each thing once."""

    def __init__(self) -> None:
        self._found: dict[tuple[Kind, str | None, str], _Counted] = {}

    def add(self, look: _Look) -> None:
        here: set[tuple[Kind, str | None, str]] = set()
        for blocked in look.blocked:
            counted = self._counted("guard", blocked.action, blocked.guard.text)
            here.add(counted.key)
            if len(counted.examples) < _MOST_EXAMPLES and blocked not in counted.examples:
                counted.examples.append(blocked)
        for action, each in look.differences:
            assert each.of != "parameter"
            counted = self._counted(each.of, action, each.text)
            here.add(counted.key)
            counted.wanted = each.wanted
            _count(counted.owns, each.own)
        for key in here:
            self._found[key].count += 1

    def _counted(self, kind: Kind, action: str | None, text: str) -> _Counted:
        return self._found.setdefault((kind, action, text), _Counted(kind, action, text))

    def lacks(self) -> Iterator[Lack]:
        for each in sorted(self._found.values(), key=lambda each: -each.count):
            owns = tuple(sorted(each.owns, key=lambda own: -own[1]))
            yield Lack(each.kind, each.action, each.text, each.count, each.wanted, owns, tuple(each.examples))


def _count(owns: list[tuple[Any, int]], value: Any) -> None:
    for number, (own, count) in enumerate(owns):
        if same(own, value):
            owns[number] = own, count + 1
            return
    owns.append((value, 1))
