"""Giving a variable its next value, slot by slot where it is cut into slots.

A function that differs from another in a few places (`EXCEPT`) is copied and changed in place; one that is written out
goes straight into its slots. Anything else is made first and then cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gristmill.ir.nodes import (
    Case,
    Except,
    Expression,
    FieldAccess,
    FunctionLiteral,
    If,
    Let,
    Local,
    Primitive,
    RecordLiteral,
    TupleLiteral,
    Update,
    Variable,
)
from gristmill.library import Form
from gristmill.native.emit import bits
from gristmill.native.emit.emitter import Emitter, operand
from gristmill.native.emit.functions import at, changed, index_of, known_index, layout_of, outside, within
from gristmill.native.emit.logic import arms
from gristmill.native.emit.names import bind_all, load
from gristmill.native.emit.scope import Offset, Place, plus
from gristmill.native.emit.unroll import copied, instances
from gristmill.native.plan.layout import Bits, Layout, Leaf, Parts
from gristmill.values import Value, enumerate_set, is_enumerable


def store_variable(emitter: Emitter, node: Expression, layout: Layout, slot: int, variable: int) -> set[int]:
    """Give a variable its next value. Slots that keep theirs, as far as that is plain to see, are not written.

    These are told; while it goes on they are `emitter.untouched`, None where what is written depends on a condition.
    """
    if emitter.mode.initial:
        store(emitter, node, layout, slot, variable)
        return set()
    emitter.untouched = set()
    store(emitter, node, layout, slot, variable)
    untouched, emitter.untouched = emitter.untouched, None
    return untouched


def store(emitter: Emitter, node: Expression, layout: Layout, offset: Offset, variable: int) -> None:
    """Write the value of an expression into the next slots from `offset` on."""
    if emitter.fold(node) is None and layout_of(emitter, node) == layout:
        _copy(emitter, node, layout, offset)
    elif isinstance(layout, Leaf):
        _write(emitter, offset, emitter.value(node))
    elif isinstance(layout, Bits):
        _store_bits(emitter, node, layout, offset, variable)
    elif not (emitter.fold(node) is None and _stored_by_form(emitter, node, layout, offset, variable)):
        store_value(emitter, emitter.value(node), layout, offset, variable)


def _store_bits(emitter: Emitter, node: Expression, layout: Bits, offset: Offset, variable: int) -> None:
    resolved = emitter.resolved(node)
    if emitter.fold(node) is None and isinstance(resolved, If | Case | Let):
        _stored_by_form(emitter, resolved, layout, offset, variable)
        return
    found = bits.masks(emitter, node, layout)
    _touch(emitter, offset, layout.size)
    for word in range(layout.words):
        emitter.put(f"w->next[{plus(offset, word)}] = gm_slot_of_bits({found}[{word}]);")


def _stored_by_form(emitter: Emitter, node: Expression, layout: Layout, offset: Offset, variable: int) -> bool:
    node = emitter.resolved(node)
    form = _FORMS.get(type(node))
    return form is not None and form(emitter, node, layout, offset, variable)


def store_value(emitter: Emitter, value: str, layout: Layout, offset: Offset, variable: int) -> None:
    if isinstance(layout, Leaf):
        _write(emitter, offset, value)
        return
    _touch(emitter, offset, layout.size)
    emitter.put(f"{emitter.program.explode(layout)}(w, {value}, w->next + {offset}, {variable});")


def _write(emitter: Emitter, offset: Offset, value: str) -> None:
    _touch(emitter, offset, 1)
    emitter.put(f"w->next[{offset}] = {value};")


def _copy(emitter: Emitter, node: Expression, layout: Layout, offset: Offset) -> None:
    place = emitter.place(node)
    assert place is not None
    stays = isinstance(offset, int) and place.array == "w->current" and place.offset == offset
    if stays and emitter.untouched is not None:
        emitter.untouched.update(_slots(offset, layout))
        return
    _touch(emitter, offset, layout.size)
    if isinstance(layout, Leaf):
        emitter.put(f"w->next[{offset}] = {place.array}[{place.offset}];")
    else:
        emitter.put(f"memcpy(w->next + {offset}, {place.address}, {layout.size} * sizeof(V));")


# --- slots that keep their value -------------------------------------------------------------------------------------


def _slots(offset: Offset, layout: Layout) -> Sequence[int]:
    """Those from an offset on, if that is known."""
    return range(offset, offset + layout.size) if isinstance(offset, int) else ()


def _touch(emitter: Emitter, offset: Offset, size: int) -> None:
    """Slots are written. Those at an offset that is not known have been completed before."""
    if emitter.untouched is not None and isinstance(offset, int):
        emitter.untouched.difference_update(range(offset, offset + size))


def _complete(emitter: Emitter, place: Place) -> None:
    """What was left out of some slots must be there now."""
    if emitter.untouched is not None:
        left = emitter.untouched.intersection(_slots(place.offset, place.layout))
        emitter.copy(left)
        emitter.untouched -= left


def _old(emitter: Emitter, place: Place) -> Place:
    """Where to read what some next slots hold."""
    slots = _slots(place.offset, place.layout)
    if emitter.untouched is not None and slots and emitter.untouched.issuperset(slots):
        return Place("w->current", place.offset, place.layout)
    _complete(emitter, place)
    return place


@contextmanager
def _conditionally(emitter: Emitter, offset: Offset, size: int) -> Iterator[None]:
    """What is written here may depend on a condition, so all of it is written."""
    _touch(emitter, offset, size)
    untouched, emitter.untouched = emitter.untouched, None
    yield
    emitter.untouched = untouched


# --- functions written out -------------------------------------------------------------------------------------------


def _record(emitter: Emitter, node: RecordLiteral, layout: Parts, offset: Offset, variable: int) -> bool:
    if set(node.names) != set(layout.keys):
        return False
    for name, value in zip(node.names, node.values, strict=True):
        found = layout.offset(name)
        assert found is not None
        store(emitter, value, found[1], plus(offset, found[0]), variable)
    return True


def _tuple(emitter: Emitter, node: TupleLiteral, layout: Parts, offset: Offset, variable: int) -> bool:
    if not layout.is_sequence or len(node.items) != len(layout.keys):
        return False
    at_slot = 0
    for value, child in zip(node.items, layout.children, strict=True):
        store(emitter, value, child, plus(offset, at_slot), variable)
        at_slot += child.size
    return True


def _function(emitter: Emitter, node: FunctionLiteral, layout: Parts, offset: Offset, variable: int) -> bool:
    if node.self_slot is not None or len(node.bounds) != 1 or len(node.bounds[0].slots) != 1:
        return False
    domain = emitter.fold(node.bounds[0].domain)
    if domain is None or layout.child is None or not is_enumerable(domain) or node.bounds[0].is_tuple:
        return False
    if tuple(enumerate_set(domain)) != layout.keys:
        return False
    found = instances(emitter, node.bounds, node.body)
    if found is not None:
        for number, (_, body) in enumerate(found):
            with copied(emitter, len(found)):
                store(emitter, body, layout.child, plus(offset, number * layout.child.size), variable)
        return True
    index = emitter.fresh("i")
    slot = emitter.scope.slot(node.bounds[0].slots[0])
    emitter.scope.forget(node.bounds[0].slots)
    head = f"for (uint32_t {index} = 0; {index} < {len(layout.keys)}; {index}++)"
    with _conditionally(emitter, offset, layout.size), emitter.block(head):
        if layout.first_number is not None:
            emitter.put(f"{slot} = gm_int({layout.first_number} + (int64_t){index});")
        else:
            emitter.put(f"{slot} = gm_object_of({emitter.program.keys(layout)})->items[{index}];")
        store(emitter, node.body, layout.child, f"{offset} + {index} * {layout.child.size}", variable)
    return True


def _merge(emitter: Emitter, node: Primitive, layout: Parts, offset: Offset, variable: int) -> bool:
    """`[a |-> x] @@ r`, where `r` is in slots that are cut alike: one field after the other."""
    if node.operator.form is not Form.MERGE:
        return False
    left, right = map(operand, node.args)
    if not isinstance(left, RecordLiteral) or not set(left.names) <= set(layout.keys) or layout.is_sequence:
        return False
    whole = emitter.resolved(right)
    if layout_of(emitter, right) != layout or not isinstance(whole, Variable) or whole.primed or emitter.mode.initial:
        return False
    given = dict(zip(left.names, left.values, strict=True))
    for name in layout.keys:
        value = given[name] if name in given else FieldAccess(right, name, node.span)  # type: ignore[arg-type, index]
        found = layout.offset(name)
        assert found is not None
        store(emitter, value, found[1], plus(offset, found[0]), variable)
    return True


# --- choices and names -----------------------------------------------------------------------------------------------


def _if(emitter: Emitter, node: If, layout: Layout, offset: Offset, variable: int) -> bool:
    condition = emitter.test(node.condition)
    if condition in ("true", "false"):
        store(emitter, node.then if condition == "true" else node.otherwise, layout, offset, variable)
        return True
    with _conditionally(emitter, offset, layout.size):
        with emitter.block(f"if ({condition})"):
            store(emitter, node.then, layout, offset, variable)
        with emitter.block("else"):
            store(emitter, node.otherwise, layout, offset, variable)
    return True


def _case(emitter: Emitter, node: Case, layout: Layout, offset: Offset, variable: int) -> bool:
    with _conditionally(emitter, offset, layout.size):
        arms(emitter, node, lambda value: store(emitter, value, layout, offset, variable))
    return True


def _let(emitter: Emitter, node: Let, layout: Layout, offset: Offset, variable: int) -> bool:
    bind_all(emitter, node)
    store(emitter, node.body, layout, offset, variable)
    return True


# --- EXCEPT ----------------------------------------------------------------------------------------------------------


def _except(emitter: Emitter, node: Except, layout: Parts, offset: Offset, variable: int) -> bool:
    store(emitter, node.function, layout, offset, variable)
    _update_all(emitter, node.updates, layout, offset, variable)
    return True


def _update_all(emitter: Emitter, updates: tuple[Update, ...], layout: Parts, offset: Offset, variable: int) -> None:
    for update in updates:
        path = [(emitter.fold(step), step) for step in update.path]
        texts = [
            emitter.constant(folded) if folded is not None else emitter.keep(emitter.value(step))
            for folded, step in path
        ]
        _update(emitter, update, [folded for folded, _ in path], texts, Place("w->next", offset, layout), variable)


def _update(
    emitter: Emitter, update: Update, folded: list[Value | None], path: list[str], place: Place, variable: int
) -> None:
    """Change what is at the end of a path, from some slots on."""
    layout = place.layout
    if not path:
        _replace(emitter, update, place, variable)
        return
    if not isinstance(layout, Parts):
        old = load(emitter, _old(emitter, place))
        store_value(emitter, changed(emitter, old, path, update), layout, place.offset, variable)
        return
    found = layout.offset(folded[0]) if folded[0] is not None else None
    if found is not None:
        _update(emitter, update, folded[1:], path[1:], within(place, *found), variable)
        return
    _complete(emitter, place)
    if layout.child is None:
        whole = emitter.keep(load(emitter, place))
        store_value(emitter, changed(emitter, whole, path, update), layout, place.offset, variable)
        return
    known = known_index(emitter, layout, path[0])
    if known is not None:
        with _conditionally(emitter, place.offset, layout.size):
            _update(emitter, update, folded[1:], path[1:], at(place, layout, known), variable)
        return
    index = emitter.keep(index_of(emitter, layout, path[0]), "int")
    outside(emitter, f"{index} < 0")
    with _conditionally(emitter, place.offset, layout.size), emitter.block(f"if ({index} >= 0)"):
        _update(emitter, update, folded[1:], path[1:], at(place, layout, f"(uint32_t){index}"), variable)


def _replace(emitter: Emitter, update: Update, place: Place, variable: int) -> None:
    value, slot, layout = update.value, update.at_slot, place.layout
    if isinstance(layout, Parts) and slot is not None and _changes_itself(emitter, value, slot):
        assert isinstance(value, Except)
        _update_all(emitter, value.updates, layout, place.offset, variable)
        return
    if isinstance(layout, Bits) and slot is not None and _is_in_bits(emitter, value, slot):
        emitter.scope.places[slot] = _old(emitter, place)
        is_found = bits.has_bits(emitter, value, layout)
        if is_found:
            store(emitter, value, layout, place.offset, variable)
        del emitter.scope.places[slot]
        if is_found:
            return
    if slot is not None and emitter.program.analysis.mentions(value, slot):
        emitter.put(f"{emitter.scope.slot(slot)} = {load(emitter, _old(emitter, place))};")
    store(emitter, value, layout, place.offset, variable)


def _is_in_bits(emitter: Emitter, value: Expression, slot: int) -> bool:
    """Whether `@` is read as a set that others are joined to, and by nothing else."""
    if not emitter.program.analysis.mentions(value, slot):
        return True
    match value:
        case Local(0, found):
            return found == slot
        case Primitive() if value.operator.c in bits.JOINED and not emitter.is_ordered(value):
            return all(_is_in_bits(emitter, operand(each), slot) for each in value.args)
    return False


def _changes_itself(emitter: Emitter, value: Expression, slot: int) -> bool:
    """`[@ EXCEPT …]`: can be changed where it is, for nothing else reads `@`."""
    if not isinstance(value, Except) or not isinstance(value.function, Local):
        return False
    if value.function.depth != 0 or value.function.slot != slot:
        return False
    analysis = emitter.program.analysis
    return not any(
        analysis.mentions(update.value, slot) or any(analysis.mentions(step, slot) for step in update.path)
        for update in value.updates
    )


_FORMS: dict[type, Callable[[Emitter, Any, Any, Offset, int], bool]] = {
    RecordLiteral: _record,
    Primitive: _merge,
    TupleLiteral: _tuple,
    FunctionLiteral: _function,
    If: _if,
    Case: _case,
    Let: _let,
    Except: _except,
}
