"""Sets that are held as bits: expressions of them without a set being made.

The bits of a set are a C array of as many words as its layout says. What such a set is compared with, or joined to,
gets numbers in the same universe; where that cannot be, the set is listed, and everything is as it is for any value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile

from gristmill.ir.nodes import And, Bound, Expression, If, Local, Primitive, Quantified, SetEnumeration, SetFilter
from gristmill.native.emit.emitter import Emitter, operand
from gristmill.native.emit.scope import Place
from gristmill.native.plan.layout import Bits
from gristmill.values import Value, is_set

JOINED = {"gm_union": "{} | {}", "gm_intersect": "{} & {}", "gm_difference": "{} & ~{}"}
_CARDINALITY = "gm_cardinality"


# --- which expressions -----------------------------------------------------------------------------------------------


def universe_of(emitter: Emitter, node: Expression | None) -> Bits | None:
    """The layout of an expression whose bits are at hand, or can be found from those of others."""
    if node is None or emitter.fold(node) is not None or emitter.is_ordered(node):
        return None
    node = emitter.resolved(node)
    layout = layout_of(emitter, node)
    if isinstance(layout, Bits):
        return layout
    match node:
        case Primitive() if node.operator.c in JOINED:
            left, right = map(operand, node.args)
            found = universe_of(emitter, left) or universe_of(emitter, right)
            both = found is not None and has_bits(emitter, left, found) and has_bits(emitter, right, found)
            return found if both else None
        case SetFilter() if not node.bound.is_tuple:
            return universe_of(emitter, node.bound.domain)
    return None


def layout_of(emitter: Emitter, node: Expression) -> object:
    from gristmill.native.emit.functions import layout_of  # which needs the loops that need this

    place = emitter.scope.places.get(node.slot) if isinstance(node, Local) and node.depth == 0 else None
    return layout_of(emitter, node) if place is None else place.layout


def has_bits(emitter: Emitter, node: Expression, bits: Bits) -> bool:
    """Whether `masks` can tell the bits of an expression in a universe without listing a set first."""
    constant = emitter.fold(node)
    if constant is not None:
        return isinstance(constant, frozenset)
    if emitter.is_ordered(node):
        return False
    node = emitter.resolved(node)
    match node:
        case SetEnumeration():
            return True
        case If():
            return has_bits(emitter, node.then, bits) and has_bits(emitter, node.otherwise, bits)
        case Primitive() if node.operator.c in JOINED:
            return all(has_bits(emitter, operand(each), bits) for each in node.args)
    return universe_of(emitter, node) == bits


# --- bits ------------------------------------------------------------------------------------------------------------


def masks(emitter: Emitter, node: Expression, bits: Bits) -> str:
    """The name of an array with the bits of an expression, in a universe."""
    constant = emitter.fold(node)
    if isinstance(constant, frozenset):
        return _of_elements(emitter, [emitter.constant(each) for each in constant], bits)
    node = emitter.resolved(node)
    match node:
        case SetEnumeration():
            return _of_elements(emitter, [emitter.keep(emitter.value(each)) for each in node.items], bits)
        case If() if has_bits(emitter, node, bits):
            return _either(emitter, node, bits)
        case Primitive() if node.operator.c in JOINED and has_bits(emitter, node, bits):
            return _joined(emitter, node, bits)
        case SetFilter() if universe_of(emitter, node) == bits:
            return _filtered(emitter, node, bits)
    if layout_of(emitter, node) == bits:
        return of_place(emitter, _place(emitter, node), bits)
    found = _array(emitter, bits)
    emitter.put(f"gm_bits_of_set(w, {bits.universe}, {emitter.value(node)}, {found}, {_variable(emitter, bits)});")
    return found


def _variable(emitter: Emitter, bits: Bits) -> int:
    """One that is held otherwise if something does not fit."""
    return emitter.program.universes[bits.universe][1]


def _array(emitter: Emitter, bits: Bits, content: str = "") -> str:
    name = emitter.fresh("m")
    emitter.put(f"uint64_t {name}[{bits.words}]{content};")
    return name


def _place(emitter: Emitter, node: Expression) -> Place:
    if isinstance(node, Local) and node.depth == 0 and node.slot in emitter.scope.places:
        return emitter.scope.places[node.slot]
    place = emitter.place(node)
    assert place is not None
    return place


def of_place(emitter: Emitter, place: Place, bits: Bits) -> str:
    words = [f"gm_bits_of(({place.address})[{word}])" for word in range(bits.words)]
    return _array(emitter, bits, f" = {{{', '.join(words)}}}")


def _of_elements(emitter: Emitter, elements: list[str], bits: Bits) -> str:
    found = _array(emitter, bits, " = {0}")
    for element in elements:
        number = f"gm_bits_number(w, {bits.universe}, {element}, {_variable(emitter, bits)})"
        emitter.put(f"gm_bits_add({found}, {number});")
    return found


def _joined(emitter: Emitter, node: Primitive, bits: Bits) -> str:
    left, right = (masks(emitter, operand(each), bits) for each in node.args)
    form = JOINED[str(node.operator.c)]
    words = [form.format(f"{left}[{word}]", f"{right}[{word}]") for word in range(bits.words)]
    return _array(emitter, bits, f" = {{{', '.join(words)}}}")


def _either(emitter: Emitter, node: If, bits: Bits) -> str:
    condition = emitter.test(node.condition)
    if condition in ("true", "false"):
        return masks(emitter, node.then if condition == "true" else node.otherwise, bits)
    found = _array(emitter, bits)
    for head, branch in ((f"if ({condition})", node.then), ("else", node.otherwise)):
        with emitter.block(head):
            chosen = masks(emitter, branch, bits)
            emitter.put(f"memcpy({found}, {chosen}, sizeof {found});")
    return found


def _filtered(emitter: Emitter, node: SetFilter, bits: Bits) -> str:
    found = _array(emitter, bits, " = {0}")
    with members(emitter, node.bound, bits, conjuncts_of(node.predicate)) as (loop, rest):
        emitter.put(f"if ({_all_of(emitter, rest)}) gm_bits_add({found}, {loop}.number);")
    return found


def _all_of(emitter: Emitter, conjuncts: list[Expression]) -> str:
    if not conjuncts:
        return "true"
    return emitter.test(conjuncts[0] if len(conjuncts) == 1 else And(tuple(conjuncts), conjuncts[0].span))


def conjuncts_of(node: Expression) -> list[Expression]:
    if isinstance(node, And):
        return [each for item in node.items for each in conjuncts_of(item)]
    return [node]


def first_tests(emitter: Emitter, body: Expression) -> list[Expression]:
    """The first conjuncts of an action, as far as they assign nothing."""
    items = body.items if isinstance(body, And) else (body,)
    return list(takewhile(lambda item: emitter.program.analysis.is_test(item, emitter.mode.initial), items))


def without(body: Expression, tests: int) -> Expression | None:
    """What is left of an action without so many of its first conjuncts."""
    if not tests:
        return body
    left = body.items[tests:] if isinstance(body, And) else ()
    return None if not left else left[0] if len(left) == 1 else And(left, body.span)


# --- going through a set ---------------------------------------------------------------------------------------------


@contextmanager
def members(
    emitter: Emitter, bound: Bound, bits: Bits, conjuncts: list[Expression]
) -> Iterator[tuple[str, list[Expression]]]:
    """A loop over a set, for elements that pass the first conjuncts, as far as these depend on the element alone.

    What such a test came to is remembered for each element. The loop, and the other conjuncts.
    """
    assert bound.domain is not None
    slot = bound.slots[0]
    alone = _alone(emitter, conjuncts, slot)
    words = masks(emitter, bound.domain, bits)
    yes, no = emitter.fresh("y"), emitter.fresh("y")
    if alone:
        emitter.put(f"static uint64_t {yes}[{bits.words}], {no}[{bits.words}];")
        for word in range(bits.words):
            emitter.put(f"{words}[{word}] &= ~__atomic_load_n(&{no}[{word}], __ATOMIC_RELAXED);")
    loop, element = emitter.fresh("i"), emitter.fresh("e")
    emitter.put(f"gm_members {loop};")
    emitter.put(f"V {element};")
    emitter.put(f"gm_members_begin(w, {bits.universe}, {bits.words}, {words}, &{loop});")
    with emitter.block(f"while (gm_members_next(&{loop}, &{element}))"):
        emitter.scope.forget((slot,))
        emitter.positions.pop(emitter.scope.slot(slot), None)
        emitter.put(f"{emitter.scope.slot(slot)} = {element};")
        if alone:
            with emitter.block(f"if (!gm_bits_noted({yes}, {loop}.number))"):
                with emitter.block(f"if (!({_all_of(emitter, alone)}))"):
                    emitter.put(f"gm_bits_note({no}, {loop}.number);")
                    emitter.put("continue;")
                emitter.put(f"gm_bits_note({yes}, {loop}.number);")
        yield loop, conjuncts[len(alone) :]


def _alone(emitter: Emitter, conjuncts: list[Expression], slot: int) -> list[Expression]:
    """Those at the beginning that depend on the element, and on nothing else that may change."""
    found = []
    for each in conjuncts:
        dependencies = emitter.program.analysis.of(each)
        others = [
            (depth, other)
            for depth, other in dependencies.locals
            if (depth, other) != (0, slot) and _known(emitter, depth, other) is None
        ]
        if dependencies.bits or others or (0, slot) not in dependencies.locals:
            break
        found.append(each)
    return found


def _known(emitter: Emitter, depth: int, slot: int) -> Value | None:
    found = emitter.scope.up(depth).known.get(slot)
    return None if found is None else found.value


def loop_over(emitter: Emitter, bounds: Sequence[Bound]) -> Bits | None:
    """The layout of the set that a quantifier goes through, if that is held as bits."""
    if len(bounds) != 1 or len(bounds[0].slots) != 1 or bounds[0].is_tuple:
        return None
    return universe_of(emitter, bounds[0].domain)


def quantified(emitter: Emitter, node: Quantified) -> str | None:
    """`\\E x \\in S : P` and `\\A`, where S is held as bits."""
    bits = loop_over(emitter, node.bounds)
    if bits is None:
        return None
    result, end = emitter.fresh(), emitter.fresh("end")
    emitter.put(f"bool {result} = {'true' if node.universal else 'false'};")
    with emitter.block():
        conjuncts = [] if node.universal else conjuncts_of(node.body)
        with members(emitter, node.bounds[0], bits, conjuncts) as (_, rest):
            condition = f"!({emitter.test(node.body)})" if node.universal else _all_of(emitter, rest)
            with emitter.block(f"if ({condition})"):
                emitter.put(f"{result} = {'false' if node.universal else 'true'};")
                emitter.put(f"goto {end};")
    emitter.put(f"{end}:;")
    return result


# --- what is asked of sets -------------------------------------------------------------------------------------------


def is_member(emitter: Emitter, element: str, collection: Expression) -> str | None:
    bits = universe_of(emitter, collection)
    if bits is None:
        return None
    found = masks(emitter, collection, bits)
    return f"gm_bits_have(w, {bits.universe}, {found}, {element})"


def are_equal(emitter: Emitter, left: Expression, right: Expression) -> str | None:
    bits = universe_of(emitter, left) or universe_of(emitter, right)
    if bits is None or not (has_bits(emitter, left, bits) and has_bits(emitter, right, bits)):
        return None
    if emitter.fold(right) == frozenset() or emitter.fold(left) == frozenset():
        other = left if emitter.fold(right) == frozenset() else right
        found = masks(emitter, other, bits)
        return f"!({' | '.join(f'{found}[{word}]' for word in range(bits.words))})"
    one, other_masks = masks(emitter, left, bits), masks(emitter, right, bits)
    return _all_words(bits, f"{one}[%] == {other_masks}[%]")


def is_subset(emitter: Emitter, left: Expression, right: Expression) -> str | None:
    bits = universe_of(emitter, left)
    if bits is None:
        return None
    if has_bits(emitter, right, bits) and emitter.fold(right) is None:
        one, other = masks(emitter, left, bits), masks(emitter, right, bits)
        return _all_words(bits, f"!({one}[%] & ~{other}[%])")
    constant = emitter.fold(right)
    if constant is None or not is_set(constant):
        return None
    return within(emitter, masks(emitter, left, bits), bits, emitter.constant(constant))


def within(emitter: Emitter, found: str, bits: Bits, base: str) -> str:
    """Whether all elements are in a constant set; those that are known to be are not asked again."""
    known = emitter.fresh("y")
    emitter.put(f"static uint64_t {known}[{bits.words}];")
    result = emitter.keep(_all_words(bits, f"!({found}[%] & ~__atomic_load_n(&{known}[%], __ATOMIC_RELAXED))"), "bool")
    with emitter.block(f"if (!{result} && gm_bits_within(w, {bits.universe}, {found}, {base}))"):
        emitter.put(f"{result} = true;")
        for word in range(bits.words):
            emitter.put(f"__atomic_fetch_or(&{known}[{word}], {found}[{word}], __ATOMIC_RELAXED);")
    return result


def _all_words(bits: Bits, test: str) -> str:
    return "(" + " && ".join(test.replace("%", str(word)) for word in range(bits.words)) + ")"


def cardinality(emitter: Emitter, node: Primitive) -> str | None:
    """Of `Cardinality(S)`."""
    if node.operator.c != _CARDINALITY:
        return None
    argument = operand(node.args[0])
    bits = universe_of(emitter, argument)
    if bits is None:
        return None
    found = masks(emitter, argument, bits)
    count = " + ".join(f"__builtin_popcountll({found}[{word}])" for word in range(bits.words))
    return f"gm_int({count})"


def listed(emitter: Emitter, node: Expression) -> str | None:
    """The value of a set that is found from bits, but is in no slots itself."""
    bits = universe_of(emitter, node)
    if bits is None:
        return None
    return emitter.keep(f"gm_bits_listed(w, {bits.universe}, {masks(emitter, node, bits)})")
