"""`gristmill.open`: a specification to look at state by state.

>>> import gristmill
>>> jugs = gristmill.open("examples/DieHard.tla")
>>> (first,) = jugs.initial()
>>> first
<State small = 0, big = 0>
>>> [step.action for step in jugs.steps(first)]
['FillSmall', 'FillBig', 'EmptySmall', 'EmptyBig', 'SmallToBig', 'BigToSmall']
>>> (filled,) = jugs.take(first, "FillBig")
>>> filled.state["big"]
5
>>> jugs.evaluate("Goal - big", filled.state)
-1
>>> jugs.follow(["FillBig", "BigToSmall", {"small": 0}]).ok
True
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, TypeVar

from gristmill import api
from gristmill.building import Built, Source, as_config, as_module, build
from gristmill.checking.steps import NotNativeError, native_steps, without_properties
from gristmill.evaluate import Context, Evaluator
from gristmill.evaluate.facts import EvaluatedFacts
from gristmill.evaluate.random_constants import draw_constants
from gristmill.library.permissions import permissions
from gristmill.modules.choices import Choices
from gristmill.native.run.steps import NativeSteps
from gristmill.reference.model import SpecificationModel, failure_of
from gristmill.repl.compiled import Compiled
from gristmill.repl.session import Session
from gristmill.search import Model, StatePredicate, Taken
from gristmill.search.follow import follow
from gristmill.search.frontier import DEFAULT_BOUND, Frontier
from gristmill.search.observation import Observation, UnknownNameError, observed
from gristmill.search.result import Simulation
from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.source.stack import with_deep_stack
from gristmill.specification.actions import Action, actions_of
from gristmill.specification.expression import Expression, names_in
from gristmill.specification.frontier import OpenFrontier
from gristmill.specification.states import Following, State, Transition
from gristmill.trace import Blocked, Step, Trace
from gristmill.trace.itf import load_itf
from gristmill.values import EvaluationError, ModelValue, Value, from_python, to_python

T = TypeVar("T")
_MOST_EXPRESSIONS = 256  # that stay compiled
_MOST_VALUES = 1_000  # of a parameter, to be listed


def open(
    source: Source,
    *,
    config: Source | None = None,
    constants: Mapping[str, Any] | None = None,
    replacements: Mapping[str, str] | None = None,
    specification: str | None = None,
    init: str | None = None,
    next: str | None = None,
    alias: str | None = None,
    path: Iterable[str | Path] = (),
    engine: Literal["auto", "python", "native"] = "auto",
    output: Callable[[str], None] = print,
    seed: int | None = None,
    allow_exec: bool = False,
    allow_read: Iterable[str | Path] = (),
    allow_write: Iterable[str | Path] = (),
    env: Iterable[str] = (),
) -> Specification:
    """Read a specification, and be ready to take its steps. Raises `SourceError` with everything that is wrong with it.

    Arguments are those of `gristmill.check`. `engine` says who takes the steps: with "native", C that is compiled when
    the first is asked for, which pays for those who take hundreds of thousands; else the reference evaluator.
    """
    search_path = tuple(path)
    said = {
        "config": config,
        "constants": constants,
        "replacements": replacements,
        "specification": specification,
        "init": init,
        "next": next,
        "alias": alias,
        "path": search_path,
        "allow_exec": allow_exec,
        "allow_read": tuple(allow_read),
        "allow_write": tuple(allow_write),
        "env": tuple(env),
    }
    asked = Choices(specification, init, next, alias=alias)
    noted = _Noted(api.adding(asked, constants or {}, replacements or {}))
    built = build(source, config=config, search_path=search_path, change=noted.change)
    return Specification(source, built, said, noted.model_values, engine, output, seed)


class _Noted:
    """Looks at the constants of a configuration in passing."""

    def __init__(self, change: Callable[[Choices], Choices]) -> None:
        self._change = change
        self.model_values: set[str] = set()

    def change(self, choices: Choices) -> Choices:
        choices = self._change(choices)
        waiting: list[Any] = list(choices.constants.values())
        while waiting:
            value = waiting.pop()
            if isinstance(value, ModelValue):
                self.model_values.add(value.name)
            elif isinstance(value, frozenset | tuple):
                waiting += value
            elif isinstance(value, dict):
                waiting += [*value, *value.values()]
        return choices


class Specification:
    """A specification with its constants. Made by `gristmill.open`.

    States are mappings (see `State`); wherever a state is asked for, any mapping with a value for each variable will
    do. Any number of specifications may be open, and used by several threads; those of one specification take turns.
    What is evaluated and has no value raises `SourceError`, with the place in the specification.

    Close it when you are done, or use it in a `with` statement.
    """

    def __init__(
        self,
        source: Source,
        built: Built,
        said: Mapping[str, Any],
        model_values: Collection[str],
        engine: Literal["auto", "python", "native"],
        output: Callable[[str], None],
        seed: int | None,
    ) -> None:
        self.model = built.model
        self.world = built.model.world
        self.warnings = built.warnings
        self.name = built.model.name
        self.variables = built.model.variables
        self.reason: str | None = None  # why the reference evaluator takes the steps, if native code was asked for
        self._source, self._said, self._engine, self._output = source, said, engine, output
        self._model_values = model_values  # that constants are, or have in them
        self._lock = threading.RLock()
        self._permissions = permissions(said["allow_read"], said["allow_write"], said["env"], said["allow_exec"])
        allowed = self._permissions.in_folder(built.folder)
        context = Context(self.variables, output=output, seed=seed, permissions=allowed)
        self._evaluator = Evaluator(self.variables, context)
        self._stepping: Model | None = None
        self._actions: tuple[Action, ...] | None = None
        self._expressions: dict[str, Compiled] = {}
        self._session: Session | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._run(self._prepare)

    def close(self) -> None:
        """Give back what it took: native code, a file of a specification that was given as text."""
        with self._lock:
            stepping, self._stepping = self._stepping, None
            if isinstance(stepping, NativeSteps):
                stepping.close()
            self._session = None
            if self._folder is not None:
                self._folder.cleanup()

    def __enter__(self) -> Specification:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Specification {self.name}: {', '.join(self.variables)}>"

    # ------------------------------------------------------------------------------------------------ states and steps

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of the next-state relation, each once: parameters, location, module, what they read and write.

        >>> import gristmill
        >>> jugs = gristmill.open("examples/DieHard.tla")
        >>> [action.name for action in jugs.actions]
        ['FillSmall', 'FillBig', 'EmptySmall', 'EmptyBig', 'SmallToBig', 'BigToSmall']
        >>> pour = jugs.actions[-1]
        >>> pour.module, pour.dependencies.guard, pour.dependencies.unchanged
        ('DieHard', (), ())
        >>> for write in pour.dependencies.writes:
        ...     print(write.place, "from", *write.reads)
        big from big small
        small from big small
        """
        if self._actions is None:
            facts = EvaluatedFacts(self.variables)
            self._actions = self._run(lambda: actions_of(self.model, lambda node: facts.elements(node, _MOST_VALUES)))
        return self._actions

    def initial(self) -> list[State]:
        """The initial states, each once."""
        return self._run(lambda: [self._state(each) for each in dict.fromkeys(self._model.initial_states())])

    def steps(self, state: Mapping[str, Any]) -> list[Transition]:
        """Every step of the next-state relation from a state, as often as it is generated.

        >>> import gristmill
        >>> clock = gristmill.open("examples/Clock.tla")
        >>> clock.steps({"hour": 11, "minute": 59})
        [<NextHour() to <State hour = 12, minute = 0>>]
        """
        return self._run(lambda: [self._transition(each) for each in self._model.steps(self._raw(state))])

    def take(
        self, state: Mapping[str, Any], action: str, parameters: Mapping[str, Any] | None = None
    ) -> list[Transition]:
        """The steps from a state by the actions of a name, with these parameters; those not given may have any value.

        Raises `UnknownNameError` if there is no such action, or it has no such parameter.
        """

        def taken() -> list[Transition]:
            wanted = self._observation((action, parameters or {}))
            Frontier(self._model, ()).matcher.check(wanted)
            return [self._transition(each) for each in self._model.take(self._raw(state), action, wanted.parameters)]

        return self._run(taken)

    def steps_from(self, states: Iterable[Mapping[str, Any]]) -> list[list[Transition]]:
        """`steps` of many states: with the native engine, in one go."""

        def taken() -> list[list[Transition]]:
            found = self._model.steps_from([self._raw(state) for state in states])
            return [[self._transition(each) for each in steps] for steps in found]

        return self._run(taken)

    def blocked(
        self, state: Mapping[str, Any], action: str | None = None, parameters: Mapping[str, Any] | None = None
    ) -> list[Blocked]:
        """Why actions are not possible in a state: the guards that are false. Nothing of those that are possible.

        >>> import gristmill
        >>> jugs = gristmill.open("examples/DieHard.tla", constants={"Goal": 4})
        >>> jugs.blocked({"small": 0, "big": 0}, "FillBig")
        []
        """

        def why() -> list[Blocked]:
            wanted = {name: from_python(value) for name, value in (parameters or {}).items()}
            return list(self._model.blocked(self._raw(state), action, wanted))

        return self._run(why)

    def evaluate(self, expression: str, state: Mapping[str, Any] | None = None, *, raw: bool = False) -> Any:
        """The value of an expression, in a state if it speaks of variables: a Python object, or with `raw` the value.

        >>> import gristmill
        >>> jugs = gristmill.open("examples/DieHard.tla", constants={"Goal": 4})
        >>> jugs.evaluate("{small, big, Goal}", {"small": 1, "big": 2}) == {1, 2, 4}
        True
        """

        def value() -> Any:
            values = None if state is None else dict(zip(self.variables, self._values(state), strict=True))
            found = self._expression(expression).value(values)
            return found if raw else to_python(found)

        return self._run(value)

    def expression(self, text: str, names: Sequence[str] = ()) -> Expression:
        """An expression to be evaluated often, which may speak of `names` besides: those get their values each time.

        Raises `SourceError` if it is none.

        >>> import gristmill
        >>> jugs = gristmill.open("examples/DieHard.tla", constants={"Goal": 4})
        >>> fits = jugs.expression("big + poured <= Goal", ["poured"])
        >>> fits.value({"small": 1, "big": 2}, {"poured": 3})
        False
        """
        return self.expressions({"<expression>": text}, names)["<expression>"]

    def expressions(
        self, texts: Mapping[str, str], names: Sequence[str] = (), definitions: str = ""
    ) -> dict[str, Expression]:
        """Several, in much less time than one by one; the keys are what messages call them, in place of a file.

        They may use `definitions`, a text as in a module.
        """

        def compiled() -> dict[str, Compiled]:
            return self._opened_session().compiled_all(texts, names, definitions)

        found = self._run(compiled)
        used = {called: names_in(text, names) for called, text in texts.items()}
        return {key: Expression(texts[key], used[key], found[key], self._run, self._given) for key in texts}

    # ----------------------------------------------------------------------------------------------- whole behaviours

    def check(self, **options: Any) -> api.Result:
        """`gristmill.check` of this specification: `invariants`, `depth`, `workers`, …"""
        return api.check(self._source, **{"output": self._output, **self._said, **options})

    def simulate(self, **options: Any) -> Simulation:
        """`gristmill.simulate` of this specification."""
        return api.simulate(self._source, **{"output": self._output, **self._said, **options})

    def follow(
        self,
        trace: str | Path | Trace | Iterable[Any],
        *,
        hidden: Collection[str] = (),
        start: Iterable[Mapping[str, Any]] | None = None,
        bound: int = DEFAULT_BOUND,
        order: Literal["breadth", "depth"] = "breadth",
    ) -> Following:
        """How far some behaviour of the specification goes along a trace, and why it does not go further.

        `trace` is a `Trace`, a file in ITF, or a list whose items each say what is known of a step: an `Observation`,
        the name of an action, a pair of that and its parameters, or the values of some variables after it. If the first
        item is of the last kind, it is about the initial state, or one of `start`.

        Steps by `hidden` actions may come anywhere. See `search.follow.Followed` for what comes of it; printed, it
        tells the behaviour, and where it departs from the trace, and why.

        >>> import gristmill
        >>> jugs = gristmill.open("examples/DieHard.tla")
        >>> followed = jugs.follow(["FillBig", ("BigToSmall", {}), {"small": 2, "big": 2}])
        >>> followed.verdict, followed.matched
        ('left', 2)
        >>> [step.action for step in followed.trace]
        [None, 'FillBig', 'BigToSmall']
        """

        def followed() -> Following:
            read = load_itf(trace, self._model_values) if isinstance(trace, str | Path) else trace
            states = None if start is None else [self._raw(each) for each in start]
            found = follow(self._model, self._trace(read), hidden=hidden, states=states, bound=bound, order=order)
            return Following(**{field.name: getattr(found, field.name) for field in fields(found)})

        return with_deep_stack(
            lambda: self._run(followed)
        )  # an error is part of the answer: it must not be the stack's

    def frontier(
        self,
        *,
        hidden: Collection[str] = (),
        start: Iterable[Mapping[str, Any]] | None = None,
        bound: int = DEFAULT_BOUND,
    ) -> OpenFrontier:
        """The states that it may be in, given what is observed from now on; see `OpenFrontier`.

        >>> import gristmill
        >>> frontier = gristmill.open("examples/DieHard.tla").frontier(hidden=["FillSmall"])
        >>> frontier.advance({"big": 3}), len(frontier), frontier.verdict
        (True, 2, 'matched')
        >>> frontier.advance("EmptyBig"), frontier.advance({"big": 2}), frontier.verdict
        (True, False, 'left')
        """

        def made() -> Frontier:
            states = None if start is None else [self._raw(each) for each in start]
            return Frontier(self._model, states, hidden=hidden, bound=bound)

        return OpenFrontier(self._run(made), self._run, self._observation, self._state)

    def search(self, function: Callable[[Model], T]) -> T:
        """What a search of one's own finds: it gets what takes the steps, and works with TLA+ values."""
        return with_deep_stack(lambda: self._run(lambda: function(self._model)))

    @property
    def invariants(self) -> tuple[StatePredicate, ...]:
        """Those of the configuration, of states whose values are TLA+ values; for searches."""
        return self._run(lambda: tuple(SpecificationModel(self.model, self._evaluator).invariants))

    @property
    def model_values(self) -> frozenset[str]:
        """The names of those that constants are, or have in them."""
        return frozenset(self._model_values)

    def observation(self, thing: Any) -> Observation:
        """What `follow` makes of an item of a trace, with TLA+ values."""
        return self._run(lambda: self._observation(thing))

    # ------------------------------------------------------------------------------------------------------- evaluating

    def _run(self, function: Callable[[], T]) -> T:
        """In this specification's world, one thread at a time; on a deeper stack if it takes one."""
        try:
            return self._alone(function)
        except EvaluationError as error:
            if error.id != "unbounded-recursion":
                raise _told(error) from None
        try:
            return with_deep_stack(lambda: self._alone(function))
        except EvaluationError as error:
            raise _told(error) from None

    def _alone(self, function: Callable[[], T]) -> T:
        with self._lock, self.world.active():
            return function()

    def _prepare(self) -> None:
        """As a run begins: constants are evaluated, assumptions must be true."""
        for constant in self.model.constants:
            self._evaluator.value(constant.code)()
        for assumption in self.model.assumptions:
            if not self._evaluator.predicate(assumption.code)():
                raise SourceError(Diagnostic("assumption-false", f"{assumption.name} is false", assumption.code.span))
        draw_constants(self.model, self._evaluator)

    @property
    def _model(self) -> Model:
        """Who takes the steps from now on: native code that was compiled for other states may be made anew."""
        stepping = self._steps()
        stepping.renew()
        return stepping

    def _steps(self) -> Model:
        if self._stepping is None:
            with self._lock, self.world.active():
                self._stepping = self._made_model()
        return self._stepping

    def _made_model(self) -> Model:
        if self._engine == "native":
            try:
                return native_steps(self.model, self._evaluator, self._lock)
            except NotNativeError as why:
                self.reason = str(why)
        return SpecificationModel(without_properties(self.model), self._evaluator)

    def _expression(self, text: str) -> Compiled:
        found = self._expressions.get(text)
        if found is None:
            if len(self._expressions) >= _MOST_EXPRESSIONS:
                self._expressions.clear()
            found = self._expressions[text] = self._opened_session().compiled(text)
        return found

    def _opened_session(self) -> Session:
        """Expressions are read in a module that extends the specification, so that must be in a file."""
        if self._session is None:
            module, config = as_module(self._source), self._said["config"]
            change = api.adding(Choices(), self._said["constants"] or {}, self._said["replacements"] or {})
            given = None if config is None else as_config(config)
            search_path = (*self._said["path"],)
            if isinstance(module, SourceFile):
                module, given = self._written(module), given or SourceFile("<none>", "")
            self._session = Session(
                module,
                given,
                search_path,
                change,
                self._output,
                permissions=self._permissions,
                names_model_values=True,
            )
        return self._session

    def _written(self, module: SourceFile) -> Path:
        self._folder = tempfile.TemporaryDirectory(prefix="gristmill-", ignore_cleanup_errors=True)
        file = Path(self._folder.name) / f"{self.name}.tla"
        file.write_text(module.text, encoding="utf-8")
        return file

    # ------------------------------------------------------------------------------------------------------- converting

    def _values(self, state: Mapping[str, Any]) -> tuple[Value, ...]:
        """TLA+ values of this world. Raises `UnknownNameError` if it is no state of this specification."""
        given = state.raw if isinstance(state, State) else state
        missing = [name for name in self.variables if name not in given]
        more = [name for name in given if name not in self.variables]
        if missing or more:
            said = f"it has no value for `{missing[0]}`" if missing else f"there is no variable `{more[0]}`"
            raise UnknownNameError(f"this is no state of {self.name}: {said}")
        if isinstance(state, State) and state._world is self.world:
            return state._values
        return tuple(from_python(given[name]) for name in self.variables)

    def _raw(self, state: Mapping[str, Any]) -> Any:
        return self._values(state)

    def _given(self, state: Mapping[str, Any] | None) -> dict[str, Value]:
        return {} if state is None else dict(zip(self.variables, self._values(state), strict=True))

    def _state(self, state: Any) -> State:
        return State(self.variables, tuple(self._steps().values(state)), self.world)

    def _transition(self, taken: Taken) -> Transition:
        action = self._steps().actions[taken.action]
        parameters = {name: to_python(value) for name, value in taken.parameters}
        return Transition(action.name, parameters, self._state(taken.state), taken.parameters, action.location)

    def _trace(self, trace: Trace | Iterable[Any]) -> Trace | list[Observation]:
        if not isinstance(trace, Trace):
            return [self._observation(each) for each in trace]
        steps = tuple(self._own(step) for step in trace.steps)
        return Trace(trace.variables, steps, trace.loop_start, trace.stuttering)

    def _own(self, step: Step) -> Step:
        """A step of a trace of some run, with values of this one."""
        state = {name: from_python(value) for name, value in step.state.items()}
        parameters = tuple((name, from_python(value)) for name, value in step.parameters)
        return Step(state, step.action, parameters)

    def _observation(self, thing: Any) -> Observation:
        match thing:
            case Observation():
                found = thing
            case Step():
                found = observed(thing)
            case Transition():
                found = Observation(thing.action, dict(thing.raw_parameters), thing.state.raw)
            case State():
                found = Observation(state=thing.raw)
            case str():
                found = Observation(thing)
            case (str() as action, Mapping() as parameters):
                found = Observation(action, parameters)
            case Mapping():
                found = Observation(state=thing)
            case _:
                raise TypeError(f"a {type(thing).__name__} is no observation: {thing!r}")
        return Observation(
            found.action,
            {name: from_python(value) for name, value in found.parameters.items()},
            {name: from_python(value) for name, value in found.state.items()},
            found.may_stay,
        )


def _told(error: EvaluationError) -> SourceError:
    return SourceError(failure_of(error).diagnostics)
