"""From the intermediate representation to Python functions.

Every node is compiled in the form in which it is used, from one table of forms each:

- `value`: a function from the frame to its value.
- `test`: the same for formulas, to a Python bool.
- `applied`: a value where a function may be one that is evaluated argument by argument, because it is only applied.
- `action`: a function that goes on with a `Continuation` once for every way to satisfy the formula by assigning
  variables, in TLC's order, and takes each assignment back.

The forms are in the other modules of this package, sorted by what they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final, TypeVar

from gristmill.evaluate.context import UNASSIGNED, Context
from gristmill.evaluate.deferred import Target
from gristmill.evaluate.dependencies import CURRENT, NEXT, OPEN, Analysis, unfinished_slots
from gristmill.evaluate.errors import not_boolean
from gristmill.evaluate.frames import PARENT, PENDING, RETURN, ActionCode, Frame, Pending, TestCode, Thunk, ValueCode
from gristmill.evaluate.lazy_function import LazyFunction
from gristmill.ir.nodes import Definition, Expression, Literal, Primitive
from gristmill.ir.walk import children
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import FALSE, TRUE, EvaluationError, Value

T = TypeVar("T")

ValueForm = Callable[["Compiler", Any], ValueCode]
TestForm = Callable[["Compiler", Any], TestCode]
ActionForm = Callable[["Compiler", Any, "Continuation"], ActionCode]


@dataclass(frozen=True, slots=True)
class Continuation:
    """What remains to be done when part of an action is satisfied.

    `proceed` solves it. `test` only tests it, which is enough once every variable has its value, and `finish` then
    reports the state.
    """

    proceed: ActionCode
    test: TestCode
    finish: ActionCode


def _proceed_back(frame: Frame) -> None:
    then, caller = frame[RETURN]
    then.proceed(caller)


def _test_back(frame: Frame) -> bool:
    then, caller = frame[RETURN]
    return then.test(caller)  # type: ignore[no-any-return]


def _finish_back(frame: Frame) -> None:
    then, caller = frame[RETURN]
    then.finish(caller)


# The continuation of a definition's body: what the frame's caller says.
BACK: Final = Continuation(_proceed_back, _test_back, _finish_back)


class Compiler:
    """`initial`: unprimed variables are assigned, as in Init. `settled`: the current state does not change while
    something is evaluated, which is so but in Init and under action composition.

    `kept` are the values of constant definitions, which all compilers of a run share.
    `scope` are the slots of the frame being compiled for that may hold something not evaluated yet.
    """

    values: ClassVar[dict[type, ValueForm]] = {}
    tests: ClassVar[dict[type, TestForm]] = {}
    actions: ClassVar[dict[type, ActionForm]] = {}
    applications: ClassVar[dict[type, ValueForm]] = {}
    targets: ClassVar[dict[type, Callable[[Compiler, Any], Target]]] = {}
    # of what is the same in every state: forms evaluated when compiled, and forms evaluated when first needed
    foldable: ClassVar[set[type]] = set()
    keepable: ClassVar[set[type]] = set()

    back: Final = BACK

    def __init__(
        self,
        context: Context,
        *,
        initial: bool = False,
        settled: bool = True,
        analysis: Analysis,
        kept: dict[object, Value],
    ) -> None:
        self.context = context
        self.initial = initial
        self.settled = settled and not initial
        self.analysis = analysis
        self.kept = kept
        self.scope: frozenset[int] = frozenset()
        self.assigned: list[Any] = context.current if initial else context.next
        self._bodies: dict[int, Body] = {}
        self._constants: dict[tuple[object, str], ValueCode] = {}
        self._for_next: Compiler | None = None

    # ------------------------------------------------------------------------------------------------ the forms

    def value(self, node: Expression) -> ValueCode:
        constant = self.constant(node)
        if constant is not None:
            return lambda frame: constant
        form = self.values.get(type(node))
        if form is not None:
            code = form(self, node)
            return keeping(code) if type(node) in self.keepable and self.analysis.is_constant(node) else code
        test = self.tests[type(node)](self, node)
        return lambda frame: TRUE if test(frame) else FALSE

    def test(self, node: Expression) -> TestCode:
        form = self.tests.get(type(node))
        if form is not None:
            return form(self, node)
        return truth_of(self.value(node), node)

    def applied(self, node: Expression) -> ValueCode:
        form = self.applications.get(type(node))
        return self.value(node) if form is None else form(self, node)

    def action(self, node: Expression, then: Continuation) -> ActionCode:
        form = self.actions.get(type(node))
        if form is not None and not self.analysis.is_test(node, self.initial):
            return form(self, node, then)
        test, proceed = self.test(node), then.proceed

        def act(frame: Frame) -> None:
            if test(frame):
                proceed(frame)

        return act

    def target(self, node: Expression) -> Target:
        """The variable to assign that an expression is, as TLC sees it: also through parameters and definitions."""
        form = self.targets.get(type(node))
        return None if form is None else form(self, node)

    # -------------------------------------------------------------------------------------------------- constants

    def constant(self, node: Expression) -> Value | None:
        """The value of a constant expression that is simple enough to be known when it is compiled."""
        if isinstance(node, Literal):
            return node.value
        if not self._is_simple(node):
            return None
        try:
            return self.values[type(node)](self, node)([])
        except EvaluationError:  # it may never be evaluated
            return None

    def _is_simple(self, node: Any) -> bool:
        """Built of literals by operators that cost nothing."""
        if isinstance(node, Primitive) and not node.operator.cheap:
            return False
        return type(node) is Literal or (type(node) in self.foldable and all(map(self._is_simple, children(node))))

    # ------------------------------------------------------------------------------------------------ definitions

    def constant_definition(self, definition: Definition, use: str, compile: Callable[[], ValueCode]) -> ValueCode:
        """The value of a definition that is the same in every state, evaluated once wherever it is used."""
        key, kept = (definition.identity or definition, use), self.kept
        if key in self._constants:
            return self._constants[key]

        def constant(frame: Frame) -> Value:
            try:
                return kept[key]
            except KeyError:
                pass
            value = kept[key] = code(frame)
            return value

        self._constants[key] = constant  # a recursive definition finds itself here
        code = compile()
        return constant

    def body(self, definition: Definition) -> Body:
        found = self._bodies.get(id(definition))
        if found is None:
            found = self._bodies[id(definition)] = Body(self, definition)
        return found

    @contextmanager
    def inside(self, scope: frozenset[int]) -> Iterator[None]:
        """Compile for another frame."""
        before, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = before

    # ---------------------------------------------------------------------------------------------------- change

    def may_change(self, node: Expression, frame: Frame) -> bool:
        """Whether the value of an expression in a frame depends on variables that may still change."""
        found = self.analysis.of(node)
        if found.bits & (NEXT | OPEN) or (found.bits & CURRENT and not self.settled):
            return True
        return any(_content_may_change(frame, depth, slot) for depth, slot in found.locals)

    # -------------------------------------------------------------------------------------------------- actions

    def chain(self, node: Expression, then: Continuation) -> Continuation:
        """Solve `node`, then go on."""
        act = self.action(node, then)
        test = Later(self, node, then)
        if not self.analysis.branches(node):
            return Continuation(act, test, then.finish)
        assigned, finish = self.assigned, then.finish

        def proceed(frame: Frame) -> None:
            if UNASSIGNED in assigned:
                act(frame)
            elif test(frame):
                finish(frame)

        return Continuation(proceed, test, finish)

    def for_next(self) -> Compiler:
        """The compiler for what assigns primed variables here: the action of ENABLED."""
        if not self.initial:
            return self
        if self._for_next is None:
            self._for_next = type(self)(self.context, settled=False, analysis=self.analysis, kept=self.kept)
        self._for_next.scope = self.scope
        return self._for_next


class Later:
    """The test of the rest of an action, compiled if it is ever needed."""

    __slots__ = ("_code", "compiler", "node", "scope", "then")

    def __init__(self, compiler: Compiler, node: Expression, then: Continuation) -> None:
        self.compiler = compiler
        self.node = node
        self.then = then
        self.scope = compiler.scope
        self._code: TestCode | None = None

    def __call__(self, frame: Frame) -> bool:
        if self._code is None:
            with self.compiler.inside(self.scope):
                self._code = self.compiler.test(self.node)
        return self._code(frame) and self.then.test(frame)


class Body:
    """The body of a definition, compiled once for each use. A recursive one finds itself half done."""

    __slots__ = ("_codes", "compiler", "definition", "scope", "size")

    def __init__(self, compiler: Compiler, definition: Definition) -> None:
        assert definition.body is not None, f"{definition.name} has no body"
        self.compiler = compiler
        self.definition = definition
        self.scope = unfinished_slots(definition.body, len(definition.arities))
        self.size = definition.frame_size
        self._codes: dict[str, Any] = {}

    def value(self) -> ValueCode:
        return self._code("value", self.compiler.value)  # type: ignore[no-any-return]

    def test(self) -> TestCode:
        return self._code("test", self.compiler.test)  # type: ignore[no-any-return]

    def applied(self) -> ValueCode:
        return self._code("applied", self.compiler.applied)  # type: ignore[no-any-return]

    def action(self) -> ActionCode:
        """Expects in its frame where to go on."""
        return self._code("action", lambda node: self.compiler.action(node, BACK))  # type: ignore[no-any-return]

    def _code(self, use: str, compile: Callable[[Expression], Any]) -> Any:
        codes = self._codes
        code = codes.get(use)
        if code is None:
            codes[use] = lambda frame: codes[use](frame)
            assert self.definition.body is not None
            with self.compiler.inside(self.scope):
                code = codes[use] = compile(self.definition.body)
        return code

    def padding(self) -> tuple[None, ...]:
        """The slots behind the parameters, without those for the parent and the return."""
        return (None,) * (self.size - len(self.definition.arities))


def _content_may_change(frame: Frame, depth: int, slot: int) -> bool:
    for _ in range(depth):
        frame = frame[PARENT]
    content = frame[slot]
    if type(content) is not Thunk or content.value is not PENDING:
        return type(content) is LazyFunction
    return content.code.compiler.may_change(content.code.node, content.frame)


def truth_of(code: ValueCode, node: Expression) -> TestCode:
    def test(frame: Frame, _node: Expression = node) -> bool:
        value = code(frame)
        if value is TRUE:
            return True
        if value is FALSE:
            return False
        not_boolean(value)

    return test


def keeping(code: Callable[[Frame], T]) -> Callable[[Frame], T]:
    """The value of a constant, evaluated once."""
    known: T | Pending = PENDING

    def keep(frame: Frame) -> T:
        nonlocal known
        if known is PENDING:
            known = code(frame)
        return known

    return keep
