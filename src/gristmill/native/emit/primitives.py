"""Operators with a hand-written form: C functions of the runtime, or Python's by callback."""

from __future__ import annotations

from collections.abc import Callable

from gristmill.ir.nodes import (
    Literal,
    LocalOperator,
    OperatorArgument,
    Primitive,
    PrimitiveOperator,
    SetEnumeration,
    SetMap,
)
from gristmill.library import PRIMITIVES
from gristmill.native.emit.binders import map_into_array
from gristmill.native.emit.calls import apply_operator, operator
from gristmill.native.emit.community import TESTS as COMMUNITY_TESTS
from gristmill.native.emit.community import VALUES as COMMUNITY_VALUES
from gristmill.native.emit.community import operands
from gristmill.native.emit.emitter import Emitter, operand
from gristmill.native.errors import Unsupported

_VALUES = {
    "Naturals!+": "gm_add",
    "Naturals!-": "gm_subtract",
    "Naturals!*": "gm_multiply",
    "Naturals!^": "gm_power",
    "Naturals!\\div": "gm_divide",
    "Naturals!%": "gm_modulo",
    "Naturals!..": "gm_interval",
    "Integers!-.": "gm_negate",
    "\\cup": "gm_union",
    "\\cap": "gm_intersect",
    "\\": "gm_difference",
    "SUBSET": "gm_powerset",
    "DOMAIN": "gm_domain",
    "Sequences!Len": "gm_length",
    "Sequences!\\o": "gm_concat",
    "Sequences!Append": "gm_append",
    "Sequences!Head": "gm_head",
    "Sequences!Tail": "gm_tail",
    "Sequences!SubSeq": "gm_subseq",
    "Sequences!Seq": "gm_sequences",
    "FiniteSets!Cardinality": "gm_cardinality",
    "TLC!@@": "gm_merge",
    "TLC!:>": "gm_single",
    **COMMUNITY_VALUES,
}
_TESTS = {
    "FiniteSets!IsFiniteSet": "gm_is_finite",
    "Naturals!<": "gm_less",
    "Naturals!<=": "gm_at_most",
    **COMMUNITY_TESTS,
}
_TURNED = {"Naturals!>": "gm_less", "Naturals!>=": "gm_at_most"}


def _value(emitter: Emitter, node: Primitive) -> str:
    form = FORMS.get(node.operator)
    if form is not None:
        return form(emitter, node)
    name = _VALUES.get(node.operator)
    if name is not None:
        return emitter.keep(f"{name}({', '.join(['w', *operands(emitter, node)])})")
    if node.operator in _TESTS or node.operator in _TURNED or node.operator in TESTS:
        return f"gm_bool({_test(emitter, node)})"
    return _by_python(emitter, node)


def _test(emitter: Emitter, node: Primitive) -> str:
    form = TESTS.get(node.operator)
    if form is not None:
        return form(emitter, node)
    name = _TESTS.get(node.operator)
    if name is not None:
        return f"{name}({', '.join(['w', *operands(emitter, node)])})"
    turned = _TURNED.get(node.operator)
    if turned is not None:
        first, second = operands(emitter, node)
        return f"{turned}(w, {second}, {first})"
    return f"gm_truth(w, {_value(emitter, node)})"


def _by_python(emitter: Emitter, node: Primitive) -> str:
    """Evaluated by the reference evaluator's function, on values."""
    implementation = PRIMITIVES[node.operator]
    if implementation.lazy:
        raise Unsupported(node.operator)
    if any(isinstance(arg, OperatorArgument | LocalOperator | PrimitiveOperator) for arg in node.args):
        raise Unsupported(f"{node.operator}, which takes an operator")
    number = emitter.program.primitive(node.operator)
    array = emitter.several([operand(arg) for arg in node.args])
    return emitter.keep(f"gm_python(w, {number}, {array}, {len(node.args)})")


# --- forms of their own ----------------------------------------------------------------------------------------------


def _big_union(emitter: Emitter, node: Primitive) -> str:
    """`UNION {S(x) : x \\in T}`: the sets are not listed on the way."""
    sets = operand(node.args[0])
    if isinstance(sets, SetMap) and emitter.fold(sets) is None:
        array, count = map_into_array(emitter, sets)
        return emitter.keep(f"gm_union_of(w, {array}, {count})")
    if isinstance(sets, SetEnumeration) and sets.items:
        array = emitter.several(sets.items)
        return emitter.keep(f"gm_union_of(w, {array}, {len(sets.items)})")
    return emitter.keep(f"gm_big_union(w, {emitter.value(sets)})")


def _tlc_get(emitter: Emitter, node: Primitive) -> str:
    match node.args:
        case (Literal("level"),):
            return f"gm_int(w->level{' + 1' if node.operator.endswith(chr(39)) else ''})"
    return _by_python(emitter, node)


def _assert(emitter: Emitter, node: Primitive) -> str:
    """What it says when it is false, the reference evaluator says."""
    emitter.put(f"if (!{emitter.test(operand(node.args[0]))}) gm_fail(w, GM_ERROR);")
    return "true"


def _subset(emitter: Emitter, node: Primitive) -> str:
    left, right = map(operand, node.args)
    some = emitter.keep(emitter.value(left))
    name = "gm_subset" if emitter.fold(right) is None else "gm_subset_known"
    return f"{name}(w, {some}, {emitter.value(right)})"


def _evaluated(emitter: Emitter, node: Primitive) -> str:
    result = emitter.keep(emitter.value(operand(node.args[0])))
    emitter.put(f"if (gm_is_kind({result}, GM_UNION)) {result} = gm_list(w, {result});")
    return result


def _domain(emitter: Emitter, node: Primitive) -> str:
    return emitter.keep(f"gm_domain(w, {emitter.applied(operand(node.args[0]))})")


def _select_seq(emitter: Emitter, node: Primitive) -> str:
    items, test = node.args
    if not isinstance(test, OperatorArgument | LocalOperator | PrimitiveOperator):
        raise Unsupported("SelectSeq")
    sequence = emitter.keep(emitter.value(operand(items)))
    closure = operator(emitter, test)
    emitter.put(f"if (!gm_is_kind({sequence}, GM_SEQUENCE)) gm_fail(w, GM_ERROR);")
    found, count, index = emitter.fresh("a"), emitter.fresh("n"), emitter.fresh("i")
    emitter.put(f"V *{found} = gm_array(w, gm_object_of({sequence})->size);")
    emitter.put(f"uint32_t {count} = 0;")
    with emitter.block(f"for (uint32_t {index} = 0; {index} < gm_object_of({sequence})->size; {index}++)"):
        item = emitter.keep(f"gm_object_of({sequence})->items[{index}]")
        chosen = apply_operator(emitter, closure, [item])
        emitter.put(f"if (gm_truth(w, {chosen})) {found}[{count}++] = {item};")
    return emitter.keep(f"gm_make_sequence(w, {found}, {count})")


FORMS: dict[str, Callable[[Emitter, Primitive], str]] = {
    "UNION": _big_union,
    "DOMAIN": _domain,
    "TLC!TLCEval": _evaluated,
    "Sequences!SelectSeq": _select_seq,
    "TLC!TLCGet": _tlc_get,
    "TLC!TLCGet'": _tlc_get,
}
TESTS: dict[str, Callable[[Emitter, Primitive], str]] = {"TLC!Assert": _assert, "\\subseteq": _subset}

Emitter.values[Primitive] = _value
Emitter.tests[Primitive] = _test
