"""The next-state relation with its actions told apart: every disjunct that has a name is an action.

What is lowered is the relation as it was written, with a `Disjunct` around each part that is an action of its own; so
the order, the number of ways to satisfy it and its errors are those of the whole. Definitions are looked into as long
as they choose between others: through `\\/`, `\\E`, LET, IF and CASE, and through conjunctions, where what stands
beside the choice belongs to each of the actions (`guard /\\ (A \\/ B) /\\ update`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gristmill.ir import lower_forms, nodes
from gristmill.ir.environment import Env
from gristmill.ir.let_actions import changed_variables, speaks_of_steps
from gristmill.ir.levels import ACTION, STATE, level
from gristmill.ir.lower import Arg, Lowering, Wrap, primed_params
from gristmill.ir.model import Action
from gristmill.modules.symbols import Operator
from gristmill.source import Span
from gristmill.syntax import tree


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a disjunct stands: the definition, what is put around it there, and what is bound on the way there.

    `chooses`: whether it is one of several in this definition, or the definition is but the next-state relation.
    """

    name: str
    around: Wrap
    chooses: bool = True
    parameters: tuple[tuple[str, nodes.Expression], ...] = ()
    disjunct_of: tuple[nodes.Definition, ...] = ()
    module: str = ""
    chosen: tuple[nodes.Bound, ...] = ()  # all bounds around it, those of other definitions included

    def domain_of(self, value: nodes.Expression) -> nodes.Expression | None:
        """What a parameter is chosen from, if it is a name that is bound around."""
        if not isinstance(value, nodes.Local):
            return None
        return next((each.domain for each in self.chosen if value.slot in each.slots and not each.is_tuple), None)

    def inside(self, around: Wrap, *, chooses: bool = False) -> Place:
        """Deeper in the same definition."""
        return replace(self, around=lambda body: self.around(around(body)), chooses=self.chooses or chooses)

    def binding(self, bounds: tuple[nodes.Bound, ...], span: Span) -> Place:
        slots = [(slot, name) for bound in bounds for slot, name in zip(bound.slots, bound.names, strict=True)]
        bound = tuple((name, nodes.Local(0, slot, name, span)) for slot, name in slots)
        inner = self.inside(lambda body: nodes.Quantified(False, bounds, body, span))
        return replace(inner, parameters=(*self.parameters, *bound), chosen=(*self.chosen, *bounds))


class ActionNames:
    """Lowers next-state relations; `actions` are those that were found."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering, self.specification = lowering, lowering.specification
        self.actions: list[Action] = []
        self._choices: dict[int, tuple[Sequence[tree.Expression], int | None]] = {}  # conjuncts, by identity

    def lower(self, node: tree.Expression, env: Env, place: Place) -> nodes.Expression:
        match node:
            case tree.Parens(body) | tree.Labelled(_, _, body):
                return self.lower(body, env, place)
            case tree.Junction("\\/", items) | tree.Apply(tree.Name("\\/"), items):
                each = replace(place, chooses=True)
                return nodes.Or(tuple(self.lower(item, env, each) for item in items), node.span)
            case tree.Quantified("\\E", bounds, body) if all(bound.domain is not None for bound in bounds):
                lowered, inner = self.lowering.bounds(bounds, env, env)
                chosen = self.lower(body, inner, place.binding(lowered, node.span))
                return nodes.Quantified(False, lowered, chosen, node.span)
            case tree.Name() | tree.Path() | tree.Apply() if (found := self.action_call(node)) is not None:
                symbol, args = found
                return self.call(symbol, [(arg, env) for arg in args], node, env, place)
            case _ if self.chooses_by_name(node, place.chooses):
                return self.around_choice(node, env, place)
            case _:
                return self.disjunct(node, env, place, node.span)

    def disjunct(self, node: tree.Expression, env: Env, place: Place, span: Span) -> nodes.Disjunct:
        body = self.lowering.lower(node, env)
        number = len(self.actions)
        code = nodes.Code(place.around(body), env.frame.size, place.name, node.span)
        domains = tuple(place.domain_of(value) for _, value in place.parameters)
        self.actions.append(
            Action(place.name, code, span, place.parameters, place.disjunct_of, place.module, domains)
        )
        return nodes.Disjunct(number, body, node.span)

    # ------------------------------------------------------------------------------------------------ what is around

    def around_choice(self, node: tree.Expression, env: Env, place: Place) -> nodes.Expression:
        match node:
            case tree.Let(_, body):
                inner, let = lower_forms.bind_let(self.lowering, node, env)
                return let(self.lower(body, inner, place.inside(let)))
            case tree.If(condition, then, otherwise):
                test = self.lowering.lower(condition, env)
                if_true, if_false = _where(test, node.span)
                yes = self.lower(then, env, place.inside(if_true, chooses=True))
                no = self.lower(otherwise, env, place.inside(if_false, chooses=True))
                return nodes.If(test, yes, no, node.span)
            case tree.Case(arms):
                return self.around_arms(node, arms, env, place)
            case tree.Junction(_, items) | tree.Apply(_, items):
                return self.around_conjunct(node, items, env, place)
        raise AssertionError(node)

    def around_arms(self, node: tree.Case, arms: Sequence[tree.Arm], env: Env, place: Place) -> nodes.Expression:
        lowered: list[tuple[nodes.Expression, nodes.Expression]] = []
        for arm in arms:
            if arm.guard is None:
                return nodes.Case(tuple(lowered), self.lower(arm.value, env, replace(place, chooses=True)), node.span)
            test = self.lowering.lower(arm.guard, env)
            if_true, if_false = _where(test, node.span)
            lowered.append((test, self.lower(arm.value, env, place.inside(if_true, chooses=True))))
            place = place.inside(if_false)
        raise AssertionError("a CASE without OTHER is not looked into: it may have no value")

    def around_conjunct(
        self, node: tree.Expression, items: Sequence[tree.Expression], env: Env, place: Place
    ) -> nodes.Expression:
        chosen = self.choice_among(items)
        assert chosen is not None
        before = tuple(self.lowering.lower(item, env) for item in items[:chosen])
        after = tuple(self.lowering.lower(item, env) for item in items[chosen + 1 :])
        beside = _beside(before, after, node.span)
        return beside(self.lower(items[chosen], env, place.inside(beside)))

    # ------------------------------------------------------------------------------------------------------- choices

    def chooses_by_name(self, node: tree.Expression, chooses: bool) -> bool:
        """Whether there are named actions in a formula, among which it chooses."""
        match node:
            case tree.Parens(body) | tree.Labelled(_, _, body) | tree.Let(_, body):
                return self.chooses_by_name(body, chooses)
            case tree.Quantified("\\E", bounds, body) if all(bound.domain is not None for bound in bounds):
                return self.chooses_by_name(body, chooses)
            case tree.Junction("\\/", items) | tree.Apply(tree.Name("\\/"), items):
                return any(self.chooses_by_name(item, True) for item in items)
            case tree.If(_, then, otherwise):
                return self.chooses_by_name(then, True) or self.chooses_by_name(otherwise, True)
            case tree.Case(arms) if arms[-1].guard is None:
                return any(self.chooses_by_name(arm.value, True) for arm in arms)
            case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
                chosen = self.choice_among(items)
                return chosen is not None and self.chooses_by_name(items[chosen], chooses)
            case tree.Name() | tree.Apply():
                found = self.action_call(node)
                return chooses and found is not None and found[0].level == ACTION
        return False

    def choice_among(self, items: Sequence[tree.Expression]) -> int | None:
        """Which of some conjuncts the actions stand in: the one that speaks of steps, or, of several, a choice that
        changes more variables than the others do. (`Send(m) /\\ …` is part of an action, and no action.)
        """
        found = self._choices.get(id(items))
        if found is None:
            found = self._choices[id(items)] = (items, self._find_choice(items))
        return found[1]

    def _find_choice(self, items: Sequence[tree.Expression]) -> int | None:
        steps = [number for number, item in enumerate(items) if speaks_of_steps(self.specification, item)]
        if len(steps) == 1:
            return steps[0]
        changed = {number: changed_variables(self.specification, items[number]) for number in steps}
        for number in steps:
            others = set().union(*(changed[other] for other in steps if other != number))
            if _is_choice(items[number]) and len(changed[number] - others) > len(others):
                return number
        return None

    # --------------------------------------------------------------------------------------------------- definitions

    def action_call(self, node: tree.Expression) -> tuple[Operator, tuple[tree.Expression, ...]] | None:
        """A call of an operator of the specification, which may be a choice itself."""
        match node:
            case tree.Apply(operator, args):
                symbol: object = self.specification.symbol_of(operator)
            case tree.Name():
                symbol, args = self.specification.symbol_of(node), ()
            case _:
                return None
        replaced = self.lowering.bindings.replacements
        if not isinstance(symbol, Operator) or symbol.recursive or symbol in replaced or symbol.let_depth:
            return None
        if symbol.module.is_library or not isinstance(symbol.definition, tree.OperatorDefinition):
            return None
        if any(param.arity for param in symbol.params):
            return None
        return symbol, args

    def call(
        self, symbol: Operator, args: list[Arg], node: tree.Expression, env: Env, outside: Place
    ) -> nodes.Expression:
        """Look into a definition: its disjuncts are actions of their own, named after it."""
        disjunct_of = outside.disjunct_of
        if not symbol.params:
            disjunct_of = (*disjunct_of, self.lowering.definition(symbol, env)[0])
        lowered = [self.lowering.lower(arg, env.at(there)) for arg, there in args]
        values = tuple((param.name, value) for param, value in zip(symbol.params, lowered, strict=True))
        parameters = tuple((name, value) for name, value in values if level(value) <= STATE)
        module = symbol.module.name
        place = Place(symbol.name, outside.around, False, parameters, disjunct_of, module, outside.chosen)
        if not self.is_looked_into(symbol.body):
            return self.disjunct(node, env, place, symbol.span)
        base = env.at(self.lowering.base_env(symbol, env))
        inner, let = self.lowering.bind_arguments(symbol.params, args, primed_params(symbol), env, base, node.span)
        first = len(self.actions)
        body = let(self.lower(symbol.body, inner, replace(place.inside(let), chooses=False)))
        if len(self.actions) == first + 1 and self.actions[first].name == symbol.name:
            self.actions[first] = replace(self.actions[first], span=symbol.span)
        return body

    def is_looked_into(self, body: tree.Expression) -> bool:
        while isinstance(body, tree.Parens):
            body = body.body
        if isinstance(body, tree.Let | tree.If | tree.Case):
            return self.chooses_by_name(body, False)
        return isinstance(body, tree.Junction | tree.Quantified | tree.Apply | tree.Name)


def _beside(before: tuple[nodes.Expression, ...], after: tuple[nodes.Expression, ...], span: Span) -> Wrap:
    return lambda body: nodes.And((*before, body, *after), span)


def _where(test: nodes.Expression, span: Span) -> tuple[Wrap, Wrap]:
    """What is put around a formula that counts where a test is true, or false.

    No conjunction: it does not count in how many ways a test is true.
    """
    negated = nodes.Not(test, test.span)
    return (lambda body: nodes.If(test, body, test, span)), (lambda body: nodes.If(test, negated, body, span))


def _is_choice(node: tree.Expression) -> bool:
    while isinstance(node, tree.Parens | tree.Labelled):
        node = node.body
    match node:
        case tree.Junction("\\/") | tree.Apply(tree.Name("\\/")):
            return True
        case tree.Quantified("\\E", _, body) | tree.Let(_, body):
            return _is_choice(body)
    return False
