"""Evaluating expressions with definitions collected so far, perhaps in a state of a specification.

Each evaluation builds a module of its own: nothing is left over from one that failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from gristmill.building import as_source, errors_of, read_choices, with_defaults
from gristmill.evaluate import Context, Evaluator, State
from gristmill.ir.assemble import assemble
from gristmill.ir.levels import CONSTANT, level
from gristmill.ir.model import Model
from gristmill.library.permissions import NOTHING_ALLOWED, Permissions
from gristmill.loading import load
from gristmill.modules.appearance import register_words
from gristmill.modules.choices import Choices
from gristmill.modules.specification import Specification
from gristmill.reference.model import failure_of
from gristmill.repl.assembled import AssembledFile, Piece, assembled
from gristmill.repl.inputs import INPUT, Input, read_input
from gristmill.repl.printed import printed
from gristmill.search.budget.limits import NO_MEMORY
from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.source.stack import TimeIsUp, Watchdog, with_deep_stack
from gristmill.values import EvaluationError, Value, World, current, evaluated

Used = TypeVar("Used")

STANDARD = ("Integers", "Sequences", "FiniteSets", "TLC")

# Names of our own in the module that is built. People may have any other.
_MODULE, _VALUE, _ANYTHING = "GristmillInput", "GristmillValue", "GristmillAnything"


@dataclass(slots=True)
class Session:
    """`specification`: a file whose definitions, constants and initial states are there to evaluate with.

    Without one, the usual modules are extended. `change` may add to its configuration.
    """

    specification: Path | None = None
    config: Path | SourceFile | None = None
    search_path: Sequence[str | Path] = ()
    change: Callable[[Choices], Choices] = lambda choices: choices
    output: Callable[[str], None] = print
    modules: list[str] = field(default_factory=list)
    definitions: list[Input] = field(default_factory=list)
    permissions: Permissions = NOTHING_ALLOWED
    seconds: float | None = None  # for one evaluation

    def __post_init__(self) -> None:
        if self.specification is None:
            self.modules = [*STANDARD, *self.modules]

    def enter(self, text: str) -> Value | None:
        """The value of an expression; None if it was something else. Raises `SourceError`."""
        return self._enter(text, self.evaluate)

    def enter_to_show(self, text: str) -> str | None:
        """The same as text, which is not too long."""
        return self._enter(text, self.shown)

    def _enter(self, text: str, evaluate: Callable[[str], Used]) -> Used | None:
        entered = read_input(text)
        match entered.kind:
            case "expression":
                return evaluate(entered.text)
            case "extends":
                self._extend(entered.names)
            case "definitions":
                self._define(entered)
        return None

    def _extend(self, names: Iterable[str]) -> None:
        before = self.modules
        self.modules = [*dict.fromkeys((*before, *names))]
        try:
            self._read()
        except SourceError:
            self.modules = before
            raise

    def _define(self, new: Input) -> None:
        """In place of what it defines anew, so that others that use it see it; behind everything, if it needs that."""
        before = self.definitions
        kept = [each for each in before if not set(each.names) & set(new.names)]
        first = next((at for at, each in enumerate(before) if set(each.names) & set(new.names)), len(kept))
        self.definitions = [*kept[:first], new, *kept[first:]]
        try:
            self._read()
        except SourceError:
            self.definitions = [*kept, new]
            self._load_or_restore(before)

    def _load_or_restore(self, before: list[Input]) -> None:
        try:
            self._read()
        except SourceError:
            self.definitions = before
            raise

    def _read(self) -> None:
        """Whether what was said is a module at all. Raises `SourceError`."""
        with World().active():
            self._load([])

    # ----------------------------------------------------------------------------------------------- evaluating

    def shown(self, expression: str) -> str:
        """Its value as text. To write it down may take longer than to find it, and is under the same limit."""
        return self._in_own_world(expression, printed)

    def evaluate(self, expression: str) -> Value:
        return self._in_own_world(expression, lambda value: value)

    def _in_own_world(self, expression: str, use: Callable[[Value], Used]) -> Used:
        """With an order of strings that is of this evaluation alone. Raises `SourceError`."""
        with World().active():
            return self._evaluate(expression, use)

    def _evaluate(self, expression: str, use: Callable[[Value], Used]) -> Used:
        said = self._choices()  # first, as in a run: the order of strings is that of their appearance
        file, specification = self._load([Piece(INPUT, expression, f"{_VALUE} ==\n")])
        with _told_in(file):
            model = assemble(specification, _only_value(said))
            return self._in_time(lambda: _told(lambda: use(evaluated(self._value(model, specification, said)))))

    def compiled(self, expression: str) -> Compiled:
        """An expression to be evaluated often, whenever the world that is active now is. Raises `SourceError`."""
        said = self._choices()
        file, specification = self._load([Piece(INPUT, expression, f"{_VALUE} ==\n")])
        with _told_in(file):
            model = assemble(specification, _only_value(said))
        return Compiled(model, file, self._context(model))

    def _in_time(self, evaluate: Callable[[], Used]) -> Used:
        watchdog = Watchdog(self.seconds)
        try:
            return with_deep_stack(evaluate, watchdog)
        except TimeIsUp:
            raise SourceError(Diagnostic("out-of-time", watchdog.message)) from None
        except MemoryError:
            raise SourceError(Diagnostic("out-of-memory", NO_MEMORY)) from None

    def _value(self, model: Model, specification: Specification, said: Choices) -> Value:
        assert model.view is not None
        evaluator = Evaluator(model.variables, self._context(model))
        if level(model.view.code.body) == CONSTANT:
            return evaluator.value(model.view.code)()
        return evaluator.state_function(model.view.code)(_initial_state(evaluator, specification, said))

    def _context(self, model: Model) -> Context:
        folder = None if self.specification is None else self.specification.parent
        return Context(model.variables, output=self.output, permissions=self.permissions.in_folder(folder))

    # -------------------------------------------------------------------------------------------------- building

    def _choices(self) -> Choices:
        if self.specification is None:
            return self.change(Choices())
        config = None if self.config is None else as_source(self.config, lambda text: False)
        return self.change(read_choices(self.specification, config))

    def _load(self, pieces: list[Piece]) -> tuple[AssembledFile, Specification]:
        """A module of everything said so far and the pieces. Raises `SourceError`, with places in what was typed."""
        own = [] if self.specification is None else [self.specification.stem]
        folder = "" if self.specification is None else f"{self.specification.parent}/"
        extended = [*own, *self.modules]
        head = [Piece(INPUT, "EXTENDS " + ", ".join(extended))] if extended else []
        said = [Piece(INPUT, each.text) for each in self.definitions]
        file = assembled(_MODULE, folder, [*head, *said, Piece(INPUT, f"{_ANYTHING} == TRUE"), *pieces])
        if self.specification is None:  # what is typed is shown in the order of typing
            for each in (*said, *pieces):
                current().register_all(re.findall(r"\w+", each.text))
        loaded, diagnostics = load(file, self.search_path)
        if loaded.specification is None:
            raise SourceError(file.in_pieces(each) for each in errors_of(diagnostics) or diagnostics)
        register_words(loaded.specification)
        return file, loaded.specification


class Compiled:
    """The value of an expression, in a state unless it is a constant."""

    def __init__(self, model: Model, file: AssembledFile, context: Context) -> None:
        assert model.view is not None
        self.variables, self.file = model.variables, file
        self.is_constant = level(model.view.code.body) == CONSTANT
        evaluator = Evaluator(model.variables, context)
        self._constant = evaluator.value(model.view.code)
        self._in_state = evaluator.state_function(model.view.code)

    def value(self, state: Mapping[str, Value] | None) -> Value:
        """Raises `SourceError`."""
        with _told_in(self.file):
            return _told(lambda: evaluated(self._value(state)))

    def _value(self, state: Mapping[str, Value] | None) -> Value:
        if self.is_constant:
            return self._constant()
        if state is None:
            message = "this speaks of variables, and no state is given to look at"
            raise SourceError(Diagnostic("no-state", message, help="say in which state it is to be evaluated"))
        return self._in_state(tuple(state[name] for name in self.variables))


@contextmanager
def _told_in(file: AssembledFile) -> Iterator[None]:
    """What is wrong with the text, in terms of what was typed."""
    try:
        yield
    except SourceError as error:
        raise SourceError(_in_words(file.in_pieces(each)) for each in error.diagnostics) from None


def _only_value(said: Choices) -> Choices:
    return replace(_constants_of(said), init=_ANYTHING, next=_ANYTHING, view=_VALUE)


def _constants_of(said: Choices) -> Choices:
    """What a configuration says of constants, and nothing of what to check."""
    return Choices(constants=said.constants, tables=said.tables, replacements=said.replacements, spans=said.spans)


def _initial_state(evaluator: Evaluator, specification: Specification, said: Choices) -> State:
    """The first one. Raises `SourceError` if there is none."""
    model = assemble(specification, with_defaults(said, specification))
    if model.init is None:
        raise SourceError(Diagnostic("no-state", "there is no initial predicate, and so no state to look at"))
    states = evaluator.initial_states(model.init)()
    if not states:
        raise SourceError(Diagnostic("no-state", "the specification has no initial state to look at"))
    return states[0]


def _told(evaluate: Callable[[], Used]) -> Used:
    try:
        return evaluate()
    except EvaluationError as error:
        raise SourceError(_without_ours(each) for each in failure_of(error).diagnostics) from None


def _in_words(diagnostic: Diagnostic) -> Diagnostic:
    """The expression was assembled as a VIEW: messages must not say so."""
    if diagnostic.id == "wrong-level":
        what = "this speaks of steps or behaviours; only constants and what depends on a state have a value"
        return replace(diagnostic, message=what)
    return diagnostic


def _without_ours(diagnostic: Diagnostic) -> Diagnostic:
    """Leaves out calls of the definitions generated around an expression."""
    return replace(diagnostic, labels=tuple(each for each in diagnostic.labels if _VALUE not in each.text))
