"""Properties that hold because what they speak of never happens: `P => Q` where P is never true.

For every antecedent of an invariant there is a formula that is true where that antecedent is: `\\A x \\in S : P => Q`
becomes `\\E x \\in S : P`. It is evaluated in the states that were found, until one satisfies it. Most antecedents are
true soon, so this costs little; for one that never is, all states must be looked at, as long as the time allows it, or
by compiled code if the states are a native search's.
`[][P => Q]_v` is looked at in the same way, in steps: those that change v.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import gcd
from typing import Protocol, runtime_checkable

from gristmill.evaluate.dependencies import EFFECT, IMPURE
from gristmill.evaluate.evaluator import Evaluator
from gristmill.explain.formulas import is_library
from gristmill.explain.text import one_line
from gristmill.ir import nodes
from gristmill.ir.model import Named
from gristmill.ir.nodes import Code, Expression
from gristmill.search import State
from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import TRUE, EvaluationError

_LONGEST = 80
_LOOK_AT_CLOCK = 64  # states between looks
_WORTH_COMPILING = 0.4  # seconds that evaluating the rest would take
_GOLDEN = 0.618  # by this part of the way from each to the next, they are spread most evenly


@dataclass(frozen=True, slots=True)
class Condition:
    """Something without which a part of a property says nothing; `formula` is true where it is met.

    `whole`: without it, the whole property says nothing. `is_set`: it is a set, which must have an element.
    """

    property: str
    span: Span
    formula: Expression
    whole: bool
    is_set: bool


@runtime_checkable
class Compiled(Protocol):
    """States of a search that can evaluate predicates of them in compiled code."""

    def has_compiled(self, predicates: Sequence[Code]) -> bool:
        """Whether these need not be compiled any more, or are being compiled."""

    def ever(self, predicates: Sequence[Code]) -> Sequence[bool | None]:
        """Of each, whether it is true of a state; None if compiled code cannot tell."""


class Antecedents:
    """The conditions of invariants: those that no state has met so far."""

    def __init__(self, evaluator: Evaluator, invariants: Sequence[Named]) -> None:
        self._all = [
            _Asked(condition, formula, evaluator.state_predicate(formula))
            for invariant in invariants
            for condition in conditions(invariant)
            if (formula := _repeatable(evaluator, invariant.code, condition)) is not None
        ]
        self._unmet = self._all

    @property
    def unmet(self) -> list[Code]:
        return [each.formula for each in self._unmet]

    def look(self, state: State) -> None:
        """At a state that the search has found, or will find."""
        self._unmet = [each for each in self._unmet if not _met(each.holds, state)]

    def never_met(self, states: Sequence[State], until: float) -> tuple[list[Condition], bool]:
        """Conditions that are met in none of the states, and whether all states were looked at before the time was up.

        All conditions are asked of one state before the next is looked at: to decode one may take longer than all of
        them, and one that is never met must not take the time of those that soon are.
        """
        decided: list[_Asked] = []  # by compiled code: these are never met
        began = time.thread_time()
        if isinstance(states, Compiled) and states.has_compiled(self.unmet):
            decided = self._ask_compiled(states)
        for number, place in enumerate(from_everywhere(len(states))):
            if not self._unmet:
                break
            self.look(states[place])
            if number % _LOOK_AT_CLOCK == 0 and time.thread_time() > until:
                return [each.condition for each in (*decided, *self._unmet)], False
            if number == _LOOK_AT_CLOCK and not decided and isinstance(states, Compiled):
                left = (time.thread_time() - began) / number * (len(states) - number)
                if left > _WORTH_COMPILING:
                    decided = self._ask_compiled(states)
        never = {id(each) for each in (*decided, *self._unmet)}
        return [each.condition for each in self._all if id(each) in never], True

    def _ask_compiled(self, states: Compiled) -> list[_Asked]:
        """Those that are never met. What compiled code cannot tell is left."""
        answers = list(zip(self._unmet, states.ever(self.unmet), strict=True))
        self._unmet = [each for each, answer in answers if answer is None]
        return [each for each, answer in answers if answer is False]


def vacuous(antecedents: Antecedents, states: Sequence[State], seconds: float) -> Iterator[str]:
    """Sentences about what was never true in any of the states, found within so many seconds."""
    unmet, everywhere = antecedents.never_met(states, time.thread_time() + seconds)
    if everywhere:
        where = "in the only state" if len(states) == 1 else f"in all {len(states):,} states"
        yield from (_sentence(condition, where) for condition in unmet)
    elif unmet:
        yield _too_late([f"{_text(each.span)} in {each.property}" for each in unmet])


@dataclass(frozen=True, slots=True)
class _Asked:
    condition: Condition
    formula: Code
    holds: Callable[[State], bool]


def _met(holds: Callable[[State], bool], state: State) -> bool:
    """What cannot be told by a state alone passes."""
    try:
        return holds(state)
    except EvaluationError:
        return True


def conditions(property: Named) -> list[Condition]:
    found = list(_Conditions(property.name).of(property.code.body, lambda body: body, True))
    return list({condition.span: condition for condition in found}.values())


def vacuous_in_steps(
    evaluator: Evaluator,
    properties: Sequence[Named],
    states: Sequence[State],
    successors: Callable[[State], Iterable[State]],
    seconds: float,
) -> Iterator[str]:
    """The same of action properties, in all steps from these states."""
    unmet = [
        (condition, evaluator.action_predicate(formula))
        for each in properties
        for condition in conditions(each)
        if (formula := _repeatable(evaluator, each.code, condition)) is not None
    ]
    until = time.thread_time() + seconds
    try:
        for place in from_everywhere(len(states)):
            state = states[place]
            if not unmet:
                return
            if time.thread_time() > until:
                yield _too_late([f"{_text(each.span)} in {each.property}" for each, _ in unmet])
                return
            for successor in successors(state):
                unmet = [(condition, holds) for condition, holds in unmet if not holds(state, successor)]
    except EvaluationError:
        return
    for condition, _ in unmet:
        yield _sentence(condition, "in every step that changes the subscript")


def _repeatable(evaluator: Evaluator, code: Code, condition: Condition) -> Code | None:
    """The formula of a condition, unless evaluating it does something, or depends on more than states."""
    formula = Code(condition.formula, code.frame_size, code.name, code.span)
    bits = evaluator.compiler_of(formula).analysis.of(formula.body).bits
    return None if bits & (IMPURE | EFFECT) else formula


def _too_late(late: Sequence[str]) -> str:
    others = len(late) - 1
    more = f" and {others} {'other' if others == 1 else 'others'}" if others else ""
    return f"Whether {late[0]}{more} was ever true has not been found out: it would have taken too long."


def from_everywhere(count: int) -> Iterator[int]:
    """All numbers below a bound, the first few far from each other.

    In a long search the states that are found first are much alike: messages of later phases have not been sent yet.
    """
    stride = max(1, round(count * _GOLDEN))
    while gcd(stride, count) > 1:
        stride += 1
    return (number * stride % count for number in range(count))


def _sentence(condition: Condition, where: str) -> str:
    what = condition.property if condition.whole else f"A part of {condition.property}"
    place = f"{os.path.basename(condition.span.file.path)}:{condition.span.line}"
    reason = "was empty" if condition.is_set else "was false"
    return f"{what} is vacuous: {_text(condition.span)} {reason} {where} ({place})."


def _text(span: Span) -> str:
    text = one_line(span.text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


class _Conditions:
    """Goes down to the implications of a property; `wrap` puts around a formula what stands above it."""

    def __init__(self, property: str) -> None:
        self.property = property

    def of(self, node: Expression, wrap: Callable[[Expression], Expression], whole: bool) -> Iterator[Condition]:
        match node:
            case nodes.And(items):
                for item in items:
                    yield from self.of(item, wrap, whole and len(items) == 1)
            case nodes.Let(slots, names, values, body, span):
                yield from self.of(body, lambda e: wrap(nodes.Let(slots, names, values, e, span)), whole)
            case nodes.Call(definition) if _is_transparent(definition):
                assert definition.body is not None
                yield from self.of(definition.body, lambda e: wrap(_calling(node, e)), whole)
            case nodes.Quantified(True, bounds, body, span):
                yield from self.quantified(node, lambda e: wrap(nodes.Quantified(False, bounds, e, span)), whole)
            case nodes.BoxAction(action, changed, span):
                yield from self.of(action, lambda e: wrap(nodes.AngleAction(e, changed, span)), whole)
            case nodes.Implies(left, right, span):
                yield Condition(self.property, left.span, wrap(left), whole, False)
                yield from self.of(right, lambda e: wrap(nodes.And((left, e), span)), False)

    def quantified(
        self, node: nodes.Quantified, wrap: Callable[[Expression], Expression], whole: bool
    ) -> Iterator[Condition]:
        """Without an implication inside, it still says nothing if there is nothing to speak of."""
        inner = list(self.of(node.body, wrap, whole))
        yield from inner
        domains = [bound.domain for bound in node.bounds if bound.domain is not None]
        if not inner and len(domains) == 1:
            yield Condition(self.property, domains[0].span, wrap(nodes.Literal(TRUE, node.span)), whole, True)


def _is_transparent(definition: nodes.Definition) -> bool:
    return definition.body is not None and not definition.recursive and not is_library(definition.span)


def _calling(call: nodes.Call, body: Expression) -> nodes.Call:
    """The same call, of a definition with another body."""
    definition = replace(call.definition, body=body)
    return nodes.Call(definition, call.args, call.depth, call.span)
