"""Membership of a variable in a set that is described: slot by slot, without making the value or the set."""

from __future__ import annotations

from gristmill.ir.nodes import Expression
from gristmill.native.emit import bits
from gristmill.native.emit.emitter import Emitter
from gristmill.native.emit.functions import layout_of
from gristmill.native.emit.scope import Place, plus
from gristmill.native.plan.layout import Bits, Layout, Leaf, Parts
from gristmill.values import (
    NAT,
    FunctionSet,
    Interval,
    PowerSet,
    RecordSet,
    SequenceSet,
    Value,
    cardinality,
    enumerate_set,
    is_enumerable,
    normalize,
)
from gristmill.values.operations.sets import counts_quickly

_MAX_LOOP = 64
_MAX_LISTED = 1_024  # choices for a slot
_FEW = 8  # elements that are compared one after the other


def member_of_constant(emitter: Emitter, node: Expression, collection: Value, if_changed: bool = False) -> str | None:
    """Whether what some slots hold is in a constant set; None if there is no better way than to look.

    `if_changed`: only slots that have changed are looked at.
    """
    layout = layout_of(emitter, node)
    if layout is None or not _fits(layout, collection):
        return None
    place = emitter.place(node)
    assert place is not None
    assert not if_changed or place.array == "w->current"
    result = emitter.keep("true", "bool")
    _test(emitter, place, collection, result, if_changed)
    return result


def member_of_few(emitter: Emitter, element: str, collection: Value) -> str | None:
    """Whether a value is one of a few strings or integers, which are words; None if it is another set."""
    if not isinstance(collection, frozenset) or not 0 < len(collection) <= _FEW:
        return None
    for kind, test in ((str, "gm_is_string"), (int, "gm_is_int")):
        if all(type(each) is kind for each in collection):
            words = sorted(emitter.constant(each) for each in collection)
            equal = " || ".join(f"{element} == {word}" for word in words)
            return f"({test}({element}) ? {equal} : gm_member(w, {element}, {emitter.constant(collection)}))"
    return None


def part_by_part(collection: Value | None, layout: Layout) -> Value | None:
    """A set of functions with a choice of listed values for each slot, if that is what it is."""
    if not isinstance(layout, Parts) or not all(isinstance(child, Leaf) for child in layout.children):
        return None
    if isinstance(collection, FunctionSet):
        if not _is_short(collection.domain) or not _is_short(collection.range):
            return None
        if tuple(enumerate_set(collection.domain)) != layout.keys:
            return None
        return FunctionSet(normalize(collection.domain), normalize(collection.range))
    if isinstance(collection, RecordSet) and not layout.is_sequence:
        if tuple(name for name, _ in collection.fields) != layout.keys or not all(
            _is_short(each) for _, each in collection.fields
        ):
            return None
        return RecordSet(tuple((name, normalize(each)) for name, each in collection.fields))
    return None


def _is_short(collection: Value) -> bool:
    return is_enumerable(collection) and counts_quickly(collection) and 0 < cardinality(collection) <= _MAX_LISTED


def _fits(layout: Layout, collection: Value) -> bool:
    """Whether the set says of each part of the layout what it must be."""
    if isinstance(layout, Leaf):
        return True
    if isinstance(layout, Bits):
        return isinstance(collection, PowerSet)
    if isinstance(collection, FunctionSet):
        domain = collection.domain
        if not is_enumerable(domain) or layout.child is None or len(layout.keys) > _MAX_LOOP:
            return False
        return tuple(enumerate_set(domain)) == layout.keys and _fits(layout.child, collection.range)
    if isinstance(collection, RecordSet):
        if layout.is_sequence or tuple(name for name, _ in collection.fields) != layout.keys:
            return False
        return all(_fits(child, each) for child, (_, each) in zip(layout.children, collection.fields, strict=True))
    return False


def _test(emitter: Emitter, place: Place, collection: Value, result: str, if_changed: bool) -> None:
    """Set `result` to false if the content of some slots is not in the set."""
    layout = place.layout
    if isinstance(layout, Leaf):
        condition = f"if (w->changed & {_bit(place.offset)}) " if if_changed else ""
        emitter.put(f"{condition}{result} = {_slot_test(emitter, f'{place.array}[{place.offset}]', collection)};")
    elif isinstance(layout, Bits):
        assert isinstance(collection, PowerSet)
        _test_bits(emitter, place, layout, collection, result, if_changed)
    elif isinstance(collection, FunctionSet):
        assert layout.child is not None
        index = emitter.fresh("i")
        head = f"for (uint32_t {index} = 0; {result} && {index} < {len(layout.keys)}; {index}++)"
        with emitter.block(head):
            offset = f"{place.offset} + {index} * {layout.child.size}"
            _test(emitter, Place(place.array, offset, layout.child), collection.range, result, if_changed)
    else:
        assert isinstance(collection, RecordSet)
        start = 0
        for child, (_, each) in zip(layout.children, collection.fields, strict=True):
            with emitter.block(f"if ({result})"):
                _test(emitter, Place(place.array, plus(place.offset, start), child), each, result, if_changed)
            start += child.size


def _test_bits(
    emitter: Emitter, place: Place, layout: Bits, collection: PowerSet, result: str, if_changed: bool
) -> None:
    changed = " | ".join(_bit(plus(place.offset, word)) for word in range(layout.words))
    with emitter.block(f"if (w->changed & ({changed}))" if if_changed else ""):
        found = bits.of_place(emitter, place, layout)
        emitter.put(f"{result} = {bits.within(emitter, found, layout, emitter.constant(collection.base))};")


def _bit(slot: int | str) -> str:
    """The one that says that a slot has changed."""
    return f"(UINT64_C(1) << slot_bits[{slot}])"


def _slot_test(emitter: Emitter, slot: str, collection: Value) -> str:
    if isinstance(collection, PowerSet):
        base = emitter.constant(collection.base)
        otherwise = f"gm_member(w, {slot}, {emitter.constant(collection)})"
        return f"gm_is_kind({slot}, GM_SET) ? gm_subset_known(w, {slot}, {base}) : {otherwise}"
    few = member_of_few(emitter, slot, collection)
    if few is not None:
        return few
    if isinstance(collection, frozenset | SequenceSet | FunctionSet | RecordSet):
        return f"gm_member_known(w, {slot}, {emitter.constant(collection)})"
    if isinstance(collection, Interval) or collection == NAT:
        low = collection.lo if isinstance(collection, Interval) else 0
        high = f" && gm_int_of({slot}) <= {collection.hi}LL" if isinstance(collection, Interval) else ""
        is_inside = f"gm_int_of({slot}) >= {low}LL{high}"
        return f"gm_is_int({slot}) ? {is_inside} : gm_member(w, {slot}, {emitter.constant(collection)})"
    return f"gm_member(w, {slot}, {emitter.constant(collection)})"
