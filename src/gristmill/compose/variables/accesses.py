"""What each action of a model reads and writes, at the grain of slots, with the places in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from gristmill.compose.variables.slots import NONE, Slots, ordered, slot_of, slots_of
from gristmill.ir.model import Action, Model
from gristmill.ir.passes.dependencies.messages import Slicing
from gristmill.ir.passes.dependencies.sliced import Sliced
from gristmill.ir.places import Place
from gristmill.ir.walk import definitions
from gristmill.source import Span

Locate = Callable[[str, Span], Span]  # of an action by name, a place in its text: where it is to be shown


@dataclass(frozen=True, slots=True)
class Update:
    """A slot is given a value: computed from `reads`; `control` decides whether, or which."""

    slot: Place
    reads: Slots
    control: Slots
    span: Span

    @property
    def sources(self) -> Slots:
        return self.reads | self.control


@dataclass(frozen=True, slots=True)
class Test:
    """A slot is read by the enabling condition."""

    slot: Place
    span: Span


@dataclass(frozen=True, slots=True)
class Accesses:
    """Of an action. `limits`: constructs that were only looked at as a whole, by name."""

    name: str
    span: Span
    tests: tuple[Test, ...]
    updates: tuple[Update, ...]
    limits: tuple[str, ...] = ()

    @property
    def guard(self) -> Slots:
        return slots_of(each.slot for each in self.tests)

    @property
    def reads_of_updates(self) -> Slots:
        return slots_of(slot for each in self.updates for slot in each.sources)

    @property
    def writes(self) -> Slots:
        return slots_of(each.slot for each in self.updates)

    @property
    def touched(self) -> Slots:
        return self.guard | self.reads_of_updates | self.writes


def accesses_of(model: Model, slicings: Sequence[Slicing] = ()) -> tuple[Accesses, ...]:
    """Of all actions of a model, those of one name together. The world of the model must be active."""
    found: dict[str, Accesses] = {}
    for action in model.actions:
        one = _accesses(action, len(model.variables), slicings)
        same = found.get(action.name)
        found[action.name] = one if same is None else _together(same, one)
    return tuple(found.values())


def _accesses(action: Action, variables: int, slicings: Sequence[Slicing]) -> Accesses:
    solver = Sliced(variables, slicings, _text_of(action))
    solved = solver.solve_action(action.code.body)
    tests = _first(Test(slot_of(place), solver.tested_at.get(place, action.span)) for place in solved.guard)
    updates = _merged(
        Update(
            slot_of(write.place),
            slots_of(write.reads),
            slots_of(write.control),
            solver.written_at.get(write.place, action.span),
        )
        for write in solved.writes
    )
    return Accesses(action.name, action.span, tests, updates, tuple(dict.fromkeys(solver.limits)))


def _text_of(action: Action) -> Span:
    """The body of the definition that the action is named after."""
    bodies = (each.body for each in definitions(action.code.body) if each.name == action.name)
    return next((body.span for body in bodies if body is not None), action.code.span)


def _first(tests: Iterable[Test]) -> tuple[Test, ...]:
    """Of several tests of one slot, the one that stands first in the text."""
    found: dict[Place, Test] = {}
    for each in sorted(tests, key=_place_in_text):
        found.setdefault(each.slot, each)
    return tuple(found.values())


def _place_in_text(test: Test) -> tuple[str, int, list[str]]:
    return test.span.file.path, test.span.start, [str(test.slot.variable), *map(str, test.slot.path)]


def _merged(updates: Iterable[Update]) -> tuple[Update, ...]:
    found: dict[Place, Update] = {}
    for each in updates:
        same = found.get(each.slot)
        if same is not None:
            each = Update(each.slot, same.reads | each.reads, same.control | each.control, same.span)
        found[each.slot] = each
    return tuple(found[slot] for slot in ordered(found))


def _together(one: Accesses, other: Accesses) -> Accesses:
    return Accesses(
        one.name,
        one.span,
        _first((*one.tests, *other.tests)),
        _merged((*one.updates, *other.updates)),
        tuple(dict.fromkeys((*one.limits, *other.limits))),
    )


def without(accesses: Accesses, variables: frozenset[int]) -> Accesses:
    """As if the action neither read nor wrote some variables."""

    def left(slots: Slots) -> Slots:
        return frozenset(slot for slot in slots if slot.variable not in variables) if slots else NONE

    return Accesses(
        accesses.name,
        accesses.span,
        tuple(each for each in accesses.tests if each.slot.variable not in variables),
        tuple(
            Update(each.slot, left(each.reads), left(each.control), each.span)
            for each in accesses.updates
            if each.slot.variable not in variables
        ),
        accesses.limits,
    )


def located(accesses: Accesses, locate: Locate) -> Accesses:
    """The same, with other places in the text."""

    def moved(span: Span) -> Span:
        return locate(accesses.name, span)

    return replace(
        accesses,
        span=moved(accesses.span),
        tests=tuple(replace(each, span=moved(each.span)) for each in accesses.tests),
        updates=tuple(replace(each, span=moved(each.span)) for each in accesses.updates),
    )
