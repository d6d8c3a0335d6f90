"""What may be written at a place: names in scope, words of the language, modules, fields, operators behind `\\`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from gristmill.language.algorithm import region_of
from gristmill.language.analysis import Analysis, in_text_of
from gristmill.language.describe import kind_of
from gristmill.language.targets import AlgorithmPart, Target, name_span
from gristmill.language.words import KEYWORDS, MEANINGS, PLUSCAL_WORDS, PROOF_WORDS
from gristmill.language.workspace import Workspace
from gristmill.modules.resolve.suggestions import library_index
from gristmill.modules.symbols import Fact, NamedInstance, Symbol, origin
from gristmill.source import Span
from gristmill.syntax import tree
from gristmill.syntax.token import IDENTIFIER, SYMBOL_KINDS

CompletionKind = Literal["name", "keyword", "module", "field", "operator", "label"]

_MODULE_LIST = re.compile(r"(?:\bEXTENDS\s+(?:\w+\s*,\s*)*|\bINSTANCE\s+)\w*\Z")
_MEMBER = re.compile(r"((?:\w+!)+)\w*\Z")
_FIELD = re.compile(r"[\w\])]\.\w*\Z")
_SYMBOL = re.compile(r"\\[A-Za-z]*\Z")
_GOTO = re.compile(r"\bgoto\s+\w*\Z")
_CALL = re.compile(r"\bcall\s+\w*\Z")
_LOOK_BACK = 2000


@dataclass(frozen=True, slots=True)
class Completion:
    """`rank`: the smaller, the more likely; `target` for what has a description of its own."""

    text: str
    kind: CompletionKind
    detail: str = ""
    rank: int = 0
    target: Target | None = None
    document: str | None = None


def completions(workspace: Workspace, analysis: Analysis, offset: int) -> list[Completion]:
    before = analysis.text[max(0, offset - _LOOK_BACK) : offset]
    line = before[before.rfind("\n") + 1 :]
    if _MODULE_LIST.search(before):
        return [Completion(name, "module", "module") for name in workspace.known_modules(analysis.path)]
    member = _MEMBER.search(line)
    if member is not None:
        return list(_members(workspace, analysis, member[1].rstrip("!")))
    if _SYMBOL.search(line):
        return list(_symbols())
    in_algorithm = _in_algorithm(analysis, offset)
    if _FIELD.search(line):
        return [Completion(name, "field", "field") for name in _fields(analysis)]
    if in_algorithm and (_GOTO.search(line) or _CALL.search(line)):
        wanted = "label" if _GOTO.search(line) else "procedure"
        return [Completion(part.name, "label", kind_of(part), 0, part) for part in _parts(workspace, analysis, wanted)]
    if _in_comment(analysis, offset) and not in_algorithm:
        return []
    found: dict[str, Completion] = {}
    for each in (*_names(workspace, analysis, offset, in_algorithm), *_words(in_algorithm)):
        found.setdefault(each.text, each)
    return list(found.values())


def _names(workspace: Workspace, analysis: Analysis, offset: int, in_algorithm: bool) -> Iterator[Completion]:
    """Innermost first: bound names and parameters, then those of the module, then what the library has to offer."""
    yield from _local(analysis, offset)
    if in_algorithm and analysis.algorithm is not None:
        for name, target in analysis.algorithm.declared.items():
            yield Completion(name, "name", kind_of(target), 1, target)
        for part in _parts(workspace, analysis, "macro"):
            yield Completion(part.name, "name", kind_of(part), 1, part)
    for known in (analysis, workspace.last_whole(analysis.path)):
        if known is not None and known.root is not None:
            for symbol in known.root.symbols():
                if _is_word(symbol.name) and _known_at(known, symbol, offset, in_algorithm):
                    yield Completion(symbol.name, "name", _detail(symbol), 2, symbol)
    for name, module in library_index().items():
        if _is_word(name) and not name.startswith("_") and not module.startswith("_"):
            yield Completion(name, "name", f"of the module {module}, which is not extended", 9)


def _known_at(analysis: Analysis, symbol: Symbol, offset: int, in_algorithm: bool) -> bool:
    """Whether a definition of this text stands before the place; all others come from other modules."""
    span = name_span(symbol)
    if span is None or isinstance(symbol, Fact):
        return span is not None
    seen = in_text_of(analysis.file, span)
    return seen is None or seen[1] < offset or in_algorithm


def _is_word(name: str) -> bool:
    return name[:1].isalpha() or name[:1] == "_"


def _detail(symbol: Target) -> str:
    params = getattr(symbol, "params", ())
    shown = f"({', '.join(each.name for each in params)})" if params else ""
    return f"{shown} {kind_of(symbol)}".strip()


def _local(analysis: Analysis, offset: int) -> Iterator[Completion]:
    """Names that are bound around the place; in a definition that does not parse, all names that stand in it."""
    unit = _unit_around(analysis, offset)
    if unit is not None:
        for span, names in _bindings(unit):
            if span.start <= offset <= span.end:
                yield from (Completion(name, "name", "bound here", 0) for name in names)
    else:
        for name in _names_of_broken(analysis, offset):
            yield Completion(name, "name", "in this definition", 3)


def _unit_around(analysis: Analysis, offset: int) -> object | None:
    waiting = list(analysis.root.node.units) if analysis.root is not None else []
    while waiting:
        unit = waiting.pop()
        seen = in_text_of(analysis.file, unit.span)
        if seen is not None and seen[0] <= offset <= seen[1]:
            if not isinstance(unit, tree.Module):
                return unit
            waiting = list(unit.units)
    return None


def _bindings(unit: object) -> Iterator[tuple[Span, list[str]]]:
    """Every node that binds names, with these names."""
    waiting: list[Any] = [unit]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif hasattr(node, "__dataclass_fields__"):
            names = [name.name for bound in _bounds(node) for name in bound.names]
            names += [each.name for each in getattr(node, "params", ()) if not isinstance(node, tree.Recursive)]
            if isinstance(node, tree.Let):
                names += [each.name for each in node.definitions if not isinstance(each, tree.Recursive)]
            if names:
                yield node.span, names
            waiting.extend(getattr(node, name) for name in node.__dataclass_fields__)


def _bounds(node: Any) -> Iterable[tree.Bound]:
    bounds = getattr(node, "bounds", None)
    return bounds if bounds is not None else [node.bound] if hasattr(node, "bound") else []


def _names_of_broken(analysis: Analysis, offset: int) -> list[str]:
    """The identifiers from the last line that begins at the margin up to the place."""
    text = analysis.text
    start = text.rfind("\n", 0, offset) + 1
    while start > 0 and text[start : start + 1] in (" ", "\t", "\n", "\r", "/", "\\"):
        start = text.rfind("\n", 0, start - 1) + 1
    tokens = analysis.tokens
    return [
        tokens.text(index)
        for index, kind in enumerate(tokens.kinds)
        if kind == IDENTIFIER and start <= tokens.starts[index] and tokens.ends[index] < offset
    ]


def _members(workspace: Workspace, analysis: Analysis, path: str) -> Iterator[Completion]:
    """What stands behind `I!`."""
    for known in (analysis, workspace.last_whole(analysis.path)):
        if known is None or known.root is None:
            continue
        first, *rest = path.split("!")
        symbol = known.root.names.get(first)
        for part in rest:
            symbol = symbol.find(part) if isinstance(symbol, NamedInstance) else None
        if isinstance(symbol, NamedInstance):
            for name in symbol.names():
                found = symbol.find(name)
                if found is not None and _is_word(name):
                    yield Completion(name, "name", _detail(found), 6 if _of_library(found) else 0, found)
            return


def _of_library(symbol: Symbol) -> bool:
    home = origin(symbol).module
    return home is not None and home.is_library


def _symbols() -> Iterator[Completion]:
    for symbol, name in SYMBOL_KINDS.items():
        if len(symbol) > 1 and symbol.startswith("\\") and symbol[1].isalpha():
            yield Completion(symbol, "operator", name if name != symbol else "", document=MEANINGS.get(name))


def _fields(analysis: Analysis) -> list[str]:
    """The fields of records anywhere in the text: `[name |->`, `, name :`, `.name`."""
    found = re.findall(r"\b([A-Za-z_]\w*)\s*(?:\|->|:(?![:=>]))|(?<=[\w\])])\.([A-Za-z_]\w*)", analysis.text)
    return sorted({name for pair in found for name in pair if name})


def _parts(workspace: Workspace, analysis: Analysis, kind: str) -> list[AlgorithmPart]:
    for known in (analysis, workspace.last_whole(analysis.path)):
        if known is not None and known.algorithm is not None:
            return [part for part in known.algorithm.parts if part.kind == kind]
    return []


def _words(in_algorithm: bool) -> Iterator[Completion]:
    for word in PLUSCAL_WORDS if in_algorithm else ():
        yield Completion(word, "keyword", "PlusCal", 4)
    for word in KEYWORDS:
        yield Completion(word, "keyword", "", 5, document=MEANINGS.get(word))
    for word in () if in_algorithm else PROOF_WORDS:
        yield Completion(word, "keyword", "", 8)


def _in_comment(analysis: Analysis, offset: int) -> bool:
    return any(start < offset <= end for start, end in analysis.tokens.comments)


def _in_algorithm(analysis: Analysis, offset: int) -> bool:
    """Whether a place is in an algorithm, also in one that does not parse."""
    region = region_of(analysis.file)
    return region is not None and region[0] <= offset <= region[1]
