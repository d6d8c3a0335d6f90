"""From a formula to an automaton that accepts the behaviours satisfying it.

A state of the automaton is a set of formulas that must hold from here on. One step takes them apart: what must hold of
this step (the condition), and what from the next state on. <>F holds now, if F does, or later: a transition that
chooses "later" *promises* <>F. A run is accepting iff no promise is made for ever: iff for each <>F there are
infinitely many transitions that do not promise it.

    J.-M. Couvreur: On-the-fly verification of linear temporal logic. FM 1999, section 4.

With [] and <> as the only operators the sets of formulas are few: two for the negation of P ~> Q.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gristmill.search.liveness.formula import (
    FALSE,
    TRUE,
    Always,
    And,
    Eventually,
    Formula,
    Or,
    conjunction,
    disjunction,
    is_proposition,
)

_MOST = 2000  # states, and ways to take one apart


class TooComplex(Exception):
    """The automaton of a formula would be too large."""


@dataclass(frozen=True, slots=True)
class Transition:
    """`promises`: a bit for each eventuality that is put off."""

    condition: Formula
    target: int
    promises: int


@dataclass(frozen=True, slots=True)
class Automaton:
    """It starts in state 0. `states[q]` are the transitions from q."""

    states: tuple[tuple[Transition, ...], ...]
    eventualities: int


_Obligations = frozenset[Formula]


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to satisfy formulas in this step."""

    condition: Formula = TRUE
    later: _Obligations = frozenset()
    promised: _Obligations = frozenset()

    def joined(self, other: _Way) -> _Way:
        condition = conjunction((self.condition, other.condition))
        return _Way(condition, self.later | other.later, self.promised | other.promised)


def automaton_of(formulas: Iterable[Formula]) -> Automaton:
    """Of a conjunction of formulas in normal form. Raises `TooComplex`."""
    return _Construction().run(frozenset(formulas))


class _Construction:
    def __init__(self) -> None:
        self.numbers: dict[_Obligations, int] = {}
        self.waiting: list[_Obligations] = []
        self.bits: dict[Formula, int] = {}

    def run(self, start: _Obligations) -> Automaton:
        self.number(start)
        states = []
        for obligations in self.waiting:  # grows on the way
            states.append(tuple(self.transitions(obligations)))
        return Automaton(tuple(states), len(self.bits))

    def number(self, obligations: _Obligations) -> int:
        found = self.numbers.setdefault(obligations, len(self.numbers))
        if found == len(self.waiting):
            self.waiting.append(obligations)
        if found >= _MOST:
            raise TooComplex
        return found

    def transitions(self, obligations: _Obligations) -> Iterable[Transition]:
        conditions: dict[tuple[_Obligations, _Obligations], list[Formula]] = {}
        for way in _product(_ways(formula) for formula in obligations):
            conditions.setdefault((way.later, way.promised), []).append(way.condition)
        for (later, promised), choices in conditions.items():
            condition = disjunction(choices)
            if condition != FALSE:
                yield Transition(condition, self.number(later), self.mask(promised))

    def mask(self, promised: _Obligations) -> int:
        mask = 0
        for formula in promised:
            mask |= 1 << self.bits.setdefault(formula, len(self.bits))
        return mask


def _ways(formula: Formula) -> list[_Way]:
    if is_proposition(formula):
        return [_Way(formula)]
    match formula:
        case And(items):
            return _product(map(_ways, items))
        case Or(items):
            return _distinct(way for item in items for way in _ways(item))
        case Always(operand):
            again = _Way(later=frozenset((formula,)))
            return [way.joined(again) for way in _ways(operand)]
        case Eventually(operand):
            itself = frozenset((formula,))
            return [*_ways(operand), _Way(later=itself, promised=itself)]
    raise AssertionError(f"not in normal form: {formula}")


def _product(factors: Iterable[list[_Way]]) -> list[_Way]:
    found = [_Way()]
    for factor in factors:
        found = _distinct(one.joined(other) for one in found for other in factor)
    return found


def _distinct(ways: Iterable[_Way]) -> list[_Way]:
    found = list(dict.fromkeys(ways))
    if len(found) > _MOST:
        raise TooComplex
    return found
