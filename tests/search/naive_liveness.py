"""Temporal formulas on small graphs, decided in ways too simple to be wrong. Nothing of the real check is used.

A graph is a list of sets of successors; state 0 is the initial one, and every state may stutter. An atom is the set of
the steps, pairs of states, of which it is true. Formulas are those of the real check, as plain data.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from gristmill.search.liveness.formula import (
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
    leads_to,
    strongly_fair,
    weakly_fair,
)

Step = tuple[int, int]


@dataclass
class Case:
    successors: list[set[int]]
    initial: int
    atoms: list[set[Step]]
    formula: Formula

    @property
    def steps(self) -> list[Step]:
        """With stuttering, which is always possible."""
        return sorted((s, t) for s, following in enumerate(self.successors) for t in following | {s})


# ------------------------------------------------------------------------------------------ one given behaviour


def is_behaviour(case: Case, states: list[int], loop: int) -> bool:
    steps = word(states, loop)
    return states[0] < case.initial and all(step in case.steps for step in steps)


def word(states: list[int], loop: int) -> list[Step]:
    return list(zip(states, [*states[1:], states[loop]], strict=True))


def holds(case: Case, states: list[int], loop: int, formula: Formula) -> bool:
    """Whether the behaviour that goes through `states` and then on from number `loop` satisfies a formula."""
    steps = word(states, loop)

    def following(place: int) -> int:
        return place + 1 if place + 1 < len(steps) else loop

    def onwards(place: int) -> Iterator[int]:
        for _ in range(2 * len(steps)):
            yield place
            place = following(place)

    def at(place: int, formula: Formula) -> bool:
        match formula:
            case Atom(number):
                return steps[place] in case.atoms[number]
            case Not(operand):
                return not at(place, operand)
            case And(items):
                return all(at(place, item) for item in items)
            case Or(items):
                return any(at(place, item) for item in items)
            case Always(operand):
                return all(at(later, operand) for later in onwards(place))
            case Eventually(operand):
                return any(at(later, operand) for later in onwards(place))

    return at(0, formula)


def lassos(case: Case, longest: int) -> Iterator[tuple[list[int], int]]:
    """Every ultimately periodic behaviour of so many different positions."""
    steps = set(case.steps)

    def extend(states: list[int]) -> Iterator[tuple[list[int], int]]:
        for loop, state in enumerate(states):
            if (states[-1], state) in steps:
                yield states, loop
        if len(states) < longest:
            for source, target in case.steps:
                if source == states[-1]:
                    yield from extend([*states, target])

    for state in range(case.initial):
        yield from extend([state])


def some_lasso(case: Case, longest: int) -> bool:
    return any(holds(case, states, loop, case.formula) for states, loop in lassos(case, longest))


# --------------------------------------------------------------------------------------------- all behaviours


def temporal_parts(formula: Formula) -> list[Formula]:
    """Every [] and <> formula in it, inner ones first."""
    match formula:
        case Atom():
            return []
        case Not(operand):
            return temporal_parts(operand)
        case And(items) | Or(items):
            return list(dict.fromkeys(part for item in items for part in temporal_parts(item)))
        case Always(operand) | Eventually(operand):
            return list(dict.fromkeys((*temporal_parts(operand), formula)))


def is_satisfiable(case: Case) -> bool:
    """Whether some behaviour satisfies the formula: by guessing, at each step, which temporal parts are true.

    A guess is right if it fits the next one ([]F is true iff F is, and []F at the next step), and if what is put off
    does not remain so for ever. (Lichtenstein and Pnueli 1985; connected nodes by transitive closure.)
    """
    parts = temporal_parts(case.formula)
    nodes = [(step, truth) for step in case.steps for truth in product((False, True), repeat=len(parts))]

    def value(node: tuple[Step, tuple[bool, ...]], formula: Formula) -> bool:
        match formula:
            case Atom(number):
                return node[0] in case.atoms[number]
            case Not(operand):
                return not value(node, operand)
            case And(items):
                return all(value(node, item) for item in items)
            case Or(items):
                return any(value(node, item) for item in items)
        return node[1][parts.index(formula)]

    now = [[value(node, part.operand) for part in parts] for node in nodes]  # type: ignore[union-attr]

    def fits(i: int, j: int) -> bool:
        if nodes[i][0][1] != nodes[j][0][0]:
            return False
        for part, claimed, here, later in zip(parts, nodes[i][1], now[i], nodes[j][1], strict=True):
            if claimed != ((here and later) if isinstance(part, Always) else (here or later)):
                return False
        return True

    reach = [sum(1 << j for j in range(len(nodes)) if fits(i, j)) for i in range(len(nodes))]
    for k in range(len(nodes)):
        for i in range(len(nodes)):
            if reach[i] >> k & 1:
                reach[i] |= reach[k]

    def settled(i: int, part: int) -> bool:
        """Nothing is owed: <>F is not claimed or F is true now; []F is claimed or F is false now."""
        claimed, here = nodes[i][1][part], now[i][part]
        return (claimed or not here) if isinstance(parts[part], Always) else (not claimed or here)

    fair = [
        reach[i] >> i & 1
        and all(
            any(reach[i] >> j & 1 and reach[j] >> i & 1 and settled(j, part) for j in range(len(nodes)))
            for part in range(len(parts))
        )
        for i in range(len(nodes))
    ]
    starts = [i for i, n in enumerate(nodes) if n[0][0] < case.initial and value(n, case.formula)]
    return any(fair[j] and (i == j or reach[i] >> j & 1) for i in starts for j in range(len(nodes)))


# ------------------------------------------------------------------------------------------------- random cases


def random_case(source: random.Random, *, states: int = 5, most_parts: int = 5, depth: int = 4) -> Case:
    """Fairness and a formula about a random graph in which every state is reachable."""
    while True:
        case = _random_case(source, states, depth)
        if len(temporal_parts(case.formula)) <= most_parts:
            return case


def _random_case(source: random.Random, states: int, depth: int) -> Case:
    count = source.randint(1, states)
    initial = source.randint(1, 1 + (count > 1 and source.random() < 0.3))
    successors: list[set[int]] = [set() for _ in range(count)]
    for state in range(initial, count):
        successors[source.randrange(state)].add(state)
    for _ in range(source.randint(0, 2 * count)):
        successors[source.randrange(count)].add(source.randrange(count))
    case = Case(successors, initial, [], And(()))
    for _ in range(source.randint(1, 4)):
        case.atoms.append(_random_atom(source, case))
    atoms = [Atom(number) for number in range(len(case.atoms))]
    conjuncts = [random_formula(source, atoms, source.randint(0, depth))]
    for _ in range(source.choice((0, 0, 1, 1, 2, 3))):
        conjuncts.append(_random_fairness(source, case))
    case.formula = And(tuple(conjuncts)) if len(conjuncts) > 1 or source.random() < 0.5 else conjuncts[0]
    return case


def _random_atom(source: random.Random, case: Case) -> set[Step]:
    share = source.choice((0.2, 0.5, 0.8))
    if source.random() < 0.5:  # a predicate of states
        true = {state for state in range(len(case.successors)) if source.random() < share}
        return {step for step in case.steps if step[0] in true}
    return {step for step in case.steps if source.random() < share}


def _random_fairness(source: random.Random, case: Case) -> Formula:
    """Of an action: it is enabled where some step takes it. Never by stuttering."""
    taken = {step for step in case.steps if step[0] != step[1] and source.random() < 0.5}
    able = {source for source, _ in taken}
    case.atoms += [taken, {step for step in case.steps if step[0] in able}]
    fair = source.choice((weakly_fair, strongly_fair))
    return fair(Atom(len(case.atoms) - 1), Atom(len(case.atoms) - 2))


def random_formula(source: random.Random, atoms: list[Atom], depth: int) -> Formula:
    if depth == 0:
        return source.choice(atoms)

    def part() -> Formula:
        return random_formula(source, atoms, source.randint(0, depth - 1))

    match source.randrange(8):
        case 0:
            return Not(part())
        case 1:
            return And(tuple(part() for _ in range(source.randint(0, 3))))
        case 2:
            return Or(tuple(part() for _ in range(source.randint(0, 3))))
        case 3 | 4:
            return Always(part())
        case 5 | 6:
            return Eventually(part())
        case _:
            return leads_to(part(), part())
