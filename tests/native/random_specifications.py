"""Random small specifications with several actions and everything that a configuration can ask for."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from random_expressions import REC, Expressions, Type

INTS: Type = ("set", "int")
STATE: dict[str, Type] = {
    "x": "int",
    "f": ("map", "int"),
    "r": REC,
    "s": INTS,
    "q": ("seq", "int"),
    "w": ("map", REC),
    "p": "proc",
}
BOUNDS: dict[str, str] = {  # sets that their values are taken from, all small
    "x": "0..2",
    "f": "[Proc -> 0..1]",
    "r": '[a : 0..2, s : {"u", "v"}]',
    "s": "SUBSET (0..2)",
    "q": "{<<>>, <<0>>, <<1, 0>>}",
    "w": '[Proc -> [a : {0}, s : {"u", "v"}]]',
    "p": "Proc",
}
FIRST: dict[str, str] = {
    "x": "0",
    "f": "[i \\in Proc |-> 0]",
    "r": '[a |-> 0, s |-> "u"]',
    "s": "{}",
    "q": "<<>>",
    "w": '[i \\in Proc |-> [a |-> 0, s |-> "u"]]',
    "p": "p1",
}
_A, _S = ("int", "{0}"), ("str", '{"u", "v"}')
# Functions and records: paths into them, with what may be there; and what the values of a function on Proc may be.
IN_PLACE: dict[str, tuple[list[tuple[str, Type, str]], tuple[Type, str] | None]] = {
    "f": ([("[{}]", "int", "0..1")], ("int", "0..1")),
    "r": ([(".a", "int", "0..2"), (".s", *_S)], None),
    "w": ([("[{}].s", *_S), ("[{}].a", *_A), ("[{}]", REC, '[a : {0}, s : {"u", "v"}]')], (REC, BOUNDS["w"][9:-1])),
}
HEAD = """---- MODULE Random ----
EXTENDS Integers, Sequences, FiniteSets, TLC, FiniteSetsExt, SequencesExt, Functions, Folds, Bags, BagsExt
CONSTANTS Proc, p1, p2, p3
VARIABLES {variables}
Twice(n) == n + n
Pick(c, one, other) == IF c THEN one ELSE other
Second(unused, n) == n
RECURSIVE SumTo(_)
SumTo(n) == IF n <= 0 THEN 0 ELSE n + SumTo(n - 1)
SumOf(S) == FoldSet(LAMBDA a, c : a + c, 0, S)
Even(n) == n % 2 = 0
Squares(S) == {{n * n : n \\in S}}
Shift(h, n) == [i \\in DOMAIN h |-> h[i] + n]
Fact(n) == LET fact[i \\in Nat] == IF i = 0 THEN 1 ELSE i * fact[i - 1] IN fact[IF n < 0 THEN 0 ELSE n % 4]
Marked(rec, n) == [rec EXCEPT !.a = @ + n]
RECURSIVE Downto(_)
Downto(n) == IF n <= 0 THEN <<>> ELSE <<n>> \\o Downto(n - 1)
Apply(Op(_), arg) == Op(arg)
Both(Op(_, _), one, other) == <<Op(one, other), Op(other, one)>>
Compose(Op(_), Other(_), arg) == Op(Other(arg))
Do(A) == A
With(A(_), n) == A(n)
Choice(A, B) == A \\/ B
"""
CONSTANTS = "CONSTANTS Proc = {p1, p2, p3}\np1 = p1\np2 = p2\np3 = p3\n"


@dataclass
class RandomSpecification:
    text: str
    config: str
    options: dict[str, Any] = field(default_factory=dict)


class Actions:
    """Random actions over some variables. `known`: the variables whose next value has been assigned so far."""

    def __init__(self, rng: Random, variables: list[str], mistakes: float) -> None:
        self.rng = rng
        self.variables = variables
        self.e = Expressions(rng, mistakes, total=True)
        self.e.scope = [(name, STATE[name]) for name in variables]
        self._names = 0

    def name(self) -> str:
        self._names += 1
        return f"v{self._names}"

    # ------------------------------------------------------------------------------------------------- assignments

    def assign(self, name: str) -> str:
        """Give a variable a value out of its set, mostly."""
        rng, type_ = self.rng, STATE[name]
        kind = rng.random()
        if kind < 0.3:
            return f"{name}' \\in {self.subset(name)}"
        if kind < 0.4 and type_ == INTS:
            return f"{name}' \\subseteq {{0, 1}}"
        if kind < 0.5:
            return f"UNCHANGED {name}"
        if kind < 0.75 and name in IN_PLACE and rng.random() < 0.6:
            return f"{name}' = {self.in_place(name)}"
        value = self.update(name) if kind < 0.75 else self.e.expression(type_, 2)
        return f"{name}' = {self.bounded(name, value)}"

    def subset(self, name: str) -> str:
        candidate = self.e.name()
        condition = self.e.inside("bool", 1, **{candidate: STATE[name]})
        return self.rng.choice(
            (f"{{{candidate} \\in {BOUNDS[name]} : {condition}}}", BOUNDS[name], f"{{{name}, {FIRST[name]}}}")
        )

    def bounded(self, name: str, value: str) -> str:
        """The value, brought back to the set if it is outside, so that there are not too many states."""
        if self.rng.random() < 0.04:
            return value
        got = self.e.name()
        return f"(LET {got} == {value} IN IF {got} \\in {BOUNDS[name]} THEN {got} ELSE {FIRST[name]})"

    def in_place(self, name: str) -> str:
        """A function that differs from itself in some places, each brought back to its set by itself."""
        rng, (parts, whole) = self.rng, IN_PLACE[name]
        if whole and rng.random() < 0.2:
            type_, allowed = whole
            value = self.within(type_, allowed)
            one = self.e.expression("proc", 1)
            other = rng.choice((f"{name}[i]", value, FIRST[name] + "[i]"))
            return f"[i \\in Proc |-> IF i = {one} THEN {value} ELSE {other}]"
        updates = []
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            path, type_, allowed = rng.choice(parts)
            updates.append(f"!{path.format(self.e.expression('proc', 1))} = {self.within(type_, allowed, '@')}")
        changed = f"[{name} EXCEPT {', '.join(updates)}]"
        if rng.random() < 0.15:
            return f"(IF {self.guard()} THEN {changed} ELSE {name})"
        if rng.random() < 0.1:
            return f"(CASE {self.guard()} -> {name} [] OTHER -> {changed})"
        return changed

    def within(self, type_: Type, allowed: str, *old: str) -> str:
        got = self.e.name()
        value = self.e.inside(type_, 1, **dict.fromkeys(old, type_))
        least = {"int": "0", "str": '"u"'}.get(type_ if isinstance(type_, str) else "", '[a |-> 0, s |-> "v"]')
        return f"(LET {got} == {value} IN IF {got} \\in {allowed} THEN {got} ELSE {least})"

    def update(self, name: str) -> str:
        e, rng = self.e, self.rng
        match STATE[name]:
            case "int":
                return f"{name} + {rng.choice((1, 2))}"
            case ("map", "int"):
                value = e.inside("int", 1, **{"@": "int"})
                return f"[{name} EXCEPT ![{e.expression('proc', 1)}] = {value}]"
            case ("map", _):
                value = e.inside("str", 1, **{"@": "str"})
                return f"[{name} EXCEPT ![{e.expression('proc', 1)}].s = {value}]"
            case ("rec",):
                value = e.inside("int", 1, **{"@": "int"})
                return f"[{name} EXCEPT !.a = {value}]"
            case ("set", _):
                symbol = rng.choice(("\\cup", "\\"))
                return f"({name} {symbol} {{{e.expression('int', 1)}}})"
            case ("seq", _):
                return rng.choice(
                    (f"Append({name}, {e.expression('int', 1)})", f"IF {name} = <<>> THEN <<0>> ELSE Tail({name})")
                )
        return e.expression(STATE[name], 2)

    # ----------------------------------------------------------------------------------------------------- actions

    def action(self, rest: list[str], depth: int) -> str:
        """Assigns all of `rest`, in some order."""
        rng = self.rng
        if not rest:
            return self.guard()
        if depth <= 0 or rng.random() < 0.15:
            parts = [self.assign(name) for name in rest]
            return self.conjunction([self.guard(), *parts] if rng.random() < 0.6 else parts)
        return rng.choice(_ACTIONS)(self, rest, depth - 1)

    def guard(self) -> str:
        return self.e.expression("bool", 2) if self.rng.random() < 0.7 else "TRUE"

    def condition(self) -> str:
        """A part of a predicate."""
        return self.e.expression("bool", 2)

    def conjunction(self, parts: list[str]) -> str:
        return "(" + " /\\ ".join(parts) + ")"

    def _then(self, rest: list[str], depth: int) -> str:
        """One variable, something that may read its next value, then the others."""
        name, *others = rest
        first = self.assign(name)
        before = len(self.e.scope)
        self.e.scope.append((f"{name}'", STATE[name]))
        test = self.guard() if self.rng.random() < 0.4 else "TRUE"
        following = self.action(others, depth)
        del self.e.scope[before:]
        return self.conjunction([first, test, following])

    def _or(self, rest: list[str], depth: int) -> str:
        if self.rng.random() < 0.5:
            return f"({self.action(rest, depth)} \\/ {self.action(rest, depth)})"
        cut = self.rng.randint(1, len(rest))
        part, others = rest[:cut], rest[cut:]
        return self.conjunction(
            [f"({self.action(part, depth)} \\/ {self.action(part, depth)})", self.action(others, depth)]
        )

    def _exists(self, rest: list[str], depth: int) -> str:
        name, type_ = self.e.name(), self.rng.choice(("int", "proc"))
        domain = (
            self.rng.choice(("0..1", "{0, 2}", "s" if "s" in self.variables else "{1}")) if type_ == "int" else "Proc"
        )
        before = len(self.e.scope)
        self.e.scope.append((name, type_))
        body = self.action(rest, depth)
        del self.e.scope[before:]
        return f"(\\E {name} \\in {domain} : {body})"

    def _if(self, rest: list[str], depth: int) -> str:
        return f"(IF {self.guard()} THEN {self.action(rest, depth)} ELSE {self.action(rest, depth)})"

    def _case(self, rest: list[str], depth: int) -> str:
        arms = f"{self.guard()} -> {self.action(rest, depth)} [] {self.guard()} -> {self.action(rest, depth)}"
        return f"(CASE {arms} [] OTHER -> {self.action(rest, depth)})"

    def _let(self, rest: list[str], depth: int) -> str:
        name, type_ = self.e.name(), self.e.type(1)
        value = self.e.expression(type_, 2)
        before = len(self.e.scope)
        self.e.scope.append((name, type_))
        body = self.action(rest, depth)
        del self.e.scope[before:]
        return f"(LET {name} == {value} IN {body})"

    def _all(self, rest: list[str], depth: int) -> str:
        name = self.e.name()
        test = self.e.inside("bool", 1, **{name: "proc"})
        other = self.e.inside("bool", 1, **{name: "proc"})
        return self.conjunction([f"(\\A {name} \\in Proc : {test} \\/ {other})", self.action(rest, depth)])

    def _all_assigns(self, rest: list[str], depth: int) -> str:
        """Instances of \\A assign the first variable; those behind the first test it."""
        first, *others = rest
        name = self.e.name()
        return self.conjunction([f"(\\A {name} \\in Proc : {self.assign(first)})", self.action(others, depth)])

    def _implies(self, rest: list[str], depth: int) -> str:
        return self.conjunction([f"({self.guard()} => {self.e.expression('bool', 1)})", self.action(rest, depth)])

    def _enabled(self, rest: list[str], depth: int) -> str:
        inner = self.action(list(self.variables), min(depth, 1))
        return self.conjunction([f"{self.rng.choice(('', '~'))}ENABLED {inner}", self.action(rest, depth)])

    def _do(self, rest: list[str], depth: int) -> str:
        return f"Do({self.action(rest, depth)})"

    def _with(self, rest: list[str], depth: int) -> str:
        name = self.e.name()
        before = len(self.e.scope)
        self.e.scope.append((name, "int"))
        body = self.action(rest, depth)
        del self.e.scope[before:]
        return f"With(LAMBDA {name} : {body}, {self.e.expression('int', 1)})"

    def _choice(self, rest: list[str], depth: int) -> str:
        return f"Choice({self.action(rest, depth)}, {self.action(rest, depth)})"


_ACTIONS = [
    Actions._then,
    Actions._then,
    Actions._then,
    Actions._or,
    Actions._or,
    Actions._exists,
    Actions._exists,
    Actions._if,
    Actions._case,
    Actions._let,
    Actions._all,
    Actions._all_assigns,
    Actions._implies,
    Actions._enabled,
    Actions._do,
    Actions._with,
    Actions._choice,
]


def random_specification(seed: int, kind: type[Actions] = Actions) -> RandomSpecification:
    rng = Random(seed)
    variables = rng.sample(list(STATE), rng.randint(2, 4))
    write = kind(rng, variables, rng.choice((0.0, 0.0, 0.01)))
    lines = [HEAD.format(variables=", ".join(variables))]
    symmetric = rng.random() < 0.1
    starts = [f"{name} = {FIRST[name]}" if rng.random() < 0.6 else f"{name} \\in {BOUNDS[name]}" for name in variables]
    lines.append("Init == " + " /\\ ".join(starts))
    names = [f"A{number}" for number in range(rng.randint(1, 4))]
    for name in names:
        lines.append(f"{name} == {write.action(rng.sample(variables, len(variables)), 3)}")
    lines.append("Next == " + " \\/ ".join(names))
    config = ["INIT Init", "NEXT Next", CONSTANTS]
    before = list(write.e.scope)

    following = [(f"{each}'", STATE[each]) for each in variables]

    def ask(chance: float, section: str, name: str, form: str = "{}", step: bool = False) -> None:
        if rng.random() < chance:
            write.e.scope = [*before, *following] if step else list(before)
            body = " \\/ ".join(write.condition() for _ in range(3))
            lines.append(f"{name} == {form.format(body)}")
            config.append(f"{section} {name}")

    ask(0.5, "INVARIANT", "Inv")
    ask(0.3, "INVARIANT", "Other")
    ask(0.2, "CONSTRAINT", "Bound")
    ask(0.2, "ACTION_CONSTRAINT", "Step", step=True)
    ask(0.3, "PROPERTY", "Rule", f"[][{{}}]_<<{', '.join(variables)}>>", step=True)
    if rng.random() < 0.1:
        lines.append(f"Seen == <<{', '.join(variables[:2])}>>")
        config.append("VIEW Seen")
    elif symmetric:
        lines.append("Symmetry == Permutations(Proc)")
        config.append("SYMMETRY Symmetry")
    lines.append("====")
    options = {"deadlock": rng.random() < 0.3, "continue_": rng.random() < 0.2, "depth": 6}
    return RandomSpecification("\n".join(lines) + "\n", "\n".join(config) + "\n", options)
