"""From the text of a specification to the verdict and the counterexample, against a twin too simple to be wrong.

A random graph becomes a specification: actions are sets of steps, some with a parameter, and Next is their disjunction.
Fairness and property are random, too, written both as TLA+ and as what the naive checker of tests/search understands.
"""

import random
import shutil
from dataclasses import dataclass, field
from typing import Literal

import pytest
from naive_liveness import Case, holds, is_behaviour, is_satisfiable, temporal_parts

import gristmill
from gristmill.search import on_the_fly as interim_module
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
Written = tuple[str, Formula]  # as TLA+ and as a formula


@dataclass
class Specification:
    """`actions`: the steps of each, by the name under which it can be written."""

    case: Case
    source: random.Random
    actions: dict[str, set[Step]] = field(default_factory=dict)
    definitions: list[str] = field(default_factory=list)

    def atom(self, steps: set[Step]) -> Atom:
        self.case.atoms.append(steps)
        return Atom(len(self.case.atoms) - 1)

    def all_steps(self) -> list[Step]:
        return self.case.steps

    # ------------------------------------------------------------------------------------------------- actions

    def invent_actions(self) -> None:
        edges = [(s, t) for s, following in enumerate(self.case.successors) for t in following]
        parts: list[set[Step]] = [set() for _ in range(3)]
        for edge in edges:
            for part in self.source.sample(parts, self.source.choice((1, 1, 2))):
                part.add(edge)
        plain, *indexed = parts
        self.definitions += [
            f"Plain == \\E e \\in {tla(plain)} : s = e[1] /\\ s' = e[2]",
            f"Steps == <<{', '.join(map(tla, indexed))}>>",
            "Indexed(i) == s' \\in States /\\ <<s, s'>> \\in Steps[i]",
            "Next == Plain \\/ \\E i \\in 1..2 : Indexed(i)",
        ]
        self.actions = {
            "Plain": plain,
            "Indexed(1)": indexed[0],
            "Indexed(2)": indexed[1],
            "\\E i \\in 1..2 : Indexed(i)": indexed[0] | indexed[1],
            "Next": plain | indexed[0] | indexed[1],
            "Plain /\\ s = 0": {step for step in plain if step[0] == 0},
        }

    def an_action(self) -> tuple[str, set[Step]]:
        return self.source.choice(list(self.actions.items()))

    # ------------------------------------------------------------------------------------------------ formulas

    def fairness(self) -> Written:
        name, steps = self.an_action()
        taken = {step for step in steps if step[0] != step[1]}
        able = {source for source, _ in taken}
        enabled = self.atom({step for step in self.all_steps() if step[0] in able})
        weak = self.source.random() < 0.5
        formula = (weakly_fair if weak else strongly_fair)(enabled, self.atom(taken))
        return f"{'WF' if weak else 'SF'}_s({name})", formula

    def about_steps(self) -> Written:
        name, steps = self.an_action()
        taken = {step for step in steps if step[0] != step[1]}
        if self.source.random() < 0.5:
            return f"[]<><<{name}>>_s", Always(Eventually(self.atom(taken)))
        allowed = {step for step in self.all_steps() if step in steps or step[0] == step[1]}
        return f"<>[][{name}]_s", Eventually(Always(self.atom(allowed)))

    def about_states(self) -> Written:
        if self.source.random() < 0.2:
            name, steps = self.an_action()
            able = {source for source, target in steps}
            return f"(ENABLED ({name}))", self.atom({step for step in self.all_steps() if step[0] in able})
        true = {state for state in range(len(self.case.successors)) if self.source.random() < 0.5}
        text = f"(s \\in {{{', '.join(map(str, sorted(true)))}}})"
        return text, self.atom({step for step in self.all_steps() if step[0] in true})

    def formula(self, depth: int) -> Written:
        if depth == 0:
            return self.about_states() if self.source.random() < 0.8 else self.bracketed(self.about_steps())
        (one, f), (other, g) = self.formula(self.source.randrange(depth)), self.formula(self.source.randrange(depth))
        match self.source.randrange(7):
            case 0:
                return f"(~{one})", Not(f)
            case 1:
                return f"({one} /\\ {other})", And((f, g))
            case 2:
                return f"({one} \\/ {other})", Or((f, g))
            case 3:
                return f"({one} => {other})", Or((Not(f), g))
            case 4:
                return f"([]{one})", Always(f)
            case 5:
                return f"(<>{one})", Eventually(f)
            case _:
                return f"({one} ~> {other})", leads_to(f, g)

    def bracketed(self, written: Written) -> Written:
        return f"({written[0]})", written[1]


def tla(steps: set[Step]) -> str:
    return "{" + ", ".join(f"<<{source}, {target}>>" for source, target in sorted(steps)) + "}"


def invented(seed: str) -> tuple[Case, str, Formula]:
    """A graph, the text of a specification, and its fairness with the negation of its property."""
    source = random.Random(seed)
    while True:
        count = source.randint(1, 5)
        successors: list[set[int]] = [set() for _ in range(count)]
        for state in range(1, count):
            successors[source.randrange(state)].add(state)
        for _ in range(source.randint(0, 2 * count)):
            successors[source.randrange(count)].add(source.randrange(count))
        spec = Specification(Case(successors, 1, [], And(())), source)
        spec.invent_actions()
        fairness = [spec.fairness() for _ in range(source.choice((0, 1, 1, 2, 3)))]
        text, formula = spec.formula(source.randint(2, 4))
        violation = And((*(f for _, f in fairness), Not(formula)))
        if len(temporal_parts(violation)) <= 6:
            break
    lines = [
        "---- MODULE Invented ----",
        "EXTENDS Integers",
        "VARIABLE s",
        f"States == 0..{count - 1}",
        *spec.definitions,
        " /\\ ".join(["Spec == s = 0", "[][Next]_s", *(written for written, _ in fairness)]),
        f"Property == ({text}) /\\ [][TRUE]_s",  # a mere predicate of states would be taken for an invariant
        "====",
    ]
    return spec.case, "\n".join(lines), violation


def verdict_of(seed: str, engine: Literal["python", "native"] = "python") -> str:
    case, text, violation = invented(seed)
    result = gristmill.check(text, specification="Spec", properties=["Property"], deadlock=False, engine=engine)
    assert result.engine == engine, text
    case.formula = violation
    assert result.verdict in ("ok", "liveness", "property", "invariant"), text
    assert (result.verdict != "ok") == is_satisfiable(case), text
    if result.verdict == "liveness":
        assert result.trace is not None
        states = [state["s"] for state in result]
        loop = len(states) - 1 if result.trace.stuttering else result.trace.loop_start
        assert loop is not None
        assert is_behaviour(case, states, loop), text
        assert holds(case, states, loop, violation), text
    return result.verdict


@pytest.mark.parametrize("part", range(4))
def test_verdicts_and_counterexamples(part: int) -> None:
    verdicts = [verdict_of(f"{part}:{seed}") for seed in range(20)]
    assert 0.1 < verdicts.count("ok") / len(verdicts) < 0.8  # else it compares little
    assert verdicts.count("liveness") >= 3


@pytest.mark.skipif(
    all(shutil.which(name) is None for name in ("cc", "gcc", "clang")), reason="no C compiler on this machine"
)
def test_the_native_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few, as each is compiled: `python tests/evaluate/temporal_sweep.py` goes through more."""
    monkeypatch.setattr(interim_module, "FIRST", 1)
    verdicts = [verdict_of(f"native:{seed}", "native") for seed in range(6)]
    assert len(set(verdicts)) > 1
