"""Random specifications with a symmetry set: what is proved to be symmetric is, and no verdict depends on the set."""

from __future__ import annotations

from random import Random

import pytest
from checking import model_of

from gristmill.checking.options import Options
from gristmill.checking.reference import ReferenceExplorer
from gristmill.checking.run import Check
from gristmill.reference.model import SpecificationModel
from gristmill.search import Result
from gristmill.search.symmetry import compare_orbits
from gristmill.symmetry.equivariance import doubts

CONFIG = "CONSTANTS P = {p1, p2, p3} A = p1 None = none INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Inv\n"


class Writer:
    """A random specification: a process, a set, numbers of processes, and a queue."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.asymmetric = self.random.random() < 0.5  # some have no reason to be asymmetric

        self.names = 0

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def one_of(self, *choices: str) -> str:
        return self.random.choice(choices)

    def process(self, depth: int) -> str:
        if depth == 0:
            return self.one_of("p", "p", "(IF x = None THEN p ELSE x)", "A" if self.asymmetric else "p")
        kind, smaller = self.random.randrange(5), depth - 1
        candidates = f"({self.set(smaller)} \\cup {{p}})"
        if kind == 0:
            return f"(IF {self.formula(smaller)} THEN {self.process(smaller)} ELSE {self.process(smaller)})"
        if kind == 1:
            c, d = self.name(), self.name()
            return f"(CHOOSE {c} \\in {candidates} : \\A {d} \\in {candidates} : f[{c}] >= f[{d}])"
        if kind == 2 and self.asymmetric:
            return f"(CHOOSE {self.name()} \\in {candidates} : TRUE)"
        if kind == 3:
            return "(IF q = <<>> THEN p ELSE Head(q))"
        return self.process(0)

    def set(self, depth: int) -> str:
        if depth == 0:
            return self.one_of("s", "P", "{p}", "{}", "ToSet(q)", "{A, p}" if self.asymmetric else "s")
        kind, smaller = self.random.randrange(5), depth - 1
        if kind == 0:
            c = self.name()
            return f"{{{c} \\in {self.set(smaller)} : f[{c}] > {self.number(0)}}}"
        if kind == 1:
            return f"({self.set(smaller)} {self.one_of(chr(92) + 'cup', chr(92) + 'cap', chr(92))} {self.set(smaller)})"
        if kind == 2:
            return f"{{{self.process(smaller)}}}"
        return self.set(0)

    def number(self, depth: int) -> str:
        if depth == 0:
            return self.one_of("0", "1", "Len(q)", "Cardinality(s)", "f[p]")
        kind, smaller = self.random.randrange(5), depth - 1
        if kind == 0:
            return f"f[{self.process(smaller)}]"
        if kind == 1:
            c, d = self.name(), self.name()
            return f"FoldSet(LAMBDA {c}, {d} : f[{c}] + {d}, 0, {self.set(smaller)})"
        if kind == 2 and self.asymmetric:
            c, d = self.name(), self.name()
            return f"FoldSet(LAMBDA {c}, {d} : f[{c}] + 2 * {d}, 0, {self.set(smaller)})"
        if kind == 3:
            return f"Cardinality({self.set(smaller)})"
        return self.number(0)

    def formula(self, depth: int) -> str:
        smaller = max(depth - 1, 0)
        kind = self.random.randrange(3 if depth == 0 else 6)
        if kind == 0:
            return f"{self.process(smaller)} = {self.process(smaller)}"
        if kind == 1:
            return f"{self.process(smaller)} \\in {self.set(smaller)}"
        if kind == 2:
            return f"{self.number(smaller)} < {self.number(smaller)}"
        if kind == 3:
            return f"~({self.formula(smaller)})"
        if kind == 4:
            r = self.name()
            return f"(\\E {r} \\in {self.set(smaller)} : {r} # x /\\ f[{r}] = {self.number(smaller)})"
        return f"({self.formula(smaller)} {self.one_of('/' + chr(92), chr(92) + '/')} {self.formula(smaller)})"

    def action(self) -> str:
        x = self.one_of("x' = x", f"x' = {self.process(2)}", f"x' \\in {self.set(2)} \\cup {{p}}", "x' = None")
        s = self.one_of("s' = s", f"s' = {self.set(2)}")
        f = self.one_of("f' = f", f"f' = [f EXCEPT ![{self.process(2)}] = {self.number(2)} % 3]")
        q = self.one_of("q' = q", f"q' = IF Len(q) < 2 THEN Append(q, {self.process(1)}) ELSE <<>>")
        return f"\\E p \\in P : {self.formula(2)} /\\ {x} /\\ {s} /\\ {f} /\\ {q}"

    def specification(self) -> str:
        actions = "\n".join(f"  \\/ {self.action()}" for _ in range(self.random.randint(2, 4)))
        invariant = self.one_of("TRUE", f"\\A p \\in P : {self.formula(2)} \\/ {self.formula(1)}")
        start = self.one_of("None", "A", "None")
        return (
            "EXTENDS Naturals, Sequences, SequencesExt, FiniteSetsExt, TLC\n"
            "CONSTANTS P, A, None\nVARIABLES x, s, f, q\n"
            f"Init == x = {start} /\\ s = {{}} /\\ f = [p \\in P |-> 0] /\\ q = <<>>\nNext ==\n{actions}\n"
            f"Inv == {invariant}\nPerms == Permutations(P)"
        )


class Verified(Check):
    """Compares what it proves with all permutations of all states."""

    proved = False

    def explore(self, searchable: SpecificationModel) -> Result:
        result = super().explore(searchable)
        if result.verdict == "ok" and searchable.symmetry is not None and self.choices is not None:
            found = doubts(self.model, searchable.symmetry, self.evaluator, monitored=True)
            self.proved = not found and not self.choices.ambiguous
            if self.proved:
                states = searchable.explored
                compared = compare_orbits(searchable, searchable.symmetry, states, sample=50, most=10**9)
                assert compared.found is None
                assert compared.complete
        return result


@pytest.mark.parametrize("seed", range(40))
def test_verdicts_do_not_depend_on_symmetry(seed: int) -> None:
    text = Writer(seed).specification()
    check = Verified(model_of(text, CONFIG + "SYMMETRY Perms"), Options(), ReferenceExplorer)
    whole = Check(model_of(text, CONFIG), Options(), ReferenceExplorer)
    reduced_result, whole_result = check.run(), whole.run()
    if "breaks the symmetry" in reduced_result.message:
        assert not check.proved
    else:
        assert reduced_result.verdict == whole_result.verdict, text
        assert reduced_result.distinct <= whole_result.distinct
