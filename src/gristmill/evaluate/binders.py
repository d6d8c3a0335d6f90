"""Quantifiers, CHOOSE, set filters and set maps.

Of several bounds TLC evaluates all domains first, and the first name changes fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gristmill.evaluate.compiler import Compiler
from gristmill.evaluate.errors import not_a_tuple, unbounded
from gristmill.evaluate.frames import Frame, TestCode, ValueCode, snapshot
from gristmill.ir.nodes import Bound, Choose, Quantified, SetFilter, SetMap
from gristmill.values import (
    EvaluationError,
    Interval,
    Value,
    enumerate_set,
    filter_set,
    is_enumerable,
    make_set,
)

# A bound variable: its slot, or the slots of the components of a tuple, with their names.
Column = tuple[int | tuple[int, ...], tuple[str, ...]]


def columns(bounds: Sequence[Bound]) -> list[tuple[int, Column]]:
    """What each element of a domain is bound to, with the number of the bound."""
    found: list[tuple[int, Column]] = []
    for number, bound in enumerate(bounds):
        if bound.is_tuple:
            found.append((number, (bound.slots, bound.names)))
        else:
            found += [(number, (slot, (name,))) for slot, name in zip(bound.slots, bound.names, strict=True)]
    return found


def bind(frame: Frame, column: Column, value: Value) -> None:
    slots, names = column
    if isinstance(slots, int):
        frame[slots] = value
        return
    if type(value) is not tuple or len(value) != len(slots):
        not_a_tuple(value, names)
    for slot, component in zip(slots, value, strict=True):
        frame[slot] = component


def single_slot(bounds: Sequence[Bound]) -> int | None:
    """The slot, if there is but one name, which most binders have."""
    if len(bounds) == 1 and len(bounds[0].slots) == 1 and not bounds[0].is_tuple:
        return bounds[0].slots[0]
    return None


def domain(compiler: Compiler, bound: Bound, form: str) -> ValueCode:
    if bound.domain is not None:
        return compiler.value(bound.domain)

    def fail(frame: Frame, _node: Bound = bound) -> Value:
        unbounded(form)

    return fail


def assignments(compiler: Compiler, bounds: Sequence[Bound], form: str) -> Callable[[Frame], Iterator[None]]:
    """Go through all values of the bound names, putting them into their slots."""
    domains = [domain(compiler, bound, form) for bound in bounds]
    binders = columns(bounds)
    binders.reverse()  # the last one is the outermost loop
    if len(binders) == 1:
        ((_, only),) = binders

        def one(frame: Frame, _node: Bound = bounds[0]) -> Iterator[None]:
            for value in enumerate_set(domains[0](frame)):
                bind(frame, only, value)
                yield

        return one
    inner_columns = [column for _, column in binders]

    numbers = [number for number, _ in binders]

    def several(frame: Frame, _node: Bound = bounds[0]) -> Iterator[None]:
        sets = [evaluate(frame) for evaluate in domains]
        for each in sets:
            if not is_enumerable(each):
                enumerate_set(each)  # which fails
        return _nested(frame, inner_columns, [sets[number] for number in numbers], 0)

    return several


def _nested(frame: Frame, binders: list[Column], sets: list[Value], depth: int) -> Iterator[None]:
    column = binders[depth]
    innermost = depth == len(binders) - 1
    for value in enumerate_set(sets[depth]):
        bind(frame, column, value)
        if innermost:
            yield
        else:
            yield from _nested(frame, binders, sets, depth + 1)


# --- quantifiers -----------------------------------------------------------------------------------------------------


def _quantified(compiler: Compiler, node: Quantified) -> TestCode:
    universal, body = node.universal, compiler.test(node.body)
    form = "\\A" if universal else "\\E"
    slot = single_slot(node.bounds)
    if slot is None:
        return _quantified_over_several(assignments(compiler, node.bounds, form), body, universal)
    elements = domain(compiler, node.bounds[0], form)
    if universal:

        def every(frame: Frame, _node: Bound = node.bounds[0]) -> bool:
            values = enumerate_set(elements(frame))
            for frame[slot] in values:  # noqa: SIM110 (faster so)
                if not body(frame):
                    return False
            return True

        return every

    def some(frame: Frame, _node: Bound = node.bounds[0]) -> bool:
        values = enumerate_set(elements(frame))
        for frame[slot] in values:  # noqa: SIM110 (faster so)
            if body(frame):
                return True
        return False

    return some


def _quantified_over_several(assign: Callable[[Frame], Iterator[None]], body: TestCode, universal: bool) -> TestCode:
    def test(frame: Frame) -> bool:
        for _ in assign(frame):
            if body(frame) is not universal:
                return not universal
        return universal

    return test


# --- CHOOSE ----------------------------------------------------------------------------------------------------------


def _choose(compiler: Compiler, node: Choose) -> ValueCode:
    elements = domain(compiler, node.bound, "CHOOSE")
    body = compiler.test(node.body)
    ((_, column), *_) = columns((node.bound,))

    def choose(frame: Frame, _node: Choose = node) -> Value:
        collection = elements(frame)
        for value in enumerate_set(collection):
            bind(frame, column, value)
            if body(frame):
                return value
        raise EvaluationError("choose-without-witness", "no element of {set} satisfies this CHOOSE", set=collection)

    return choose


# --- sets ------------------------------------------------------------------------------------------------------------


def _set_filter(compiler: Compiler, node: SetFilter) -> ValueCode:
    base = domain(compiler, node.bound, "a set filter")
    predicate = compiler.test(node.predicate)
    ((_, column), *_) = columns((node.bound,))
    slot = single_slot((node.bound,))
    reads = compiler.context.reads

    def select(frame: Frame, _node: SetFilter = node) -> Value:
        collection = base(frame)
        if type(collection) is not frozenset and type(collection) is not Interval:
            if compiler.may_change(_node.predicate, frame):
                reads[0] += 1
            own = snapshot(frame)
            return filter_set(
                collection, lambda value: _holds(own, column, value, predicate), _node.predicate.span.text
            )
        if slot is None:
            return filter_set(collection, lambda value: _holds(frame, column, value, predicate))
        found = []
        for value in enumerate_set(collection):
            frame[slot] = value
            if predicate(frame):
                found.append(value)
        return frozenset(found)

    return select


def _holds(frame: Frame, column: Column, value: Value, predicate: TestCode) -> bool:
    bind(frame, column, value)
    return predicate(frame)


def elements_of_map(compiler: Compiler, node: SetMap) -> Callable[[Frame], list[Value]]:
    """The values of the body, one for each value of the bound names."""
    body = compiler.value(node.body)
    slot = single_slot(node.bounds)
    if slot is None:
        assign = assignments(compiler, node.bounds, "a set map")
        return lambda frame: [body(frame) for _ in assign(frame)]
    elements = domain(compiler, node.bounds[0], "a set map")

    def map_one(frame: Frame, _node: SetMap = node) -> list[Value]:
        found = []
        values = enumerate_set(elements(frame))
        for frame[slot] in values:
            found.append(body(frame))
        return found

    return map_one


def _set_map(compiler: Compiler, node: SetMap) -> ValueCode:
    elements = elements_of_map(compiler, node)
    return lambda frame: make_set(elements(frame))


Compiler.values.update({Choose: _choose, SetFilter: _set_filter, SetMap: _set_map})
Compiler.tests.update({Quantified: _quantified})
Compiler.keepable.update((Choose, SetFilter, SetMap))
