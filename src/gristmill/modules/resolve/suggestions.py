"""Suggestions for an unknown name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache

from gristmill.modules.loader import LIBRARY, library_modules
from gristmill.modules.specification import ResolvedModule
from gristmill.source import Span
from gristmill.syntax import tree
from gristmill.syntax.foreign import written_in_tla
from gristmill.syntax.operators import OPERATORS, SPELLING_TO_NAME

# Where several modules define a name, people mean the first of these.
_FIRST = ("Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "Bags", "TLC", "SequencesExt", "FiniteSetsExt")

_DEFINITION = re.compile(r"^(\w+)\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])?\s*==(?!=)", re.MULTILINE)
_INFIX_DEFINITION = re.compile(r"^\w+\s*([^\w\s,()\[\]]+|\\[a-z]+)\s*\w*\s*==(?!=)", re.MULTILINE)
_PREFIX_DEFINITION = re.compile(r"^(-\.)\s*\w+\s*==(?!=)", re.MULTILINE)


@cache
def library_index() -> dict[str, str]:
    """Every name that a module of the library defines -> that module."""
    index: dict[str, str] = {}
    modules = [*_FIRST, *(m for m in library_modules() if m not in _FIRST)]
    for module in modules:
        path = LIBRARY / f"{module}.tla"
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        for pattern in (_DEFINITION, _INFIX_DEFINITION, _PREFIX_DEFINITION):
            for found in pattern.findall(text):
                index.setdefault(SPELLING_TO_NAME.get(found, found), module)
    return index


# Operators of a module that is seldom the one that was meant.
_MEANT = {
    ":=": "to give a variable its next value, write `x' = …`; `:=` is the assignment of PlusCal, and an operator of the"
    " module Apalache",
    "\\subset": "to say that all elements of a set are in another one, write `\\subseteq`",
    "\\supset": "to say that a set has all elements of another one, write that one `\\subseteq` it",
    "/": "to divide integers, write `\\div`; `/` is an operator of the module Reals, whose numbers cannot be evaluated",
}


def for_unknown(name: str, known: Iterable[str], module: ResolvedModule) -> str | None:
    if name in _MEANT:
        return _MEANT[name]
    home = library_index().get(name)
    if home is not None and home != module.name:
        return f"`{name}` is defined in the module {home}: add it to EXTENDS"
    foreign = written_in_tla(name)
    if foreign is not None or name in OPERATORS:
        return foreign
    close = difflib.get_close_matches(name, (k for k in known if k[:1].isalpha()), 1, 0.7)
    return f"did you mean `{close[0]}`?" if close else None


def later_definition(module: ResolvedModule, name: str, span: Span) -> Span | None:
    """Where the module defines `name`, if it does so behind `span`, or if `span` is in that definition itself."""
    for unit in module.node.units:
        match unit:
            case tree.OperatorDefinition():
                if unit.name == name and unit.span.end > span.start:
                    return unit.name_span
            case tree.FunctionDefinition() | tree.InstanceDefinition():
                if unit.name == name and unit.span.start > span.start:
                    return unit.name_span
            case tree.ConstantDeclaration() | tree.Recursive():
                for parameter in unit.params:
                    if parameter.name == name and parameter.span.start > span.start:
                        return parameter.span
            case tree.VariableDeclaration():
                for variable in unit.names:
                    if variable.name == name and variable.span.start > span.start:
                        return variable.span
            case _:
                pass
    return None
