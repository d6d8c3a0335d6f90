"""Random actions over a network, cut into slices, against brute force."""

from __future__ import annotations

import random

import pytest
from brute_force import compare

from gristmill.building import build
from gristmill.compose.variables.modules import analyse

HEAD = """---- MODULE Test ----
EXTENDS Naturals, FiniteSets
VARIABLES net, x, y, f
Init == net = {[t |-> "a", n |-> 1, to |-> 1]} /\\ x \\in 0..1 /\\ y = 0 /\\ f = [i \\in {1, 2} |-> 0]
Of(m, tag) == m.t = tag
Record(tag, n, to) == [t |-> tag, n |-> n % 3, to |-> to]
"""
TAGS = ('"a"', '"b"', '"c"')
ACTIONS = ("A", "B", "C")


class Generator:
    """Writes actions that look at messages, take some away and add others."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = 0

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def name(self) -> str:
        self.names += 1
        return f"k{self.names}"

    def tag(self) -> str:
        return self.pick(*TAGS)

    def number(self, message: str | None) -> str:
        own = (f"{message}.n", f"f[{message}.to]") if message else ()
        return self.pick("x", "y", "f[1]", "f[2]", "0", "1", self.count() if self.rng.random() < 0.2 else "x", *own)

    def count(self) -> str:
        k = self.name()
        return f"Cardinality({{{k} \\in net : {self.about(k)}}})"

    def about(self, message: str) -> str:
        """A formula about a message, which mostly says of what kind it is."""
        tags = self.pick(
            f"{message}.t = {self.tag()}",
            f"Of({message}, {self.tag()})",
            f"{message}.t \\in {{{self.tag()}, {self.tag()}}}",
            f"{message}.t # {self.tag()}",
            f"~({message}.t = {self.tag()} \\/ Of({message}, {self.tag()}))",
        )
        more = f"{message}.n {self.pick('=', '<', '>')} {self.number(None)}"
        return self.pick(tags, f"({tags} /\\ {more})", f"({tags} => {more})", f"(IF {tags} THEN {more} ELSE FALSE)")

    def test(self) -> str:
        k = self.name()
        return self.pick(
            f"{self.number(None)} < {self.pick('1', '2')}",
            f"(\\E {k} \\in net : {self.about(k)})",
            f"(\\A {k} \\in net : {self.about(k)})",
            self.record(None) + self.pick(" \\in net", " \\notin net"),
        )

    def record(self, message: str | None) -> str:
        number, to = self.number(message), self.pick("1", "2")
        plain = f"[t |-> {self.tag()}, n |-> {number} % 3, to |-> {to}]"
        either = f"[t |-> IF {self.test_of_numbers()} THEN {self.tag()} ELSE {self.tag()}, n |-> 0, to |-> {to}]"
        return self.pick(plain, plain, f"Record({self.tag()}, {number}, {to})", either)

    def test_of_numbers(self) -> str:
        return f"{self.pick('x', 'y', 'f[1]')} > 0"

    def network(self, message: str | None) -> str:
        k = self.name()
        added = f"net \\cup {{{self.record(message)}}}"
        some = ["net", "net", added, added, f"{{{k} \\in net : {self.about(k)}}}"]
        some.append(f"net \\cup {{Record({self.tag()}, {k}, 1) : {k} \\in 0..x}}")
        some.append(f"IF {self.test()} THEN {added} ELSE net")
        if message:
            some += [f"net \\ {{{message}}}", f"(net \\ {{{message}}}) \\cup {{{self.record(message)}}}"]
        return self.pick(*some)

    def updates(self, message: str | None) -> str:
        where = self.pick("1", "2", *([f"{message}.to"] if message else []))
        function = f"[f EXCEPT ![{where}] = {self.number(message)} % 3]"
        parts = [
            f"net' = {self.network(message)}",
            f"x' = {self.pick('x', f'{self.number(message)} % 3')}",
            f"y' = {self.pick('y', f'(IF {self.test()} THEN {self.number(message)} ELSE y) % 3')}",
            f"f' = {self.pick('f', function, f'(IF {self.test()} THEN {function} ELSE f)')}",
        ]
        return " /\\ ".join(f"({part})" for part in parts)

    def action(self) -> str:
        guard = f"({self.test()}) /\\ " if self.rng.random() < 0.5 else ""
        if self.rng.random() < 0.3:
            return guard + self.updates(None)
        m = self.name()
        one = f"{self.about(m)} /\\ {self.updates(m)}"
        if self.rng.random() < 0.4:
            one = f"(({one}) \\/ ({self.about(m)} /\\ {self.updates(m)}))"
        return f"{guard}\\E {m} \\in net : {one}"


def specification(seed: int) -> str:
    generator = Generator(random.Random(f"networks {seed}"))
    body = "\n".join(f"{name} == {generator.action()}" for name in ACTIONS)
    return f"{HEAD}{body}\nNext == A \\/ B \\/ C\n===="


MODULES = [{name: [name] for name in ACTIONS}, {"M": ["A", "B"], "N": ["C"]}, {"M": ["A", "B", "C"]}]


@pytest.mark.parametrize("seed", range(60))
def test_what_is_not_depended_on_does_not_matter(seed: int) -> None:
    model = build(specification(seed), config="INIT Init\nNEXT Next").model
    with model.world.active():
        for modules in MODULES:
            variables = analyse(model, modules, slices={"net": "t"}, suggest=False)
            found = compare(model, variables, seed=str(seed), count=120, seconds=4, pairs=25)
            assert found.wrong == [], (modules, specification(seed))


def test_many_of_them_are_cut() -> None:
    """Else the test above would say nothing of slices."""
    models = [build(specification(seed), config="INIT Init\nNEXT Next").model for seed in range(60)]
    cut = [analyse(model, MODULES[0], slices={"net": "t"}, suggest=False).slicings for model in models]
    assert sum(map(bool, cut)) > 20
