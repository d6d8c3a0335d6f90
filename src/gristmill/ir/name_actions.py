"""The next-state relation with its actions told apart: every disjunct that has a name is an action.

What is lowered is the relation as it was written, with a `Disjunct` around each part that is an action of its own; so
the order, the number of ways to satisfy it and its errors are those of the whole. Definitions are looked into as long
as they choose between others: through `\\/`, `\\E`, LET, IF and CASE, and through conjunctions, where what stands
beside the choice belongs to each of the actions (`guard /\\ (A \\/ B) /\\ update`).

A conjunction is named after one of its parts, too, where it is not a definition that has a name for it: `A(s) /\\
UNCHANGED v` in the next-state relation is A.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from gristmill.ir import lower_forms, nodes
from gristmill.ir.action_calls import Called, Calls
from gristmill.ir.action_shapes import NONE, Changes, ChangesOf, speaks_of_steps
from gristmill.ir.environment import Env
from gristmill.ir.levels import STATE, level
from gristmill.ir.lower import Arg, Lowering, Wrap
from gristmill.ir.model import Action
from gristmill.modules.symbols import Parameter
from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree
from gristmill.values import FALSE

Kind = Literal["relation", "dispatcher", "action"]


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a disjunct stands: the definition, what is put around it there, and what is bound on the way there.

    `chooses`: whether it is one of several in this definition, or the definition is but the next-state relation.
    `kind` of the definition: what a next-state relation applies are actions (and what an operator applies that is given
    them), and so is what a dispatcher applies, which chooses between named actions only; an action applies its parts.
    `path`: the INSTANCEs that led here, `I!`.
    """

    name: str
    around: Wrap
    chooses: bool = True
    parameters: tuple[tuple[str, nodes.Expression], ...] = ()
    disjunct_of: tuple[nodes.Definition, ...] = ()
    module: str = ""
    chosen: tuple[nodes.Bound, ...] = ()  # all bounds around it, those of other definitions included
    values: Mapping[int, nodes.Expression] = field(default_factory=dict)  # of slots that a LET around it fills
    kind: Kind = "relation"
    path: str = ""
    of_instances: tuple[tuple[str, nodes.Expression], ...] = ()  # parameters of those that led here

    def domain_of(self, value: nodes.Expression) -> nodes.Expression | None:
        """What a parameter is chosen from, if it is a name that is bound around, or another name for one."""
        while isinstance(value, nodes.Local) and value.slot in self.values:
            value = self.values[value.slot]
        if not isinstance(value, nodes.Local):
            return None
        return next((each.domain for each in self.chosen if value.slot in each.slots and not each.is_tuple), None)

    def inside(self, around: Wrap, *, chooses: bool = False) -> Place:
        """Deeper in the same definition."""
        return replace(self, around=lambda body: self.around(around(body)), chooses=self.chooses or chooses)

    def inside_let(self, let: Wrap, span: Span) -> Place:
        made = let(nodes.Literal(FALSE, span))
        if not isinstance(made, nodes.Let):
            return self.inside(let)
        values = {**self.values, **dict(zip(made.slots, made.values, strict=True))}
        return replace(self.inside(let), values=values)

    def binding(self, bounds: tuple[nodes.Bound, ...], span: Span) -> Place:
        slots = [(slot, name) for bound in bounds for slot, name in zip(bound.slots, bound.names, strict=True)]
        bound = tuple((name, nodes.Local(0, slot, name, span)) for slot, name in slots)
        inner = self.inside(lambda body: nodes.Quantified(False, bounds, body, span))
        return replace(inner, parameters=(*self.parameters, *bound), chosen=(*self.chosen, *bounds))


class ActionNames:
    """Lowers next-state relations; `actions` are those that were found, and `places` where each stands in the text."""

    def __init__(self, lowering: Lowering) -> None:
        self.lowering, self.calls = lowering, Calls(lowering)
        self.actions: list[Action] = []
        self.places: list[tree.Expression] = []
        self._entered: list[object] = []  # definitions that are being looked into
        self._choices: dict[tuple[int, int, Kind], tuple[object, int | None]] = {}  # of conjuncts, by identity

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
            case tree.Name() | tree.Path() | tree.Apply() if (called := self.action_call(node, env, place)) is not None:
                return self.call(called, node, env, place)
            case _ if self.chooses_by_name(node, env, place, place.chooses):
                return self.around_choice(node, env, place)
            case _:
                return self.disjunct(node, env, place, node.span)

    def disjunct(self, node: tree.Expression, env: Env, place: Place, span: Span) -> nodes.Disjunct:
        body = self.lowering.lower(node, env)
        number = len(self.actions)
        code = nodes.Code(place.around(body), env.frame.size, place.name, node.span)
        domains = tuple(place.domain_of(value) for _, value in place.parameters)
        self.places.append(node)
        self.actions.append(Action(place.name, code, span, place.parameters, place.disjunct_of, place.module, domains))
        return nodes.Disjunct(number, body, node.span)

    # ------------------------------------------------------------------------------------------------ what is around

    def around_choice(self, node: tree.Expression, env: Env, place: Place) -> nodes.Expression:
        match node:
            case tree.Let(_, body):
                inner, let = lower_forms.bind_let(self.lowering, node, env)
                return let(self.lower(body, inner, place.inside_let(let, node.span)))
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
        """Each has the whole CASE around it: where no guard is true, and there is no OTHER, that fails."""
        tests = [self.lowering.lower(arm.guard, env) for arm in arms if arm.guard is not None]
        lowered = [
            self.lower(arm.value, env, place.inside(_arm(tests, number, len(arms), node.span), chooses=True))
            for number, arm in enumerate(arms)
        ]
        return _case(tests, lowered, node.span)

    def around_conjunct(
        self, node: tree.Expression, items: Sequence[tree.Expression], env: Env, place: Place
    ) -> nodes.Expression:
        chosen = self.choice_among(items, env, place)
        assert chosen is not None
        before = tuple(self.lowering.lower(item, env) for item in items[:chosen])
        after = tuple(self.lowering.lower(item, env) for item in items[chosen + 1 :])
        beside = _beside(before, after, node.span)
        return beside(self.lower(items[chosen], env, place.inside(beside)))

    # ------------------------------------------------------------------------------------------------------- choices

    def chooses_by_name(self, node: tree.Expression, env: Env, place: Place, chooses: bool) -> bool:
        """Whether there are named actions in a formula, among which it chooses."""
        match node:
            case tree.Parens(body) | tree.Labelled(_, _, body):
                return self.chooses_by_name(body, env, place, chooses)
            case tree.Let(_, body):
                return self.chooses_by_name(body, self.calls.with_let(node, env), place, chooses)
            case tree.Quantified("\\E", bounds, body) if all(bound.domain is not None for bound in bounds):
                return self.chooses_by_name(body, env, place, chooses)
            case tree.Junction("\\/", items) | tree.Apply(tree.Name("\\/"), items):
                return self.are_named(items, env, place)
            case tree.If(_, then, otherwise):
                return self.are_named((then, otherwise), env, place)
            case tree.Case(arms):
                return self.are_named([arm.value for arm in arms], env, place)
            case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
                chosen = self.choice_among(items, env, place)
                return chosen is not None and self.chooses_by_name(items[chosen], env, place, chooses)
            case tree.Name() | tree.Apply() | tree.Path():
                return chooses and self.is_named_action(node, env, place)
        return False

    def are_named(self, branches: Sequence[tree.Expression], env: Env, place: Place) -> bool:
        """Whether there are named actions among several; outside of a relation, all that change something must be."""
        named = [self.chooses_by_name(each, env, place, True) for each in branches]
        if not any(named) or place.kind == "relation":
            return any(named)
        rest = [each for each, has_name in zip(branches, named, strict=True) if not has_name]
        return not any(ChangesOf(self.calls).formula(each, env).written for each in rest)

    def is_named_action(self, node: tree.Expression, env: Env, place: Place) -> bool:
        return self.action_call(node, env, place) is not None and speaks_of_steps(self.calls.specification, node, env)

    def choice_among(self, items: Sequence[tree.Expression], env: Env, place: Place) -> int | None:
        """Which of some conjuncts the actions stand in: the one that speaks of steps, or, of several, the one that does
        most. (`Send(m) /\\ …` is part of an action, and no action.)
        """
        key = id(items), id(env), place.kind
        found = self._choices.get(key)
        if found is None:  # what is kept alive keeps its identity
            found = self._choices[key] = ((items, env), self._find_choice(items, env, place))
        return found[1]

    def _find_choice(self, items: Sequence[tree.Expression], env: Env, place: Place) -> int | None:
        steps = [n for n, item in enumerate(items) if speaks_of_steps(self.calls.specification, item, env)]
        if len(steps) == 1:
            return steps[0]
        changes = {number: ChangesOf(self.calls).formula(items[number], env) for number in steps}
        for number in steps:
            others = NONE
            for other in steps:
                if other != number:
                    others |= changes[other]
            if self._does_most(items[number], changes[number], others, env, place):
                return number
        return None

    def _does_most(self, node: tree.Expression, own: Changes, others: Changes, env: Env, place: Place) -> bool:
        """In a next-state relation, of what is written; elsewhere of all that is said about variables, since a
        definition applies parts of its action, too, and says what does not change besides.
        """
        if place.kind == "relation":
            return self.is_choice(node, env, place, True) and len(own.written - others.written) > len(others.written)
        alone = place.kind == "dispatcher" and not others.written
        return self.is_choice(node, env, place, alone) and len(own.all - others.all) > len(others.all)

    def is_choice(self, node: tree.Expression, env: Env, place: Place, or_call: bool) -> bool:
        """Whether a formula chooses, or, with `or_call`, is a named action."""
        match node:
            case tree.Parens(body) | tree.Labelled(_, _, body) | tree.Quantified("\\E", _, body):
                return self.is_choice(body, env, place, or_call)
            case tree.Let(_, body):
                return self.is_choice(body, self.calls.with_let(node, env), place, or_call)
            case tree.Junction("\\/") | tree.Apply(tree.Name("\\/")):
                return True
            case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
                chosen = self.choice_among(items, env, place)
                return chosen is not None and self.is_choice(items[chosen], env, place, or_call)
        return or_call and self.is_named_action(node, env, place)

    # --------------------------------------------------------------------------------------------------- definitions

    def action_call(self, node: tree.Expression, env: Env, place: Place) -> Called | None:
        """A call of an operator of the specification, which may be a choice itself.

        What a LET defines inside of an action is a part of that.
        """
        found = self.calls.find(node, env)
        if found is None or found.origin in self._entered:
            return None
        return found if place.kind == "relation" or not found.origin.let_depth or found.is_lambda else None

    def call(self, called: Called, node: tree.Expression, env: Env, outside: Place) -> nodes.Expression:
        """Look into a definition: its disjuncts are actions of their own, named after it."""
        place = self.place_of(called, env, outside)
        if not self.is_looked_into(called, place):
            return self.disjunct(node, env, place, called.origin.span)
        inner, let = self.calls.enter(called, env, node.span)
        first = len(self.actions)
        self._entered.append(called.origin)
        body = let(self.lower(called.body, inner, place.inside_let(let, node.span)))
        self._entered.pop()
        if len(self.actions) == first + 1 and self.actions[first].name == place.name and not called.is_lambda:
            self.actions[first] = replace(self.actions[first], span=called.origin.span)
        return body

    def place_of(self, called: Called, env: Env, outside: Place) -> Place:
        if called.is_lambda:
            return outside
        symbol, path = called.symbol, outside.path + called.path
        own = len(symbol.params) - len(called.origin.params)  # what follows are parameters of the definition itself
        of_instances = (*outside.of_instances, *self.values_of(symbol.params[:own], called.args[:own], env))
        place = replace(
            outside,
            name=path + called.origin.name,
            chooses=called.takes_operators,
            parameters=(*of_instances, *self.values_of(symbol.params[own:], called.args[own:], env)),
            disjunct_of=(*outside.disjunct_of, *self.definition_of(called, env)),
            module=called.origin.module.name,
            kind="dispatcher",
            path=path,
            of_instances=of_instances,
        )
        return replace(place, kind=self.kind_of(called, place, outside))

    def values_of(
        self, params: Sequence[Parameter], args: Sequence[Arg], env: Env
    ) -> tuple[tuple[str, nodes.Expression], ...]:
        """Of the parameters that have a value before a step is taken."""
        given = zip(params, args, strict=True)
        lowered = [(param.name, self.lowering.lower(arg, env.at(at))) for param, (arg, at) in given if not param.arity]
        return tuple((name, value) for name, value in lowered if level(value) <= STATE)

    def kind_of(self, called: Called, place: Place, outside: Place) -> Kind:
        if called.takes_operators or (outside.kind == "relation" and _is_relation(called)):
            return "relation"
        dispatches = self.chooses_by_name(called.body, called.by_name(), place, chooses=False)
        return "dispatcher" if dispatches else "action"

    def definition_of(self, called: Called, env: Env) -> tuple[nodes.Definition, ...]:
        """What is called, if it has no parameters and is not of a LET."""
        if called.symbol.params or called.origin.let_depth:
            return ()
        return (self.lowering.definition(called.symbol, env.at(called.env))[0],)

    def is_looked_into(self, called: Called, place: Place) -> bool:
        body = called.body
        while isinstance(body, tree.Parens):
            body = body.body
        if isinstance(body, tree.Let | tree.If | tree.Case):
            return self.chooses_by_name(body, called.by_name(), place, place.chooses)
        return isinstance(body, tree.Junction | tree.Quantified | tree.Apply | tree.Name | tree.Path)


def _is_relation(called: Called) -> bool:
    """Next-state relations of modules are called so by everybody: AtomNext, NextL."""
    return not called.origin.params and "next" in called.origin.name.lower()


def _beside(before: tuple[nodes.Expression, ...], after: tuple[nodes.Expression, ...], span: Span) -> Wrap:
    return lambda body: nodes.And((*before, body, *after), span)


def _where(test: nodes.Expression, span: Span) -> tuple[Wrap, Wrap]:
    """What is put around a formula that counts where a test is true, or false.

    No conjunction: it does not count in how many ways a test is true.
    """
    negated = nodes.Not(test, test.span)
    return (lambda body: nodes.If(test, body, test, span)), (lambda body: nodes.If(test, negated, body, span))


def _arm(tests: Sequence[nodes.Expression], number: int, count: int, span: Span) -> Wrap:
    """Puts a CASE around one of its arms. The others are false: by their own guard, or by that of the arm."""
    before = [nodes.Not(test, test.span) for test in tests[:number]]
    after = [tests[number]] * (count - number - 1) if number < len(tests) else []
    return lambda body: _case(tests, [*before, body, *after], span)


def _case(tests: Sequence[nodes.Expression], bodies: Sequence[nodes.Expression], span: Span) -> nodes.Case:
    other = bodies[-1] if len(bodies) > len(tests) else None
    return nodes.Case(tuple(zip(tests, bodies, strict=False)), other, span)
