"""Messages that only add to what a node can do: conditions A.1 to A.4 of appendix A, in any state, by Z3.

The order is: one state dominates another if the variables that messages of this kind change are greater in it, or
equal, and all others are equal. The condition is that there is none: such a message may always have its effect at once.

    A.1  what can be done in a state can be done, alike, in one that dominates it, and leads to one that dominates
    A.2  holds, as the condition is always true
    A.3  the message leads to a state that dominates the one before
    A.4  the message and then any step leads to a state that dominates that after the step and then the message

All steps are looked at that the node has. A step in a dominating state is taken in the same way, with the same choices,
or is a message without an effect there; that is enough, and if Z3 finds no such proof, nothing follows. Only for A.3 a
counterexample means something by itself: a state that is not dominated. It is told if the reference evaluator agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from gristmill.specification import Specification
from gristmill.watch.derive import Event, Monitor
from gristmill.watch.proving.growth import NODE, Term, TooLargeError, is_available
from gristmill.watch.proving.paths import Paths, UntranslatedError, Way

_SECONDS = 5
_OWN = ("parameter", "node")  # who acts


@dataclass(frozen=True, slots=True)
class Refuted:
    """A.3 does not hold: with these values of fields of the message, and of variables, the variable becomes less."""

    variable: str
    message: Mapping[str, int]
    state: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Monotone:
    """`order`: the variables that are greater in a state that dominates. `proved`: all four conditions hold.

    `why`: what could not be proved, if not all was.
    """

    order: tuple[str, ...]
    proved: bool
    why: str = ""
    refuted: Refuted | None = None


def monotone(specification: Specification, monitor: Monitor, kind: str) -> Monotone | None:
    """None without Z3, or if a message of this kind changes what cannot be ordered."""
    events = monitor.consuming(kind)
    if not is_available() or not events:
        return None
    try:
        return _Proof(specification, monitor, events).found()
    except (UntranslatedError, TooLargeError, RecursionError):
        return None


class _Proof:
    def __init__(self, specification: Specification, monitor: Monitor, events: Sequence[Event]) -> None:
        self.specification, self.monitor, self.events = specification, monitor, events
        self.network = specification.variables.index(monitor.network)
        self.local = [specification.variables.index(name) for name in monitor.local]
        self.paths = Paths()
        self.effects = [way for event in events for way in self._ways(self.paths, event, "m")]
        self.ordered = [place for place in self.local if any(self._changes(way, place) for way in self.effects)]

    def found(self) -> Monotone | None:
        if any(self._changes(way, self.network) for way in self.effects):
            return None  # it answers: what it answers may depend on when
        names = tuple(self.specification.variables[place] for place in self.ordered)
        refuted = self._expansion()
        if isinstance(refuted, Refuted):
            return Monotone(names, False, f"A.3: {refuted.variable} may become less", refuted)
        if not refuted:
            return Monotone(names, False, "A.3 is not proved")
        for event in self.monitor.events:
            for name, holds in (("A.1", self._preserves), ("A.4", self._commutes)):
                if not holds(event):
                    return Monotone(names, False, f"{name} is not proved for {event.name}")
        return Monotone(names, True)

    # ------------------------------------------------------------------------------------------------------- conditions

    def _expansion(self) -> Refuted | bool:
        """A.3. Whether it is proved; or what refutes it."""
        for way in self.effects:
            for place in self.ordered:
                if place not in way.becomes:
                    continue
                z3, solver = self.paths.z3, self._solver()
                old = self.paths.integer(self.paths.applied(("variable", place, False), _OWN))
                new = self.paths.integer(self.paths.applied(way.becomes[place], _OWN))
                solver.add(*(self.paths.truth(each) for each in way.conditions), new < old)
                self._congruent(solver)
                verdict = solver.check()
                if verdict == z3.sat:
                    return self._refuted(place, way, solver.model()) or False
                if verdict != z3.unsat:
                    return False
        return True

    def _preserves(self, event: Event) -> bool:
        """A.1, for the steps by one action: in the dominating state variables of the order have other names."""
        state = {place: ("above", place) for place in self.ordered}
        ways = self._ways(self.paths, event, "e")
        higher = self._options(event, state)
        return all(self._is_below(below, higher(number), below.conditions) for number, below in enumerate(ways))

    def _commutes(self, event: Event) -> bool:
        """A.4: the message and the step, against the step and the message."""
        first = self._options(event, self._total(self.paths))
        for number, alone in enumerate(self._ways(self.paths, event, "e")):
            last = Way((), {**alone.becomes, **self._total(self.paths.within(alone.becomes))})
            if not self._is_below(last, first(number), alone.conditions):
                return False
        return True

    def _options(self, event: Event, state: Mapping[int, Term]) -> Callable[[int], list[Way]]:
        """What may be done in this state in the place of a step: it, taken in the same way. Or nothing, if it is a
        message that has no effect there."""
        ways = self._ways(self.paths.within(state), event, "e")
        idle = ("not", ("or", *(("and", *way.conditions) for way in ways)))
        none = [] if event.consumes is None else [Way((idle,), state)]
        return lambda number: [ways[number], *none]

    def _total(self, paths: Paths) -> dict[int, Term]:
        """What the message does: what variables are after it, or as they were where it has no effect."""
        found = {place: paths.state.get(place, ("variable", place, False)) for place in self.ordered}
        ways = [way for event in self.events for way in self._ways(paths, event, "m")]
        if len(ways) > 1 and not self._exclusive(paths, ways):
            raise UntranslatedError
        for place, before in list(found.items()):
            for way in ways:
                changed = way.becomes.get(place, before)
                found[place] = ("if", ("and", *way.conditions), changed, found[place])
        return found

    def _exclusive(self, paths: Paths, ways: Sequence[Way]) -> bool:
        for one, other in combinations(ways, 2):
            solver = self._solver()
            solver.add(*(paths.truth(each) for each in (*one.conditions, *other.conditions)))
            self._congruent(solver)
            if solver.check() != paths.z3.unsat:
                return False
        return True

    def _is_below(self, below: Way, options: Sequence[Way], given: Sequence[Term]) -> bool:
        """Whether, given this, one of the others can be taken, sends the same, and leads to what dominates."""
        z3, paths = self.paths.z3, self.paths
        solver = self._solver()
        claims = [z3.And(self._dominates(below, each)) for each in options]
        solver.add(*(paths.truth(each) for each in given), z3.Not(z3.Or(claims)))
        self._congruent(solver)
        return bool(solver.check() == z3.unsat)

    def _dominates(self, below: Way, higher: Way) -> list[Any]:
        z3, paths = self.paths.z3, self.paths
        claims = [paths.truth(each) for each in higher.conditions]
        for place in (*self.local, self.network):
            low, high = (way.becomes.get(place, ("variable", place, False)) for way in (below, higher))
            if place in self.ordered:
                claims.append(paths.integer(paths.applied(high, NODE)) >= paths.integer(paths.applied(low, NODE)))
            elif low != high:
                same = paths.integer(low) == paths.integer(high)
                there = paths.integer(paths.applied(high, NODE)) == paths.integer(paths.applied(low, NODE))
                claims.append(same if place == self.network else z3.Or(same, there))
        return claims

    # ---------------------------------------------------------------------------------------------------------- helpers

    def _ways(self, paths: Paths, event: Event, message: str) -> list[Way]:
        names = {event.node: "node"} | ({} if event.consumes is None else {event.consumes: message})
        ways = paths.ways(event.action, names)
        if any(place not in way.becomes for way in ways for place in (*self.local, self.network)):
            raise UntranslatedError
        return ways

    def _changes(self, way: Way, place: int) -> bool:
        return way.becomes[place] != ("variable", place, False)

    def _solver(self) -> Any:
        found = self.paths.z3.Solver()
        found.set("timeout", _SECONDS * 1000)
        return found

    def _congruent(self, solver: Any) -> None:
        """Functions of equal arguments are equal; states that dominate are greater, wherever they are looked at."""
        z3, paths = self.paths.z3, self.paths
        known = list(paths.known())
        for place in self.ordered:
            arguments = {term[2] for term in known if term[0] == "applied" and term[1][1:2] == (place,)}
            for argument in arguments:
                below = paths.integer(("applied", ("variable", place, False), argument))
                solver.add(paths.integer(("applied", ("above", place), argument)) >= below)
        applied = [term for term in paths.known() if term[0] == "applied"]
        for one, other in combinations(applied, 2):
            if one[1] == other[1]:
                same = paths.integer(one[2]) == paths.integer(other[2])
                solver.add(z3.Implies(same, paths.integer(one) == paths.integer(other)))

    def _refuted(self, place: int, way: Way, model: Any) -> Refuted | None:
        """None if something was not translated: then the model may not be one."""
        becomes = self.paths.applied(way.becomes[place], _OWN)
        used: dict[Term, None] = {}
        if not all(_is_plain(each, used) for each in (*way.conditions, becomes)):
            return None
        message, state = {}, {}
        for term in (*used, ("applied", ("variable", place, False), _OWN)):
            value = model.eval(self.paths.integer(term), model_completion=True).as_long()
            if term[0] == "field":
                message[term[2]] = value
            else:
                state[self.specification.variables[term[1][1]]] = value
        return Refuted(self.specification.variables[place], message, state)


def _is_plain(term: Term, used: dict[Term, None]) -> bool:
    """Whether it is made of numbers alone: of fields of the message and of variables, which are noted."""
    match term:
        case ("value", _, _):
            return True
        case ("equal", ("field", ("parameter", "m"), _), ("value", "str", _) | ("parameter", "node")):
            return True  # of which kind it is, and that it is for this node
        case ("field", ("parameter", "m"), _) | ("applied", ("variable", _, False), ("parameter", "node")):
            used[term] = None
            return True
        case ("sum" | "order", _, one, other):
            return _is_plain(one, used) and _is_plain(other, used)
        case ("and" | "or" | "not" | "if" | "equal", *parts):
            return all(_is_plain(each, used) for each in parts)
    return term == ("in", _OWN, term[-1])  # who acts is one of the nodes
