"""Why a formula is false, or true, in a state or a step.

The formula is followed down to what decides it: the false conjunct, the values of bound names for which the body is
false, the branch of an IF that was taken, and at the end comparisons with the values of both sides. Every part is
evaluated again for that, by the same compiled code; only the descent is written out here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

from gristmill.evaluate.binders import assignments
from gristmill.evaluate.calls import argument
from gristmill.evaluate.compiler import Compiler
from gristmill.evaluate.context import Context
from gristmill.evaluate.dependencies import unfinished_slots
from gristmill.evaluate.evaluator import Evaluator
from gristmill.evaluate.frames import PARENT, Frame, Thunk, finish
from gristmill.evaluate.names import deferred, enclosing_frame
from gristmill.explain.text import operands, says_itself, text_of, value_text, why_outside
from gristmill.ir import nodes
from gristmill.ir.nodes import Code, Expression
from gristmill.ir.walk import operators_in
from gristmill.library import Form
from gristmill.library.effects import REPEATABLE
from gristmill.modules.loader import LIBRARY
from gristmill.search import State
from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.trace import Explanation, Shown
from gristmill.values import EvaluationError, PowerSet, Value

_MOST_PARTS = 60  # of one explanation
_DEEPEST = 16
_ASIDE = 2  # levels of something that is as it should be
_ALL_BELOW = 5  # elements that are each given a reason
_MOST_VALUES = 6
_LIBRARY = str(LIBRARY)


def explain(evaluator: Evaluator, code: Code, state: State = (), successor: State | None = None) -> Explanation | None:
    """Why `code` has the truth value it has. None if evaluating it again would do something again."""
    if not is_repeatable(code.body):
        return None
    context = evaluator.context
    with undisturbed(context):
        if state:
            context.current[:] = state
        context.next[:] = successor if successor is not None else context.blank
        explainer = Explainer(evaluator.compiler_of(code))
        place = Place([None] * (code.frame_size + 2), unfinished_slots(code.body, 0))
        try:
            return explainer.root(code, place)
        except (EvaluationError, RecursionError):
            return None


@contextmanager
def undisturbed(context: Context) -> Iterator[None]:
    """Nothing is printed, asked of the search or counted, and registers are as they were."""
    output, warn, request, registers = context.output, context.warn, context.request, dict(context.registers)
    intermediate = context.intermediate
    context.output = context.warn = context.request = _ignore
    try:
        yield
    finally:
        context.output, context.warn, context.request = output, warn, request
        context.intermediate = intermediate
        context.registers.clear()
        context.registers.update(registers)


def _ignore(*what: object) -> None:
    pass


def is_repeatable(body: Expression) -> bool:
    """Whether a formula can be evaluated again, if it is `undisturbed`: it writes no file and runs no program."""
    return all(operator.does_only(REPEATABLE) for operator in operators_in(body))


def is_library(span: Span) -> bool:
    """Whether something stands in a module that comes with Gristmill: its inside is not explained."""
    return span.file.path.startswith(_LIBRARY)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression is evaluated: a frame, and which of its slots may hold something not evaluated yet."""

    frame: Frame
    scope: frozenset[int]


class Explainer:
    """One explanation. The state, or the step, is the one in the compiler's context."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.left = _MOST_PARTS
        self.bound: dict[str, str] = {}  # names whose values have been told

    def root(self, code: Code, place: Place) -> Explanation:
        """A definition that was asked for by its name is that name's body."""
        body = code.body
        while isinstance(body, nodes.Call) and not body.args and not body.definition.recursive:
            place = self.inside(body, place)
            assert body.definition.body is not None
            body = body.definition.body
        return self.explain(body, place, _DEEPEST)

    # ------------------------------------------------------------------------------------------------- evaluation

    def test(self, node: Expression, place: Place) -> bool:
        with self.compiler.inside(place.scope):
            return self.compiler.test(node)(place.frame)

    def value(self, node: Expression, place: Place) -> Value:
        with self.compiler.inside(place.scope):
            return finish(self.compiler.value(node)(place.frame))

    def inside(self, call: nodes.Call, place: Place) -> Place:
        """The frame of a definition that is being called."""
        body = self.compiler.body(call.definition)
        with self.compiler.inside(place.scope):
            args = [argument(self.compiler, arg)(place.frame) for arg in call.args]
        parent = enclosing_frame(call.depth)(place.frame) if call.definition.nested else None
        return Place([*args, *body.padding(), parent, None], body.scope)

    def bind_let(self, let: nodes.Let, place: Place) -> None:
        with self.compiler.inside(place.scope):
            for slot, value in zip(let.slots, let.values, strict=True):
                place.frame[slot] = deferred(self.compiler, value)(place.frame)

    def instances(self, node: nodes.Quantified, place: Place) -> Iterator[None]:
        with self.compiler.inside(place.scope):
            assign = assignments(self.compiler, node.bounds, "\\A" if node.universal else "\\E")
        return assign(place.frame)

    # --------------------------------------------------------------------------------------------------- descent

    def explain(self, node: Expression, place: Place, depth: int) -> Explanation:
        self.left -= 1
        try:
            truth = self.test(node, place)
            if self.left <= 0 or depth <= 0:
                return Explanation(text_of(node), truth, node.span)
            return FORMS.get(type(node), Explainer.leaf)(self, node, place, truth, depth - 1)
        except (EvaluationError, RecursionError) as error:
            reason = error.message if isinstance(error, EvaluationError) else "it is nested too deeply"
            return Explanation(text_of(node), None, node.span, note=f"cannot be evaluated: {reason}")

    def whole(self, node: Expression, truth: bool, *parts: Explanation, note: str | None = None) -> Explanation:
        return Explanation(text_of(node), truth, node.span, note=note, parts=parts)

    def leaf(self, node: Expression, place: Place, truth: bool, depth: int) -> Explanation:
        note = None if truth else self.outside(node, place)
        values = self.values(node, place, whole=note is None)
        return Explanation(text_of(node), truth, node.span, values=values, note=note)

    def conjunction(self, node: nodes.And, place: Place, truth: bool, depth: int) -> Explanation:
        if truth:
            return self.whole(node, truth, *(self.explain(item, place, min(depth, _ASIDE)) for item in node.items))
        number = next(n for n, item in enumerate(node.items) if not self.test(item, place))
        note = f"conjunct {number + 1} of {len(node.items)}"
        return self.whole(node, truth, self.explain(node.items[number], place, depth), note=note)

    def disjunction(self, node: nodes.Or, place: Place, truth: bool, depth: int) -> Explanation:
        if not truth:
            return self.whole(node, truth, *(self.explain(item, place, depth) for item in node.items))
        number = next(n for n, item in enumerate(node.items) if self.test(item, place))
        note = f"disjunct {number + 1} of {len(node.items)}"
        return self.whole(node, truth, self.explain(node.items[number], place, depth), note=note)

    def implication(self, node: nodes.Implies, place: Place, truth: bool, depth: int) -> Explanation:
        if not self.test(node.left, place):
            return self.whole(node, truth, self.explain(node.left, place, depth))
        if truth:
            return self.whole(node, truth, self.explain(node.right, place, depth))
        left = self.explain(node.left, place, min(depth, _ASIDE))
        return self.whole(node, truth, left, self.explain(node.right, place, depth))

    def negation(self, node: nodes.Not, place: Place, truth: bool, depth: int) -> Explanation:
        if type(node.operand) not in FORMS:
            return self.leaf(node, place, truth, depth)
        inner = self.explain(node.operand, place, depth)
        if inner.parts and inner.note is None:  # the parts say it all
            return self.whole(node, truth, *inner.parts)
        return self.whole(node, truth, inner)

    def equivalence(self, node: nodes.Equivalent, place: Place, truth: bool, depth: int) -> Explanation:
        return self.whole(node, truth, *(self.explain(each, place, depth) for each in (node.left, node.right)))

    def conditional(self, node: nodes.If, place: Place, truth: bool, depth: int) -> Explanation:
        condition = self.explain(node.condition, place, min(depth, _ASIDE))
        branch = node.then if condition.truth else node.otherwise
        return self.whole(node, truth, condition, self.explain(branch, place, depth))

    def case(self, node: nodes.Case, place: Place, truth: bool, depth: int) -> Explanation:
        for guard, value in node.arms:
            if self.test(guard, place):
                chosen = self.explain(guard, place, min(depth, _ASIDE))
                return self.whole(node, truth, chosen, self.explain(value, place, depth))
        assert node.other is not None
        return self.whole(node, truth, self.explain(node.other, place, depth), note="no other case applies")

    def let(self, node: nodes.Let, place: Place, truth: bool, depth: int) -> Explanation:
        self.bind_let(node, place)
        return self.explain(node.body, place, depth)

    def quantified(self, node: nodes.Quantified, place: Place, truth: bool, depth: int) -> Explanation:
        if truth is not node.universal:  # one instance decides it
            for _ in self.instances(node, place):
                if self.test(node.body, place) is not node.universal:
                    return self.whole(node, truth, self.instance(node, place, depth))
        count = sum(1 for _ in self.instances(node, place))
        if count == 0:
            return replace(
                self.leaf(node, place, truth, depth), note="there is no element", values=self.domains(node, place)
            )
        if count >= _ALL_BELOW or truth:
            every = "it holds for" if truth else "it is false for"
            return self.whole(node, truth, note=f"{every} {_all(count)}")
        return self.whole(node, truth, *(self.instance(node, place, depth) for _ in self.instances(node, place)))

    def instance(self, node: nodes.Quantified, place: Place, depth: int) -> Explanation:
        """The body, for the values that stand in the slots."""
        names = [(name, slot) for bound in node.bounds for name, slot in zip(bound.names, bound.slots, strict=True)]
        bindings = tuple((name, value_text(place.frame[slot])) for name, slot in names)
        return self.with_bindings(bindings, lambda: self.explain(node.body, place, depth))

    def with_bindings(self, bindings: Shown, explain: Callable[[], Explanation]) -> Explanation:
        before = dict(self.bound)
        self.bound.update(bindings)
        try:
            return replace(explain(), bindings=bindings)
        finally:
            self.bound = before

    def domains(self, node: nodes.Quantified, place: Place) -> Shown:
        domains = [bound.domain for bound in node.bounds if bound.domain is not None]
        shown = ((each, value_text(self.value(each, place))) for each in domains)
        return tuple((text_of(each), value) for each, value in shown if not says_itself(each, value))

    def call(self, node: nodes.Call, place: Place, truth: bool, depth: int) -> Explanation:
        definition = node.definition
        if definition.recursive or definition.body is None or is_library(definition.span):
            return self.leaf(node, place, truth, depth)
        inner = self.inside(node, place)
        body = definition.body
        if any(definition.arities):
            return self.whole(node, truth, self.explain(body, inner, depth))
        contents = zip(definition.parameter_names, inner.frame[: len(definition.arities)], strict=True)
        bindings = tuple((name, value_text(finish(content))) for name, content in contents)
        new = tuple(each for each in bindings if self.bound.get(each[0]) != each[1])
        return self.whole(
            node, truth, replace(self.with_bindings(bindings, lambda: self.explain(body, inner, depth)), bindings=new)
        )

    def local(self, node: nodes.Local, place: Place, truth: bool, depth: int) -> Explanation:
        """A formula in a LET, or one given as an argument."""
        frame = place.frame
        for _ in range(node.depth):
            frame = frame[PARENT]
        content = frame[node.slot]
        if not isinstance(content, Thunk):
            return self.leaf(node, place, truth, depth)
        there = Place(content.frame, content.code.scope)
        return self.whole(node, truth, self.explain(content.code.node, there, depth))

    def box(self, node: nodes.BoxAction, place: Place, truth: bool, depth: int) -> Explanation:
        if truth and not self.test(node.action, place):
            return self.whole(node, truth, note="the step leaves the subscript unchanged")
        return self.whole(node, truth, self.explain(node.action, place, depth))

    def unchanged(self, node: nodes.Unchanged, place: Place, truth: bool, depth: int) -> Explanation:
        context = self.compiler.context
        values: list[tuple[str, str]] = []
        for index in node.variables:
            if context.current[index] != context.next[index]:
                name = context.variable_names[index]
                values += [(name, value_text(context.current[index])), (f"{name}'", value_text(context.next[index]))]
        return Explanation(text_of(node), truth, node.span, values=tuple(values[:_MOST_VALUES]))

    # ---------------------------------------------------------------------------------------------------- values

    def values(self, node: Expression, place: Place, whole: bool = True) -> Shown:
        """The values of what a formula compares, and of what these are computed from."""
        found: dict[str, str] = {}
        waiting = list(operands(node) if whole else islice(operands(node), 1))
        while waiting and len(found) < _MOST_VALUES:
            each = waiting.pop(0)
            try:
                text, value = text_of(each), value_text(self.value(each, place))
            except (EvaluationError, RecursionError):
                continue
            if not says_itself(each, value) and self.bound.get(text) != value:
                found[text] = value
            waiting += operands(each)
        said = text_of(node)
        return tuple((text, value) for text, value in found.items() if f"{text} = {value}" != said)

    def outside(self, node: Expression, place: Place) -> str | None:
        """Which part of a value keeps it out of a set."""
        match node:
            case nodes.Member(left, right):
                return why_outside(self.value(left, place), self.value(right, place), text_of(left))
            case nodes.Primitive(operator, (left, right)) if operator.form is Form.INCLUDED:
                collection = PowerSet(self.value(right, place))  # type: ignore[arg-type]
                return why_outside(self.value(left, place), collection, text_of(left))  # type: ignore[arg-type]
        return None


def _all(count: int) -> str:
    return "the only element" if count == 1 else f"all {count:,} elements"


# What is not here is a leaf. ENABLED is entered by `blocked`.
FORMS: dict[type, Callable[..., Explanation]] = {
    nodes.And: Explainer.conjunction,
    nodes.Or: Explainer.disjunction,
    nodes.Implies: Explainer.implication,
    nodes.Not: Explainer.negation,
    nodes.Equivalent: Explainer.equivalence,
    nodes.If: Explainer.conditional,
    nodes.Case: Explainer.case,
    nodes.Let: Explainer.let,
    nodes.Quantified: Explainer.quantified,
    nodes.Call: Explainer.call,
    nodes.Local: Explainer.local,
    nodes.BoxAction: Explainer.box,
    nodes.Unchanged: Explainer.unchanged,
}
