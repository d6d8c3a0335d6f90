"""Cuts the next-state relation into branches, to be solved one after the other.

A branch is as small as it can be without a change of the order in which steps are found, of how often they are, or of
what is evaluated: every action that stands alone, and every choice of which actions share a name that is bound in it.
`\\E n \\in S : A(n) \\/ B(n)` becomes A(n1), B(n1), A(n2), … if S is a small constant set, which is TLC's order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from types import MappingProxyType

from gristmill.ir import nodes
from gristmill.ir.model import Branch, Model
from gristmill.ir.nodes import Bound, Code, Expression
from gristmill.ir.passes.facts import Facts
from gristmill.ir.substitute import substituted
from gristmill.ir.walk import nodes_of
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Value

_MOST_ELEMENTS = 40  # of one set
_MOST_BRANCHES = 400  # of a model

Binding = tuple[tuple[int, str, Value], ...]  # slot, name, value
Known = Mapping[tuple[int, int], Value]  # by depth and slot


def split_next(model: Model, facts: Facts) -> Model:
    branches = tuple(cut for branch in model.branches for cut in _cut_branch(branch, model, facts))
    return replace(model, branches=branches, unsplit=model.branches)


def _cut_branch(branch: Branch, model: Model, facts: Facts) -> Iterator[Branch]:
    parts = list(_Cutting(facts).parts(branch.code.body))
    if len(parts) > _MOST_BRANCHES:
        parts = list(_Cutting(facts, most_elements=0).parts(branch.code.body))
    for body in parts:
        actions = _actions_in(body)
        name = " or ".join(dict.fromkeys(model.actions[number].name for number in actions))
        yield Branch(Code(body, branch.code.frame_size, name, body.span), actions)


def _actions_in(body: Expression) -> tuple[int, ...]:
    found = (node.action for node in nodes_of(body) if isinstance(node, nodes.Disjunct))
    return tuple(sorted(set(found)))


@dataclass(frozen=True, slots=True)
class _Cutting:
    facts: Facts
    most_elements: int = _MOST_ELEMENTS

    def parts(self, node: Expression, known: Known = MappingProxyType({})) -> Iterator[Expression]:
        """`known`: values of names that are bound around it."""
        if len(_actions_in(node)) < 2:
            yield node
            return
        match node:
            case nodes.Or(items):
                for item in items:
                    yield from self.parts(item, known)
            case nodes.Quantified(False, bounds, body) if (found := self.bindings(bounds, known)) is not None:
                for binding in found:
                    inner = {**known, **{(0, slot): value for slot, _, value in binding}}
                    for part in self.parts(body, inner):
                        yield _with_values(binding, part)
            case nodes.Let(_, _, values, body) if not any(map(self.facts.has_effects, values)):
                for part in self.parts(body, _with_names(node, known)):
                    yield replace(node, body=part)
            case nodes.And(items) if (choice := self.choice(items)) is not None:
                for part in self.parts(items[choice], known):
                    yield replace(node, items=(*items[:choice], part, *items[choice + 1 :]))
            case _:
                yield node

    def bindings(self, bounds: tuple[Bound, ...], known: Known) -> list[Binding] | None:
        """All values of the names that are bound, in the order in which they are tried."""
        columns: list[list[Binding]] = []
        for bound in bounds:
            elements = None if bound.is_tuple else self.elements(bound, known)
            if elements is None:
                return None
            columns += [
                [((slot, name, element),) for element in elements]
                for slot, name in zip(bound.slots, bound.names, strict=True)
            ]
        if not 0 < prod(map(len, columns)) <= self.most_elements:  # an action that is never possible has a branch, too
            return None
        # the last name changes slowest
        return [tuple(part for parts in reversed(chosen) for part in parts) for chosen in product(*reversed(columns))]

    def elements(self, bound: Bound, known: Known) -> tuple[Value, ...] | None:
        if bound.domain is None:
            return None
        return self.facts.elements(substituted(bound.domain, known), self.most_elements)

    def choice(self, items: tuple[Expression, ...]) -> int | None:
        """The conjunct with the actions, if what stands before it can be tested anew for each of them."""
        choice = next(number for number, item in enumerate(items) if _actions_in(item))
        before = items[:choice]
        can_be_repeated = all(self.facts.is_test(item) and not self.facts.has_effects(item) for item in before)
        return choice if can_be_repeated else None


def _with_names(let: nodes.Let, known: Known) -> Known:
    """The names of a LET that stand for values, too."""
    values = (substituted(value, known) for value in let.values)
    found = zip(let.slots, values, strict=True)
    return {**known, **{(0, slot): value.value for slot, value in found if isinstance(value, nodes.Literal)}}


def _with_values(binding: Binding, body: Expression) -> Expression:
    if not binding:
        return body
    slots, names, values = zip(*binding, strict=True)
    return nodes.Let(slots, names, tuple(nodes.Literal(value, body.span) for value in values), body, body.span)
