"""What each stretch of a text is, for colours that know the meaning of names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gristmill.language.algorithm import region_of
from gristmill.language.analysis import Analysis
from gristmill.language.targets import AlgorithmPart, Target, origin_of
from gristmill.language.words import PLUSCAL_WORDS
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Fact,
    Label,
    NamedInstance,
    NewDeclaration,
    Operator,
    Parameter,
    ProofStep,
    Variable,
)
from gristmill.syntax.lexer import lex
from gristmill.syntax.token import DECIMAL, DELIMITERS, IDENTIFIER, KEYWORDS, NUMBER, STEP, STRING, Tokens

# The names are those of the protocol of editors, so that themes know them.
TYPES = ("namespace", "variable", "parameter", "function", "property", "keyword", "operator", "number", "string",
         "comment", "label", "macro")  # fmt: skip
MODIFIERS = ("definition", "readonly", "defaultLibrary")

_KEYWORD_KINDS = frozenset((*KEYWORDS.values(), *"WF_ SF_ []ASSUME []PROVE module end-module separator".split()))
_PLAIN = {NUMBER: "number", DECIMAL: "number", STRING: "string", STEP: "label"}
_PLUSCAL_WORDS = frozenset(PLUSCAL_WORDS)
_BINDERS = frozenset(("\\A", "\\E", "\\AA", "\\EE"))
_PUNCTUATION = frozenset(DELIMITERS.values()) - _BINDERS - {"==", "->", "<-", "|->", "[]ASSUME", "[]PROVE", "@"}


class Token(NamedTuple):
    """Characters of one line."""

    start: int
    end: int
    type: str
    modifiers: tuple[str, ...] = ()


def semantic_tokens(analysis: Analysis) -> list[Token]:
    """In the order of the text, none over another, none over the end of a line."""
    region = region_of(analysis.file)
    found: dict[int, Token] = {token.start: token for token in _lexical(analysis.tokens, False)}
    if region is not None:
        found |= {token.start: token for token in _lexical(lex(analysis.file, *region)[0], True)}
    for start, end in analysis.tokens.comments:
        for first, last in _outside(start, end, region):
            found.setdefault(first, Token(first, last, "comment"))
    for each in analysis.occurrences:
        kind = type_of(each.target)
        if kind is not None:
            found[each.start] = Token(each.start, each.end, kind, tuple(_modifiers(each.target, each.defines)))
    return list(_lines(analysis.text, sorted(found.values())))


def _outside(start: int, end: int, region: tuple[int, int] | None) -> list[tuple[int, int]]:
    """A comment without the algorithm that stands in it."""
    if region is None or not (start <= region[0] and region[1] <= end):
        return [(start, end)]
    return [(start, region[0]), (region[1], end)]


def _lexical(tokens: Tokens, pluscal: bool) -> Iterator[Token]:
    for index, kind in enumerate(tokens.kinds[:-1]):
        start, end = tokens.starts[index], tokens.ends[index]
        if kind == IDENTIFIER:
            if pluscal and tokens.text(index) in _PLUSCAL_WORDS:
                yield Token(start, end, "keyword")
        elif kind in _PLAIN:
            yield Token(start, end, _PLAIN[kind])
        elif kind in _KEYWORD_KINDS:
            yield Token(start, end, "keyword")
        elif kind not in _PUNCTUATION:
            yield Token(start, end, "operator")
    if pluscal:
        yield from (Token(start, end, "comment") for start, end in tokens.comments)


def type_of(target: Target) -> str | None:
    match origin_of(target):
        case ResolvedModule() | NamedInstance():
            return "namespace"
        case Constant() | Variable() | NewDeclaration():
            return "variable"
        case Parameter():
            return "parameter"
        case Operator() as operator:
            return "function" if operator.name[:1].isalpha() or operator.name[:1] == "_" else "operator"
        case Fact() | ProofStep() | Label():
            return "label"
        case AlgorithmPart(kind=kind):
            return {"macro": "macro", "label": "label"}.get(kind, "function")
        case BuiltIn():
            return None
        case _:
            return "function"


def _modifiers(target: Target, defines: bool) -> Iterator[str]:
    if defines:
        yield "definition"
    own = origin_of(target)
    if isinstance(own, Constant):
        yield "readonly"
    module = own if isinstance(own, ResolvedModule) else getattr(own, "module", None)
    if isinstance(module, ResolvedModule) and module.is_library:
        yield "defaultLibrary"


def _lines(text: str, tokens: list[Token]) -> Iterator[Token]:
    """Cut at the ends of lines; of two that overlap, the one that begins first."""
    behind = 0
    for token in tokens:
        start = max(token.start, behind)
        while start < token.end:
            stop = text.find("\n", start, token.end)
            stop = token.end if stop < 0 else stop
            last = stop - (text[stop - 1 : stop] == "\r")
            if last > start:
                yield token._replace(start=start, end=last)
            start = stop + 1
        behind = max(behind, token.end)
