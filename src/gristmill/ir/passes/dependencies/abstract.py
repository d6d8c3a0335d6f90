"""Values of which is known what they are computed from; frames of them; and what a part of an action has done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from gristmill.ir import nodes
from gristmill.ir.nodes import Definition, Expression
from gristmill.ir.passes.dependencies.facts import NOTHING, Places, Write
from gristmill.ir.places import ANYTHING, Key, Place, Symbol
from gristmill.source.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Abstract:
    """A value of which is known what it is computed from.

    `place`: it is what stands there, which counts as read only when it is looked at. `key`: what it is as an argument
    of a function. `function`: a function that is written out, to be applied; `fields`: of a record that is.
    """

    reads: Places = NOTHING
    place: Place | None = None
    key: Key = ANYTHING
    function: tuple[nodes.FunctionLiteral, Frame] | None = None
    fields: Mapping[str, Thunk] | None = None

    @property
    def looked_at(self) -> Places:
        return self.reads if self.place is None else self.reads | {self.place}


@dataclass(eq=False, slots=True)
class Thunk:
    """An expression, and the frame that it is evaluated in.

    `found`: what it is computed from, if it was looked at; after which part of an action, and inside of which recursive
    definitions that was.
    """

    expression: Expression
    frame: Frame
    found: tuple[Solved, frozenset[Definition], Abstract] | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    definition: Definition
    parent: Frame | None


@dataclass(frozen=True, slots=True)
class Unknown:
    """An operator of the library, or one that cannot be told."""


Binding = Abstract | Thunk | Operator | Unknown


@dataclass(eq=False, slots=True)
class Frame:
    slots: dict[int, Binding] = field(default_factory=dict)
    parent: Frame | None = None

    def up(self, depth: int) -> Frame:
        frame = self
        for _ in range(depth):
            assert frame.parent is not None
            frame = frame.parent
        return frame


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """What a part of an action has done. `assigned`: variables that certainly have their next value.

    `tests`: how many of its parts may be impossible.
    """

    guard: Places = NOTHING
    writes: tuple[Write, ...] = ()
    assigned: frozenset[int] = frozenset()
    tests: int = 0

    def tested(self, reads: Places) -> Solved:
        return replace(self, guard=self.guard | reads, tests=self.tests + 1)

    def written(self, variable: int, writes: Iterable[Write]) -> Solved:
        return replace(self, writes=(*self.writes, *writes), assigned=self.assigned | {variable})

    def of_variable(self, variable: int) -> list[Write]:
        return [write for write in self.writes if write.place.variable == variable]


def joined(before: Solved, branches: Sequence[Solved], control: Places) -> Solved:
    """After one of several branches, each of which began `before`; `control` decides which."""
    guard = before.guard.union(*(each.guard for each in branches))
    tests = max((each.tests for each in branches), default=before.tests)
    if tests > before.tests:  # one of them may be impossible, perhaps by what was looked at before
        guard |= control
    writes = list(before.writes)
    for each in branches:
        added = each.writes[len(before.writes) :]
        for write in added:
            everywhere = all(_certain(write.place, other, before) for other in branches)
            writes.append(replace(write, control=write.control | control, certain=write.certain and everywhere))
    assigned = frozenset.intersection(*(each.assigned for each in branches)) if branches else before.assigned
    return Solved(guard, tuple(writes), assigned, tests)


def _certain(place: Place, branch: Solved, before: Solved) -> bool:
    return any(write.certain and write.place == place for write in branch.writes[len(before.writes) :])


def next_value(variable: int, solved: Solved) -> Abstract:
    """What the next value of a variable is computed from, as far as it has one."""
    writes = solved.of_variable(variable)
    sources = NOTHING.union(*(each.sources for each in writes))
    if any(each.certain and not each.place.path for each in writes):
        return Abstract(sources)
    return Abstract(sources | {Place(variable)})


def without_symbols(places: Places, slots: Iterable[int], frame: Frame) -> Places:
    """Outside of what binds them, names stand for anything."""
    gone = _numbers_of(slots, frame)
    return frozenset(Place(each.variable, tuple(_freed(key, gone) for key in each.path)) for each in places)


def _numbers_of(slots: Iterable[int], frame: Frame) -> set[int]:
    bindings = (frame.slots.get(slot) for slot in slots)
    return {each.key.number for each in bindings if isinstance(each, Abstract) and isinstance(each.key, Symbol)}


def _freed(key: Key, gone: set[int]) -> Key:
    return ANYTHING if isinstance(key, Symbol) and key.number in gone else key
