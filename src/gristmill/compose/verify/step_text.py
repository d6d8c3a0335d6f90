"""What every step of a fine action must be, as definitions at the end of a composition.

Seen_1 == a coarse action, which leaves what its file does not declare, of all that others see, as it is
Coarse_1 == the same as an action of the composition, to say where it would have led
Invisible == nothing that others see changes
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent

from gristmill.compose.system import ComposedAction, Composition

_END = re.compile(r"^={4,}\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StepText:
    """A composition with formulas of steps, which the configuration names as constraints of steps."""

    text: str
    config: str
    invisible: str
    seen: tuple[str, ...]  # for each coarse action
    coarse: tuple[str, ...]


def with_steps(composition: Composition, observed: Sequence[str], slices: Mapping[str, str]) -> StepText:
    """`observed`: variables that others see, unknowns among them; `slices`: in place of some, what they see of them."""
    prefix = _fresh("Step", composition.text)
    actions = composition.also
    seen = [f"{prefix}_Seen_{number}" for number in range(len(actions))]
    coarse = [f"{prefix}_Coarse_{number}" for number in range(len(actions))]
    invisible = f"{prefix}_Invisible"
    lines = [f"{invisible} == {_unchanged(observed, slices)}"]
    for action, name, whole in zip(actions, seen, coarse, strict=True):
        lines += _definitions(action, name, whole, observed, slices)
    formulas = [invisible, *seen, *coarse]
    *_, end = _END.finditer(composition.text)
    text = composition.text[: end.start()] + "\n".join(lines) + "\n\n" + composition.text[end.start() :]
    config = composition.config + "ACTION_CONSTRAINTS " + " ".join(formulas) + "\n"
    return StepText(text, config, invisible, tuple(seen), tuple(coarse))


def _definitions(
    action: ComposedAction, seen: str, whole: str, observed: Sequence[str], slices: Mapping[str, str]
) -> list[str]:
    formula = indent(action.formula, "    ")
    frame = [name for name in action.frame if name in observed]
    return [
        f"{seen}_Formula ==\n{formula}",
        f"{seen} == {seen}_Formula /\\ {_unchanged(frame, slices)}",
        f"{whole} == {seen}_Formula /\\ {_unchanged(action.frame)}",
    ]


def _unchanged(names: Sequence[str], slices: Mapping[str, str] = {}) -> str:
    whole = [name for name in names if name not in slices]
    parts = [f"UNCHANGED <<{', '.join(whole)}>>"] if whole else []
    parts += [f"({slices[name]})' = ({slices[name]})" for name in names if name in slices]
    return " /\\ ".join(parts) or "TRUE"


def _fresh(name: str, text: str) -> str:
    while re.search(rf"\b{name}_", text):
        name += "_"
    return name
