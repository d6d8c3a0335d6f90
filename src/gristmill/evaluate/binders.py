"""Quantifiers, CHOOSE, set filters and set maps.

Of several bounds TLC evaluates all domains first, and the first name changes fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from gristmill.evaluate.compiler import Compiler, keeping
from gristmill.evaluate.errors import not_a_tuple, unbounded
from gristmill.evaluate.frames import Frame, TestCode, ValueCode, snapshot
from gristmill.ir.nodes import Bound, Choose, Primitive, Quantified, SetFilter, SetMap
from gristmill.library import Form
from gristmill.values import (
    EvaluationError,
    Interval,
    Value,
    enumerate_set,
    explicit,
    filter_set,
    interval,
    is_enumerable,
    make_set,
    ordered,
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


def elements(compiler: Compiler, bound: Bound, form: str) -> Callable[[Frame], Iterable[Value]]:
    """What a loop over the domain of a bound goes through."""
    node = bound.domain
    if isinstance(node, Primitive) and node.operator.form is Form.INTERVAL:
        low, high = (compiler.value(end) for end in node.args)  # type: ignore[arg-type]

        def numbers(frame: Frame, _node: Primitive = node) -> Iterable[Value]:
            first, last = low(frame), high(frame)
            if type(first) is int and type(last) is int:
                return range(first, last + 1)
            return enumerate_set(interval(first, last))

        return numbers
    code = domain(compiler, bound, form)
    if node is not None and type(compiler.constant(node)) is frozenset:
        return keeping(lambda frame: ordered(explicit(code(frame))))

    def members(frame: Frame, _node: Bound = bound) -> Iterable[Value]:
        collection = code(frame)
        return ordered(collection) if type(collection) is frozenset else enumerate_set(collection)

    return members


def assignments(compiler: Compiler, bounds: Sequence[Bound], form: str) -> Callable[[Frame], Iterator[None]]:
    """Go through all values of the bound names, putting them into their slots."""
    binders = columns(bounds)
    binders.reverse()  # the last one is the outermost loop
    if len(binders) == 1:
        return _one_name(elements(compiler, bounds[0], form), binders[0][1])
    domains = [domain(compiler, bound, form) for bound in bounds]
    inner_columns = [column for _, column in binders]
    numbers = [number for number, _ in binders]
    slots = [slots for slots, _ in inner_columns if isinstance(slots, int)]

    def several(frame: Frame, _node: Bound = bounds[0]) -> Iterator[None]:
        sets = [evaluate(frame) for evaluate in domains]
        for each in sets:
            if not is_enumerable(each):
                enumerate_set(each)  # which fails
        if len(slots) == len(numbers) == 2:
            return _two_names(frame, slots[0], sets[numbers[0]], slots[1], sets[numbers[1]])
        return _nested(frame, inner_columns, [sets[number] for number in numbers], 0)

    return several


def _one_name(members: Callable[[Frame], Iterable[Value]], column: Column) -> Callable[[Frame], Iterator[None]]:
    def one(frame: Frame) -> Iterator[None]:
        for value in members(frame):
            bind(frame, column, value)
            yield

    return one


def _two_names(frame: Frame, outer: int, outer_set: Value, inner: int, inner_set: Value) -> Iterator[None]:
    outer_values = enumerate_set(outer_set)
    for frame[outer] in outer_values:
        inner_values = enumerate_set(inner_set)
        for frame[inner] in inner_values:
            yield


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
    members = elements(compiler, node.bounds[0], form)
    if universal:

        def every(frame: Frame) -> bool:
            values = members(frame)
            for frame[slot] in values:  # noqa: SIM110 (faster so)
                if not body(frame):
                    return False
            return True

        return every

    def some(frame: Frame) -> bool:
        values = members(frame)
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
    candidates = domain(compiler, node.bound, "CHOOSE")
    body = compiler.test(node.body)
    ((_, column), *_) = columns((node.bound,))

    def choose(frame: Frame, _node: Choose = node) -> Value:
        collection = candidates(frame)
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
    members = elements(compiler, node.bounds[0], "a set map")

    def map_one(frame: Frame) -> list[Value]:
        found = []
        values = members(frame)
        for frame[slot] in values:
            found.append(body(frame))
        return found

    return map_one


def _set_map(compiler: Compiler, node: SetMap) -> ValueCode:
    found = elements_of_map(compiler, node)
    return lambda frame: make_set(found(frame))


Compiler.values.update({Choose: _choose, SetFilter: _set_filter, SetMap: _set_map})
Compiler.tests.update({Quantified: _quantified})
Compiler.keepable.update((Choose, SetFilter, SetMap))
