"""Definitions and operator parameters applied to arguments, outside of actions: C functions."""

from __future__ import annotations

from gristmill.ir import nodes
from gristmill.ir.nodes import (
    Argument,
    Call,
    CallLocal,
    Definition,
    LocalOperator,
    OperatorArgument,
    PrimitiveOperator,
)
from gristmill.ir.strictness import is_strict
from gristmill.native.emit.emitter import Emitter, Mode, Space, function
from gristmill.native.emit.names import is_remembered, is_slot, thunk
from gristmill.native.emit.scope import Scope
from gristmill.native.errors import Unsupported

_FORMS = {"value": ("V", Emitter.value), "test": ("bool", Emitter.test), "applied": ("V", Emitter.applied)}


def define(emitter: Emitter, definition: Definition, depth: int, form: str) -> str:
    """The C function of a definition."""
    program = emitter.program
    definition = program.canonical(definition)
    around = emitter.scope.up(depth) if definition.nested else None
    place = None if around is None else around.everything_known()

    def write(name: str) -> None:
        assert definition.body is not None
        parameters = len(definition.arities)
        lazy = program.lazy_slots(definition)
        parent = None if around is None else around._unreachable()
        scope = Scope("f", definition.frame_size, lazy, parent)
        inner = Emitter(program, scope, Mode(emitter.mode.initial, None), Space(definition.frame_size + 1))
        kind, write_body = _FORMS[form]
        result = write_body(inner, definition.body)
        head = f"static {kind} {name}({', '.join(['gm_worker *w', 'V *up', *_parameters(parameters)])})"
        frame = [_frame(inner, definition), "f[0] = GM_AS_UP(up);"]
        frame += [f"f[{index + 1}] = p{index};" for index in range(parameters)]
        if definition.recursive:
            frame.append("gm_check_stack(w);")
        function(inner, head, returns=result, frame="\n  ".join(frame))

    key = ("definition", id(definition), form, emitter.mode.initial, place)
    return program.once(key, "d", write, definition)


def _parameters(count: int) -> list[str]:
    return [f"V p{index}" for index in range(count)]


def _frame(emitter: Emitter, definition: Definition) -> str:
    """In memory that outlives the call if a function that is not listed may carry the frame away."""
    if emitter.program.has_functions(definition):
        return f"V *f = gm_array(w, {emitter.space.size});"
    return f"V f[{emitter.space.size}];"


# --- arguments -------------------------------------------------------------------------------------------------------


def argument(emitter: Emitter, node: Argument, eager: bool) -> str:
    """What is put into the slot of a parameter."""
    if isinstance(node, OperatorArgument | LocalOperator | PrimitiveOperator):
        return operator(emitter, node)
    node = emitter.resolved(node)
    if eager or emitter.fold(node) is not None:
        return emitter.value(node)
    if isinstance(node, nodes.Local) and node.slot not in emitter.scope.up(node.depth).lambdas:
        return emitter.scope.slot(node.slot, node.depth)
    if is_slot(emitter, node):
        return emitter.value(node)
    return emitter.keep(thunk(emitter, node))


def operator(emitter: Emitter, node: OperatorArgument | LocalOperator | PrimitiveOperator) -> str:
    if isinstance(node, LocalOperator):
        return emitter.scope.slot(node.slot, node.depth)
    if isinstance(node, PrimitiveOperator):
        return emitter.keep(f"gm_make_operator(w, {_primitive_function(emitter, node)}, NULL)")
    emitter.watch(node)
    name = define(emitter, node.definition, node.depth, "value")
    arity = len(node.definition.arities)

    def write(wrapper: str) -> None:
        args = "".join(f", a[{index}]" for index in range(arity))
        head = f"static V {wrapper}(gm_worker *w, V *up, const V *a)"
        emitter.program.add(head, f"  (void)a;\n  return {name}(w, up{args});\n")

    wrapper = emitter.program.once(("operator", name), "o", write)
    up = emitter.scope.frame(node.depth) if node.definition.nested else "NULL"
    return emitter.keep(f"gm_make_operator(w, {wrapper}, {up})")


def _primitive_function(emitter: Emitter, node: PrimitiveOperator) -> str:
    def write(name: str) -> None:
        slots = tuple(nodes.Local(0, index, "", node.span) for index in range(node.arity))
        scope = Scope("f", node.arity, frozenset(range(node.arity)))
        inner = Emitter(emitter.program, scope, Mode(False, None), Space(node.arity + 1))
        result = inner.value(nodes.Primitive(node.operator, slots, node.span))
        frame = [f"V f[{node.arity + 1}];", "(void)up;"]
        frame += [f"f[{index + 1}] = a[{index}];" for index in range(node.arity)]
        function(inner, f"static V {name}(gm_worker *w, V *up, const V *a)", returns=result, frame="\n  ".join(frame))

    return emitter.program.once(("primitive", node.operator), "p", write)


# --- calls -----------------------------------------------------------------------------------------------------------


def _remembered(emitter: Emitter, node: Call, form: str) -> str | None:
    if not is_remembered(emitter, node):
        return None
    definition, program = node.definition, emitter.program

    def write(name: str) -> None:
        kind = _FORMS[form][0]
        known = f"w->current[{program.remember()}]"
        made = f"{define(emitter, definition, 0, form)}(w, NULL)"
        value, result = (made, known) if kind == "V" else (f"gm_bool({made})", f"{known} == GM_TRUE")
        body = f"  if ({known} == GM_UNSET) {known} = {value};\n  return {result};\n"
        program.add(f"static {kind} {name}(gm_worker *w)", body)

    name = program.once(("remembered", id(definition), form), "r", write, definition)
    return emitter.keep(f"{name}(w)", _FORMS[form][0])


def _call(emitter: Emitter, node: Call, form: str) -> str:
    definition = node.definition
    remembered = _remembered(emitter, node, form)
    if remembered is not None:
        return remembered
    emitter.watch(node)
    name = define(emitter, definition, node.depth, form)
    lazy_is_safe = not emitter.program.has_functions(definition)
    if any(map(emitter.is_ordered, node.args)):  # the definition does not know, and may evaluate it too early
        raise Unsupported("an argument with effects")
    args = [
        argument(emitter, arg, not lazy_is_safe or is_strict(definition, index)) for index, arg in enumerate(node.args)
    ]
    up = emitter.scope.frame(node.depth) if definition.nested else "NULL"
    return emitter.keep(f"{name}({', '.join(['w', up, *args])})", _FORMS[form][0])


def _call_value(emitter: Emitter, node: Call) -> str:
    return _call(emitter, node, "value")


def _call_test(emitter: Emitter, node: Call) -> str:
    return _call(emitter, node, "test")


def _call_applied(emitter: Emitter, node: Call) -> str:
    return _call(emitter, node, "applied")


def _call_local(emitter: Emitter, node: CallLocal) -> str:
    args = [argument(emitter, arg, False) for arg in node.args]
    return apply_operator(emitter, emitter.scope.slot(node.slot, node.depth), args)


def apply_operator(emitter: Emitter, text: str, args: list[str]) -> str:
    if not args:
        return emitter.keep(f"gm_call(w, {text}, NULL)")
    array = emitter.fresh("a")
    emitter.put(f"V {array}[{len(args)}] = {{{', '.join(args)}}};")
    return emitter.keep(f"gm_call(w, {text}, {array})")


Emitter.values.update({Call: _call_value, CallLocal: _call_local})
Emitter.tests.update({Call: _call_test})
Emitter.applications.update({Call: _call_applied})
