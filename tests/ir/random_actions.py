"""Random actions and predicates over numbers, a function and records, with arguments that are constants."""

from __future__ import annotations

import random

HEAD = """---- MODULE Test ----
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES x, y, f, g, msgs
vars == <<x, y, f, g, msgs>>
Node == {"a", "b", "c"}
Init == x = 0 /\\ y = 1 /\\ f = [n \\in Node |-> 0] /\\ g = [n \\in Node |-> [term |-> 0, log |-> <<>>]] /\\ msgs = {}
"""
BOTH = 'Both(a, b) == IF a > b /\\ f["b"] > 0 THEN a ELSE b\n'


class Generator:
    """Random actions over numbers, a function and records, with arguments that are constants: places are then known."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = 0

    def number(self, depth: int = 2) -> str:
        return f"({self.plain_number(depth)})"

    def plain_number(self, depth: int) -> str:
        pick = self.rng.choice
        n = self.name()
        leaves = ["x", "y", f"f[{self.key()}]", f"g[{self.key()}].term", f"Len(g[{self.key()}].log)", "1", "2"]
        if depth == 0:
            return pick(leaves)
        return pick(
            [
                *leaves,
                f"({self.number(depth - 1)} + {self.number(depth - 1)}) % 4",
                f"(IF {self.test(depth - 1)} THEN {self.number(depth - 1)} ELSE {self.number(depth - 1)})",
                f"Cardinality({{{n} \\in Node : f[{n}] > {self.number(0)}}})",
                f"(LET {n} == {self.number(depth - 1)} IN ({n} + {n}) % 4)",
                f"[{n} \\in Node |-> (f[{n}] + {self.number(0)}) % 4][{self.key()}]",
                f"Both({self.number(depth - 1)}, {self.number(0)})",
                f"[a |-> {self.number(0)}, b |-> {self.number(0)}].a",
                f"Len([g EXCEPT ![{self.key()}].log = <<1>>][{self.key()}].log)",
            ]
        )

    def name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def key(self) -> str:
        key = self.rng.choice(['"a"', '"b"', '"c"'])
        return key if self.rng.random() < 0.85 else f'(IF x > y THEN "a" ELSE {key})'

    def test(self, depth: int = 1) -> str:
        pick = self.rng.choice
        plain = f"{self.number(depth)} {pick(['<', '=', '>', '#'])} {self.number(depth)}"
        n = self.name()
        some = f"(\\E {n} \\in Node : f[{n}] = {self.number(0)})"
        return pick([plain, plain, some, f"~({plain})", f"{self.number(0)} \\in msgs"])

    def update(self, variable: str) -> str:
        pick = self.rng.choice
        if variable == "msgs":
            fewer = f"{{m \\in msgs : m < {self.number(0)}}}"
            return "msgs' = " + pick(["msgs", f"msgs \\cup {{{self.number(1)}}}", fewer])
        if variable == "f":
            change = f"[f EXCEPT ![{self.key()}] = {pick(['@', self.number(1), f'(@ + {self.number(0)}) % 4'])}]"
            perhaps = f"(IF {self.test()} THEN {change} ELSE f)"
            return "f' = " + pick(["f", change, perhaps, f"[n \\in Node |-> {self.number(1)}]"])
        if variable == "g":
            term = f"[g EXCEPT ![{self.key()}].term = {self.number(1)}]"
            log = f"[g EXCEPT ![{self.key()}].log = IF Len(@) < 2 THEN Append(@, {self.number(0)}) ELSE <<>>]"
            both = f"[g EXCEPT ![{self.key()}].term = {self.number(0)}, ![{self.key()}].log = <<>>]"
            return "g' = " + pick(["g", term, log, both, f"(IF {self.test()} THEN {term} ELSE {log})"])
        some = f"\\in {{{self.number(1)}, {self.number(0)}}}"
        return f"{variable}' " + pick(["= " + self.number(), some, f"= {variable}"])

    def action(self) -> str:
        items = [self.test() for _ in range(self.rng.randrange(3))]
        updates = [self.update(each) for each in ("x", "y", "f", "g", "msgs")]
        if self.rng.random() < 0.3:
            updates[0] = f"(IF {self.test()} THEN {self.update('x')} ELSE {self.test()} /\\ {self.update('x')})"
        if self.rng.random() < 0.3:
            updates[1] = f"(({self.update('y')}) \\/ ({self.test()} /\\ {self.update('y')}))"
        if self.rng.random() < 0.2:
            updates.append(f"x' # {self.number(0)}")
        if self.rng.random() < 0.2:
            updates[2] = f"f' = [f EXCEPT ![{self.key()}] = x']"
        return " /\\ ".join(f"({each})" for each in (*items, *updates))


HELPERS = """RECURSIVE Sum(_)
Sum(s) == IF s = {} THEN 0 ELSE LET n == CHOOSE n \\in s : TRUE IN f[n] + Sum(s \\ {n})
Total[s \\in SUBSET Node] == IF s = {} THEN y ELSE LET n == CHOOSE n \\in s : TRUE IN g[n].term + Total[s \\ {n}]
Apply(Op(_), v) == Op(v) + Op("a")
Terms == [n \\in Node |-> g[n].term]
Record == [one |-> f["a"], two |-> Len(g["b"].log)]
"""


class Predicates(Generator):
    """Random state predicates, with all that leads to a part of a state by another way. Some have no value."""

    def predicate(self, depth: int = 2, names: tuple[str, ...] = ()) -> str:
        pick, deeper = self.rng.choice, depth - 1
        if depth == 0:
            return f"({self.value(0, names)} {pick(['<', '=', '>=', '#'])} {self.value(0, names)})"
        n = self.name()
        connective = pick(["/\\", "\\/", "=>", "<=>"])
        return pick(
            [
                f"({self.predicate(deeper, names)} {connective} {self.predicate(deeper, names)})",
                f"({pick(['A', 'E'])} {n} \\in Node : {self.predicate(deeper, (*names, n))})".replace("(", "(\\", 1),
                f"({self.value(1, names)} {pick(['<', '=', '>='])} {self.value(1, names)})",
                f"(g[{self.place(names)}] = g[{self.place(names)}])",
                f"(LET {n} == g[{self.place(names)}] IN {n}.term > {self.value(0, names)} \\/ Len({n}.log) < 2)",
                f"(Head(g[{self.place(names)}].log) = {self.value(0, names)})",
                f"({{f[{n}] : {n} \\in Node}} \\subseteq msgs)",
                f"(IF {self.predicate(deeper, names)} THEN {self.predicate(0, names)} ELSE {self.predicate(0, names)})",
            ]
        )

    def value(self, depth: int, names: tuple[str, ...]) -> str:
        pick, place = self.rng.choice, self.place(names)
        plain = ["x", "y", f"f[{place}]", f"g[{place}].term", f"Len(g[{place}].log)", str(self.rng.randrange(4))]
        if depth == 0:
            return pick(plain)
        n, inner = self.name(), self.value(0, names)
        return pick(
            [
                *plain,
                f"Sum({{{place}, {self.place(names)}}})",
                f"Total[{{{place}}}]",
                f"Apply(LAMBDA {n} : f[{n}] + {inner}, {place})",
                f"Terms[{place}]",
                pick(["Record.one", "Record.two"]),
                f"[g EXCEPT ![{place}].term = {inner}][{self.place(names)}].term",
                f"(CHOOSE {n} \\in 0..9 : {n} >= {inner})",
                f"Cardinality({{{n} \\in Node : f[{n}] > {inner}}})",
                f"[{n} \\in Node |-> f[{n}] + {inner}][{place}]",
                f"(CASE x > {inner} -> f[{place}] [] OTHER -> y)",
            ]
        )

    def place(self, names: tuple[str, ...]) -> str:
        return self.rng.choice([*names, *names, '"a"', '"b"', '"c"', '(IF x > y THEN "a" ELSE "b")'])
