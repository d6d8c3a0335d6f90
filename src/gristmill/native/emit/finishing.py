"""What is decided of a program when all of it is written: which versions of continuations are called, and what is used.

Branches of an action that lead to the same continuation leave different slots untouched (`actions.Solver.share`). A
version that takes few slots for untouched does for all branches, if those copy the others before they call it. Which
version takes the fewest is known in the end; until then there is a mark in the place of the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

_MARK = "continue_with_"
_CALL = re.compile(rf"^( *){_MARK}(\d+);$", re.MULTILINE)
_NAME = re.compile(r"[a-z]+_\d+")  # of what all functions see
_DECLARED = re.compile(r"(\w+)[(\[]")

Versions = Mapping[frozenset[int], str]  # names of functions, by the slots that they take for untouched


class Calls:
    """Calls that are written in the end."""

    def __init__(self) -> None:
        self._calls: list[tuple[Versions, frozenset[int]]] = []

    def mark(self, versions: Versions, untouched: frozenset[int]) -> str:
        """What stands for the call until then. `untouched`: slots where it is; `versions` may still grow."""
        self._calls.append((versions, untouched))
        return f"{_MARK}{len(self._calls) - 1};"

    def have_choice(self) -> bool:
        return any(len(versions) > 1 for versions, _ in self._calls)

    def written(self, text: str) -> str:
        """A function with its calls in the place of their marks."""
        return _CALL.sub(self._call, text) if _MARK in text else text

    def _call(self, mark: re.Match[str]) -> str:
        versions, untouched = self._calls[int(mark[2])]
        least = min(versions, key=len)
        lines = (*copies(untouched - least), f"{versions[least]}(w, f);")
        return "\n".join(mark[1] + line for line in lines)


def copies(slots: Iterable[int]) -> Iterator[str]:
    """Statements that copy slots from this state to the next one."""
    for first, count in _runs(slots):
        if count <= 4:
            for slot in range(first, first + count):
                yield f"w->next[{slot}] = w->current[{slot}];"
        else:
            yield f"memcpy(w->next + {first}, w->current + {first}, {count} * sizeof(V));"


def _runs(slots: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow one another: the first, and how many."""
    for _, run in groupby(enumerate(sorted(slots)), key=lambda pair: pair[1] - pair[0]):
        found = [slot for _, slot in run]
        yield found[0], len(found)


def used(declarations: Sequence[str], functions: Sequence[str], tables: str) -> tuple[list[str], list[str]]:
    """Declarations and functions that are reached from the tables."""
    texts = {_declared(text): text for text in functions}
    names = {name: set(_NAME.findall(text)) for name, text in texts.items()}
    waiting = [name for name in texts if not _NAME.fullmatch(name)]  # what is named otherwise is never left out
    waiting += _NAME.findall(tables)
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += names.get(name, ())
    return (
        [line for line in declarations if (name := _declared(line)) in reached or not _NAME.fullmatch(name)],
        [text for name, text in texts.items() if name in reached],
    )


def _declared(text: str) -> str:
    found = _DECLARED.search(text)
    assert found is not None
    return found[1]
