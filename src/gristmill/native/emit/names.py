"""Literals, variables and what stands in slots; and what is put there."""

from __future__ import annotations

from typing import Any

from gristmill.evaluate.dependencies import CURRENT, EFFECT, IMPURE, NEXT, OPEN
from gristmill.ir.nodes import (
    Call,
    Expression,
    FieldAccess,
    FunctionApply,
    FunctionLiteral,
    Let,
    Local,
    LocalOperator,
    OperatorArgument,
    PrimitiveOperator,
    Variable,
)
from gristmill.ir.strictness import needs
from gristmill.native.emit.emitter import Emitter, Mode, function
from gristmill.native.emit.scope import Known, Place, Scope
from gristmill.native.errors import Unsupported
from gristmill.native.plan import remembered
from gristmill.native.plan.layout import Layout, Leaf, Parts

# --- variables -------------------------------------------------------------------------------------------------------


def _variable_place(emitter: Emitter, node: Variable) -> Place:
    slot, layout = emitter.program.slot_of(node.index)
    if node.primed or emitter.mode.initial:
        emitter.require(node.index)
        return Place("w->next", slot, layout)
    return Place("w->current", slot, layout)


def _variable(emitter: Emitter, node: Variable) -> str:
    place = _variable_place(emitter, node)
    if isinstance(place.layout, Leaf) or place.array == "w->next":
        return load(emitter, place)
    return f"{_whole(emitter, node.index)}(w)"


def load(emitter: Emitter, place: Place) -> str:
    """The value in some slots."""
    if isinstance(place.layout, Leaf):
        return f"{place.array}[{place.offset}]"
    return emitter.keep(f"{emitter.program.build(place.layout)}(w, {place.address})")


def _whole(emitter: Emitter, index: int) -> str:
    """The C function for the value of a variable that is cut into slots; it makes it once a state."""
    program = emitter.program

    def write(name: str) -> None:
        slot, layout = program.slot_of(index)
        known = f"w->current[{program.next_slots + index}]"
        build = f"{program.build(layout)}(w, w->current + {slot})"
        body = f"  if ({known} == GM_UNSET) {known} = {build};\n  return {known};\n"
        program.add(f"static V {name}(gm_worker *w)", body)

    return program.once(("whole", index), "v", write)


# --- slots -----------------------------------------------------------------------------------------------------------


def _local(emitter: Emitter, node: Local) -> str:
    text = content(emitter, node.depth, node.slot)
    if node.slot in emitter.scope.up(node.depth).lambdas:
        return emitter.keep(f"gm_listed(w, {text})")
    return text


def content(emitter: Emitter, depth: int, slot: int) -> str:
    """What stands in a slot, evaluated."""
    text = emitter.scope.slot(slot, depth)
    if slot in emitter.scope.up(depth).lazy:
        return emitter.keep(f"gm_get(w, &{text})")
    return text


def _local_applied(emitter: Emitter, node: Local) -> str:
    return content(emitter, node.depth, node.slot)


# --- what is put into slots ------------------------------------------------------------------------------------------


def changes(emitter: Emitter, node: Any) -> bool:
    """Whether the value of an expression depends on what an action may still assign."""
    found = emitter.program.analysis.of(node)
    if found.bits & OPEN or (emitter.mode.initial and found.bits & (CURRENT | NEXT)):
        return True
    if found.bits & NEXT and not emitter.program.primed(node) <= (emitter.mode.assigned or frozenset()):
        return True
    return any(slot in emitter.scope.up(depth).changing for depth, slot in found.locals)


def is_slot(emitter: Emitter, node: Any) -> bool:
    """Whether an expression is one slot of this state: it costs next to nothing and cannot fail."""
    return not emitter.mode.initial and isinstance(_certain_layout(emitter, node), Leaf)


def _certain_layout(emitter: Emitter, node: Any) -> Layout | None:
    """How the slots of this state are cut that hold an expression, which is certainly there; None if not."""
    match emitter.resolved(node):
        case Variable(index, False):
            return emitter.program.slot_of(index)[1]
        case FunctionApply(function, argument):
            outer = _certain_layout(emitter, function)
            if not isinstance(outer, Parts):
                return None
            constant = emitter.fold(argument)
            if constant is None:
                return outer.child if _is_among(emitter, argument, outer) else None
            found = outer.offset(constant)
            return None if found is None else found[1]
        case FieldAccess(record, name):
            outer = _certain_layout(emitter, record)
            found = outer.offset(name) if isinstance(outer, Parts) else None
            return None if found is None else found[1]
    return None


def _is_among(emitter: Emitter, argument: Expression, layout: Parts) -> bool:
    """Whether an argument is a name that takes just the keys of a function."""
    if not isinstance(argument, Local):
        return False
    elements = emitter.scope.up(argument.depth).elements.get(argument.slot)
    return elements is not None and emitter.constant(elements) == emitter.program.keys(layout)


def is_finished(emitter: Emitter, node: Expression) -> bool:
    """Whether `bind` puts a value into the slot, and nothing that is still to be evaluated."""
    if not isinstance(node, Local):
        return is_slot(emitter, node)
    scope = emitter.scope.up(node.depth)
    return node.slot not in scope.lazy and node.slot not in scope.lambdas


def known_as(emitter: Emitter, node: Expression) -> Known | None:
    """What is known of an expression, for a name that stands for it."""
    constant = emitter.fold(node)
    if constant is not None:
        return Known(constant)
    resolved = emitter.resolved(node)
    if isinstance(resolved, Variable) and not resolved.primed and not emitter.mode.initial:
        return Known(None, resolved)
    if isinstance(resolved, Call) and is_remembered(emitter, resolved):
        return Known(None, resolved)
    return None


def is_remembered(emitter: Emitter, node: Call) -> bool:
    """Its value is found once for each state."""
    program = emitter.program
    return program.may_remember and not emitter.mode.initial and remembered.is_remembered(node, program.analysis)


def bind(emitter: Emitter, scope: Scope, slot: int, node: Expression, is_needed: bool = False) -> None:
    """Put an expression, seen from where the emitter is, into a slot of a scope, to be evaluated when it is needed.

    `is_needed`: that is certain, so it may as well be evaluated at once.
    """
    target = scope.slot(slot)
    known = known_as(emitter, node)
    if known is not None:
        scope.known[slot] = known
        return
    scope.forget((slot,))
    emitter.positions.pop(target, None)
    if emitter.is_ordered(node):
        scope.ordered.add(slot)
    if is_slot(emitter, node):
        emitter.put(f"{target} = {emitter.value(node)};")
        return
    if isinstance(node, Local) and node.slot not in emitter.scope.up(node.depth).lambdas:
        around, text = emitter.scope.up(node.depth), emitter.scope.slot(node.slot, node.depth)
        if node.slot in around.changing:
            scope.changing.add(slot)
        if node.slot in around.elements:
            scope.elements[slot] = around.elements[node.slot]
        emitter.put(f"{target} = {text};")
        if text in emitter.positions:
            emitter.positions[target] = emitter.positions[text]
        return
    if changes(emitter, node):
        scope.changing.add(slot)
    elif is_needed and not emitter.is_ordered(node) and not isinstance(node, FunctionLiteral):
        emitter.put(f"{target} = {emitter.value(node)};")
        return
    emitter.put(f"{target} = {thunk(emitter, node)};")


def thunk(emitter: Emitter, node: Expression) -> str:
    """The C expression that makes something to be evaluated later."""
    may_change = changes(emitter, node)
    bits = emitter.program.analysis.of(node).bits
    if may_change and bits & OPEN and bits & (IMPURE | EFFECT):  # it may be the same, and then is evaluated once
        raise Unsupported("something with effects that would be evaluated whenever it is needed")
    emitter.watch(node)
    frame = emitter.scope.frame()

    def write(name: str) -> None:
        inner = emitter.elsewhere(emitter.scope.elsewhere(), Mode(emitter.mode.initial, None))
        result = inner.applied(node) if isinstance(node, FunctionLiteral) else inner.value(node)
        function(inner, f"static V {name}(gm_worker *w, V *f)", returns=result)

    name = emitter.program.once(emitter.key("thunk", node), "l", write, node, emitter.scope)
    return f"gm_make_thunk(w, {name}, {frame}, {'true' if may_change else 'false'})"


def stands_for_values(emitter: Emitter, node: Any, scope: Scope) -> bool:
    """Whether the names in an expression are the same in every state."""
    found = emitter.program.analysis.of(node)
    return not found.bits & OPEN and all(_is_same(emitter, slot, scope.up(depth)) for depth, slot in found.locals)


def _is_same(emitter: Emitter, slot: int, scope: Scope) -> bool:
    known = scope.known.get(slot)
    if known is not None and known.value is not None:
        return True
    if slot in scope.arguments:
        argument, caller = scope.arguments[slot]
        if isinstance(argument, OperatorArgument | LocalOperator | PrimitiveOperator):
            return False
        return _is_steady(emitter, argument, caller)
    is_bound = slot not in scope.lazy and slot not in scope.lambdas
    return known is None and (is_bound or slot in scope.steady)


def _is_steady(emitter: Emitter, node: Any, scope: Scope) -> bool:
    """Whether an expression has one value here, whatever the state that it is evaluated in."""
    return not emitter.program.analysis.of(node).bits and stands_for_values(emitter, node, scope)


def bind_all(emitter: Emitter, node: Let) -> None:
    for slot, value in zip(node.slots, node.values, strict=True):
        note = emitter.scope.steady.add if _is_steady(emitter, value, emitter.scope) else emitter.scope.steady.discard
        note(slot)
        is_function = isinstance(value, FunctionLiteral) and emitter.fold(value) is None
        if is_function:
            assert isinstance(value, FunctionLiteral)
            emitter.scope.lambdas.add(slot)
            emitter.scope.functions[slot] = value
            if value.self_slot is not None:
                emitter.scope.functions[value.self_slot] = value
        elif needs(node.body, slot) and not changes(emitter, value) and not emitter.is_ordered(value):
            known = known_as(emitter, value)
            if known is None:
                emitter.scope.forget((slot,))
                emitter.put(f"{emitter.scope.slot(slot)} = {emitter.value(value)};")  # it will be evaluated at once
            else:
                emitter.scope.known[slot] = known
            continue
        bind(emitter, emitter.scope, slot, value)


def _let(emitter: Emitter, node: Let) -> str:
    bind_all(emitter, node)
    return emitter.value(node.body)


def _let_test(emitter: Emitter, node: Let) -> str:
    bind_all(emitter, node)
    return emitter.test(node.body)


def _let_applied(emitter: Emitter, node: Let) -> str:
    bind_all(emitter, node)
    return emitter.applied(node.body)


Emitter.places.update({Variable: _variable_place})
Emitter.values.update({Variable: _variable, Local: _local, Let: _let})
Emitter.tests.update({Let: _let_test})
Emitter.applications.update({Local: _local_applied, Let: _let_applied})
