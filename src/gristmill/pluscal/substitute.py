"""Putting expressions in the place of names, where no quantifier, LET or the like binds the name anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from gristmill.syntax import tree
from gristmill.syntax.operators import OPERATORS
from gristmill.syntax.tree import Expression

Replacements = Mapping[str, Expression]
Step = TypeVar("Step", tree.IndexStep, tree.FieldStep)


class TooLarge(Exception):
    """A substitution went through more nodes than it was allowed to."""


def substitute(expression: Expression, replacements: Replacements, limit: int | None = None) -> Expression:
    """The expression with every free occurrence of a name replaced.

    Names that the replacements themselves contain may be captured by bound names around the place they are put in,
    as in PlusCal's macros, which are defined as replacement of text. Raises `TooLarge` for an expression of more than
    `limit` nodes.
    """
    if not replacements:
        return expression
    return _Substitution(replacements, [limit]).on(expression)


def substitute_in_path(
    path: tuple[tree.IndexStep | tree.FieldStep, ...], replacements: Replacements
) -> tuple[tree.IndexStep | tree.FieldStep, ...]:
    """The indices in `[i].f[j]`."""
    return _Substitution(replacements, [None]).path(path) if replacements else path


def in_parens(expression: Expression) -> Expression:
    """The expression, fit to stand as an operand of any operator."""
    match expression:
        case (
            tree.Name()
            | tree.Number()
            | tree.Decimal()
            | tree.String()
            | tree.At()
            | tree.Parens()
            | tree.SetEnumeration()
            | tree.SetFilter()
            | tree.SetMap()
            | tree.FunctionLiteral()
            | tree.FunctionSet()
            | tree.FunctionApply()
            | tree.Record()
            | tree.RecordSet()
            | tree.FieldAccess()
            | tree.Except()
            | tree.Tuple()
        ):
            return expression
        case tree.Apply(operator) if operator.name not in OPERATORS:
            return expression
        case _:
            return tree.Parens(expression, expression.span)


class _Substitution:
    def __init__(self, replacements: Replacements, left: list[int | None]) -> None:
        self.replacements = replacements
        self.left = left  # nodes that may still be visited, shared by all parts of one substitution

    def without(self, names: Iterable[str]) -> _Substitution:
        hidden = self.replacements.keys() & set(names)
        if not hidden:
            return self
        return _Substitution({k: v for k, v in self.replacements.items() if k not in hidden}, self.left)

    def on(self, e: Expression) -> Expression:
        if self.left[0] is not None:
            self.left[0] -= 1
            if self.left[0] < 0:
                raise TooLarge
        match e:
            case tree.Name(name):
                return self.replacements.get(name, e)
            case tree.Number() | tree.Decimal() | tree.String() | tree.At() | tree.StepName():
                return e
            case tree.Apply(operator, args):
                return replace(e, operator=self.operator(operator), args=self.all(args))
            case tree.Parens(body):
                return replace(e, body=self.on(body))
            case tree.Junction(_, items) | tree.SetEnumeration(items) | tree.Tuple(items):
                return replace(e, items=self.all(items))
            case tree.CrossProduct(factors):
                return replace(e, factors=self.all(factors))
            case tree.FunctionSet(domain, range_):
                return replace(e, domain=self.on(domain), range=self.on(range_))
            case tree.FunctionApply(function, args):
                return replace(e, function=self.on(function), args=self.all(args))
            case tree.Record(fields) | tree.RecordSet(fields):
                return replace(e, fields=tuple(replace(f, value=self.on(f.value)) for f in fields))
            case tree.FieldAccess(record):
                return replace(e, record=self.on(record))
            case tree.Except(function, updates):
                return replace(e, function=self.on(function), updates=tuple(map(self.update, updates)))
            case tree.If(condition, then, otherwise):
                return replace(e, condition=self.on(condition), then=self.on(then), otherwise=self.on(otherwise))
            case tree.Case(arms):
                return replace(e, arms=tuple(map(self.arm, arms)))
            case tree.BoxAction(action, subscript) | tree.AngleAction(action, subscript):
                return replace(e, action=self.on(action), subscript=self.on(subscript))
            case tree.Fairness(_, subscript, action):
                return replace(e, subscript=self.on(subscript), action=self.on(action))
            case tree.Path(segments):
                return replace(e, segments=tuple(map(self.segment, segments)))
            case _:
                return self.on_binder(e)

    def on_binder(
        self,
        e: (
            tree.Quantified
            | tree.FunctionLiteral
            | tree.SetMap
            | tree.Choose
            | tree.SetFilter
            | tree.Lambda
            | tree.Labelled
            | tree.Let
        ),
    ) -> Expression:
        """Expressions that give names a new meaning inside."""
        match e:
            case tree.Quantified(_, bounds, body) | tree.FunctionLiteral(bounds, body) | tree.SetMap(body, bounds):
                inner = self.without(name.name for bound in bounds for name in bound.names)
                return replace(e, bounds=tuple(map(self.bound, bounds)), body=inner.on(body))
            case tree.Choose(bound, body):
                return replace(e, bound=self.bound(bound), body=self.inside(bound).on(body))
            case tree.SetFilter(bound, predicate):
                return replace(e, bound=self.bound(bound), predicate=self.inside(bound).on(predicate))
            case tree.Lambda(params, body):
                return replace(e, body=self.without(p.name for p in params).on(body))
            case tree.Labelled(_, _, body):
                return replace(e, body=self.on(body))
            case tree.Let(definitions, body):
                inner = self.without(name for d in definitions for name in _defined(d))
                return replace(e, definitions=tuple(map(inner.definition, definitions)), body=inner.on(body))
            case _:
                assert_never(e)

    def all(self, items: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(map(self.on, items))

    def operator(self, operator: tree.Name) -> tree.Name:
        """A name that is applied can be replaced by another name only."""
        new = self.replacements.get(operator.name)
        return new if isinstance(new, tree.Name) else operator

    def inside(self, bound: tree.Bound) -> _Substitution:
        return self.without(name.name for name in bound.names)

    def bound(self, bound: tree.Bound) -> tree.Bound:
        return bound if bound.domain is None else replace(bound, domain=self.on(bound.domain))

    def path(self, path: tuple[tree.IndexStep | tree.FieldStep, ...]) -> tuple[tree.IndexStep | tree.FieldStep, ...]:
        return tuple(
            replace(step, args=self.all(step.args)) if isinstance(step, tree.IndexStep) else step for step in path
        )

    def update(self, update: tree.Update) -> tree.Update:
        return replace(update, path=self.path(update.path), value=self.on(update.value))

    def arm(self, arm: tree.Arm) -> tree.Arm:
        guard = None if arm.guard is None else self.on(arm.guard)
        return replace(arm, guard=guard, value=self.on(arm.value))

    def segment(self, segment: tree.Segment) -> tree.Segment:
        if isinstance(segment, tree.NameSegment | tree.ArgumentsSegment):
            return replace(segment, args=self.all(segment.args))
        return segment

    def definition(self, definition: tree.Definition) -> tree.Definition:
        match definition:
            case tree.OperatorDefinition(_, params, body):
                return replace(definition, body=self.without(p.name for p in params).on(body))
            case tree.FunctionDefinition(_, bounds, body):
                inner = self.without(name.name for bound in bounds for name in bound.names)
                return replace(definition, bounds=tuple(map(self.bound, bounds)), body=inner.on(body))
            case tree.InstanceDefinition(_, params, instance):
                inner = self.without(p.name for p in params)
                new = tuple(replace(s, value=inner.on(s.value)) for s in instance.substitutions)
                return replace(definition, instance=replace(instance, substitutions=new))
            case tree.Recursive():
                return definition
            case _:
                assert_never(definition)


def _defined(definition: tree.Definition) -> tuple[str, ...]:
    if isinstance(definition, tree.Recursive):
        return tuple(p.name for p in definition.params)
    return (definition.name,)
