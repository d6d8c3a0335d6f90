"""How near an action is to being possible: every way through it, with all of its guards and whether each holds.

`blocked` finds the first guard that is false. Here all of them are evaluated, also behind one that is false, so that
ways can be compared: the one that lacks least is the one that somebody may have meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from gristmill.evaluate.dependencies import unfinished_slots
from gristmill.evaluate.evaluator import Evaluator
from gristmill.evaluate.frames import finish
from gristmill.explain.formulas import Explainer, Place, is_repeatable, undisturbed
from gristmill.explain.text import text_of, value_text
from gristmill.ir import nodes
from gristmill.ir.levels import ACTION, level
from gristmill.ir.model import Action
from gristmill.ir.nodes import Expression
from gristmill.search import State
from gristmill.trace import Explanation
from gristmill.values import EvaluationError, Value

_MOST = 400  # ways through an action
_DEEPEST = 3  # levels of a guard


@dataclass(frozen=True, slots=True)
class Branch:
    """A way through an action. `guards`: each with its truth, which is None if it cannot be evaluated.

    `assigned`: the values of the variable that was asked for, wherever this way says what it becomes.
    """

    guards: tuple[Explanation, ...] = ()
    assigned: tuple[Value, ...] = ()

    @property
    def false(self) -> tuple[Explanation, ...]:
        return tuple(each for each in self.guards if not each.truth)

    @property
    def held(self) -> int:
        return len(self.guards) - len(self.false)


def branches(evaluator: Evaluator, action: Action, state: State, variable: int) -> tuple[Branch, ...]:
    """The ways through an action in a state, whether it is possible or not, with what each makes of a variable.

    Nothing if evaluating it again would do something again.
    """
    if not is_repeatable(action.code.body):
        return ()
    context = evaluator.context
    with undisturbed(context):
        context.current[:] = state
        context.next[:] = context.blank
        walk = _Walk(Explainer(evaluator.compiler_of(action.code)), variable)
        place = Place([None] * (action.code.frame_size + 2), unfinished_slots(action.code.body, 0))
        return tuple(walk.ways(action.code.body, place))


class _Walk:
    def __init__(self, explainer: Explainer, variable: int) -> None:
        self.explainer, self.variable = explainer, variable

    def ways(self, node: Expression, place: Place) -> Sequence[Branch]:
        """All at once, not one by one: names that are bound inside have a value only here."""
        try:
            return tuple(islice(self._ways(node, place), _MOST))
        except (EvaluationError, RecursionError) as error:
            reason = error.message if isinstance(error, EvaluationError) else "it is nested too deeply"
            found = Explanation(text_of(node), None, node.span, note=f"cannot be evaluated: {reason}")
            return (Branch((found,)),)

    def _ways(self, node: Expression, place: Place) -> Iterator[Branch]:
        match node:
            case nodes.And(items):
                for parts in product(*(self.ways(item, place) for item in items)):
                    yield _together(parts)
            case _ if level(node) != ACTION:
                yield Branch((self.guard(node, place),))
            case nodes.Or(items):
                for item in items:
                    yield from self.ways(item, place)
            case nodes.Quantified(False):
                yield from self.existential(node, place)
            case nodes.If(condition, then, otherwise):
                yield from self.conditional(condition, then, otherwise, place)
            case nodes.Let(_, _, _, body):
                self.explainer.bind_let(node, place)
                yield from self.ways(body, place)
            case nodes.Disjunct(_, body):
                yield from self.ways(body, place)
            case nodes.Call(definition) if definition.body is not None and not definition.recursive:
                yield from self.ways(definition.body, self.explainer.inside(node, place))
            case nodes.Equal(nodes.Variable(index, True), value) if index == self.variable:
                yield Branch((), (self.explainer.value(value, place),))
            case _:
                yield Branch()

    def guard(self, node: Expression, place: Place) -> Explanation:
        """With the values of its parts, also if it is a definition that is told by its inside."""
        explainer = self.explainer
        explainer.left = 20
        found = explainer.explain(node, place, _DEEPEST)
        if found.truth or found.values:
            return found
        return replace(found, values=explainer.values(node, place))

    def existential(self, node: nodes.Quantified, place: Place) -> Iterator[Branch]:
        names = [(name, slot) for each in node.bounds for name, slot in zip(each.names, each.slots, strict=True)]
        empty = True
        for _ in self.explainer.instances(node, place):
            empty = False
            bound = tuple((name, value_text(finish(place.frame[slot]))) for name, slot in names)
            before = dict(self.explainer.bound)
            self.explainer.bound.update(bound)
            yield from self.ways(node.body, place)
            self.explainer.bound = before
        if empty:
            text = ", ".join(" ".join(bound.span.text.split()) for bound in node.bounds)
            domains = self.explainer.domains(node, place)
            note = "there is nothing to choose"
            yield Branch((Explanation(f"\\E {text}", False, node.span, values=domains, note=note),))

    def conditional(
        self, condition: Expression, then: Expression, otherwise: Expression, place: Place
    ) -> Iterator[Branch]:
        asked = self.guard(condition, place)
        opposite = replace(asked, text=f"~({asked.text})", truth=None if asked.truth is None else not asked.truth)
        for first, body in ((asked, then), (opposite, otherwise)):
            for way in self.ways(body, place):
                yield replace(way, guards=(first, *way.guards))


def _together(parts: Sequence[Branch]) -> Branch:
    guards = tuple(guard for each in parts for guard in each.guards)
    return Branch(guards, tuple(value for each in parts for value in each.assigned))
