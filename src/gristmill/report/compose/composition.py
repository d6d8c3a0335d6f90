"""What a composition consists of, what is checked in it, and what is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gristmill.compose.system import Composition


def mix_text(mix: Mapping[str, str]) -> str:
    return ", ".join(f"{module} {grain}" for module, grain in mix.items())


def render_composition(composed: Composition) -> str:
    """A few lines; whatever is left out is said, with the reason."""
    actions = len(dict.fromkeys(action.name for action in composed.actions))
    lines = [f"{composed.name}: {mix_text(composed.mix)}"]
    lines.append(f"  {_count(actions, 'action')}, {_count(len(composed.variables), 'variable')}")
    if composed.invariants:
        lines += _wrapped("  Invariants: ", [each.name for each in composed.invariants])
    else:
        lines.append("  Invariants: none")
    lines += [f"  Not checked: {each.invariant.name}; {each.reason}" for each in composed.unavailable]
    if composed.dropped:
        lines += _wrapped("  Left out, since nobody reads them: ", composed.dropped)
    return "\n".join(lines) + "\n"


def composition_document(composed: Composition) -> dict[str, Any]:
    return {
        "name": composed.name,
        "mix": dict(composed.mix),
        "variables": list(composed.variables),
        "dropped": list(composed.dropped),
        "lost": [{"variable": each, "reason": composed.lost_because.get(each, "")} for each in composed.lost],
        "actions": [
            {"name": each.name, "module": each.module, "grain": each.grain, "file": each.file.name}
            for each in composed.actions
        ],
        "invariants": [each.name for each in composed.invariants],
        "not_checked": [{"invariant": each.invariant.name, "reason": each.reason} for each in composed.unavailable],
        "constraints": list(composed.constraints),
    }


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _wrapped(label: str, names: Iterable[str], width: int = 100) -> list[str]:
    lines = [label]
    for number, name in enumerate(names):
        piece = f"{', ' if number else ''}{name}"
        if len(lines[-1]) + len(piece) > width:
            lines[-1] += ","
            lines.append(" " * len(label))
            piece = name
        lines[-1] += piece
    return lines
