"""An action as the ways to take it: conditions, and what each variable becomes, as terms over a state.

Unlike in `growth.py`, nothing may be dropped: whether a step can be taken in another state, too, is asked of all its
conditions. What is not translated is a value of its own that depends on the variables and names it reads, and on
nothing else: in states that agree on these it is the same. An action that says something else of the next state than
what variables become is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.ir.walk import nodes_of
from gristmill.values import TRUE
from gristmill.watch.proving.growth import Frame, Term, TooLargeError, Translation

_MOST = 200  # ways of an action
MESSAGE: Term = ("parameter", "m")  # the one that is asked about


class UntranslatedError(Exception):
    """Nothing is claimed then."""


@dataclass(frozen=True, slots=True)
class Way:
    """`conditions`: terms that are true or false. `becomes`: of each variable that is mentioned."""

    conditions: tuple[Term, ...]
    becomes: Mapping[int, Term]


class Paths(Translation):
    """`state`: what stands for a variable, if not itself."""

    def __init__(self, state: Mapping[int, Term] | None = None) -> None:
        super().__init__(-1)
        self.state = dict(state or {})
        self._names: dict[int, Term] = {}

    def within(self, state: Mapping[int, Term]) -> Paths:
        """The same in another state: equal terms are equal values, and what was not translated stays what it was."""
        found = Paths(state)
        found._known, found._lambdas, found._unique, found.places = (
            self._known,
            self._lambdas,
            self._unique,
            self.places,
        )
        return found

    def ways(self, action: Action, names: Mapping[str, str]) -> list[Way]:
        """`names`: what parameters are called here. Raises `UntranslatedError`, `TooLargeError`."""
        self._names = {
            expression.slot: ("parameter", names.get(name, f"{action.name}.{name}"))
            for name, expression in action.parameters
            if isinstance(expression, nodes.Local) and expression.depth == 0
        }
        return self._ways(action.code.body, Frame(), 0)

    def _ways(self, node: nodes.Expression, frame: Frame, depth: int) -> list[Way]:
        match node:
            case nodes.And():
                found = [Way((), {})]
                for item in node.items:
                    parts = self._ways(item, frame, depth)
                    found = [_joined(one, other) for one in found for other in parts]
                    if len(found) > _MOST:
                        raise TooLargeError
                return found
            case nodes.Or():
                return [way for item in node.items for way in self._ways(item, frame, depth)]
            case nodes.Disjunct():
                return self._ways(node.body, frame, depth)
            case nodes.Quantified() if not node.universal and _speaks_of_next(node):
                chosen = self.chosen(node.bounds, frame, depth)
                asked = tuple(self._domain(bound, chosen, frame, depth) for bound in node.bounds)
                inner = self._ways(node.body, frame.with_slots(chosen), depth)
                return [Way((*asked, *each.conditions), each.becomes) for each in inner]
            case nodes.Let() if _speaks_of_next(node):
                return self._ways(node.body, self.let(node, frame, depth), depth)
            case nodes.If() if _speaks_of_next(node):
                condition = self.term(node.condition, frame, depth)
                then, otherwise = self._ways(node.then, frame, depth), self._ways(node.otherwise, frame, depth)
                return [Way((condition, *each.conditions), each.becomes) for each in then] + [
                    Way((("not", condition), *each.conditions), each.becomes) for each in otherwise
                ]
            case nodes.Call() if _speaks_of_next(node):
                inner_frame = self.entered(node, frame, depth)
                if inner_frame is None or node.definition.body is None:
                    raise UntranslatedError
                return self._ways(node.definition.body, inner_frame, depth + 1)
            case nodes.Unchanged():
                return [Way((), {place: self._now(place) for place in node.variables})]
            case nodes.Equal(left=nodes.Variable(primed=True, index=index)) if not _speaks_of_next(node.right):
                return [Way((), {index: self.term(node.right, frame, depth)})]
        if _speaks_of_next(node):
            raise UntranslatedError
        return [Way((self.term(node, frame, depth),), {})]

    def _domain(self, bound: nodes.Bound, chosen: Mapping[int, Term], frame: Frame, depth: int) -> Term:
        names = tuple(chosen[slot] for slot in bound.slots)
        if names == (MESSAGE,):
            return ("value", "bool", TRUE)  # it has arrived
        domain = ("any",) if bound.domain is None else self.term(bound.domain, frame, depth)
        return ("in", *names, domain)

    def known(self) -> Iterator[Term]:
        """The terms that stand as numbers."""
        return (term for letter, term in list(self._known) if letter == "n")

    def chosen(self, bounds: Iterable[nodes.Bound], frame: Frame, depth: int) -> dict[int, Term]:
        outermost = depth == 0 and frame.parent is None
        return {
            slot: self._names[slot] if outermost and slot in self._names else ("chosen", id(bound), slot)
            for bound in bounds
            for slot in bound.slots
        }

    # ------------------------------------------------------------------------------------------------------------ terms

    def _now(self, place: int) -> Term:
        return self.state.get(place, ("variable", place, False))

    def term(self, node: nodes.Expression, frame: Frame, depth: int) -> Term:
        if isinstance(node, nodes.Variable) and not node.primed:
            return self._now(node.index)
        found = super().term(node, frame, depth)
        return self._opaque(node, frame) if found[0] == "unknown" else found

    def changed(self, node: nodes.Except, frame: Frame, depth: int) -> Term:
        if all(len(update.path) == 1 for update in node.updates):
            return super().changed(node, frame, depth)
        return self._opaque(node, frame)

    def _opaque(self, node: nodes.Expression, frame: Frame) -> Term:
        """Equal if what it reads is equal."""
        variables = tuple(self._now(place) for place in sorted(_variables(node)))
        return ("opaque", id(node), variables, tuple(_names(frame)))


def _joined(one: Way, other: Way) -> Way:
    if one.becomes.keys() & other.becomes.keys():
        raise UntranslatedError
    return Way((*one.conditions, *other.conditions), {**one.becomes, **other.becomes})


def _names(frame: Frame) -> Iterator[Term]:
    """All that has a name there, used or not: definitions inside may use it."""
    there: Frame | None = frame
    while there is not None:
        yield tuple(sorted(there.slots.items()))
        there = there.parent


def _speaks_of_next(node: nodes.Expression) -> bool:
    return any(
        isinstance(each, nodes.Unchanged | nodes.Disjunct) or (isinstance(each, nodes.Variable) and each.primed)
        for each in _everything(node)
    )


def _variables(node: nodes.Expression) -> frozenset[int]:
    return frozenset(each.index for each in _everything(node) if isinstance(each, nodes.Variable))


def _everything(node: nodes.Expression) -> Iterator[object]:
    """The nodes of an expression, and of the definitions that it uses."""
    seen: set[int] = set()
    waiting: list[nodes.Expression] = [node]
    while waiting:
        for each in nodes_of(waiting.pop()):
            yield each
            definition = getattr(each, "definition", None)
            body = getattr(definition, "body", None)
            if body is not None and id(body) not in seen:
                seen.add(id(body))
                waiting.append(body)
