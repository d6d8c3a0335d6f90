"""The TLA+ expressions of a mapping: collected while it is read, compiled all at once, with places in the TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gristmill.repl.session import DEFINITIONS
from gristmill.source import Diagnostic, SourceError, Span
from gristmill.specification import Expression, Specification, State

WRONG_VALUE = "wrong-value"  # of another kind than is wanted


@dataclass(slots=True)
class Formula:
    """An expression of a mapping. `names`: what it may speak of besides the specification."""

    text: str
    span: Span
    names: tuple[str, ...]
    expression: Expression | None = field(default=None, repr=False)

    def value(
        self, state: Mapping[str, Any] | None = None, names: Mapping[str, Any] | None = None, *, raw: bool = False
    ) -> Any:
        """Raises `SourceError`, with the place in the mapping."""
        assert self.expression is not None
        try:
            return self.expression.value(state, names, raw=raw)
        except SourceError as error:
            raise SourceError(_here(each, self) for each in error.diagnostics) from None

    def truth(self, state: State, names: Mapping[str, Any], what: str) -> bool:
        """`what` it is, for messages. Raises `SourceError`, as all of these do."""
        value = self.value(state, names)
        if not isinstance(value, bool):
            raise self._wrong(f"{what} must be true or false")
        return value

    def number(self, state: State, names: Mapping[str, Any], what: str) -> int:
        value = self.value(state, names)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(f"{what} must be a number")
        return value

    def elements(self, state: State, names: Mapping[str, Any], what: str) -> frozenset[Any] | tuple[Any, ...]:
        value = self.value(state, names, raw=True)
        if not isinstance(value, frozenset | tuple):
            raise self._wrong(f"{what} goes through a set or a sequence")
        return value

    def _wrong(self, message: str) -> SourceError:
        return SourceError(Diagnostic(WRONG_VALUE, f"{message}, which `{self.text}` is not", self.span))

    @property
    def used(self) -> tuple[str, ...]:
        assert self.expression is not None
        return self.expression.names


class Definitions:
    """Operators that expressions may use: those of the system, and those of the grains of a mix behind them."""

    def __init__(self, parts: Sequence[Formula]) -> None:
        self.parts = parts
        self.text = "\n".join(each.text for each in parts)

    def placed(self, diagnostic: Diagnostic) -> Diagnostic:
        """With a place in the mapping: that of the part which it is about."""
        begin = 0
        for part in self.parts:
            end = begin + len(part.text)
            if diagnostic.span is not None and diagnostic.span.start <= end:
                return _here(diagnostic, part, begin)
            begin = end + 1
        return diagnostic


class Formulas:
    """All expressions of a mapping."""

    def __init__(self) -> None:
        self.all: list[Formula] = []

    def add(self, text: str, span: Span, names: Sequence[str] = ()) -> Formula:
        formula = Formula(text, span, tuple(dict.fromkeys(names)))
        self.all.append(formula)
        return formula

    def compile(self, specification: Specification, definitions: Definitions | None = None) -> list[Diagnostic]:
        """What is wrong with them, with places in the mapping. They may use `definitions`."""
        problems = [
            self._taken(name, specification)
            for name in dict.fromkeys(name for formula in self.all for name in formula.names)
            if name in specification.variables
        ]
        if problems:
            return problems
        every = tuple(dict.fromkeys(name for formula in self.all for name in formula.names))
        if not self._compile(specification, every, range(len(self.all)), definitions):
            return []
        # All names at once is soonest done, but an expression may bind a name that is another one's to speak of.
        groups: dict[tuple[str, ...], list[int]] = {}
        for number, formula in enumerate(self.all):
            groups.setdefault(formula.names, []).append(number)
        found = [
            problem
            for names, numbers in groups.items()
            for problem in self._compile(specification, names, numbers, definitions)
        ]
        return list({(each.id, each.message, each.span): each for each in found}.values())

    def _compile(
        self,
        specification: Specification,
        names: tuple[str, ...],
        numbers: Sequence[int],
        definitions: Definitions | None,
    ) -> list[Diagnostic]:
        texts = {_called(number): self.all[number].text for number in numbers}
        try:
            found = specification.expressions(texts, names, "" if definitions is None else definitions.text)
        except SourceError as error:
            return [self._placed(each, definitions) for each in error.diagnostics]
        for number in numbers:
            self.all[number].expression = found[_called(number)]
        return []

    def _taken(self, name: str, specification: Specification) -> Diagnostic:
        formula = next(each for each in self.all if name in each.names)
        message = f"`{name}` is a variable of {specification.name}, and cannot be a name of the mapping, too"
        return Diagnostic("name-taken", message, formula.span, help="give it another name")

    def _placed(self, diagnostic: Diagnostic, definitions: Definitions | None) -> Diagnostic:
        span = diagnostic.span
        if span is not None:
            if definitions is not None and span.file.path == DEFINITIONS:
                return definitions.placed(diagnostic)
            for number, formula in enumerate(self.all):
                if span.file.path == _called(number):
                    return _here(diagnostic, formula)
        return diagnostic


def _called(number: int) -> str:
    return f"<expression {number}>"


def _here(diagnostic: Diagnostic, formula: Formula, begin: int = 0) -> Diagnostic:
    """The diagnostic with a place in the mapping: inside of the text, if that stands there as it is.

    `begin`: where the text begins in what was compiled.
    """
    outer, inner = formula.span, diagnostic.span
    written = outer.file.text[outer.start : outer.end]
    offset = written.find(formula.text)
    labels = tuple(label for label in diagnostic.labels if not label.span.file.path.startswith("<expression"))
    if inner is None or offset < 0 or not inner.file.path.startswith("<"):
        return replace(diagnostic, span=outer, labels=labels)
    base = outer.start + offset - begin
    return replace(diagnostic, span=Span(outer.file, base + inner.start, base + inner.end), labels=labels)
