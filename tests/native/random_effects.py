"""Random specifications that print, keep registers, draw at random, ask where the search is, and compose actions."""

from __future__ import annotations

from random import Random

from random_specifications import Actions, RandomSpecification, random_specification

_ASKED = ("distinct", "generated", "queue", "diameter")
_POST = 'Post == PrintT(<<TLCGet(1), TLCGet(2), TLCGet("distinct"), TLCGet("generated"), TLCGet("level")>>)'


class Effects(Actions):
    """Some of the conditions do something, or ask for something."""

    def guard(self) -> str:
        return self.effect() if self.rng.random() < 0.35 else super().guard()

    def condition(self) -> str:
        return self.effect() if self.rng.random() < 0.3 else super().condition()

    def effect(self) -> str:
        rng, e = self.rng, self.e
        register, label = rng.randint(1, 2), f'"{self.name()}"'
        return rng.choice(
            (
                lambda: f"PrintT(<<{label}, {e.expression('int', 1)}>>)",
                lambda: f"PrintT(<<{label}, {e.expression(e.type(1), 1)}>>)",
                lambda: f"(({e.expression('bool', 1)}) => PrintT({label}))",
                lambda: f"(Print({label}, {e.expression('int', 1)}) > 0)",
                lambda: f"(LET u == Print({label}, {e.expression('int', 1)}) IN {e.expression('bool', 1)} \\/ u = u)",
                lambda: f"(\\E k \\in {{2, 0, 1}} : PrintT(<<{label}, k>>) /\\ k = {rng.randint(0, 3)})",
                lambda: f"({{k \\in 0..2 : PrintT(<<{label}, k>>)}} # {{}})",
                lambda: f"TLCSet({register}, (TLCGet({register}) + {rng.randint(1, 4)}) % 7)",
                lambda: f"TLCSet({register}, {e.expression('int', 1)})",
                lambda: f"(TLCGet({register}) # {rng.randint(0, 6)})",
                lambda: f'(TLCGet("level") % 4 # {rng.randint(0, 3)})',
                lambda: f'(TLCGet("{rng.choice(_ASKED)}") % 5 # 0)',
                lambda: f"(RandomElement({{1, 2, 3}}) # {rng.randint(1, 4)})",
                lambda: "(Len(Trace) % 3 # 1)",
            )
        )()


class Printing(Actions):
    """Actions print, and predicates do not."""

    def guard(self) -> str:
        return self.output() if self.rng.random() < 0.4 else super().guard()

    def output(self) -> str:
        rng, e = self.rng, self.e
        label = f'"{self.name()}"'
        return rng.choice(
            (
                lambda: f"PrintT(<<{label}, {e.expression('int', 1)}>>)",
                lambda: f"PrintT(<<{label}, {e.expression(e.type(1), 1)}, ToString({e.expression('int', 1)})>>)",
                lambda: f'PrintT({label} \\o " is " \\o ToString({e.expression(e.type(1), 1)}))',
                lambda: f"(({e.expression('bool', 1)}) => PrintT({label}))",
                lambda: f"(PrintT({label}) /\\ {e.expression('bool', 1)})",
                lambda: f"(Print({label}, {e.expression('int', 1)}) > 0)",
                lambda: f"Print({label}, {e.expression('bool', 1)})",
                lambda: f"(LET u == Print({label}, {e.expression('int', 1)}) IN {e.expression('bool', 1)} \\/ u = u)",
                lambda: f"(\\E k \\in {{2, 0, 1}} : PrintT(<<{label}, k>>) /\\ k = {rng.randint(0, 3)})",
                lambda: f"({{k \\in 0..2 : PrintT(<<{label}, k>>)}} # {{}})",
                lambda: f'(PrintT({label}) /\\ TLCGet("level") % 4 # {rng.randint(0, 3)})',
            )
        )()


def random_printing(seed: int) -> RandomSpecification:
    return random_specification(seed, Printing)


def random_effects(seed: int) -> RandomSpecification:
    made = random_specification(seed, Effects)
    rng = Random(f"further {seed}")
    text = made.text.replace("Folds, Bags", "Folds, TLCExt, Bags")
    more = ["ASSUME TLCSet(1, 0) /\\ TLCSet(2, 0)", _POST]
    if rng.random() < 0.3 and "A1 ==" in text:
        more.append("Composed == Next \\/ (A0 \\cdot A1) \\/ (\\E k \\in 0..1 : (A1 /\\ k = 0) \\cdot A0)")
        made.config = made.config.replace("NEXT Next", "NEXT Composed")
    text = text.replace("\n====", "\n" + "\n".join(more) + "\n====")
    return RandomSpecification(
        text, made.config + "POSTCONDITION Post\n", {**made.options, "continue_": False, "seed": seed}
    )
