"""`IOEnv.X` and `"X" \\in DOMAIN IOEnv`: questions about one variable of the environment.

They are operators of their own, so that the whole environment need not be exposed.
"""

from __future__ import annotations

from gristmill.ir import nodes
from gristmill.library.files import ENVIRONMENT, IS_VARIABLE, VARIABLE
from gristmill.library.language import DOMAIN
from gristmill.source import Span


def applied(function: nodes.Expression, argument: nodes.Expression, span: Span) -> nodes.Expression:
    if _is_environment(function):
        return nodes.Primitive(VARIABLE, (argument,), span)
    return nodes.FunctionApply(function, argument, span)


def field(record: nodes.Expression, name: str, span: Span) -> nodes.Expression:
    if _is_environment(record):
        return nodes.Primitive(VARIABLE, (nodes.Literal(name, span),), span)
    return nodes.FieldAccess(record, name, span)


def member(left: nodes.Expression, right: nodes.Expression, span: Span) -> nodes.Expression:
    match right:
        case nodes.Primitive(operator, (function,)) if operator is DOMAIN and _is_environment(function):
            return nodes.Primitive(IS_VARIABLE, (left,), span)
    return nodes.Member(left, right, span)


def _is_environment(node: object) -> bool:
    return isinstance(node, nodes.Primitive) and node.operator is ENVIRONMENT
