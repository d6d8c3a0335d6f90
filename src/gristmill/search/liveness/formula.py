"""Formulas about behaviours: numbered atoms, which are true or false of a step, under connectives, [] and <>.

A step is a state and the next one; a predicate of states is an atom that looks only at the first. There is no
next-time operator, so what a formula says depends on the order of steps, never on their number.

`normal` brings a formula into the form that the check works on: negation only within propositions, and whatever
depends only on what happens infinitely often pulled out of [] and <>.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Atom:
    number: int


@dataclass(frozen=True, slots=True)
class Not:
    operand: Formula


@dataclass(frozen=True, slots=True)
class And:
    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Always:
    operand: Formula


@dataclass(frozen=True, slots=True)
class Eventually:
    operand: Formula


Formula: TypeAlias = Atom | Not | And | Or | Always | Eventually

TRUE, FALSE = And(()), Or(())


def leads_to(left: Formula, right: Formula) -> Formula:
    return Always(implies(left, Eventually(right)))


def implies(left: Formula, right: Formula) -> Formula:
    return Or((Not(left), right))


def equivalent(left: Formula, right: Formula) -> Formula:
    return Or((And((left, right)), And((Not(left), Not(right)))))


def weakly_fair(enabled: Formula, taken: Formula) -> Formula:
    return Always(Eventually(Or((Not(enabled), taken))))


def strongly_fair(enabled: Formula, taken: Formula) -> Formula:
    return Or((Eventually(Always(Not(enabled))), Always(Eventually(taken))))


def conjunction(items: Iterable[Formula]) -> Formula:
    """Flat, without repetitions; a single formula is itself."""
    found: dict[Formula, None] = {}
    for item in items:
        if item == FALSE:
            return FALSE
        found.update(dict.fromkeys(item.items if isinstance(item, And) else (item,)))
    return next(iter(found)) if len(found) == 1 else And(tuple(found))


def disjunction(items: Iterable[Formula]) -> Formula:
    found: dict[Formula, None] = {}
    for item in items:
        if item == TRUE:
            return TRUE
        found.update(dict.fromkeys(item.items if isinstance(item, Or) else (item,)))
    return next(iter(found)) if len(found) == 1 else Or(tuple(found))


def atoms(formula: Formula) -> Iterator[int]:
    match formula:
        case Atom(number):
            yield number
        case Not(operand) | Always(operand) | Eventually(operand):
            yield from atoms(operand)
        case And(items) | Or(items):
            for item in items:
                yield from atoms(item)


def is_proposition(formula: Formula) -> bool:
    """It speaks of the first step only."""
    match formula:
        case Atom():
            return True
        case Not(operand):
            return is_proposition(operand)
        case And(items) | Or(items):
            return all(map(is_proposition, items))
        case Always() | Eventually():
            return False


def recurring(formula: Formula) -> Formula | None:
    """p of []<>p, if that is what the formula is and p a proposition."""
    match formula:
        case Always(Eventually(operand)) if is_proposition(operand):
            return operand
    return None


def lasting(formula: Formula) -> Formula | None:
    """p of <>[]p, likewise."""
    match formula:
        case Eventually(Always(operand)) if is_proposition(operand):
            return operand
    return None


def is_tail(formula: Formula) -> bool:
    """Whether a normal formula is true of a behaviour iff it is true of every suffix of it."""
    match formula:
        case And(items) | Or(items):
            return all(map(is_tail, items))
        case Always(Eventually(operand)) | Eventually(Always(operand)):
            return is_proposition(operand)
    return False


# --------------------------------------------------------------------------------------------------- normal form


def normal(formula: Formula, positive: bool = True) -> Formula:
    """The formula, or its negation, in normal form."""
    if is_proposition(formula):
        return formula if positive else _negated(formula)
    match formula:
        case Not(operand):
            return normal(operand, not positive)
        case And(items) | Or(items):
            parts = [normal(item, positive) for item in items]
            return conjunction(parts) if isinstance(formula, And) is positive else disjunction(parts)
        case Always(operand) | Eventually(operand):
            inner = normal(operand, positive)
            return _always(inner) if isinstance(formula, Always) is positive else _eventually(inner)
        case Atom():
            raise AssertionError("an atom is a proposition")


def _negated(formula: Formula) -> Formula:
    if formula == TRUE:
        return FALSE
    if formula == FALSE:
        return TRUE
    return formula.operand if isinstance(formula, Not) else Not(formula)


def _always(formula: Formula) -> Formula:
    """[](F /\\ G) is []F /\\ []G; [](F \\/ T) is []F \\/ T if T is about the tail of a behaviour."""
    if formula in (TRUE, FALSE) or is_tail(formula) or isinstance(formula, Always) or _lasts(formula):
        return formula
    if is_proposition(formula):
        return Always(formula)
    if isinstance(formula, And):
        return conjunction(map(_always, formula.items))
    if isinstance(formula, Or) and any(map(is_tail, formula.items)):
        tails = [item for item in formula.items if is_tail(item)]
        others = disjunction(item for item in formula.items if not is_tail(item))
        return disjunction((*tails, _always(others)))
    return Always(formula)


def _eventually(formula: Formula) -> Formula:
    """<>(F \\/ G) is <>F \\/ <>G; <>(F /\\ T) is <>F /\\ T if T is about the tail of a behaviour."""
    if formula in (TRUE, FALSE) or is_tail(formula) or isinstance(formula, Eventually) or _recurs(formula):
        return formula
    if is_proposition(formula):
        return Eventually(formula)
    if isinstance(formula, Or):
        return disjunction(map(_eventually, formula.items))
    if isinstance(formula, And) and any(map(is_tail, formula.items)):
        tails = [item for item in formula.items if is_tail(item)]
        others = conjunction(item for item in formula.items if not is_tail(item))
        return conjunction((*tails, _eventually(others)))
    return Eventually(formula)


def _recurs(formula: Formula) -> bool:
    """<>[]<>F is []<>F."""
    return isinstance(formula, Always) and isinstance(formula.operand, Eventually)


def _lasts(formula: Formula) -> bool:
    """[]<>[]F is <>[]F."""
    return isinstance(formula, Eventually) and isinstance(formula.operand, Always)
