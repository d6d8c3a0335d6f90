"""What is certainly evaluated: an argument for such a parameter need not be put off."""

from __future__ import annotations

from typing import Any, assert_never

from gristmill.ir import nodes
from gristmill.ir.nodes import Definition
from gristmill.ir.walk import Node


def is_strict(definition: Definition, parameter: int) -> bool:
    return definition.arities[parameter] == 0 and _strict(definition.body, parameter, 3)


def needs(body: Any, slot: int) -> bool:
    """Whether the evaluation of an expression certainly begins with, or includes, that of a slot of its frame."""
    return _strict(body, slot, 3)


def _strict(node: Any, slot: int, calls: int) -> bool:
    """`calls`: how far to look into definitions called."""
    match node:
        case nodes.Local(depth, found):
            return depth == 0 and found == slot
        case nodes.Call(definition, args):
            return calls > 0 and any(
                not isinstance(arg, nodes.OperatorArgument | nodes.LocalOperator | nodes.PrimitiveOperator)
                and _strict(arg, slot, 0)
                and definition.arities[index] == 0
                and _strict(definition.body, index, calls - 1)
                for index, arg in enumerate(args)
            )
        case nodes.If(condition, then, otherwise):
            return _strict(condition, slot, calls) or (_strict(then, slot, calls) and _strict(otherwise, slot, calls))
    return any(_strict(each, slot, calls) for each in evaluated_first(node))


def evaluated_first(node: Node) -> tuple[Node, ...]:
    """The parts that are evaluated whenever the whole is. Of an IF, both branches may have more in common."""
    match node:
        case nodes.If(condition):
            return (condition,)
        case nodes.Case(arms):
            return (arms[0][0],)
        case nodes.Let(_, _, _, body) | nodes.Disjunct(_, body):
            return (body,)
        case nodes.Quantified(_, bounds) | nodes.SetMap(bounds) | nodes.FunctionLiteral(bounds):
            return tuple(bound.domain for bound in bounds if bound.domain is not None)
        case nodes.Choose(bound) | nodes.SetFilter(bound):
            return () if bound.domain is None else (bound.domain,)
        case nodes.Except(function, updates):
            return (function, *updates[0].path)
        case nodes.And(items) | nodes.Or(items):
            return (items[0],)
        case nodes.Not(operand):
            return (operand,)
        case nodes.Implies(left):
            return (left,)
        case nodes.Equivalent(left, right) | nodes.Equal(left, right) | nodes.Member(left, right):
            return (left, right)
        case nodes.SetEnumeration(items) | nodes.TupleLiteral(items):
            return items
        case nodes.RecordLiteral(_, values) | nodes.RecordSet(_, values):
            return values
        case nodes.FunctionSet(domain, range_):
            return (domain, range_)
        case nodes.CrossProduct(factors):
            return factors
        case nodes.FunctionApply(function, argument):
            return (function, argument)
        case nodes.FieldAccess(record):
            return (record,)
        case nodes.Primitive(operator, args):
            return tuple(arg for number, arg in enumerate(args) if operator.is_strict_in(number))
        case nodes.Call() | nodes.CallLocal():  # arguments are evaluated when they are needed
            return ()
        case nodes.OperatorArgument() | nodes.LocalOperator() | nodes.PrimitiveOperator():
            return ()
        case nodes.Literal() | nodes.Variable() | nodes.Local() | nodes.Unchanged():
            return ()
        case nodes.Enabled() | nodes.Cdot() | nodes.Temporal() | nodes.BoxAction() | nodes.AngleAction():
            return ()
        case nodes.Bound() | nodes.Update():  # a part of what has been looked at
            return ()
        case _:
            assert_never(node)
