"""Formulas: connectives, equality, membership, IF and CASE."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gristmill.ir.nodes import (
    And,
    AngleAction,
    BoxAction,
    Case,
    Equal,
    Equivalent,
    Expression,
    If,
    Implies,
    Member,
    Not,
    Or,
    Primitive,
    SetFilter,
    Unchanged,
)
from gristmill.library import Form
from gristmill.native.emit import bits
from gristmill.native.emit.binders import filtered
from gristmill.native.emit.connectives import sequence
from gristmill.native.emit.emitter import Emitter, negated, operand
from gristmill.native.emit.membership import member_of_constant, member_of_few
from gristmill.native.emit.scope import Scope
from gristmill.native.emit.selection import selection
from gristmill.values import Boolean, ModelValue, Value

# --- connectives -----------------------------------------------------------------------------------------------------


def _and(emitter: Emitter, node: And) -> str:
    return sequence(emitter, [partial(emitter.test, item) for item in node.items], False)


def _or(emitter: Emitter, node: Or) -> str:
    return sequence(emitter, [partial(emitter.test, item) for item in node.items], True)


def _not(emitter: Emitter, node: Not) -> str:
    return negated(emitter.test(node.operand))


def _implies(emitter: Emitter, node: Implies) -> str:
    return sequence(emitter, [lambda: negated(emitter.test(node.left)), lambda: emitter.test(node.right)], True)


def _equivalent(emitter: Emitter, node: Equivalent) -> str:
    left = emitter.keep(emitter.test(node.left), "bool")
    return f"({left} == {emitter.test(node.right)})"


# --- equality and membership -----------------------------------------------------------------------------------------


_EMPTY: dict[Value, str] = {(): "GM_SEQUENCE", frozenset(): "GM_SET"}


def _equal(emitter: Emitter, node: Equal) -> str:
    as_bits = bits.are_equal(emitter, node.left, node.right)
    if as_bits is not None:
        return as_bits
    for one, other in ((node.left, node.right), (node.right, node.left)):
        constant = emitter.fold(other)
        if constant in ((), frozenset()):  # the most frequent guards
            text = emitter.keep(emitter.value(one))
            kind, empty = _EMPTY[constant], emitter.constant(constant)
            is_empty = f"gm_object_of({text})->size == 0"
            return f"(gm_is_kind({text}, {kind}) ? {is_empty} : gm_equal(w, {text}, {empty}))"
        if isinstance(constant, int | str | Boolean | ModelValue):
            return _equal_to_atom(emitter, one, constant)
    left = emitter.value(node.left)
    if not left.isidentifier():
        left = emitter.keep(left)
    return f"gm_equal(w, {left}, {emitter.value(node.right)})"


def _equal_to_atom(emitter: Emitter, node: Expression, atom: Value) -> str:
    """Anything may be compared with a model value that has no type, and is the same word or not the same value."""
    text, constant = emitter.value(node), emitter.constant(atom)
    if isinstance(atom, ModelValue) and atom.type is None:
        return f"({text} == {constant})"
    if isinstance(atom, ModelValue):
        return f"gm_equal(w, {text}, {constant})"
    kind = "int" if isinstance(atom, int) else "string" if isinstance(atom, str) else "bool"
    text = text if text.isidentifier() else emitter.keep(text)
    return f"({text} == {constant} || (!gm_is_{kind}({text}) && gm_equal_slow(w, {text}, {constant})))"


def _member(emitter: Emitter, node: Member) -> str:
    constant = emitter.fold(node.right)
    if constant is not None:
        found = member_of_constant(emitter, node.left, constant)
        if found is not None:
            return found
    element = emitter.keep(emitter.value(node.left))
    return member(emitter, element, node.right)


def member(emitter: Emitter, element: str, collection: Expression) -> str:
    """Without building the set where that can be spared."""
    constant = emitter.fold(collection)
    if constant is not None:
        few = member_of_few(emitter, element, constant)
        if few is not None:
            return few
    else:
        if isinstance(collection, Primitive) and collection.operator.form is Form.INTERVAL:
            low, high = (emitter.keep(emitter.value(operand(end))) for end in collection.args)
            emitter.put(f"if (!gm_is_int({element})) gm_fail(w, GM_ERROR);")
            return f"(gm_at_most(w, {low}, {element}) && gm_at_most(w, {element}, {high}))"
        as_bits = bits.is_member(emitter, element, collection)
        if as_bits is not None:
            return as_bits
        selected = selection(emitter, collection)
        if selected is not None and not selected[0].bound.is_tuple and selected[0].bound.domain is not None:
            return _member_of_selection(emitter, element, *selected)
    return f"gm_member(w, {element}, {emitter.value(collection)})"


def _member_of_selection(emitter: Emitter, element: str, chosen_by: SetFilter, scope: Scope) -> str:
    """Of a listed set all elements are looked at, as the reference evaluator does: one of them may be an error."""
    assert chosen_by.bound.domain is not None
    inside = emitter.fresh()
    with emitter.inside(scope):
        base = emitter.keep(emitter.value(chosen_by.bound.domain))
        emitter.put(f"bool {inside};")
        with emitter.block(f"if (gm_is_kind({base}, GM_SET) || gm_is_kind({base}, GM_INTERVAL))"):
            emitter.put(f"{inside} = gm_member(w, {element}, {filtered(emitter, chosen_by, base)});")
        with emitter.block("else"):
            emitter.put(f"{inside} = gm_member(w, {element}, {base});")
            with emitter.block(f"if ({inside})"):
                scope.forget(chosen_by.bound.slots)
                emitter.put(f"{scope.slot(chosen_by.bound.slots[0])} = {element};")
                emitter.put(f"{inside} = {emitter.test(chosen_by.predicate)};")
    return inside


# --- IF and CASE -----------------------------------------------------------------------------------------------------


def _conditional(form: Callable[[Emitter, Expression], str], kind: str) -> Callable[[Emitter, If], str]:
    def write(emitter: Emitter, node: If) -> str:
        condition = emitter.test(node.condition)
        if condition in ("true", "false"):
            return form(emitter, node.then if condition == "true" else node.otherwise)
        result = emitter.fresh()
        emitter.put(f"{kind} {result};")
        with emitter.block(f"if ({condition})"):
            emitter.put(f"{result} = {form(emitter, node.then)};")
        with emitter.block("else"):
            emitter.put(f"{result} = {form(emitter, node.otherwise)};")
        return result

    return write


def arms(emitter: Emitter, node: Case, use: Callable[[Expression], None]) -> None:
    """The first arm whose guard is true; an error if there is none."""
    opened = 0
    for guard, value in node.arms:
        condition = emitter.test(guard)
        if condition == "false":
            continue
        if condition == "true":
            use(value)
            break
        with emitter.block(f"if ({condition})"):
            use(value)
        emitter.put("else {")
        emitter.depth += 1
        opened += 1
    else:
        if node.other is not None:
            use(node.other)
        else:
            emitter.fail()
    for _ in range(opened):
        emitter.depth -= 1
        emitter.put("}")


def _case(form: Callable[[Emitter, Expression], str], kind: str) -> Callable[[Emitter, Case], str]:
    def write(emitter: Emitter, node: Case) -> str:
        result = emitter.fresh()
        emitter.put(f"{kind} {result};")
        arms(emitter, node, lambda value: emitter.put(f"{result} = {form(emitter, value)};"))
        return result

    return write


# --- steps -----------------------------------------------------------------------------------------------------------


def _unchanged(emitter: Emitter, node: Unchanged) -> str:
    return sequence(emitter, [partial(same, emitter, index) for index in node.variables], False)


def same(emitter: Emitter, index: int) -> str:
    """Whether a variable has the value it had."""
    slot, layout = emitter.program.slot_of(index)
    emitter.require(index)
    if layout.size == 1:
        return f"gm_equal(w, w->current[{slot}], w->next[{slot}])"
    result = emitter.keep("true", "bool")
    head = f"for (uint32_t i = {slot}; {result} && i < {slot + layout.size}; i++)"
    emitter.put(f"{head} {result} = gm_equal(w, w->current[i], w->next[i]);")
    return result


def _box(emitter: Emitter, node: BoxAction) -> str:
    tests = [lambda: emitter.test(node.action), lambda: negated(emitter.test(node.changed))]
    return sequence(emitter, tests, True)


def _angle(emitter: Emitter, node: AngleAction) -> str:
    return sequence(emitter, [lambda: emitter.test(node.action), lambda: emitter.test(node.changed)], False)


Emitter.values.update(
    {
        If: _conditional(Emitter.value, "V"),
        Case: _case(Emitter.value, "V"),
    }
)
Emitter.applications.update({If: _conditional(Emitter.applied, "V")})
Emitter.tests.update(
    {
        And: _and,
        Or: _or,
        Not: _not,
        Implies: _implies,
        Equivalent: _equivalent,
        Equal: _equal,
        Member: _member,
        If: _conditional(Emitter.test, "bool"),
        Case: _case(Emitter.test, "bool"),
        Unchanged: _unchanged,
        BoxAction: _box,
        AngleAction: _angle,
    }
)
