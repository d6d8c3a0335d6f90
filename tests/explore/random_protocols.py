"""Small random protocols, as source text: what the searches are compared on.

Messages carry a number of hops that shrinks, so that every system is finite. Fields are small numbers. `note` is meant
to be auxiliary, and sometimes a handler lets it matter.
"""

from __future__ import annotations

import linecache
import random
import sys
import types
from functools import cache
from typing import Any

from gristmill.explore import Faults, Network, System

HEADER = """
from gristmill.explore import Message, Process, end_state, invariant, on, persistent, quorum, timer

class A(Message):
    n: int
    hops: int

class B(Message):
    n: int
    hops: int
"""


class Maker:
    """Writes one protocol; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.processes = self.random.choice([2, 2, 3])
        self.classes = 1 if self.random.random() < 0.5 else 2
        self.cyclic = self.random.random() < 0.25
        # From here on, information flows in more ways than by assignment.
        self.devious = seed >= 5000
        # And by other names, through guards, and by raising or not.
        self.sly = seed >= 6000

    def flip(self, chance: float) -> bool:
        return self.random.random() < chance

    def source(self) -> str:
        parts = [HEADER, *(self.process(number) for number in range(self.classes)), self.properties()]
        return "\n".join(parts)

    def process(self, number: int) -> str:
        lines = [f"class P{number}(Process):", "    def __init__(self):"]
        lines += ["        self.x = 0", "        self.y = 0", "        self.note = 0"]
        if self.devious:
            lines += ["        self.log = []", "        self.table = {}", "        self.view = None"]
        lines += ["    def start(self):", *self.start()]
        for message in "AB":
            lines += self.handler(message)
        if self.devious:
            lines += ["    def seen(self, n):", "        return self.note == n", "    def keep(self, n):"]
            lines += [f"        self.{self.random.choice(['log', 'x', 'table', 'note'])} = n" for _ in range(1)]
        if self.sly:
            lines += ["    def ready(self, m):", "        return self.note != m.n"]
            lines += ["    def held(self):", f"        return self.{self.random.choice(['log', 'table'])}"]
            lines += ["    def share(self, other):", f"        self.{self.random.choice(['log', 'view'])} = other"]
        if self.timed():
            lines += ["    @timer('t')", "    def tick(self):", *self.tick()]
        return "\n".join(lines)

    def timed(self) -> bool:
        return self.cyclic

    def start(self) -> list[str]:
        lines = ["        pass"]
        if self.cyclic:
            lines.append("        self.set_timer('t')")
        for _ in range(2 if self.devious else self.random.choice([1, 1, 2])):
            message, hops = self.random.choice("AB"), self.random.choice([0, 1])
            receiver = self.random.choice([*(f"'p{i}'" for i in range(self.processes)), "self.processes[-1]"])
            lines.append(f"        self.send({receiver}, {message}({self.random.randrange(3)}, {hops}))")
        return lines

    def handler(self, message: str) -> list[str]:
        if self.flip(0.15):
            return [
                f"    @quorum({message}, size=2)",
                f"    def on_{message.lower()}(self, messages):",
                "        m = list(messages.values())[0]",
                *self.body("m", "list(messages)[0]"),
            ]
        guard = ", guard=lambda self, m: self.x != m.n" if self.flip(0.2) else ""
        if self.sly and self.flip(0.3):
            guard = ", guard=lambda self, m: self.ready(m)"
        head = [f"    @on({message}{guard})", f"    def on_{message.lower()}(self, m, sender):"]
        return head + self.body("m", "sender")

    def body(self, message: str, sender: str) -> list[str]:
        lines = ["        self.note = (self.note + 1) * 1" if self.flip(0.6) else "        self.note = m.n"]
        if self.devious:
            lines = []
        for _ in range(2 if self.devious else self.random.choice([1, 1, 2])):
            lines += self.statement(message, sender)
        if self.devious:
            lines.append("        self.note = m.n")
        return lines

    def sly_statement(self, message: str) -> list[str]:
        """Lets information flow by two names of one object, by closures, by types, by what raises."""
        n, field = self.random.randrange(3), self.random.choice(["x", "y", "x", "y", "view"])
        found = self.random.choice(
            [
                f"f = lambda: self.note\nif f() == {n}:\n    self.{field} = {n}",
                f"def f():\n    self.{field} = {n}\nif self.note == {n}:\n    f()",
                f"f = self.seen\nif f({n}):\n    self.{field} = {n}",
                f"if getattr(self, 'note') == {n}:\n    self.{field} = {n}",
                "self.share(self.table)\nif self.view is not None:\n    self.view = self.note",
                f"h = self.held()\nh = [*h, self.note]\nself.{field} = len(h)",
                "self.log = self.view = []\nself.log.append(self.note)\nself.y = len(self.view)",
                "h = self.log = [self.note]\nh += [1]\nself.x = len(self.log)",
                f"self.view = {{'inner': self.table}}\nself.table = {{{n}: self.note}}\nself.x = len(self.view)",
                f"self.view = None if self.note == {n} else 1\nself.view = self.view + 1",
                f"self.table = {{self.note: 1}}\nself.table[{n}] += 1",
                f"if self.note == {n}:\n    self.view = None\n    self.view = self.view + 1",
                f"self.view = self.note == {n} and [][0]",
                f"match self.note:\n    case {n}:\n        self.{field} = {n}",
                f"try:\n    self.view = (0, 1)[self.note]\nexcept IndexError:\n    self.{field} = {n}",
                f"if (t := self.note) == {n}:\n    self.{field} = t",
                f"self.{field} = [e for e in [self.note] if e == {n}] == [{n}]",
                "self.note += 1",
                f"self.note = 'many' if self.note == {n} else self.note",
            ]
        )
        return [f"        {line}" for line in found.splitlines()]

    def devious_statement(self, message: str) -> list[str]:
        """Lets information flow through locals, methods, containers, other names, branches and returns."""
        n, field = self.random.randrange(3), self.random.choice(["x", "y", "x", "y", "view"])
        return self.random.choice(
            [
                ["        t = self.note", f"        if t == {n}:", f"            self.{field} = {n}"],
                [f"        if self.seen({n}):", f"            self.{field} = {n}"],
                [f"        self.{field} = {n} if self.note == {n} else {message}.n"],
                [f"        if self.note == {n}:", "            return"],
                ["        self.log.append(self.note)"] if self.flip(0.5) else [f"        self.log = [{n}]"],
                [f"        self.table[{message}.n] = self.note", f"        self.{field} = len(self.table)"],
                [f"        self.table[{n}] = {message}.n"],
                ["        self.view = self.table", f"        self.view[{n}] = self.note"],
                [f"        for self.{field} in self.table.values():", "            pass"],
                [f"        self.{field} = sum(1 for e in self.table.values() if e == {n})"],
                ["        self.keep(self.note)"],
                [f"        self.{field} = (self.note, {message}.n)[{message}.n % 2]"],
                [f"        self.x, self.note = self.note, self.{self.random.choice(['x', 'y'])}"],
            ]
        )

    def statement(self, message: str, sender: str) -> list[str]:
        if self.sly and self.flip(0.5):
            return self.sly_statement(message)
        if self.devious and self.flip(0.6):
            return self.devious_statement(message)
        field = self.random.choice("xy")
        kind = self.random.randrange(7)
        if kind == 0:
            return [f"        self.{field} = {message}.n"]
        if kind == 1:
            return [f"        self.{field} = (self.x + {message}.n) % 3"]
        if kind == 2:
            return [f"        if self.{field} == {self.random.randrange(2)}:", *self.send(message, sender, 12)]
        if kind == 3:
            return [f"        self.{field} = self.choose([0, 1])"]
        if kind == 4 and self.flip(0.3):
            return [f"        if self.note == 2:\n            self.{field} = 2"]
        if kind == 5 and self.flip(0.2):
            return [f"        assert self.{field} != {self.random.choice([1, 2, 3])}"]
        return self.send(message, sender, 8)

    def send(self, message: str, sender: str, indent: int) -> list[str]:
        receiver = self.random.choice([sender, sender, "'p0'", "'p1'"])
        kind, value = self.random.choice("AB"), self.random.choice([f"{message}.n", "self.x", "0", "1"])
        space = " " * indent
        return [
            f"{space}if {message}.hops:",
            f"{space}    self.send({receiver}, {kind}({value}, {message}.hops - 1))",
        ]

    def tick(self) -> list[str]:
        lines = [f"        self.{self.random.choice('xy')} = (self.x + 1) % 2"]
        if self.flip(0.7):
            lines.append("        self.set_timer('t')")
        return lines

    def properties(self) -> str:
        field, other = self.random.choice("xy"), self.random.choice("xy")
        first = f"s['p0'].{field} + s['p1'].{other} != {self.random.choice([1, 2, 2, 3])}"
        if self.devious:  # both matter
            first = "(s['p0'].x, s['p0'].y, s['p1'].x, s['p1'].y) != (2, 1, 2, 1)"
        last = f"s['p0'].{field} <= {3 if self.devious else self.random.choice([0, 1, 1, 2])}"
        return f"@invariant\ndef inv(s):\n    return {first}\n\n@end_state\ndef end(s):\n    return {last}\n"


def _executed(title: str, source: str) -> dict[str, Any]:
    """The source as a module, with its text where it can be found."""
    name, module_name = f"<{title}>", title.replace(" ", "_")
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    module = sys.modules.setdefault(module_name, types.ModuleType(module_name))
    space: dict[str, Any] = vars(module)
    exec(compile(source, name, "exec"), space)
    return space


@cache  # the classes of its messages are made once
def random_system(seed: int, network: Network | None = None, faults: Faults | None = None) -> System:
    maker = Maker(seed)
    source = maker.source()
    space = _executed(f"random protocol {seed}", source)
    processes = {f"p{number}": space[f"P{number % maker.classes}"]() for number in range(maker.processes)}
    return System(
        processes, (space["inv"], space["end"]), network or Network(), faults or Faults(), name=f"random {seed}"
    )


class SymmetricMaker(Maker):
    """A hub, p0, and others that are all alike: nobody is called by name but the hub, and no names are compared."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.names = ("p1", "p2") if self.flip(0.5) else ("p1", "p2", "p3")
        self.cyclic = self.devious = self.sly = False

    def source(self) -> str:
        hub = self.kind("Hub", ["self.broadcast(A(1, 1))", "self.broadcast(B(2, 1))"][: self.random.choice([1, 2])])
        spoke = self.kind("Spoke", ["self.send('p0', A(0, 1))"] if self.flip(0.5) else [])
        total, most, field = (
            self.random.choice([1, 2, 3, 4, 5]),
            self.random.choice([0, 1, 2]),
            self.random.choice("xy"),
        )
        inv = f"return sum(s[n].{field} for n in {self.names}) + s['p0'].x != {total}"
        end = f"return max(s[n].x for n in {self.names}) <= {most}"
        tests = f"@invariant\ndef inv(s):\n    {inv}\n\n@end_state\ndef end(s):\n    {end}\n"
        return "\n".join([HEADER, hub, spoke, tests])

    def kind(self, name: str, start: list[str]) -> str:
        lines = [f"class {name}(Process):", "    def __init__(self):", "        self.x = self.y = self.note = 0"]
        lines += ["        self.heard = ''", "    def start(self):", "        pass"]
        lines += [f"        {one}" for one in start]
        for message in "AB":
            lines += [f"    @on({message})", f"    def on_{message.lower()}(self, m, sender):"]
            lines += ["        self.note = m.n"]
            lines += [line for _ in range(2) for line in self.statement("m", "sender")]
            lines += ["        self.heard = sender"] if self.flip(0.4) else []
        return "\n".join(lines)

    def send(self, message: str, sender: str, indent: int) -> list[str]:
        kind, value = self.random.choice("AB"), self.random.choice([f"{message}.n", "self.x", "0", "1"])
        receiver, space = self.random.choice([sender, sender, "'p0'"]), " " * indent
        return [
            f"{space}if {message}.hops:",
            f"{space}    self.send({receiver}, {kind}({value}, {message}.hops - 1))",
        ]


@cache
def symmetric_system(seed: int, network: Network | None = None, faults: Faults | None = None) -> System:
    maker = SymmetricMaker(seed)
    names = maker.names
    space = _executed(f"symmetric protocol {seed}", maker.source())
    processes = {"p0": space["Hub"](), **{name: space["Spoke"]() for name in names}}
    network, faults = network or Network(), faults or Faults()
    return System(processes, (space["inv"], space["end"]), network, faults, symmetric=[names])
