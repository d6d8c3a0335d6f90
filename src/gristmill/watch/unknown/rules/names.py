"""Names, calls, and operators of the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gristmill.ir import nodes
from gristmill.watch.unknown import arithmetic
from gristmill.watch.unknown.frames import Frame, Function, Path
from gristmill.watch.unknown.rules.rule import Rule
from gristmill.watch.unknown.values import ANY, ImpossibleError, Part, is_known

if TYPE_CHECKING:
    from gristmill.watch.unknown.evaluating import Evaluation


def _literal(self: Evaluation, node: nodes.Literal, frame: Frame, path: Path) -> Part:
    return node.value


def _variable(self: Evaluation, node: nodes.Variable, frame: Frame, path: Path) -> Part:
    return path.following.get(node.index, ANY) if node.primed else path.current[node.index]


def _local(self: Evaluation, node: nodes.Local, frame: Frame, path: Path) -> Part:
    return self.held(frame.up(node.depth).slots[node.slot], path)


def _call(self: Evaluation, node: nodes.Call | nodes.CallLocal, frame: Frame, path: Path) -> Part:
    if isinstance(node, nodes.CallLocal):
        function = frame.up(node.depth).slots[node.slot]
        if isinstance(function, Function) and isinstance(function.meant, nodes.PrimitiveOperator):
            return _applied(self, function.meant.operator, [self.value(each, frame, path) for each in node.args])  # type: ignore[arg-type]
    body, inner = self.called(node, frame)
    return ANY if body is None else self.value(body, inner, path)


def _let(self: Evaluation, node: nodes.Let, frame: Frame, path: Path) -> Part:
    return self.value(node.body, self.let(node, frame), path)


def _primitive(self: Evaluation, node: nodes.Primitive, frame: Frame, path: Path) -> Part:
    operator = node.operator
    if any(
        isinstance(each, nodes.OperatorArgument | nodes.LocalOperator | nodes.PrimitiveOperator) for each in node.args
    ):
        return _with_operators(self, node, frame, path)
    args = [self.value(each, frame, path) for each in node.args]  # type: ignore[arg-type]
    return ANY if operator.lazy else _applied(self, operator, args)


def _applied(self: Evaluation, operator: Any, args: list[Part]) -> Part:
    if all(map(is_known, args)):
        return operator.function_to_value(self.run)(*args)
    return arithmetic.partly(operator, args)


def _with_operators(self: Evaluation, node: nodes.Primitive, frame: Frame, path: Path) -> Part:
    """An operator of the library that takes operators, if everything turns out to be known."""
    args: list[Any] = []
    for each in node.args:
        found = self.argument(each, frame)
        if isinstance(found, Function):
            args.append(_on_values(self, found, path))
        else:
            value = self.held(found, path)
            if not is_known(value):
                return ANY
            args.append(value)
    return node.operator.function_to_value(self.run)(*args)


def _on_values(self: Evaluation, function: Function, path: Path) -> Callable[..., Any]:
    def on_values(*values: Any) -> Any:
        meant = function.meant
        if isinstance(meant, nodes.PrimitiveOperator):
            found = _applied(self, meant.operator, list(values))
        else:
            found = (
                ANY
                if meant.body is None
                else self.value(meant.body, Frame(dict(enumerate(values)), function.around), path)
            )
        if not is_known(found):
            raise ImpossibleError  # is unknown as a whole
        return found

    return on_values


RULES: Mapping[type, Rule] = {
    nodes.Literal: _literal,
    nodes.Variable: _variable,
    nodes.Local: _local,
    nodes.Call: _call,
    nodes.CallLocal: _call,
    nodes.Let: _let,
    nodes.Primitive: _primitive,
}
