"""Going to definitions, and finding all that refers to one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gristmill.language.analysis import Analysis
from gristmill.language.places import Place, identity, place_of
from gristmill.language.targets import Target
from gristmill.language.workspace import Workspace
from gristmill.modules.symbols import NamedInstance

_WORD = re.compile(r"\w+")
_PATH = re.compile(r"(?:\w+!)*\w+")


@dataclass(frozen=True, slots=True)
class Found:
    """A name in a text and what it denotes. `certain` is false for one looked up in a text that does not parse."""

    start: int
    end: int
    target: Target
    certain: bool = True


def target_at(workspace: Workspace, analysis: Analysis, offset: int) -> Found | None:
    """What the name at an offset denotes.

    In a definition that does not parse, names are looked up among those of the module, as it is or was last.
    """
    occurrence = analysis.occurrence_at(offset)
    if occurrence is not None:
        return Found(occurrence.start, occurrence.end, occurrence.target)
    if analysis.is_whole:
        return None
    word = path_at(analysis.text, offset)
    if word is None:
        return None
    for known in (analysis, workspace.last_whole(analysis.path)):
        target = None if known is None else lookup(known, word[2])
        if target is not None:
            return Found(word[0], word[1], target, certain=False)
    return None


def lookup(analysis: Analysis, name: str) -> Target | None:
    """A name, perhaps a compound one, as it is known at the end of a module."""
    if analysis.root is None:
        return None
    first, *rest = name.split("!")
    symbol = analysis.root.names.get(first)
    for part in rest:
        symbol = symbol.find(part) if isinstance(symbol, NamedInstance) else None
    if symbol is None and analysis.algorithm is not None:
        return analysis.algorithm.declared.get(name)
    return symbol


def path_at(text: str, offset: int) -> tuple[int, int, str] | None:
    """The word at an offset, with the instances before it: (start of the word, its end, `I!Op`)."""
    start = text.rfind("\n", 0, offset) + 1
    stop = text.find("\n", offset)
    for found in _PATH.finditer(text, start, len(text) if stop < 0 else stop):
        if found.start() <= offset <= found.end():
            for word in _WORD.finditer(text, found.start(), found.end()):
                if word.start() <= offset <= word.end():
                    return word.start(), word.end(), text[found.start() : word.end()]
    return None


def definition(workspace: Workspace, analysis: Analysis, offset: int) -> Place | None:
    found = target_at(workspace, analysis, offset)
    return None if found is None else place_of(workspace, found.target)


def references(workspace: Workspace, analysis: Analysis, offset: int, declaration: bool = True) -> list[Place]:
    """Every place that names what the name at an offset denotes, in all modules of the workspace."""
    found = target_at(workspace, analysis, offset)
    if found is None:
        return []
    wanted = identity(workspace, found.target)
    if wanted is None:  # part of the language: in this module only
        return [
            Place(analysis.path, each.start, each.end)
            for each in analysis.occurrences
            if each.target is found.target and (declaration or not each.defines)
        ]
    places = {
        place: None
        for place, defines in referring(workspace, wanted, found.target.name, modules_to_search(workspace, analysis))
        if declaration or not defines
    }
    return sorted(places)


def modules_to_search(workspace: Workspace, analysis: Analysis) -> list[str]:
    return list(dict.fromkeys([analysis.path, *workspace.modules()]))


def referring(workspace: Workspace, wanted: Place, name: str, paths: Iterable[str]) -> Iterator[tuple[Place, bool]]:
    """Places that name the definition at `wanted`, and whether each of them is where it is introduced.

    A file is looked at only if the name stands in it: all others cannot refer to it.
    """
    for path in dict.fromkeys([wanted.path, *paths]):
        file = workspace.files.find(path)
        if file is None or name not in file.text:
            continue
        analysis = workspace.find(path)
        if analysis is None:
            continue
        for each in analysis.occurrences:
            if each.target.name == name and identity(workspace, each.target) == wanted:
                yield Place(path, each.start, each.end), each.defines


def highlights(workspace: Workspace, analysis: Analysis, offset: int) -> list[Place]:
    """The places in one file that name the same thing."""
    found = target_at(workspace, analysis, offset)
    if found is None:
        return []
    wanted = identity(workspace, found.target)
    return [
        Place(analysis.path, each.start, each.end)
        for each in analysis.occurrences
        if each.target is found.target
        or (wanted is not None and each.target.name == found.target.name and identity(workspace, each.target) == wanted)
    ]
