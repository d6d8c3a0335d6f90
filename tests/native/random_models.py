"""Random models with what a configuration can ask for and an evaluator must get right, small enough to be explored
whole: model values typed and untyped, strings, symmetric sets, a VIEW, constraints, fairness of each element, temporal
properties, instances with substitution. Actions and expressions are those of `random_specifications`.

The random part works on some variables; beside it, each process has a counter `t[p]` and the model has a mark `k`, a
model value. All checkers explore it without a limit, so that TLC can be asked as well.
"""

from __future__ import annotations

import re
from random import Random

from random_specifications import BOUNDS, FIRST, HEAD, STATE, Actions, RandomSpecification

_NAMES = re.compile(r"\bp[123]\b|CHOOSE|Choose|Pick|SetToSeq|FoldSet|Fold|ToString|SetToBag|<<")  # none is symmetric
INNER = """---- MODULE Inner ----
EXTENDS Naturals
CONSTANT Top
VARIABLE v
IInit == v = 0
INext == v' = IF v >= Top THEN 0 ELSE v + 1
IStep == INext \\/ v' = 0
ISpec == IInit /\\ [][{next}]_v{fair}
Small == v < {bound}
Again == []<>(v = 0)
====
"""
FAIRNESS = (
    "WF_vars(Next)",
    "\\A i \\in Proc : WF_vars(Tick(i))",
    "\\A i \\in Proc : SF_vars(Reset(i))",
    "\\A i \\in Proc : WF_t(Tick(i)) /\\ WF_vars(Reset(i))",
    "SF_vars(\\E i \\in Proc : Reset(i))",
)
TEMPORAL = (
    "\\A i \\in Proc : []<>(t[i] = 0)",
    "\\A i \\in Proc : (t[i] = 1) ~> (t[i] = 2)",
    "<>[](t[p1] = {number})",
    "[]<>(\\E i \\in Proc : t[i] = {number})",
    "[]<>({condition})",
    "({condition}) ~> ({other})",
    "<>[]({condition}) => []<>({other})",
)


class Bounded(Actions):
    """Actions that stay in the sets of their variables, so that there are few states."""

    symmetric = False

    def bounded(self, name: str, value: str) -> str:
        got = self.e.name()
        return f"(LET {got} == {value} IN IF {got} \\in {BOUNDS[name]} THEN {got} ELSE {FIRST[name]})"

    def guard(self) -> str:
        return self._allowed(super().guard)

    def condition(self) -> str:
        return self._allowed(super().condition)

    def _allowed(self, write: object) -> str:
        """In a symmetric model, something that names no process."""
        for _ in range(20):
            text: str = write()  # type: ignore[operator]
            if not (self.symmetric and _NAMES.search(text)):
                return text
        return "TRUE"


def random_model(seed: int) -> RandomSpecification:
    rng = Random(f"model {seed}")
    return _Model(rng).made()


class _Model:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.kind = rng.choice(("plain", "plain", "symmetric", "view", "liveness", "liveness", "instance"))
        some = ["x", "s", "r"] if self.kind == "symmetric" else list(STATE)
        self.variables = rng.sample(some, rng.randint(1, 2))
        self.write = Bounded(rng, self.variables, rng.choice((0.0, 0.0, 0.003)))
        self.write.symmetric = self.kind == "symmetric"
        self.lines: list[str] = []
        self.config: list[str] = ["SPECIFICATION Spec"]

    def made(self) -> RandomSpecification:
        self.actions()
        self.asked()
        getattr(self, f"_{self.kind}")()
        head = HEAD.format(variables=", ".join([*self.variables, "t", "k"]))
        head = head.replace("CONSTANTS Proc,", "CONSTANTS Kind, k1, k2, none, Proc,")
        text = "\n".join([head, *self.lines, "====", ""]).replace("1000000000000", "7")  # TLC has 32 bits
        options = {"deadlock": self.rng.random() < 0.3, "continue_": False}
        return RandomSpecification(text, "\n".join([*self.config, self.constants()]), options)

    def constants(self) -> str:
        """Model values of a type cannot be compared with others; those without can."""
        p, k = self.rng.choice(("p", "P_")), self.rng.choice(("k", "K_", "P_k"))
        none = self.rng.choice(("none", "K_none", f"{k}3"))
        processes = "".join(f"p{n} = {p}{n}\n" for n in (1, 2, 3))
        sets = f"Proc = {{{p}1, {p}2, {p}3}}\nKind = {{{k}1, {k}2}}\n"
        return f"CONSTANTS\n{sets}{processes}k1 = {k}1\nk2 = {k}2\nnone = {none}\n"

    # -------------------------------------------------------------------------------------------------------- behaviour

    def actions(self) -> None:
        rng = self.rng
        mine = ", ".join(self.variables)
        starts = [f"{name} = {FIRST[name]}" for name in self.variables]
        if self.kind != "symmetric" and rng.random() < 0.4:
            starts[0] = f"{self.variables[0]} \\in {BOUNDS[self.variables[0]]}"
        initially = " /\\ ".join(starts)
        body = self.own_step()
        self.lines += [
            f"vars == <<{mine}, t, k>>",
            f"Init == {initially} /\\ t = [i \\in Proc |-> 0] /\\ k = {rng.choice(('none', 'k1'))}",
            f"Own == {body} /\\ UNCHANGED <<t, k>>",
            f"Tick(who) == t[who] < {rng.choice((1, 2, 2))} /\\ {self.tested()} /\\ t' = [t EXCEPT ![who] = @ + 1]"
            f" /\\ ({self.marked()}) /\\ UNCHANGED <<{mine}>>",
            f"Reset(who) == t[who] >= {rng.choice((1, 2))} /\\ t' = [t EXCEPT ![who] = 0] /\\ UNCHANGED <<{mine}, k>>",
            "Next == Own \\/ \\E i \\in Proc : Tick(i) \\/ Reset(i)",
        ]
        fair = rng.sample(FAIRNESS, rng.randint(0, 2)) if self.kind in ("liveness", "instance") else []
        self.lines.append("Spec == Init /\\ [][Next]_vars" + "".join(f" /\\ ({each})" for each in fair))

    def tested(self) -> str:
        return self.write.guard() if self.rng.random() < 0.3 else "TRUE"

    def own_step(self) -> str:
        """ENABLED inside an action may see next values that are none there: an error, too often."""
        for _ in range(20):
            text = self.write.action(self.rng.sample(self.variables, len(self.variables)), 2)
            if "ENABLED" not in text and (self.kind != "symmetric" or not _NAMES.search(text)):
                return text
        return f"UNCHANGED <<{', '.join(self.variables)}>>"

    def marked(self) -> str:
        """What becomes of the mark; now and then it is compared with what has another type."""
        choices = [
            "k' = IF k = none THEN k1 ELSE none",
            "k' \\in Kind",
            "k' \\in Kind \\cup {none}",
            "UNCHANGED k",
            "k' = CHOOSE e \\in Kind : e # k",
            "IF k \\in Kind THEN k' = none ELSE k' \\in {k1, k2}",
        ]
        if self.rng.random() < 0.08:
            choices = [
                "k' = IF k = who THEN k1 ELSE k",
                "k' \\in {none, k1} /\\ k' # who",
                'k\' = IF k = "k" THEN none ELSE k1',
            ]
        elif self.kind == "symmetric":
            choices = choices[:4]
        return self.rng.choice(choices)

    # ---------------------------------------------------------------------------------------------- what is asked of it

    def ask(self, section: str, name: str, body: str) -> None:
        self.lines.append(f"{name} == {body}")
        self.config.append(f"{section} {name}")

    def predicate(self) -> str:
        conditions = [
            f"t = [i \\in Proc |-> 0] \\/ {self.write.condition()}",
            self.write.condition(),
            f"k \\in Kind \\cup {{none}} /\\ {self.rng.choice(('TRUE', 'k # k2', 'k # none'))}",
            f"\\A i \\in Proc : t[i] < {self.rng.choice((2, 3, 3))}",
            "Cardinality({i \\in Proc : t[i] = 2}) < 3",
        ]
        return " \\/ ".join(f"({each})" for each in self.rng.sample(conditions, self.rng.randint(1, 3)))

    def asked(self) -> None:
        rng = self.rng
        if rng.random() < 0.6:
            self.ask("INVARIANT", "Inv", self.predicate())
        if rng.random() < 0.2:
            self.ask("CONSTRAINT", "Bound", f"(\\A i \\in Proc : t[i] < 2) \\/ {self.predicate()}")
        if rng.random() < 0.15 and self.kind != "symmetric":
            self.ask("ACTION_CONSTRAINT", "Step", f"(t' # t) \\/ {self.predicate()}")
        if rng.random() < 0.2:
            self.ask("PROPERTY", "Rule", f"[][t' # t => {self.predicate()}]_vars")

    def _plain(self) -> None:
        pass

    def _symmetric(self) -> None:
        self.ask("SYMMETRY", "Symmetry", "Permutations(Proc)")

    def _view(self) -> None:
        self.ask("VIEW", "Seen", self.rng.choice(("<<t, k>>", "t", f"<<{self.variables[0]}, t>>")))

    def _liveness(self) -> None:
        form = self.rng.choice(TEMPORAL)
        parts = {"condition": self.write.condition(), "other": self.write.condition(), "number": self.rng.randint(0, 2)}
        self.ask("PROPERTY", "Live", form.format(**parts))

    def _instance(self) -> None:
        """A module inside, seen through a substitution: of one element, or of each."""
        rng = self.rng
        fair = rng.choice(("", " /\\ WF_v(INext)"))
        self.lines.append(INNER.format(next=rng.choice(("INext", "IStep")), fair=fair, bound=rng.choice((2, 3))))
        seen = rng.choice(("t[p1]", "IF t[p2] > 0 THEN 1 ELSE 0", "Cardinality({i \\in Proc : t[i] > 0})"))
        self.lines.append(f"One == INSTANCE Inner WITH Top <- {rng.choice((1, 2))}, v <- {seen}")
        self.lines.append("Each(i) == INSTANCE Inner WITH Top <- 2, v <- t[i]")
        each = "\\A i \\in Proc : Each(i)"
        asked = {
            "PROPERTY": ("One!ISpec", "One!Again", f"{each}!ISpec", f"{each}!Again"),
            "INVARIANT": ("One!Small", f"{each}!Small"),
        }
        section = rng.choice(list(asked))
        self.ask(section, "Seen", rng.choice(asked[section]))
