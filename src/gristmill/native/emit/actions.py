"""Solving actions: every way to satisfy a formula by giving variables their next values.

As in the reference evaluator, the formula is gone through from left to right, and each branch goes on with the
continuation. Here it is known, while the C is written, which variables have a value at each point: an equality is
written as an assignment or as a test, and nothing has to be taken back. A continuation that several branches share
becomes a C function of its own, one for each set of variables that have a value when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gristmill.evaluate.dependencies import OPEN
from gristmill.ir.nodes import (
    And,
    AngleAction,
    Argument,
    BoxAction,
    Call,
    CallLocal,
    Case,
    Definition,
    Disjunct,
    Enabled,
    Equal,
    Expression,
    FunctionApply,
    FunctionLiteral,
    If,
    Implies,
    Let,
    Local,
    LocalOperator,
    Member,
    Not,
    OperatorArgument,
    Or,
    Primitive,
    PrimitiveOperator,
    Quantified,
    Unchanged,
    Variable,
)
from gristmill.ir.strictness import is_strict
from gristmill.library import Form
from gristmill.native.emit import bits, first_guard
from gristmill.native.emit.binders import base_of, loops, pass_over
from gristmill.native.emit.calls import operator
from gristmill.native.emit.emitter import Emitter, Mode, Space, function, operand
from gristmill.native.emit.functions import domain_of, take_argument
from gristmill.native.emit.logic import arms, same
from gristmill.native.emit.membership import part_by_part
from gristmill.native.emit.names import bind, bind_all, is_finished
from gristmill.native.emit.scope import Known, Scope, key_of
from gristmill.native.emit.selection import selection
from gristmill.native.emit.store import store_value, store_variable
from gristmill.native.errors import Unsupported
from gristmill.native.plan.layout import Layout
from gristmill.values import Value, enumerate_set, is_enumerable

Then = Callable[["Solver"], None]  # writes what remains to be done
_MAX_CODE = 4_000  # continuations of one action
_MAX_INSTANCES = 12  # of \A
_MAX_NESTING = 100  # of definitions; one that replaces another may call itself


@dataclass(frozen=True)
class Short:
    """A continuation of a line or two: to write it again costs less than a function for it."""

    write: Then

    def __call__(self, solver: Solver) -> None:
        self.write(solver)


@dataclass
class Shared:
    """The C functions of continuations. These are known by their identity, so they live as long as the names.

    `names`: of each continuation its versions, by the slots that are still untouched when it is called.
    """

    names: dict[Any, dict[frozenset[int], str]] = field(default_factory=dict)
    written: int = 0
    continuations: list[Then] = field(default_factory=list)
    looked_at: Scope | None = None  # at the end of the action: functions may be shared only where it is known alike


class Solver:
    """Writes an action. `wanted`: the variables that must have a value in the end.

    `action`: the number of the action whose disjunct has been satisfied on the way to where this is.
    """

    def __init__(self, emitter: Emitter, wanted: frozenset[int], shared: Shared, action: int | None = None) -> None:
        self.emitter = emitter
        self.wanted = wanted
        self.shared = shared
        self.action = action

    # ------------------------------------------------------------------------------------------------------ plumbing

    @property
    def assigned(self) -> frozenset[int]:
        assigned = self.emitter.mode.assigned
        assert assigned is not None
        return assigned

    def branch(self, write: Callable[[], None]) -> None:
        """Something that happens on one of several ways: what it assigns, the others do not see."""
        emitter = self.emitter
        mode, scope = emitter.mode, emitter.scope
        with emitter.block():
            emitter.forget(emitter.space.watched - self.assigned)
            write()
        emitter.mode, emitter.scope = mode, scope

    def share(self, then: Then) -> Then:
        """The same continuation, written once for all branches that lead to it.

        Branches leave different slots untouched. A version of the continuation for each of them would be the greater
        part of a protocol's C: one that takes fewer slots for untouched does, where the others are copied before. In
        the end the one that takes the fewest is called by all (`finishing`).
        """
        if isinstance(then, Short):
            return then

        def call(solver: Solver) -> None:
            looked_at = solver.shared.looked_at
            known = None if looked_at is None else key_of(looked_at.known)
            versions = solver.shared.names.setdefault((id(then), solver.assigned, solver.action, known), {})
            untouched = solver.emitter.mode.untouched
            fitting = [each for each in versions if each <= untouched]
            chosen = max(fitting, key=len) if fitting else untouched.intersection(*versions)
            if not fitting:
                solver._write_shared(versions, chosen, then)
            solver.emitter.put(solver.emitter.program.calls.mark(versions, untouched))

        return Short(call)

    def _write_shared(self, versions: dict[frozenset[int], str], untouched: frozenset[int], then: Then) -> None:
        self.shared.written += 1
        if self.shared.written > _MAX_CODE:
            raise Unsupported("an action with too many branches")
        emitter = self.emitter
        name = versions[untouched] = emitter.program.name("k")
        self.shared.continuations.append(then)
        inner = emitter.elsewhere(emitter.scope, replace(emitter.mode, untouched=untouched), emitter.space)
        then(Solver(inner, self.wanted, self.shared, self.action))
        function(inner, f"static void {name}(gm_worker *w, V *f)", frame="(void)f;")

    def assign(self, index: int, untouched: Iterable[int] = ()) -> None:
        """A variable has its next value; that of the slots in `untouched` is what they have."""
        emitter, mode = self.emitter, self.emitter.mode
        left = frozenset(untouched)
        emitter.mode = replace(mode, assigned=self.assigned | {index}, untouched=mode.untouched | left)
        if index in emitter.space.watched:  # something evaluated later may look at them
            emitter.copy(left)

    # ---------------------------------------------------------------------------------------------------- the forms

    def solve(self, node: Expression, then: Then) -> None:
        """Write the ways to satisfy `node`, each followed by the continuation."""
        emitter = self.emitter
        emitter.program.cost += 1
        analysis = emitter.program.analysis
        if self.wanted <= self.assigned or analysis.is_test(node, emitter.mode.initial):
            return self.test(node, then)
        form = FORMS.get(type(node))
        return self.test(node, then) if form is None else form(self, node, then)

    def test(self, node: Expression, then: Then) -> None:
        condition = self.emitter.test(node)
        if condition == "false":
            return
        if condition == "true":
            then(self)
            return
        with self.emitter.block(f"if ({condition})"):
            mode, scope = self.emitter.mode, self.emitter.scope
            then(self)
            self.emitter.mode, self.emitter.scope = mode, scope

    def target(self, node: Any, scope: Scope) -> int | None:
        """The variable to assign that an expression is, also through parameters and definitions."""
        match node:
            case Variable(index, primed):
                return index if primed is not self.emitter.mode.initial else None
            case Local(depth, slot):
                found = scope.up(depth).arguments.get(slot)
                return None if found is None else self.target(*found)
            case Call(definition, ()):
                if definition.recursive or definition.body is None or definition.nested:
                    return None
                return self.target(definition.body, Scope(None, 0, frozenset()))
            case Let(_, _, _, body):
                return self.target(body, scope)
        return None


# --- connectives -----------------------------------------------------------------------------------------------------


def _and(solver: Solver, node: And, then: Then) -> None:
    _all(solver, node.items, solver.emitter.scope, then)


def _all(solver: Solver, items: Sequence[Expression], scope: Scope, then: Then) -> None:
    first, *rest = items

    def go_on(solver: Solver) -> None:
        before, solver.emitter.scope = solver.emitter.scope, scope
        _all(solver, rest, scope, then)
        solver.emitter.scope = before

    solver.solve(first, go_on if rest else then)


def _or(solver: Solver, node: Or, then: Then) -> None:
    if len(node.items) == 1:
        solver.solve(node.items[0], then)
        return
    shared = solver.share(then)
    for item in node.items:
        solver.branch(partial(solver.solve, item, shared))


def _implies(solver: Solver, node: Implies, then: Then) -> None:
    condition = solver.emitter.test(node.left)
    if condition in ("true", "false"):
        solver.solve(node.right, then) if condition == "true" else then(solver)
        return
    shared = solver.share(then)
    solver.emitter.put(f"if ({condition})")
    solver.branch(lambda: solver.solve(node.right, shared))
    solver.emitter.put("else")
    solver.branch(lambda: shared(solver))


def _if(solver: Solver, node: If, then: Then) -> None:
    condition = solver.emitter.test(node.condition)
    if condition in ("true", "false"):
        solver.solve(node.then if condition == "true" else node.otherwise, then)
        return
    shared = solver.share(then)
    solver.emitter.put(f"if ({condition})")
    solver.branch(lambda: solver.solve(node.then, shared))
    solver.emitter.put("else")
    solver.branch(lambda: solver.solve(node.otherwise, shared))


def _case(solver: Solver, node: Case, then: Then) -> None:
    shared = solver.share(then)
    arms(solver.emitter, node, lambda value: solver.branch(lambda: solver.solve(value, shared)))


def _let(solver: Solver, node: Let, then: Then) -> None:
    bind_all(solver.emitter, node)
    solver.solve(node.body, then)


def _quantified(solver: Solver, node: Quantified, then: Then) -> None:
    emitter = solver.emitter
    if node.universal:
        _universal(solver, node, then)
        return
    mode, scope = emitter.mode, emitter.scope
    with emitter.block(), _all_elements(solver, node) as rest:
        emitter.forget(emitter.space.watched - solver.assigned)
        solver.solve(rest, then) if rest is not None else then(solver)
        emitter.mode, emitter.scope = mode, scope


@contextmanager
def _all_elements(solver: Solver, node: Quantified) -> Iterator[Expression | None]:
    """The loops of a quantifier, perhaps without elements that nothing comes of; and what is left to be solved."""
    emitter = solver.emitter
    held = bits.loop_over(emitter, node.bounds)
    if held is not None:
        tests = bits.first_tests(emitter, node.body)
        with bits.members(emitter, node.bounds[0], held, tests) as (_, rest):
            yield bits.without(node.body, len(tests) - len(rest))
        return
    ahead = first_guard.find(emitter, node)
    if ahead is None:
        with loops(emitter, node.bounds):
            yield node.body
        return
    table, mode, scope = first_guard.Table(emitter, ahead), emitter.mode, emitter.scope
    with table.filling(emitter):
        solver.solve(ahead.guard, Short(lambda solver: table.note(solver.emitter)))
        emitter.mode, emitter.scope = mode, scope
    with table.passing_over(emitter):
        yield node.body


class _AssignsError(Exception):
    """A formula that was taken for a test gives a variable a value."""


def _universal(solver: Solver, node: Quantified, then: Then) -> None:
    """Whether something is assigned, only writing it tells: names may stand for variables."""
    emitter = solver.emitter
    mode, scope, depth = emitter.mode, emitter.scope, emitter.depth
    try:
        with emitter.aside() as lines:
            ways = _count_ways(solver, node)
    except _AssignsError:
        emitter.mode, emitter.scope, emitter.depth = mode, scope, depth
        _each_assigns(solver, node, then)
        return
    emitter.lines += lines
    number = emitter.fresh("n")
    with emitter.block(f"for (uint64_t {number} = {ways}; {number} > 0; {number}--)"):
        then(solver)
        emitter.mode, emitter.scope = mode, scope


def _count_ways(solver: Solver, node: Quantified) -> str:
    """Nothing is assigned, but each instance may be satisfied in several ways: all combinations count."""
    emitter, assigned = solver.emitter, solver.assigned
    ways, own = emitter.space.reserve(1), emitter.space.reserve(1)

    def count(solver: Solver) -> None:
        if solver.assigned != assigned:
            raise _AssignsError
        solver.emitter.put(f"f[{own}]++;")

    emitter.put(f"f[{ways}] = 1;")
    end = emitter.fresh("end")
    with loops(emitter, node.bounds):
        emitter.put(f"f[{own}] = 0;")
        solver.branch(lambda: solver.solve(node.body, Short(count)))
        emitter.put(f"f[{ways}] *= f[{own}];")
        emitter.put(f"if (!f[{ways}]) goto {end};")
    emitter.put(f"{end}:;")
    return f"f[{ways}]"


def _each_assigns(solver: Solver, node: Quantified, then: Then) -> None:
    """One instance after the other, each in a copy of the frame; behind the first, TLC takes them from the last on."""
    emitter, scope = solver.emitter, solver.emitter.scope
    bound = node.bounds[0]
    domain = emitter.fold(bound.domain)
    if len(node.bounds) > 1 or len(bound.slots) > 1 or domain is None or not is_enumerable(domain):
        raise Unsupported("\\A with assignments in it, over a set that is not known beforehand")
    elements = list(enumerate_set(domain))
    if len(elements) > _MAX_INSTANCES:
        raise Unsupported("\\A with assignments in it, over a large set")

    def instances(rest: list[Value], solver: Solver) -> None:
        if not rest:
            with solver.emitter.inside(scope):
                then(solver)
            return
        inner = solver.emitter
        start = inner.space.reserve(scope.size + 1)
        inner.put(f"memcpy(f + {start}, {scope.frame()}, {scope.size + 1} * sizeof(V));")
        own = replace(scope, base=f"(f + {start})", known={**scope.known, bound.slots[0]: Known(rest[0])})
        with inner.inside(own):
            solver.solve(node.body, lambda solver: instances(rest[1:], solver))

    instances([*elements[:1], *reversed(elements[1:])], solver)


# --- assignments -----------------------------------------------------------------------------------------------------


def _equal(solver: Solver, node: Equal, then: Then) -> None:
    index = solver.target(node.left, solver.emitter.scope)
    if index is None or index in solver.assigned:
        return solver.test(node, then)
    slot, layout = solver.emitter.program.slot_of(index)
    untouched = store_variable(solver.emitter, node.right, layout, slot, index)
    solver.assign(index, untouched)
    then(solver)


def _member(solver: Solver, node: Member, then: Then) -> None:
    _choice(solver, node, node.left, node.right, then, "{}")


def _subset(solver: Solver, node: Primitive, then: Then) -> None:
    if node.operator.form is not Form.INCLUDED:
        return solver.test(node, then)
    left, right = node.args
    return _choice(solver, node, left, right, then, "gm_powerset(w, {})")


def _choice(solver: Solver, node: Expression, left: Argument, right: Argument, then: Then, candidates: str) -> None:
    """`x' \\in S` and `x' \\subseteq S`."""
    emitter = solver.emitter
    index = solver.target(left, emitter.scope)
    if index is None or index in solver.assigned:
        return solver.test(node, then)
    slot, layout = emitter.program.slot_of(index)
    mode, scope = emitter.mode, emitter.scope
    with emitter.block(), _each_candidate(emitter, operand(right), candidates, layout, slot, index):
        emitter.forget(emitter.space.watched - solver.assigned - {index})
        solver.assign(index)
        then(solver)
        emitter.mode, emitter.scope = mode, scope


@contextmanager
def _each_candidate(
    emitter: Emitter, right: Expression, candidates: str, layout: Layout, slot: int, variable: int
) -> Iterator[None]:
    """A loop in which the next slots of a variable are those of each element of a set."""
    iterator, element = emitter.fresh("i"), emitter.fresh("e")
    emitter.put(f"gm_iterator {iterator};")
    listed = part_by_part(emitter.fold(right), layout) if candidates == "{}" else None
    if listed is not None:
        emitter.put(f"gm_iterate_assign(w, &{iterator}, {emitter.constant(listed)});")
        with emitter.block(f"while (gm_next_into(&{iterator}, w->next + {slot}))"):
            yield
        return
    is_filter = emitter.mode.initial and candidates == "{}"
    selected = selection(emitter, right, once=True) if is_filter else None
    if selected is None:
        domain = emitter.keep(candidates.format(emitter.value(right)))
    else:
        with emitter.inside(selected[1]):
            domain = base_of(emitter, selected[0])
    emitter.put(f"V {element};")
    emitter.put(f"gm_iterate_assign(w, &{iterator}, {domain});")
    with emitter.block(f"while (gm_next(w, &{iterator}, &{element}))"):
        if selected is not None:
            with emitter.inside(selected[1]):
                pass_over(emitter, selected[0], element)
        store_value(emitter, element, layout, slot, variable)
        yield


def _disjunct(solver: Solver, node: Disjunct, then: Then) -> None:
    """Whatever comes after it knows whose step it is."""

    def labelled(solver: Solver) -> None:
        before, solver.action = solver.action, node.action
        then(solver)
        solver.action = before

    solver.solve(node.body, Short(labelled) if isinstance(then, Short) else labelled)


def _unchanged(solver: Solver, node: Unchanged, then: Then) -> None:
    emitter = solver.emitter
    tests = [index for index in node.variables if index in solver.assigned]
    for index in node.variables:
        if index in solver.assigned:
            continue
        slot, layout = emitter.program.slot_of(index)
        solver.assign(index, range(slot, slot + layout.size))
    if not tests:
        return then(solver)
    conditions = " && ".join(same(emitter, index) for index in tests)
    with emitter.block(f"if ({conditions})"):
        mode = emitter.mode
        then(solver)
        emitter.mode = mode


def _box(solver: Solver, node: BoxAction, then: Then) -> None:
    shared = solver.share(then)
    changed = node.changed
    stutter = changed.operand if isinstance(changed, Not) else Not(changed, changed.span)
    solver.branch(lambda: solver.solve(node.action, shared))
    solver.branch(lambda: solver.solve(stutter, shared))


def _angle(solver: Solver, node: AngleAction, then: Then) -> None:
    scope = solver.emitter.scope

    def go_on(solver: Solver) -> None:
        with solver.emitter.inside(scope):
            solver.solve(node.changed, then)

    solver.solve(node.action, go_on)


# --- definitions, written out ----------------------------------------------------------------------------------------


def _call(solver: Solver, node: Call, then: Then) -> None:
    around = solver.emitter.scope.up(node.depth) if node.definition.nested else None
    _write_out(solver, node.definition, node.args, around, then)


def _write_out(
    solver: Solver, definition: Definition, args: Sequence[Argument], around: Scope | None, then: Then
) -> None:
    emitter, caller = solver.emitter, solver.emitter.scope
    if definition.recursive or definition.body is None or caller.nesting > _MAX_NESTING:
        raise Unsupported("a recursive action")
    start = emitter.space.reserve(definition.frame_size + 1)
    lazy = emitter.program.lazy_slots(definition) - _finished(emitter, definition, args)
    scope = Scope(f"(f + {start})", definition.frame_size, lazy, around, nesting=caller.nesting + 1)
    if around is not None:
        emitter.put(f"f[{start}] = GM_AS_UP({caller_frame(caller, around)});")
    for slot, arg in enumerate(args):
        scope.arguments[slot] = (arg, caller)
        if isinstance(arg, OperatorArgument | LocalOperator) or definition.arities[slot]:
            emitter.put(f"{scope.slot(slot)} = {operator(emitter, arg)};")  # type: ignore[arg-type]
        else:
            bind(emitter, scope, slot, operand(arg), is_strict(definition, slot))

    def return_to_caller(solver: Solver) -> None:
        with solver.emitter.inside(caller):
            then(solver)

    with emitter.inside(scope):
        solver.solve(definition.body, return_to_caller)


def _finished(emitter: Emitter, definition: Definition, args: Sequence[Argument]) -> frozenset[int]:
    """Parameters that are values where this call is written, and are read without asking whether they are."""

    def is_value(slot: int, arg: Argument) -> bool:
        if isinstance(arg, OperatorArgument | LocalOperator | PrimitiveOperator) or definition.arities[slot]:
            return False
        return is_finished(emitter, arg)

    return frozenset(slot for slot, arg in enumerate(args) if is_value(slot, arg))


def caller_frame(caller: Scope, around: Scope) -> str:
    """The frame around a nested definition. That of an operator handed over need not be around its caller."""
    if around.base is not None:
        return around.base
    scope, depth = caller, 0
    while scope is not around:
        if scope.parent is None:
            raise Unsupported("an operator from elsewhere, in an action")
        scope, depth = scope.parent, depth + 1
    return caller.frame(depth)


def _call_local(solver: Solver, node: CallLocal, then: Then) -> None:
    found = solver.emitter.scope.up(node.depth).arguments.get(node.slot)
    while found is not None and isinstance(found[0], LocalOperator):
        found = found[1].up(found[0].depth).arguments.get(found[0].slot)
    if found is None:
        raise Unsupported("an operator that is only known when it runs, in an action")
    target, scope = found
    if not isinstance(target, OperatorArgument):
        return solver.test(node, then)
    around = scope.up(target.depth) if target.definition.nested else None
    _write_out(solver, target.definition, node.args, around, then)


def _local(solver: Solver, node: Local, then: Then) -> None:
    """An argument in the place of an action is solved like one, where it was written."""
    emitter, here = solver.emitter, solver.emitter.scope
    found = here.up(node.depth).arguments.get(node.slot)
    if found is None:
        return solver.test(node, then)
    argument, scope = found

    def come_back(solver: Solver) -> None:
        with solver.emitter.inside(here):
            then(solver)

    with emitter.inside(scope):
        solver.solve(operand(argument), come_back)


def _apply(solver: Solver, node: FunctionApply, then: Then) -> None:
    """The body of a function that is not listed is solved like any formula: each way to satisfy it counts."""
    emitter = solver.emitter
    body = _body_of(node.function)
    is_test = body is not None and emitter.program.analysis.is_test(body, emitter.mode.initial)
    if is_test or emitter.fold(node.function) is not None:
        solver.test(node, then)
        return
    if not isinstance(node.function, Local):
        raise Unsupported("the value of a function as an action")
    scope = emitter.scope.up(node.function.depth)
    literal = scope.functions.get(node.function.slot)
    if literal is None:
        raise Unsupported("the value of a function as an action")
    name = _ways(solver, literal, scope)
    frame = emitter.scope.frame(node.function.depth)
    argument, number = emitter.keep(emitter.value(node.argument)), emitter.fresh("n")
    emitter.watch(literal.body)
    with emitter.block(f"for (uint64_t {number} = {name}(w, {frame}, {argument}); {number} > 0; {number}--)"):
        mode, here = emitter.mode, emitter.scope
        then(solver)
        emitter.mode, emitter.scope = mode, here


def _body_of(function: Any) -> Expression | None:
    """What a function is defined by, where that can be read off."""
    match function:
        case FunctionLiteral(_, body):
            return body
        case Call(definition) if not definition.recursive:
            return _body_of(definition.body)
        case Let(_, _, _, body):
            return _body_of(body)
    return None


def _ways(solver: Solver, literal: FunctionLiteral, around: Scope) -> str:
    """The C function that tells in how many ways the body of a function is true of an argument."""
    emitter = solver.emitter
    program, initial = emitter.program, emitter.mode.initial
    free = program.analysis.of(literal)  # it is written inside itself: what it binds is not known there
    known = {slot: each for slot, each in around.known.items() if (0, slot) in free.locals or free.bits & OPEN}
    parent = None if around.parent is None else around.parent.everything_known()

    def write(name: str) -> None:
        scope = replace(around.elsewhere(), arguments={}, known=dict(known))
        space = Space(scope.size + 1)
        inner = Emitter(program, scope, Mode(initial, emitter.mode.assigned), space)
        inner.copies = emitter.copies
        own = space.reserve(1)
        domain = domain_of(inner, literal.bounds)
        inner.put(f"if (!gm_member(w, argument, {domain})) gm_fail(w, GM_ERROR);")
        take_argument(inner, literal.bounds, "argument")
        inner.put(f"f[{own}] = 0;")

        def count(solver: Solver) -> None:
            if solver.assigned != emitter.mode.assigned:
                raise Unsupported("a function whose value assigns variables")
            solver.emitter.put(f"f[{own}]++;")

        Solver(inner, solver.wanted, Shared()).solve(literal.body, Short(count))
        copy = f"V f[{space.size}];\n  memcpy(f, outer, {scope.size + 1} * sizeof(V));\n  gm_check_stack(w);"
        head = f"static uint64_t {name}(gm_worker *w, V *outer, V argument)"
        function(inner, head, returns=f"f[{own}]", frame=copy)

    elements = frozenset(each for each in around.elements.items() if (0, each[0]) in free.locals or free.bits & OPEN)
    key = ("ways", id(literal), emitter.mode, key_of(known), elements, around.lazy, parent)
    return program.once(key, "y", write, literal)


FORMS: dict[type, Callable[[Solver, Any, Then], None]] = {
    And: _and,
    Or: _or,
    Implies: _implies,
    If: _if,
    Case: _case,
    Let: _let,
    Quantified: _quantified,
    Equal: _equal,
    Member: _member,
    Primitive: _subset,
    Unchanged: _unchanged,
    Disjunct: _disjunct,
    BoxAction: _box,
    AngleAction: _angle,
    Call: _call,
    CallLocal: _call_local,
    Local: _local,
    FunctionApply: _apply,
}


# --- whole actions ---------------------------------------------------------------------------------------------------


def write_action(
    emitter: Emitter,
    body: Expression,
    wanted: frozenset[int],
    finish: Callable[[int | None, Emitter], str],
    looks: bool = False,
) -> None:
    """All solutions of an action, with what to do for each, given its number. `looks`: also at the action's frame."""
    frame = emitter.scope

    def finished(solver: Solver) -> None:
        if solver.wanted <= solver.assigned:
            with solver.emitter.inside(frame):
                solver.emitter.put(finish(solver.action, solver.emitter))
        else:
            solver.emitter.fail()  # the reference evaluator says which variables have no value

    Solver(emitter, wanted, Shared(looked_at=frame if looks else None)).solve(body, Short(finished))


def _enabled(emitter: Emitter, node: Enabled) -> str:
    """Solved in a copy of the frame, up to the first solution."""
    name = emitter.program.name("s")
    scope = replace(emitter.scope.elsewhere(), arguments={})
    space = Space(scope.size + 1)
    inner = Emitter(emitter.program, scope, Mode(False, frozenset()), space)
    variables = frozenset(range(len(emitter.program.layouts) + emitter.program.shadows))

    def found(solver: Solver) -> None:
        solver.emitter.put("gm_enabled_found(w);")

    if emitter.mode.initial:
        raise Unsupported("ENABLED in the initial predicate")
    Solver(inner, variables, Shared()).solve(node.action, Short(found))
    copy = f"V f[{space.size}];\n  memcpy(f, outer, {scope.size + 1} * sizeof(V));"
    function(inner, f"static void {name}(gm_worker *w, V *outer)", frame=copy)
    return emitter.keep(f"gm_enabled(w, {name}, {emitter.scope.frame()})", "bool")


Emitter.tests[Enabled] = _enabled
