"""Generated C, cut into several files, so that several compilers can work on it at the same time.

The generator writes declarations, then functions, then tables. Functions stay in their order, as one is mostly written
next to those that it calls; each file gets about as much text as the others, and declares what it mentions. Whatever
is called from another file is no longer `static`, but hidden: to a function in the same library it costs the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from gristmill.source.quick_dataclass import dataclass

_LEAST = 20_000  # characters for a file of its own: what is the same in all files takes the time of about as many

_STATIC = "static "
_SHARED = '__attribute__((visibility("hidden"))) '
_FUNCTION = re.compile(r"^static [^\n;={}]*?\b(\w+)\([^\n;{}]*\) \{\n.*?^\}\n", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(r"\b(\w+)(?:\(|\[\] = |;$)")
_CONSTANTS = "static const V *K;"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class _Parts:
    """`lines`: before all declarations. `declared`: these, by name."""

    lines: tuple[str, ...]
    declared: dict[str, str]
    functions: tuple[_Function, ...]
    tables: str


def cut(text: str, most: int) -> dict[str, str]:
    """By file name. One file if it is short, or not of the form that is expected."""
    count = min(most, len(text) // _LEAST)
    parts = _parts(text) if count > 1 else None
    if parts is None or len(parts.functions) < count:
        return {"generated.c": text}
    return {f"generated{number}.c": each for number, each in enumerate(_files(parts, count))}


def _parts(text: str) -> _Parts | None:
    found = list(_FUNCTION.finditer(text))
    if not found or any(text[a.end() : b.start()].strip() for a, b in pairwise(found)):
        return None
    before = text[: found[0].start()].splitlines()
    if _CONSTANTS not in before:
        return None
    place = before.index(_CONSTANTS)
    declared: dict[str, str] = {}
    for line in filter(None, before[place + 1 :]):
        name = _DECLARED.search(line)
        if name is None or not line.startswith(_STATIC) or not line.endswith(";"):
            return None
        declared[name[1]] = line
    functions = tuple(_Function(each[1], each[0]) for each in found)
    if not all(each.name in declared for each in functions):
        return None
    return _Parts(tuple(before[:place]), declared, functions, text[found[-1].end() :])


def _files(parts: _Parts, count: int) -> Iterator[str]:
    groups = _groups(parts.functions, count)
    words = [_words(function.text for function in group) for group in groups]
    words[-1] |= _words([parts.tables])
    home = {function.name: number for number, group in enumerate(groups) for function in group}
    shared = {name for number, mentioned in enumerate(words) for name in mentioned if home.get(name, number) != number}
    for number, (group, mentioned) in enumerate(zip(groups, words, strict=True)):
        constants = _SHARED + _CONSTANTS.removeprefix(_STATIC)
        lines = [*parts.lines, constants if number == 0 else f"extern {constants}", ""]
        lines += (_visible(line, name in shared) for name, line in parts.declared.items() if name in mentioned)
        functions = (_visible(each.text, each.name in shared) for each in group)
        yield "\n".join((*lines, "", *functions, parts.tables if number == len(groups) - 1 else ""))


def _groups(functions: Sequence[_Function], count: int) -> list[list[_Function]]:
    """So many, one after the other, with about the same length of text."""
    groups: list[list[_Function]] = [[] for _ in range(count)]
    share = sum(len(each.text) for each in functions) / count
    done = 0
    for function in functions:
        groups[min(count - 1, int((done + len(function.text) / 2) / share))].append(function)
        done += len(function.text)
    return [group for group in groups if group]


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text)}


def _visible(text: str, is_shared: bool) -> str:
    return _SHARED + text.removeprefix(_STATIC) if is_shared else text
