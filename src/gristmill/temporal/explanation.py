"""Why a behaviour does not satisfy a temporal formula: the conjunct, and the states that decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gristmill.search.liveness.emptiness import Lasso, Truths, truth_along
from gristmill.search.liveness.formula import Always, And, Atom, Eventually, Formula, Not, Or
from gristmill.temporal.predicates import Condition, Origin, Predicate
from gristmill.trace import Explanation, Shown

_MOST_PARTS = 8


class Why:
    """Formulas about one behaviour. Positions in it are numbered from 0, the states that are shown from 1."""

    def __init__(
        self,
        lasso: Lasso,
        valuation: Truths,
        predicates: Sequence[Predicate],
        origins: Mapping[Formula, Origin],
        conditions: Mapping[Formula, Condition],
    ) -> None:
        self.lasso, self.valuation, self.predicates = lasso, valuation, predicates
        self.origins, self.conditions = origins, conditions

    def explanation(self, formula: Formula) -> Explanation | None:
        """Of a formula that the behaviour does not satisfy."""
        found = self.of(formula, 0)
        return found[0] if len(found) == 1 else None

    # ------------------------------------------------------------------------------------------------- formulas

    def of(self, formula: Formula, place: int, outside: Shown = ()) -> list[Explanation]:
        """Why it is true or false from a position on; several, if it is no formula of the specification itself.

        `outside`: the bindings that have been shown already.
        """
        truth = self.truth(formula)[place]
        origin = self.origins.get(formula)
        note, parts = self.decided_by(formula, place, truth, origin.bindings if origin is not None else outside)
        return parts if origin is None else [_shown(origin, truth, outside, note, parts)]

    def decided_by(
        self, formula: Formula, place: int, truth: bool, outside: Shown
    ) -> tuple[str | None, list[Explanation]]:
        if formula in self.conditions and not truth:
            return self.unfair(self.conditions[formula]), []
        match formula:
            case Atom(number):
                return self.when(number, place), []
            case Not(operand):
                return None, self.of(operand, place, outside)
            case And(items) | Or(items):
                return None, list(self.items(items, place, truth, isinstance(formula, And), outside))
            case Always(Eventually(operand)) if not truth:
                return None, self.throughout(operand, self.lasso.loop, outside)
            case Eventually(Always(operand)) if not truth:
                return None, self.of(operand, self.first(operand, self.lasso.loop, False), outside)
            case Always(operand) | Eventually(operand):
                if truth == isinstance(formula, Always):
                    return None, self.throughout(operand, place, outside)
                return None, self.of(operand, self.first(operand, place, truth), outside)

    def items(
        self, items: Sequence[Formula], place: int, truth: bool, is_and: bool, outside: Shown
    ) -> Iterator[Explanation]:
        """All of a true conjunction or a false disjunction; of the others the first that decides."""
        if truth != is_and:
            items = [next(item for item in items if self.truth(item)[place] == truth)]
        for item in items[:_MOST_PARTS]:
            yield from self.of(item, place, outside)

    def throughout(self, operand: Formula, place: int, outside: Shown) -> list[Explanation]:
        """It is the same from here on, as far as can be seen."""
        truth = self.truth(operand)[place]
        origin = self.origins.get(operand)
        if origin is None:
            return self.of(operand, place, outside)
        word = "always" if truth else "never"
        if self.lasso.stutters and place >= self.lasso.loop:
            note = "for ever" if truth else "not any more"
        else:
            note = f"{word} in the loop" if place >= self.lasso.loop else f"{word} from state {self.number(place)} on"
        return [_shown(origin, truth, outside, note, [])]

    # ---------------------------------------------------------------------------------------------- what to say

    def unfair(self, condition: Condition) -> str:
        """The action is enabled in the loop, always or (of strong fairness) sometimes, and never taken."""
        enabled = self.truth(Atom(condition.enabled))
        loop = range(self.lasso.loop, len(self.lasso.steps))
        able = [self.number(position) for position in loop if enabled[position]]
        where = "in the loop" if len(able) == len(loop) and not self.lasso.stutters else f"in {states(able)}"
        return f"enabled {where}, and never taken there"

    def when(self, atom: int, place: int) -> str:
        source = self.number(place)
        if not self.predicates[atom].of_steps:
            return f"in state {source}"
        following = place + 1 if place + 1 < len(self.lasso.steps) else self.lasso.loop
        if self.lasso.states[place] == self.lasso.states[following]:
            return f"if nothing happens in state {source}"
        return f"from state {source} to state {self.number(following)}"

    # ------------------------------------------------------------------------------------------------ positions

    def truth(self, formula: Formula) -> list[bool]:
        return truth_along(self.valuation, self.lasso, formula)

    def first(self, formula: Formula, place: int, truth: bool) -> int:
        """The position from here on where it is that; in the loop, those before this one come after it."""
        values = self.truth(formula)
        order: list[int] = [*range(place, len(values)), *range(self.lasso.loop, place)]
        return next(position for position in order if values[position] == truth)

    def number(self, place: int) -> int:
        """Of a state as it is shown: of a loop in which nothing happens, only the first is."""
        return 1 + (min(place, self.lasso.loop) if self.lasso.stutters else place)


def _shown(origin: Origin, truth: bool, outside: Shown, note: str | None, parts: Sequence[Explanation]) -> Explanation:
    bindings = tuple(each for each in origin.bindings if each not in outside)
    return Explanation(origin.text, truth, origin.span, bindings, note=note, parts=tuple(parts))


def states(numbers: Sequence[int]) -> str:
    """`state 3`, `states 3 and 5`, `states 1, 2 and 4`."""
    unique = sorted(set(numbers))
    if len(unique) == 1:
        return f"state {unique[0]}"
    return f"states {', '.join(map(str, unique[:-1]))} and {unique[-1]}"
