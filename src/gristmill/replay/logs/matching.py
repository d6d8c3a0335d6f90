"""Lines of a log as events that a model can follow: what the mapping says of each, evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gristmill.replay.logs.lines import Line, LogFile
from gristmill.replay.logs.mapping import ActRule, LogMapping, Rule, Seen
from gristmill.search.weave import Act, Claim, Condition, Event, NoValue, Values
from gristmill.source import Diagnostic, Label, SourceError
from gristmill.specification import Expression, Specification
from gristmill.systems.formulas import Formula
from gristmill.values import Boolean, EvaluationError, Value, show


class Matching:
    """To be used in the world of the specification."""

    def __init__(self, specification: Specification, mapping: LogMapping) -> None:
        self.variables, self.mapping = specification.variables, mapping

    def select(self, file: LogFile) -> Iterator[tuple[Line, Rule]]:
        """The rule of each line; those that no rule is about are left out of the file. Raises `SourceError`."""
        kept = []
        for line in file.lines:
            rule = next((each for each in self.mapping.rules[line.kind] if self._is_true(each.where, line)), None)
            if rule is None:
                file.left_out[f"of kind {line.kind} for which no `where` is true"] += 1
            else:
                kept.append(line)
                yield line, rule
        file.lines = kept

    def event(self, rule: Rule, line: Line, rank: float | None) -> Event:
        """What a line stands for. Raises `SourceError`."""
        return Event(
            self._ways(rule, line),
            tuple(self._claims(rule.before, line)),
            tuple(self._claims(rule.observes, line)),
            rank,
        )

    def _ways(self, rule: Rule, line: Line) -> tuple[tuple[Act, ...], ...]:
        return tuple(tuple(self._act(act, line) for act in way) for way in rule.ways)

    def _act(self, act: ActRule, line: Line) -> Act:
        parameters = {name: self._value(formula, line) for name, formula in act.parameters.items()}
        return Act(act.action, parameters, self._condition(act.such_that, line) if act.such_that else None)

    def _claims(self, seen: Sequence[Seen], line: Line) -> Iterator[Claim]:
        for each in seen:
            if self._is_true(each.where, line):
                wanted, own = self._value(each.logged, line), self._own(each.model, line)
                yield Claim(each.model.text, wanted, own, self._reads(each.model))

    # ------------------------------------------------------------------------------------------------------- the event

    def _value(self, formula: Formula, line: Line) -> Value:
        """Of an expression over the event alone."""
        with _blamed_on(formula, line):
            return self._function(formula, line)(())

    def _is_true(self, formula: Formula | None, line: Line) -> bool:
        if formula is None:
            return True
        return _truth(self._value(formula, line), formula)

    def _function(self, formula: Formula, line: Line) -> Callable[[Values], Value]:
        return _expression(formula).in_states((), {self.mapping.name: line.value})

    # ------------------------------------------------------------------------------------------------ states and steps

    def _own(self, formula: Formula, line: Line) -> Callable[[Values], Any]:
        value = _expression(formula).in_states(self.variables, {self.mapping.name: line.value})

        def own(values: Values) -> Any:
            try:
                return value(values)
            except EvaluationError as error:
                return NoValue(str(error))

        return own

    def _condition(self, formula: Formula, line: Line) -> Condition:
        """Parameters stand behind the variables, so that no function has to be made for each step."""
        names = [name for name in formula.names if name != self.mapping.name]
        value = _expression(formula).in_states((*self.variables, *names), {self.mapping.name: line.value})

        def holds(values: Values, parameters: Mapping[str, Any]) -> bool:
            if any(name not in parameters for name in names):
                return False
            try:
                return _truth(value((*values, *(parameters[name] for name in names))), formula)
            except EvaluationError:
                return False

        return Condition(formula.text, holds, self._reads(formula))

    def _reads(self, formula: Formula) -> tuple[int, ...]:
        """The variables that an expression speaks of, by their indices."""
        read = _expression(formula).reads
        return tuple(index for index, name in enumerate(self.variables) if name in read)


def _expression(formula: Formula) -> Expression:
    assert formula.expression is not None
    return formula.expression


def _truth(value: Value, formula: Formula) -> bool:
    if isinstance(value, Boolean):
        return value.truth
    raise SourceError(Diagnostic("not-a-boolean", f"this is neither TRUE nor FALSE: {show(value)}", formula.span))


@contextmanager
def _blamed_on(formula: Formula, line: Line) -> Iterator[None]:
    """What has no value is told with both places: that in the mapping, and the line."""
    try:
        yield
    except EvaluationError as error:
        label = Label(line.span, "of this event")
        help = "`where` says of which events, and of which of their fields, something is told"
        raise SourceError(Diagnostic(error.id, str(error), formula.span, help=help, labels=(label,))) from None
