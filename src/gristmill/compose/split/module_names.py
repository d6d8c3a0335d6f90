"""Names for sets of actions: the words that the names of their actions have in common, and those of others have not."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+")
_DULL = frozenset(
    "Handle Process Receive Recv Rcv Send Become Make Do On Leader Follower Node The To In Of And".split()
)


def names_of(groups: Sequence[Sequence[str]]) -> list[str]:
    """A name for each group, all different."""
    found: list[str] = []
    for number, group in enumerate(groups):
        others = [name for at, other in enumerate(groups) if at != number for name in other]
        name = _name(group, others)
        while name in found:
            name += str(number + 1)
        found.append(name)
    return found


def _words(name: str) -> list[str]:
    return [word[0].upper() + word[1:] for word in _WORD.findall(name)]


def _name(group: Sequence[str], others: Sequence[str]) -> str:
    """The phrase that most names of the group contain and few others; the name itself of a single action."""
    if len(group) == 1:
        return "".join(_words(group[0])) or "Module"
    best, most = "".join(_words(group[0])), 0.0
    for phrase in sorted({phrase for name in group for phrase in _phrases(name)}):
        inside = sum(phrase in _phrases(name) for name in group) / len(group)
        outside = sum(phrase in _phrases(name) for name in others) / max(1, len(others))
        score = inside - outside + 0.05 * len(phrase) - (0.4 if set(phrase) <= _DULL else 0)
        if score > most:
            best, most = "".join(phrase), score
    return best


def _phrases(name: str) -> set[tuple[str, ...]]:
    words = _words(name)
    return {
        tuple(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + 3, len(words)) + 1)
    }
