"""The reference evaluator: what a model checker asks of a specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from gristmill.evaluate.compiler import Compiler, Continuation
from gristmill.evaluate.context import UNASSIGNED, Context, State
from gristmill.evaluate.dependencies import COMPOSE, Analysis, unfinished_slots
from gristmill.evaluate.frames import Frame, finish
from gristmill.ir.nodes import Code, Expression
from gristmill.values import Boolean, EvaluationError, ModelValue, Value, check_storable
from gristmill.values.world import suspected

_ATOMS = frozenset((int, str, Boolean, ModelValue))
_MOST_SHARED = 1 << 18


class Evaluator:
    """Compiles code and runs it on states: tuples of values, in the order of the variables.

    What is compiled shares one context, so only one of its functions runs at a time.
    """

    def __init__(
        self, variable_names: Sequence[str], context: Context | None = None, *, compiler: type[Compiler] = Compiler
    ) -> None:
        self.context = context or Context(variable_names)
        self.variable_names = tuple(variable_names)
        analysis, kept = Analysis(), dict[object, Value]()
        self._compiler = compiler(self.context, analysis=analysis, kept=kept)
        self._unsettled = compiler(self.context, settled=False, analysis=analysis, kept=kept)
        self._initial = compiler(self.context, initial=True, analysis=analysis, kept=kept)
        self._analysis = analysis
        self._shared: dict[Value, Value] = {}  # values of variables: many states have the same, and need but one of it

    # --------------------------------------------------------------------------------------- in the current state

    def value(self, code: Code) -> Callable[[], Value]:
        """Evaluates in the current state of the context, which matters only if `code` is no constant."""
        run, size = self._compile(code, Compiler.value), code.frame_size + 2
        return _guarded(lambda: finish(run([None] * size)))

    def predicate(self, code: Code) -> Callable[[], bool]:
        run, size = self._compile(code, Compiler.test), code.frame_size + 2
        return _guarded(lambda: run([None] * size))

    def state_predicate(self, code: Code) -> Callable[[State], bool]:
        """Whether a state satisfies a formula."""
        run, size = self._compile(code, Compiler.test), code.frame_size + 2
        current, following, blank = self.context.current, self.context.next, self.context.blank

        def test(state: State) -> bool:
            current[:] = state
            following[:] = blank
            return run([None] * size)  # type: ignore[no-any-return]

        return _guarded_1(test)

    def state_function(self, code: Code) -> Callable[[State], Value]:
        """The value of an expression in a state: a VIEW, for example."""
        run, size = self._compile(code, Compiler.value), code.frame_size + 2
        current, following, blank = self.context.current, self.context.next, self.context.blank

        def evaluate(state: State) -> Value:
            current[:] = state
            following[:] = blank
            return finish(run([None] * size))

        return _guarded_1(evaluate)

    # ------------------------------------------------------------------------------------------------------ steps

    def initial_states(self, code: Code, found: list[State] | None = None) -> Callable[[], list[State]]:
        """Every state that satisfies `code`, in TLC's order, as often as TLC finds it.

        If the evaluation fails, `found` has the states that were found before.
        """
        found = [] if found is None else found
        current = self.context.current

        def keep(frame: Frame) -> None:
            if UNASSIGNED in current:
                self._incomplete(current, code.name, initial=True)
            if suspected():
                for value in current:
                    check_storable(value)
            found.append(tuple(current))

        with self._initial.inside(unfinished_slots(code.body, 0)):
            run = self._initial.action(code.body, Continuation(keep, _always, keep))

        def states() -> list[State]:
            found.clear()
            current[:] = self.context.blank
            self.context.next[:] = self.context.blank
            run([None] * (code.frame_size + 2))
            return found[:]

        return _guarded(states)

    def successors(
        self, code: Code, found: list[State] | None = None, among: tuple[list[int], Mapping[int, str]] | None = None
    ) -> Callable[[State], list[State]]:
        """Every state that an action leads to, in TLC's order, as often as TLC finds it; `found` as above.

        `among`: there are several actions in it, with these names. The list then gets, for each state, the number of
        the action whose disjunct has led there.
        """
        return self._successors(code, found, among, None)

    def _successors(
        self,
        code: Code,
        found: list[State] | None,
        among: tuple[list[int], Mapping[int, str]] | None,
        look: Callable[[Frame], None] | None,
    ) -> Callable[[State], list[State]]:
        """`look` is called for each of them, while its frame is there."""
        found = [] if found is None else found
        taken, names = (None, {}) if among is None else among
        context = self.context
        current, following, blank = self.context.current, self.context.next, self.context.blank
        shared, share = self._shared, self._shared.setdefault

        def keep(frame: Frame) -> None:
            if UNASSIGNED in following:
                self._incomplete(following, names.get(context.action, code.name), initial=False)
            if suspected():
                for value in following:
                    check_storable(value)
            found.append(tuple([value if type(value) in _ATOMS else share(value, value) for value in following]))
            if taken is not None:
                taken.append(context.action)

        def keep_and_look(frame: Frame) -> None:
            keep(frame)
            assert look is not None
            look(frame)

        then = keep if look is None else keep_and_look
        run = self._compile(code, lambda compiler, body: compiler.action(body, Continuation(then, _always, then)))
        size = code.frame_size + 2

        def states(state: State) -> list[State]:
            found.clear()
            if taken is not None:
                taken.clear()
            if len(shared) > _MOST_SHARED:
                shared.clear()
            current[:] = state
            following[:] = blank
            run([None] * size)
            return found[:]

        return _guarded_1(states)

    def steps(
        self, code: Code, names: Sequence[Expression], found: list[State] | None = None
    ) -> Callable[[State], list[tuple[tuple[Value, ...] | None, State]]]:
        """Like `successors`, each with the values that expressions of the action's frame have there.

        None in their place if they cannot be evaluated: an argument that is never used need not have a value.
        """
        taken: list[tuple[Value, ...] | None] = []
        compiler = self.compiler_of(code)
        with compiler.inside(unfinished_slots(code.body, 0)):
            values = [compiler.value(name) for name in names]

        def look(frame: Frame) -> None:
            try:
                taken.append(tuple([finish(value(frame)) for value in values]))
            except (EvaluationError, RecursionError):
                taken.append(None)

        successors = self._successors(code, found, None, look)

        def steps(state: State) -> list[tuple[tuple[Value, ...] | None, State]]:
            taken.clear()
            states = successors(state)
            return list(zip(taken, states, strict=True))

        return steps

    def choices(self, code: Code, names: Sequence[Expression]) -> Callable[[State, State], tuple[Value, ...] | None]:
        """The values of expressions of an action's frame with which it first leads from a state to another."""
        current, following, blank = self.context.current, self.context.next, self.context.blank
        compiler = self.compiler_of(code)
        with compiler.inside(unfinished_slots(code.body, 0)):
            values = [compiler.value(name) for name in names]

        def stop(frame: Frame) -> None:
            if tuple(following) == wanted:
                raise _Chosen(tuple(finish(value(frame)) for value in values))

        run = self._compile(code, lambda compiler, body: compiler.action(body, Continuation(stop, _always, stop)))
        wanted: State = ()

        def choose(state: State, successor: State) -> tuple[Value, ...] | None:
            nonlocal wanted
            wanted = successor
            current[:] = state
            following[:] = blank
            try:
                run([None] * (code.frame_size + 2))
            except _Chosen as chosen:
                return chosen.values
            return None

        return choose

    def action_predicate(self, code: Code) -> Callable[[State, State], bool]:
        """Whether a step satisfies an action."""
        run, size = self._compile(code, Compiler.test), code.frame_size + 2
        current, following = self.context.current, self.context.next

        def test(state: State, successor: State) -> bool:
            current[:] = state
            following[:] = successor
            return run([None] * size)  # type: ignore[no-any-return]

        def guarded(state: State, successor: State) -> bool:
            try:
                return test(state, successor)
            except RecursionError as error:
                _too_deep(error)

        return guarded

    def enabled(self, code: Code) -> Callable[[State], bool]:
        """Whether some step from a state satisfies an action."""
        found: list[None] = []
        current, following, blank = self.context.current, self.context.next, self.context.blank

        def stop(frame: Frame) -> None:
            raise _Enabled

        run = self._compile(code, lambda compiler, body: compiler.action(body, Continuation(stop, _always, stop)))
        size = code.frame_size + 2

        def test(state: State) -> bool:
            found.clear()
            current[:] = state
            following[:] = blank
            try:
                run([None] * size)
            except _Enabled:
                return True
            return False

        return _guarded_1(test)

    # ------------------------------------------------------------------------------------------------- compiling

    def compiler_of(self, code: Code) -> Compiler:
        """What compiles this code and the parts of it: for those who want to look at the parts one by one."""
        composes = self._analysis.of(code.body).bits & COMPOSE
        return self._unsettled if composes else self._compiler

    def _compile(self, code: Code, use: Callable[[Compiler, Any], Callable[[Frame], Any]]) -> Callable[[Frame], Any]:
        compiler = self.compiler_of(code)
        with compiler.inside(unfinished_slots(code.body, 0)):
            return use(compiler, code.body)

    def _incomplete(self, state: list[Any], formula: str, initial: bool) -> NoReturn:
        missing = [name for name, value in zip(self.variable_names, state, strict=True) if value is UNASSIGNED]
        names = " and ".join((", ".join(missing[:-1]), missing[-1])) if len(missing) > 1 else missing[0]
        what = f"the initial predicate {formula} gives" if initial else f"the action {formula} gives"
        plural = "values" if len(missing) > 1 else "value"
        id = "incomplete-initial-state" if initial else "incomplete-state"
        raise EvaluationError(id, f"{what} no {'' if initial else 'next '}{plural} to {names}")


class _Enabled(Exception):
    pass


class _Chosen(Exception):
    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values


def _always(frame: Frame) -> bool:
    return True


def _too_deep(error: RecursionError) -> NoReturn:
    raise EvaluationError(
        "unbounded-recursion", "the evaluation is nested too deeply: a recursion does not seem to end"
    ).with_traceback(error.__traceback__) from None


def _guarded(function: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> Any:
        try:
            return function()
        except RecursionError as error:
            _too_deep(error)

    return run


def _guarded_1(function: Callable[[State], Any]) -> Callable[[State], Any]:
    def run(state: State) -> Any:
        try:
            return function(state)
        except RecursionError as error:
            _too_deep(error)

    return run
