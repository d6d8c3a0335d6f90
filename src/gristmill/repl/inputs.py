"""Classifies input: an expression, definitions, EXTENDS, model values; and whether there is more to come."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gristmill.repl.assembled import Piece, assembled
from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.syntax import tree
from gristmill.syntax.parser import parse_expression, parse_module

INPUT = "<input>"
_EXTENDS = re.compile(r"\s*EXTENDS\s+(\w+(?:\s*,\s*\w+)*)\s*", re.DOTALL)
_CONSTANTS = re.compile(r"\s*CONSTANTS?\s+(\w+(?:\s*,\s*\w+)*)\s*", re.DOTALL)
_BULLET = re.compile(r"(?:^|==)\s*(?:/\\|\\/|∧|∨)", re.MULTILINE)
_DECLARATIONS = (tree.VariableDeclaration, tree.ConstantDeclaration)


@dataclass(frozen=True, slots=True)
class Input:
    """`names`: of the modules to extend, of what is defined, or of model values. Without names, definitions cannot be
    replaced later.
    """

    kind: Literal["expression", "definitions", "extends", "constants"]
    text: str
    names: tuple[str, ...] = ()


def read_input(text: str) -> Input:
    """Raises `SourceError`."""
    extends = _EXTENDS.fullmatch(text)
    if extends is not None:
        return Input("extends", text, tuple(re.findall(r"\w+", extends[1])))
    constants = _CONSTANTS.fullmatch(text)
    if constants is not None:
        return Input("constants", text, tuple(re.findall(r"\w+", constants[1])))
    try:
        parse_expression(SourceFile(INPUT, text))
    except SourceError as not_an_expression:
        return _definitions(text, not_an_expression)
    return Input("expression", text)


def _definitions(text: str, not_an_expression: SourceError) -> Input:
    units, diagnostics = _parse_units(text)
    if diagnostics:
        raise SourceError(diagnostics) if _defines(text) else not_an_expression
    if not units:
        raise not_an_expression
    for unit in units:
        if isinstance(unit, _DECLARATIONS):
            raise SourceError(
                Diagnostic(
                    "declaration-here",
                    "variables are declared in a module, as are constants that are operators",
                    help="write a module and name it: gristmill repl MODULE.tla, or :load MODULE.tla",
                )
            )
    return Input("definitions", text, tuple(name for unit in units for name in _names(unit)))


def _parse_units(text: str) -> tuple[Sequence[tree.Unit], list[Diagnostic]]:
    file = assembled("Input", "", [Piece(INPUT, text)])
    parsed = parse_module(file)
    units = parsed.module.units if parsed.module is not None else ()
    return units, [file.in_pieces(diagnostic) for diagnostic in parsed.diagnostics]


def _names(unit: object) -> list[str]:
    match unit:
        case tree.OperatorDefinition(name) | tree.FunctionDefinition(name) | tree.InstanceDefinition(name):
            return [name]
        case tree.Recursive(params):
            return [each.name for each in params]
    return []


def _defines(text: str) -> bool:
    """Whether it looks like a definition: a `==` that no LET opens the way for."""
    before, found, _ = text.partition("==")
    return bool(found) and not re.search(r"\bLET\b", before)


def wants_more(lines: Sequence[str]) -> bool:
    """Whether the next line belongs to these.

    What cannot be complete goes on, and so does a list of /\\ or \\/, which any line could make longer. An empty line
    ends both.
    """
    if lines[-1].strip() == "":
        return False
    text = "\n".join(lines)
    return bool(_BULLET.search(text)) or _is_cut_off(text)


def _is_cut_off(text: str) -> bool:
    """Whether what is wrong with it is that it ends."""
    end = len(text.rstrip())
    try:
        entered = read_input(text)
    except SourceError as error:
        return any(d.span is not None and d.span.start >= end for d in error.diagnostics) or _comment_is_open(text)
    return entered.kind == "definitions" and all(isinstance(unit, tree.Recursive) for unit in _parse_units(text)[0])


def _comment_is_open(text: str) -> bool:
    return text.count("(*") > text.count("*)")
