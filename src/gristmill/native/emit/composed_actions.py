"""`A \\cdot B`: from each state that A leads to, B. What remains is again about the state that it began in.

The states in between are found first, all of them, as the reference evaluator does it, and counted. B is then solved
with each of them in the place of the current state. What has been bound outside must mean the same in both: only values
do.
"""

from __future__ import annotations

from dataclasses import replace

from gristmill.ir.nodes import Cdot
from gristmill.native.emit.actions import FORMS, Shared, Short, Solver, Then
from gristmill.native.emit.emitter import Emitter, Mode, Space, function
from gristmill.native.emit.names import stands_for_values
from gristmill.native.errors import Unsupported


def _compose(solver: Solver, node: Cdot, then: Then) -> None:
    emitter = solver.emitter
    if solver.assigned or emitter.mode.initial:
        raise Unsupported("\\cdot where variables have next values already")
    if not stands_for_values(emitter, node, emitter.scope):
        raise Unsupported("\\cdot inside of names that stand for something else in another state")
    origin, between = emitter.space.reserve(1), emitter.space.reserve(1)
    state, scope, mode = emitter.fresh("b"), emitter.scope, emitter.mode

    def come_back(solver: Solver) -> None:
        inner = solver.emitter
        if not solver.wanted <= solver.assigned:
            inner.fail()  # the reference evaluator goes on with what has no value
            return
        before, second_scope = inner.mode, inner.scope
        inner.copy(before.untouched)  # they are those of the state in between
        inner.mode, inner.scope = replace(before, untouched=frozenset()), scope
        inner.put(f"w->current = (V *)(uintptr_t)f[{origin}];")
        then(solver)
        inner.put(f"w->current = (V *)(uintptr_t)f[{between}];")
        inner.mode, inner.scope = before, second_scope

    emitter.put(f"f[{origin}] = (V)(uintptr_t)w->current;")
    first = _first(solver, node)
    emitter.put(f"const gm_between *{state} = gm_states_between(w, {first}, {scope.frame()});")
    with emitter.block(f"for (; {state}; {state} = {state}->after)"):
        emitter.put(f"f[{between}] = (V)(uintptr_t){state}->slots;")
        emitter.put(f"w->current = {state}->slots;")
        emitter.forget(emitter.space.watched - solver.assigned)
        solver.solve(node.second, come_back)
        emitter.mode, emitter.scope = mode, scope
        emitter.put(f"w->current = (V *)(uintptr_t)f[{origin}];")


def _first(solver: Solver, node: Cdot) -> str:
    """The C function that hands over every state that the first action leads to; in a copy of the frame."""
    emitter = solver.emitter
    name = emitter.program.name("s")
    scope = replace(emitter.scope.elsewhere(), arguments={})
    space = Space(scope.size + 1)
    inner = Emitter(emitter.program, scope, Mode(False, frozenset()), space)

    def found(solver: Solver) -> None:
        if solver.wanted <= solver.assigned:
            solver.emitter.copy(solver.emitter.mode.untouched)
            solver.emitter.put("gm_found_between(w);")
        else:
            solver.emitter.fail()

    Solver(inner, solver.wanted, Shared()).solve(node.first, Short(found))
    copy = f"V f[{space.size}];\n  memcpy(f, outer, {scope.size + 1} * sizeof(V));"
    function(inner, f"static void {name}(gm_worker *w, V *outer)", frame=copy)
    return name


FORMS[Cdot] = _compose
