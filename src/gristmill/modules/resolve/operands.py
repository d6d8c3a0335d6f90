"""The parts of expressions by number, as compound names (`Op!2`, `Op!(x)!1`) count them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gristmill.syntax import tree

if TYPE_CHECKING:
    from gristmill.modules.resolve.state import Program

Node = tree.Expression | tree.AssumeProve | tree.NewSymbol | tree.StepBody | tree.FunctionDefinition

_STEP = re.compile(r"<([0-9]+|\+|\*)>([^.]*)\.*$")


def bare(node: Node) -> Node:
    """Without parentheses and labels."""
    while True:
        if isinstance(node, tree.Parens | tree.Labelled):
            node = node.body
        elif isinstance(node, tree.AssertStep) and not node.suffices:
            node = node.statement
        else:
            return node


def position(segment: tree.Segment, count: int) -> int | None:
    """The index, from 0, of the operand that a selector means."""
    match segment:
        case tree.IndexSegment(index) if 1 <= index <= count:
            return index - 1
        case tree.SelectorSegment("<<") if count > 0:
            return 0
        case tree.SelectorSegment(">>") if count == 2:
            return 1
        case _:
            return None


def parts(node: Node, program: Program) -> Sequence[Node]:
    """The operands that can be selected by number."""
    match node:
        case tree.Apply(args=args) | tree.CrossProduct(factors=args):
            return args
        case tree.Junction(items=args) | tree.SetEnumeration(items=args) | tree.Tuple(items=args):
            return args
        case tree.Quantified(bounds=bounds) | tree.SetMap(bounds=bounds) | tree.FunctionLiteral(bounds=bounds):
            return _domains(bounds)
        case tree.FunctionDefinition(bounds=bounds) | tree.TakeStep(bounds=bounds) | tree.PickStep(bounds=bounds):
            return _domains(bounds)
        case tree.Choose(bound=bound) | tree.SetFilter(bound=bound):
            return _domains((bound,))
        case tree.FunctionSet():
            return (node.domain, node.range)
        case tree.FunctionApply():
            return (node.function, _argument(node, program))
        case tree.Record(fields=fields) | tree.RecordSet(fields=fields):
            return [field.value for field in fields]
        case tree.FieldAccess():
            return (node.record, _kept(tree.String(node.name, node.span), program))
        case tree.Except():
            return (node.function,)
        case tree.If():
            return (node.condition, node.then, node.otherwise)
        case tree.Let():
            return (node.body,)
        case tree.BoxAction() | tree.AngleAction():
            return (node.action, node.subscript)
        case tree.Fairness():
            return (node.subscript, node.action)
        case tree.Path(segments=(*_, tree.NameSegment(args=args))):
            return args
        case tree.AssertStep():
            return (node.statement,)
        case tree.CaseStep():
            return (node.condition,)
        case tree.HaveStep():
            return (node.fact,)
        case tree.WitnessStep():
            return node.values
        case _:
            return ()


def _domains(bounds: Iterable[tree.Bound]) -> list[Node]:
    return [bound.domain for bound in bounds if bound.domain is not None]


def _argument(node: tree.FunctionApply, program: Program) -> tree.Expression:
    if len(node.args) == 1:
        return node.args[0]
    return _kept(tree.Tuple(node.args, node.span), program)


def as_literal(node: tree.FunctionDefinition, program: Program) -> tree.Expression:
    """`f[x \\in S] == e` as an expression."""
    return _kept(tree.FunctionLiteral(node.bounds, node.body, node.span), program)


def _kept(node: tree.Expression, program: Program) -> tree.Expression:
    program.synthetic.append(node)
    return node


def scope(node: Node) -> tuple[list[tree.Name], tree.Expression] | None:
    """The names that an expression binds, and the body below them."""
    match node:
        case (
            tree.Quantified(bounds=bounds, body=body)
            | tree.SetMap(bounds=bounds, body=body)
            | tree.FunctionLiteral(bounds=bounds, body=body)
            | tree.FunctionDefinition(bounds=bounds, body=body)
            | tree.PickStep(bounds=bounds, predicate=body)
        ):
            return [name for bound in bounds for name in bound.names], body
        case tree.Choose(bound=bound, body=body) | tree.SetFilter(bound=bound, predicate=body):
            return list(bound.names), body
        case tree.Lambda():
            return list(node.params), node.body
        case _:
            return None


def statement(node: tree.Statement | tree.StepBody | None) -> Node:
    """What a fact claims; the claim of a SUFFICES is its only operand."""
    assert node is not None
    return node.statement if isinstance(node, tree.AssertStep) and not node.suffices else node


def is_step_body(node: Node) -> bool:
    return isinstance(
        node,
        tree.QedStep | tree.CaseStep | tree.HaveStep | tree.TakeStep | tree.PickStep | tree.WitnessStep,
    )


def label_body(node: tree.Labelled | tree.AssumeProve) -> Node:
    return node.body if isinstance(node, tree.Labelled) else node


def declares_before(node: tree.AssumeProve, position: int) -> bool:
    """Whether the clause at `position` stands below a NEW."""
    return any(isinstance(assumption, tree.NewSymbol) for assumption in node.assumptions[:position])


def close_name(name: str, names: Iterable[str]) -> str | None:
    close = difflib.get_close_matches(name, names, 1, 0.7)
    return f"did you mean `{close[0]}`?" if close else None


def step_key(token: str, levels: Sequence[int]) -> str:
    """The name of a step as it is looked up: `<1>2.` is `<1>2`; `<*>a` is of the level of the proof it stands in."""
    found = _STEP.match(token)
    if found is None:
        return token
    mark, name = found.groups()
    if not mark.isdigit():
        mark = str(levels[-1] if levels else 0)
    return f"<{int(mark)}>{name}"


def step_level(token: str, levels: Sequence[int], first: bool) -> int:
    """The level that a step belongs to, in a proof inside proofs of `levels`."""
    found = _STEP.match(token)
    mark = found.group(1) if found else "*"
    if mark.isdigit():
        return int(mark)
    outer = levels[-1] if levels else -1
    return outer + 1 if first else outer


def is_implicit(token: str) -> bool:
    return token.startswith(("<*>", "<+>"))


def step_has_name(token: str) -> bool:
    found = _STEP.match(token)
    return found is not None and bool(found.group(2))
