"""What is printed while states are expanded, and whether that is all that evaluating a model does besides.

Then the states need no order: what is printed is kept, and told when it is known that one worker in order would have
come to it. A text that is put together to be printed, and for nothing else, is put together when it is told:
`ToString(x)` makes a name, and names are in the order in which they appear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gristmill.evaluate.dependencies import COMPOSE
from gristmill.ir.model import Model
from gristmill.ir.nodes import Expression, Literal, Primitive, PrimitiveOperator, Temporal, TupleLiteral
from gristmill.ir.walk import SEARCHED, Node, bodies, children, reachable
from gristmill.library import Form, Operator
from gristmill.library.run import Run
from gristmill.native.plan.effects import NativeAnalysis
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Value


@dataclass(frozen=True, slots=True)
class Shown:
    """How something is put together of values that are known: by an operator, or as a tuple."""

    operator: Operator | None
    parts: tuple[Shown | None, ...]  # None: a value


@dataclass(frozen=True, slots=True)
class Printing:
    """An operator that prints, and how its arguments are put together."""

    operator: Operator
    arguments: tuple[Shown | None, ...]

    def __str__(self) -> str:
        return str(self.operator)

    @property
    def repetition(self) -> str:
        return self.operator.repetition

    def function_to_value(self, context: Run) -> Callable[..., Value]:
        """As that of an operator, of the values that its arguments are put together of."""
        call = self.operator.function_to_value(context)

        def function(*values: Value) -> Value:
            left = iter(values)
            return call(*[_put_together(each, left, context) for each in self.arguments])

        return function


ByPython = Operator | Printing  # what native code asks Python for


def _put_together(shown: Shown | None, values: Iterator[Value], context: Run) -> Value:
    if shown is None:
        return next(values)
    parts = [_put_together(each, values, context) for each in shown.parts]
    return tuple(parts) if shown.operator is None else shown.operator.function_to_value(context)(*parts)


def is_output(node: Any) -> bool:
    return _is_by(node, Form.PRINT) or _is_by(node, Form.PRINT_TRUE)


def shown_parts(node: Primitive) -> tuple[tuple[Shown | None, ...], list[Expression]]:
    """How the arguments of what prints are put together, and of what."""
    values: list[Expression] = []
    arguments: list[Shown | None] = []
    for number, argument in enumerate(node.args):
        if number in node.operator.only_shown:
            arguments.append(_shown(argument, values))
        else:
            values.append(argument)  # type: ignore[arg-type]  # none of them takes an operator
            arguments.append(None)
    return tuple(arguments), values


def _shown(node: Any, values: list[Expression]) -> Shown | None:
    match node:
        case Primitive(operator, (part,)) if operator.form is Form.SHOW:
            return Shown(operator, (_shown(part, values),))
        case Primitive(operator, parts) if operator.form is Form.CONCATENATE and _makes_text(node):
            return Shown(operator, tuple([_shown(each, values) for each in parts]))
        case TupleLiteral(items) if any(map(_makes_text, items)):
            return Shown(None, tuple([_shown(each, values) for each in items]))
    values.append(node)
    return None


def _makes_text(node: Any) -> bool:
    """Whether it can be nothing but a text, and one that is not known yet."""
    return _is_text(node) and any(not isinstance(each, Literal) for each in _pieces(node))


def _is_text(node: Any) -> bool:
    return any(
        isinstance(each.value, str) if isinstance(each, Literal) else _is_by(each, Form.SHOW) for each in _pieces(node)
    )


def _pieces(node: Any) -> Iterator[Any]:
    """What one text is put together of."""
    if _is_by(node, Form.CONCATENATE):
        for part in node.args:
            yield from _pieces(part)
    else:
        yield node


def _is_by(node: Any, form: Form) -> bool:
    return isinstance(node, Primitive) and node.operator.form is form


def loud_parts(analysis: NativeAnalysis, body: Expression) -> Iterator[Any]:
    """The parts of which it matters when they are evaluated, but for the texts of what is printed."""

    def below(node: Node) -> Iterable[Node]:
        if is_output(node):
            return shown_parts(node)[1]  # type: ignore[arg-type]
        return children(node) if analysis.is_ordered(node) else ()

    return filter(analysis.is_ordered, reachable(body, below=below, into=analysis.is_ordered))


def prints_alone(model: Model) -> bool:
    """Whether actions print, and evaluating the model does nothing else besides."""
    analysis = NativeAnalysis()
    actions = [branch.code.body for branch in model.branches]
    others = set(map(id, bodies(model, SEARCHED))) - set(map(id, actions))
    for body in bodies(model, SEARCHED):
        if analysis.of(body).bits & COMPOSE or analysis.cannot_be_repeated(body):
            return False
        if id(body) in others and analysis.is_ordered(body):
            return False
        if any(map(_does_more, loud_parts(analysis, body))):
            return False
    return True


def _does_more(part: Any) -> bool:
    match part:
        case Primitive(operator):
            return bool(operator.effects) and not is_output(part)
        case PrimitiveOperator() | Temporal():
            return True
    return False


__all__ = ["ByPython", "Printing", "Shown", "is_output", "loud_parts", "prints_alone", "shown_parts"]
