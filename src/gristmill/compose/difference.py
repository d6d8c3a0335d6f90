"""What it takes to get from one mix to another: lines, variables and actions (Remix, table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gristmill.compose.build.composer import composition
from gristmill.compose.system import Composition, Mix, System


@dataclass(frozen=True, slots=True)
class Change:
    """How many there are afterwards, and which are new or gone."""

    count: int
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def net(self) -> int:
        return len(self.added) - len(self.removed)


@dataclass(frozen=True, slots=True)
class Difference:
    """Between two compositions. Lines are those of the text, without comments and empty ones."""

    before: str
    after: str
    lines: int
    lines_added: int
    lines_removed: int
    variables: Change
    actions: Change
    invariants: Change


def difference(system: System, before: tuple[str, Mix], after: tuple[str, Mix]) -> Difference:
    """Between two mixes, each with its name. Raises `SourceError`."""
    one, other = (composition(system, mix) for _, mix in (before, after))
    old, new = _lines(one.text), _lines(other.text)
    added, removed = _changed(old, new)
    return Difference(
        before[0],
        after[0],
        len(new),
        added,
        removed,
        _change(one.variables, other.variables),
        _change(_actions(one), _actions(other)),
        _change((each.name for each in one.invariants), (each.name for each in other.invariants)),
    )


def _actions(composed: Composition) -> list[str]:
    return [each.name for each in composed.actions]


def _change(before: Iterable[str], after: Iterable[str]) -> Change:
    old, new = dict.fromkeys(before), dict.fromkeys(after)
    return Change(
        len(new), tuple(each for each in new if each not in old), tuple(each for each in old if each not in new)
    )


def _lines(text: str) -> list[str]:
    """Lines that say something, without the first and the last, which name the module."""
    lines = [" ".join(line.split("\\*")[0].split()) for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(("----", "====", "(*"))]


def _changed(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    added = removed = 0
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            removed += b - a
            added += d - c
    return added, removed
