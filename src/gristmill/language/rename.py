"""Giving something another name, everywhere at once: in modules, in algorithms, in configurations.

Nobody wants a specification that means something else afterwards. So the new texts are analysed before they are handed
out: there must be no error that was not there before, and the new name must denote in each place what the old one did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gristmill.language.algorithm import translation_of
from gristmill.language.analysis import Analysis
from gristmill.language.configurations import mentions
from gristmill.language.navigation import Found, modules_to_search, referring, target_at
from gristmill.language.places import Place, identity
from gristmill.language.targets import Target, origin_of
from gristmill.language.words import PLUSCAL_WORDS
from gristmill.language.workspace import Workspace
from gristmill.modules.builtins import BUILT_INS
from gristmill.modules.loader import LIBRARY
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import BuiltIn, Fact, Label, ProofStep
from gristmill.pluscal import translate
from gristmill.source import Diagnostic, SourceFile
from gristmill.syntax.token import KEYWORDS

_NAME = re.compile(r"[0-9_]*[A-Za-z][0-9A-Za-z_]*")


class NotRenamed(Exception):
    """Why something cannot have that name; for people."""


@dataclass(frozen=True, slots=True)
class Edit:
    start: int
    end: int
    text: str


Edits = dict[str, list[Edit]]


def renameable(workspace: Workspace, analysis: Analysis, offset: int) -> Found:
    """The name at an offset, if it can be given another. Raises `NotRenamed`."""
    found = target_at(workspace, analysis, offset)
    if found is None:
        raise NotRenamed("there is no name here that could be changed")
    if not found.certain:
        raise NotRenamed("this definition does not parse; nothing can be renamed in it before that is mended")
    refuse(workspace, found.target)
    return found


def refuse(workspace: Workspace, target: Target) -> None:
    own = origin_of(target)
    if isinstance(own, BuiltIn):
        raise NotRenamed(f"`{own.name}` is part of the language")
    if isinstance(own, ResolvedModule):
        raise NotRenamed("the name of a module is that of its file: rename the file, then the module in it")
    if isinstance(own, ProofStep | Label) or (isinstance(own, Fact) and own.kind == "step"):
        raise NotRenamed("steps of proofs and labels of expressions keep their names")
    if not _NAME.fullmatch(own.name):
        raise NotRenamed(f"`{own.name}` is a symbol, not a name")
    place = identity(workspace, target)
    if place is None or place.path.startswith(str(LIBRARY)):
        raise NotRenamed(f"`{own.name}` is defined in a module of the library, which cannot be changed")
    file = workspace.files.find(place.path)
    region = translation_of(file) if file is not None else None
    if region is not None and region[0] <= place.start < region[1]:
        raise NotRenamed(f"`{own.name}` is made by the translation of the algorithm, which would write it again")
    if file is not None and file.text[place.start : place.end] != own.name:
        raise NotRenamed(f"`{own.name}` is made by the translation of the algorithm, and not written anywhere")


def rename(workspace: Workspace, analysis: Analysis, offset: int, new_name: str) -> Edits:
    """All edits, by file. Raises `NotRenamed`."""
    found = renameable(workspace, analysis, offset)
    old = origin_of(found.target).name
    refuse_name(new_name)
    if new_name == old:
        return {}
    wanted = identity(workspace, found.target)
    assert wanted is not None
    paths = modules_to_search(workspace, analysis)
    places = {place for place, _ in referring(workspace, wanted, old, paths)}
    places |= _in_configurations(workspace, wanted, old, paths)
    edits = _edits(workspace, places, new_name)
    _check(workspace, edits, wanted, new_name, len(places), _affected(workspace, paths, [old, new_name], edits))
    return edits


def _affected(workspace: Workspace, paths: Iterable[str], names: Iterable[str], edits: Edits) -> list[str]:
    """Modules that could mean something else now: they mention one of the names, or a module that changes."""
    words = [*names, *(Path(path).stem for path in edits)]
    return [path for path in paths if any(word in _text(workspace, path) for word in words)]


def refuse_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.startswith(("WF_", "SF_")):
        raise NotRenamed(f"`{name}` is not a name: letters, digits and _, at least one letter, not WF_ or SF_ first")
    if name in KEYWORDS or name in BUILT_INS or name in PLUSCAL_WORDS:
        raise NotRenamed(f"`{name}` is a word of the language")


def _in_configurations(workspace: Workspace, wanted: Place, name: str, paths: Iterable[str]) -> set[Place]:
    """Configurations name what a root module knows, under the name it has there."""
    found: set[Place] = set()
    for path in paths:
        file = workspace.files.find(path)
        spans = mentions(workspace, file, name) if file is not None else []
        analysis = workspace.find(path) if spans else None
        symbol = analysis.root.names.get(name) if analysis is not None and analysis.root is not None else None
        if symbol is not None and identity(workspace, symbol) == wanted:
            found |= {Place(span.file.path, span.start, span.end) for span in spans}
    return found


def _edits(workspace: Workspace, places: Iterable[Place], new_name: str) -> Edits:
    edits: Edits = {}
    for place in sorted(places):
        edits.setdefault(place.path, []).append(Edit(place.start, place.end, new_name))
    for path, own in edits.items():
        file = workspace.files.find(path)
        region = translation_of(file) if file is not None else None
        if file is not None and region is not None and path.endswith(".tla"):
            edits[path] = _translated_again(file, own, region)
    return edits


def _translated_again(file: SourceFile, edits: list[Edit], region: tuple[int, int]) -> list[Edit]:
    """Where the algorithm changes, its translation is made anew; it is the translator who writes there."""
    outside = [edit for edit in edits if not region[0] <= edit.start < region[1]]
    changed = applied(file.text, outside)
    translation = translate(SourceFile(file.path, changed))
    if translation.text is None:
        return edits
    start = file.text.rfind("\n", 0, region[0] - 1) + 1  # the marker has a checksum
    before = applied(file.text[:start], [edit for edit in outside if edit.end <= start])
    behind = applied(file.text, [edit for edit in outside if edit.start >= region[1]])[region[1] :]
    if not translation.text.startswith(before) or not translation.text.endswith(behind):
        return edits
    made = translation.text[len(before) : len(translation.text) - len(behind)]
    return sorted([*outside, Edit(start, region[1], made)], key=lambda edit: edit.start)


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


# --------------------------------------------------------------------------------------------- does it mean the same?


def _check(workspace: Workspace, edits: Edits, wanted: Place, new_name: str, count: int, paths: Iterable[str]) -> None:
    """In a workspace of its own, with the new texts. Raises `NotRenamed`."""
    changed: Mapping[str, str] = {path: applied(_text(workspace, path), own) for path, own in edits.items()}
    tried = Workspace(workspace.folders, map(str, workspace.search_path))
    for path in workspace.files.open_paths:
        tried.files.open(path, _text(workspace, path))
    for path, text in changed.items():
        tried.files.open(path, text)
    for path in paths:
        before, after = workspace.find(path), tried.find(path)
        if before is not None and after is not None:
            _refuse_new_errors(before, after, new_name)
    moved = Place(wanted.path, _moved(wanted.start, edits.get(wanted.path, [])), 0)
    moved = moved._replace(end=moved.start + len(new_name))
    found = {place for place, _ in referring(tried, moved, new_name, paths)}
    found |= _in_configurations(tried, moved, new_name, paths)
    if len(found) != count and not any(_has_translation(tried, path) for path in changed):
        raise NotRenamed(f"`{new_name}` would not mean the same everywhere: it has another meaning in some places")


def _refuse_new_errors(before: Analysis, after: Analysis, new_name: str) -> None:
    if _errors(after) > _errors(before):
        known = {each.message for each in before.diagnostics}
        new: Diagnostic | None = next(
            (each for each in after.diagnostics if each.severity == "error" and each.message not in known), None
        )
        told = f": {new.message} ({new.span})" if new is not None else ""
        raise NotRenamed(f"with the name `{new_name}` there would be an error{told}")


def _errors(analysis: Analysis) -> int:
    return sum(each.severity == "error" for each in analysis.diagnostics)


def _moved(offset: int, edits: Iterable[Edit]) -> int:
    return offset + sum(len(edit.text) - (edit.end - edit.start) for edit in edits if edit.end <= offset)


def _text(workspace: Workspace, path: str) -> str:
    file = workspace.files.find(path)
    return "" if file is None else file.text


def _has_translation(workspace: Workspace, path: str) -> bool:
    file = workspace.files.find(path)
    return file is not None and translation_of(file) is not None
