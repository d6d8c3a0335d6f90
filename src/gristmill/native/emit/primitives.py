"""Library operators in C: functions of the runtime, forms that are written out, or Python's by callback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gristmill.ir.nodes import (
    Argument,
    Literal,
    LocalOperator,
    OperatorArgument,
    Primitive,
    PrimitiveOperator,
    RecordLiteral,
    SetEnumeration,
    SetMap,
    TupleLiteral,
    Variable,
)
from gristmill.library import Form, Operator
from gristmill.library.declaration import Native, Swapped, WithNames
from gristmill.native.emit import bits
from gristmill.native.emit.binders import map_into_array
from gristmill.native.emit.calls import apply_operator, operator
from gristmill.native.emit.emitter import Emitter, operand
from gristmill.native.errors import Unsupported
from gristmill.native.plan.printing import Printing, shown_parts


def _value(emitter: Emitter, node: Primitive) -> str:
    declared = node.operator
    as_bits = bits.cardinality(emitter, node) or bits.listed(emitter, node)
    if as_bits is not None:
        return as_bits
    form = FORMS.get(declared.form)
    if form is not None:
        return form(emitter, node)
    if declared.boolean and (declared.form in TESTS or not isinstance(declared.c, Native)):
        return f"gm_bool({_test(emitter, node)})"
    call = _call(emitter, node)
    return _by_python(emitter, node) if call is None else emitter.keep(call)


def _test(emitter: Emitter, node: Primitive) -> str:
    form = TESTS.get(node.operator.form)
    if form is not None:
        return form(emitter, node)
    call = _call(emitter, node) if node.operator.boolean else None
    return f"gm_truth(w, {_value(emitter, node)})" if call is None else call


def _call(emitter: Emitter, node: Primitive) -> str | None:
    """Of the runtime's function, if there is one."""
    match node.operator.c:
        case str(function):
            args = _operands(emitter, node)
        case Swapped(function):
            args = _operands(emitter, node)[::-1]
        case WithNames(function, names):
            args = [*map(emitter.constant, names), *_operands(emitter, node)]
        case _:
            return None
    return f"{function}({', '.join(['w', *args])})"


def _operands(emitter: Emitter, node: Primitive) -> list[str]:
    """The arguments, evaluated from left to right, as names of values and of closures."""
    return [_operand(emitter, node.operator, number, arg) for number, arg in enumerate(node.args)]


def _operand(emitter: Emitter, declared: Operator, number: int, arg: Argument) -> str:
    if isinstance(arg, OperatorArgument | LocalOperator | PrimitiveOperator):
        return operator(emitter, arg)
    return emitter.keep(emitter.applied(arg) if number in declared.applied else emitter.value(arg))


def _by_python(emitter: Emitter, node: Primitive) -> str:
    """Evaluated by the reference evaluator's function, on values."""
    if node.operator.lazy:
        raise Unsupported(str(node.operator))
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
            return f"gm_int(w->level{' + 1' if node.operator.form is Form.NEXT_STATISTIC else ''})"
    return _by_python(emitter, node)


def _assert(emitter: Emitter, node: Primitive) -> str:
    """What it says when it is false, the reference evaluator says. That may be an error also when it is true."""
    condition, message = map(operand, node.args)
    emitter.put(f"if (!{emitter.test(condition)}) gm_fail(w, GM_ERROR);")
    for part in _doubtful_parts(emitter, message):
        emitter.put(f"(void){emitter.value(part)};")
    return "true"


def _doubtful_parts(emitter: Emitter, message: Any) -> Iterator[Any]:
    """The parts of a message whose evaluation may be an error: no text, and not that it is put together."""
    match message:
        case Literal():
            return
        case Variable(_, primed) if not primed and not emitter.mode.initial:
            return
        case TupleLiteral(parts) | RecordLiteral(_, parts):
            pass
        case Primitive(declared, parts) if declared.form is Form.SHOW or _is_text(message):
            pass
        case _:
            yield message
            return
    for part in parts:
        yield from _doubtful_parts(emitter, part)


def _is_text(node: Any) -> bool:
    match node:
        case Literal(value):
            return isinstance(value, str)
        case Primitive(declared, parts):
            return declared.form is Form.SHOW or (declared.form is Form.CONCATENATE and all(map(_is_text, parts)))
    return False


def _subset(emitter: Emitter, node: Primitive) -> str:
    left, right = map(operand, node.args)
    as_bits = bits.is_subset(emitter, left, right)
    if as_bits is not None:
        return as_bits
    some = emitter.keep(emitter.value(left))
    name = "gm_subset" if emitter.fold(right) is None else "gm_subset_known"
    return f"{name}(w, {some}, {emitter.value(right)})"


def _evaluated(emitter: Emitter, node: Primitive) -> str:
    result = emitter.keep(emitter.value(operand(node.args[0])))
    emitter.put(f"if (gm_is_kind({result}, GM_UNION)) {result} = gm_list(w, {result});")
    return result


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


def _print(emitter: Emitter, node: Primitive) -> str:
    shown, parts = shown_parts(node)
    number = emitter.program.primitive(Printing(node.operator, shown))
    array = emitter.several(parts)
    value = "GM_TRUE" if node.operator.form is Form.PRINT_TRUE else f"{array}[{len(parts) - 1}]"
    return emitter.keep(f"gm_print(w, {number}, {array}, {len(parts)}, {value})")


def _trap(emitter: Emitter, node: Primitive) -> str:
    return emitter.keep("gm_trapped(w)")


FORMS: dict[Form | None, Callable[[Emitter, Primitive], str]] = {
    Form.BIG_UNION: _big_union,
    Form.EVALUATE: _evaluated,
    Form.PRINT: _print,
    Form.PRINT_TRUE: _print,
    Form.SELECT: _select_seq,
    Form.STATISTIC: _tlc_get,
    Form.NEXT_STATISTIC: _tlc_get,
    Form.TRAP: _trap,
}
TESTS: dict[Form | None, Callable[[Emitter, Primitive], str]] = {Form.ASSERT: _assert, Form.INCLUDED: _subset}

Emitter.values[Primitive] = _value
Emitter.tests[Primitive] = _test
