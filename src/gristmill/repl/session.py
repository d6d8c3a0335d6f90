"""Evaluating expressions with definitions collected so far, perhaps in a state of a specification.

Each evaluation builds a module of its own: nothing is left over from one that failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from gristmill.building import as_source, errors_of, read_choices
from gristmill.evaluate import Context, Evaluator, State
from gristmill.ir.assemble import assemble
from gristmill.ir.levels import CONSTANT, level
from gristmill.ir.model import Model
from gristmill.library.permissions import NOTHING_ALLOWED, Permissions
from gristmill.loading import load
from gristmill.modules.appearance import register_words
from gristmill.modules.choices import Choices
from gristmill.modules.defaults import with_defaults
from gristmill.modules.specification import Specification
from gristmill.modules.symbols import Constant
from gristmill.repl.assembled import AssembledFile, Piece, assembled
from gristmill.repl.compiled import VALUE, Compiled, told, told_in
from gristmill.repl.inputs import INPUT, Input, read_input
from gristmill.repl.model_values import model_values_in
from gristmill.repl.printed import printed
from gristmill.search.budget.limits import NO_MEMORY
from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.source.stack import TimeIsUp, Watchdog, with_deep_stack
from gristmill.syntax.parser import parse_expression
from gristmill.values import ModelValue, Value, World, current, evaluated

Used = TypeVar("Used")

STANDARD = ("Integers", "Sequences", "FiniteSets", "TLC")

# Names of our own in the module that is built. People may have any other.
DEFINITIONS = "<definitions>"  # what messages call those of `compiled_all`
_MODULE, _ANYTHING = "GristmillInput", "GristmillAnything"


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
    state: Mapping[str, Value] | None = None  # to evaluate in; None: the first initial state
    model_values: list[str] = field(default_factory=list)  # that were declared by CONSTANTS
    names_model_values: bool = False  # those of the configuration have names as well, where these are free

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
            case "constants":
                self._declare(entered.names)
        return None

    def load(self, file: Path, config: Path | None = None) -> None:
        """Another specification in place of the one so far; what was defined stays. Raises `SourceError`."""
        before = self.specification, self.config, self.state
        self.specification, self.config, self.state = file, config, None
        try:
            self._read()
        except SourceError:
            self.specification, self.config, self.state = before
            raise

    def names(self) -> list[str]:
        """Everything that has a name here: for completion. Nothing if the module cannot be read any more."""
        try:
            with World().active():
                return [*self._load([])[1].root.names, *self._known_model_values()]
        except SourceError:
            return []

    def _declare(self, names: Iterable[str]) -> None:
        before = self.model_values
        self.model_values = [*dict.fromkeys((*before, *names))]
        try:
            self._read()
        except SourceError:
            self.model_values = before
            raise

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
            self._choices()
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
        file, specification = self._load([Piece(INPUT, expression, f"{VALUE} ==\n")])
        with told_in(file):
            said = self._with_model_values(said, specification)
            model = assemble(specification, _only_value(said))
            return self._in_time(lambda: told(lambda: use(evaluated(self._value(model, specification, said)))))

    def compiled(self, expression: str) -> Compiled:
        """An expression to be evaluated often, whenever the world that is active now is. Raises `SourceError`."""
        return self.compiled_all({INPUT: expression})[INPUT]

    def compiled_all(
        self, expressions: Mapping[str, str], names: Sequence[str] = (), definitions: str = ""
    ) -> dict[str, Compiled]:
        """Several expressions, in much less time than one by one, each under the name that messages call it by.

        `names` are names that they may use besides, whose values are given with the state; so are `definitions`.
        """
        said = self._choices()
        for called, expression in expressions.items():
            parse_expression(SourceFile(called, expression))  # what is wrong with one must not be laid to the next
        declared = [Piece(INPUT, f"VARIABLES {', '.join(names)}")] if names else []
        values = {called: f"{VALUE}{number or ''}" for number, called in enumerate(expressions)}
        pieces = [Piece(called, expressions[called], f"{value} ==\n") for called, value in values.items()]
        defined = [Piece(DEFINITIONS, definitions)] if definitions else []
        file, specification = self._load([*defined, *declared, *pieces])
        found = {}
        with told_in(file):
            for called, value in values.items():
                model = assemble(specification, _only_value(self._with_model_values(said, specification), value))
                found[called] = Compiled(model, file, self._context(model))
        return found

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
        if self.state is not None:
            return evaluator.state_function(model.view.code)(tuple(self.state[name] for name in model.variables))
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

    def _known_model_values(self) -> list[str]:
        """Those declared here, and those that constants of the specification are made of."""
        within: list[str] = []
        if self.names_model_values and self.specification is not None:
            within = [name for value in self._choices().constants.values() for name in model_values_in(value)]
        return list(dict.fromkeys((*self.model_values, *within)))

    def _with_model_values(self, said: Choices, specification: Specification) -> Choices:
        """Names of model values that are constants of the module, of which nothing else is said, are these values."""
        names = specification.root.names
        found = [name for name in self._known_model_values() if isinstance(names.get(name), Constant)]
        known: dict[tuple[str | None, str], Value] = {(None, name): ModelValue(name) for name in found}
        return replace(said, constants={**known, **said.constants}) if known else said

    def _load(self, pieces: list[Piece]) -> tuple[AssembledFile, Specification]:
        """A module of everything said so far and the pieces. Raises `SourceError`, with places in what was typed.

        Model values can be written by their names, unless these have another meaning already.
        """
        known = self._known_model_values()
        texts = [each.text for each in self.definitions] + [each.text for each in pieces]
        words = set(re.findall(r"\w+", " ".join(texts)))
        values = [name for name in known if name in words or name in self.model_values]
        try:
            return self._loaded(pieces, values)
        except SourceError as error:
            free = [name for name in values if name in self.model_values or name not in _twice(error)]
            if free == values:
                raise
        return self._loaded(pieces, free)

    def _loaded(self, pieces: list[Piece], values: Sequence[str]) -> tuple[AssembledFile, Specification]:
        own = [] if self.specification is None else [self.specification.stem]
        folder = "" if self.specification is None else f"{self.specification.parent}/"
        extended = [*own, *self.modules]
        head = [Piece(INPUT, "EXTENDS " + ", ".join(extended))] if extended else []
        head += [Piece(INPUT, f"CONSTANTS {', '.join(values)}")] if values else []
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


def _twice(error: SourceError) -> set[str]:
    """Names that have two meanings."""
    return {each.span.text for each in error.diagnostics if each.id == "duplicate-definition" and each.span is not None}


def _only_value(said: Choices, value: str = VALUE) -> Choices:
    return replace(_constants_of(said), init=_ANYTHING, next=_ANYTHING, view=value)


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
