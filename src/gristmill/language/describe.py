"""What there is to say about a name: its definition, its kind and level, the comment above it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gristmill.language.comments import comment_above, comment_behind, words_of
from gristmill.language.places import place_of, whole_place
from gristmill.language.targets import AlgorithmPart, Target, origin_of
from gristmill.language.words import MEANINGS
from gristmill.language.workspace import Workspace
from gristmill.modules.levels.algebra import LEVEL_NAMES
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Fact,
    Instanced,
    Label,
    NamedInstance,
    NewDeclaration,
    Operator,
    Parameter,
    ProofStep,
    Variable,
)
from gristmill.source import SourceFile
from gristmill.syntax.lexer import lex_module
from gristmill.syntax.token import Tokens

_MOST_LINES = 24


@dataclass(frozen=True, slots=True)
class Description:
    """`code`: the definition as it was written; `facts`: a line about it; `comment`: what its author says."""

    code: str
    facts: str
    comment: str | None


def describe(workspace: Workspace, target: Target) -> Description:
    place = whole_place(workspace, target)
    name = place_of(workspace, target)
    own = origin_of(target)
    if place is None or name is None:
        return Description(target.name, kind_of(target), MEANINGS.get(target.name))
    file = workspace.files.find(place.path)
    if file is None:
        return Description(target.name, kind_of(target), None)
    code = target.name if isinstance(own, ResolvedModule) else _code(file, place.start, place.end)
    if isinstance(own, ResolvedModule):
        code = f"MODULE {own.name}"
    elif isinstance(own, Constant | Variable):
        code = f"{'CONSTANT' if isinstance(own, Constant) else 'VARIABLE'} {code}"
    facts = [kind_of(target), *_level(target), *_home(target, place.path)]
    return Description(code, ", ".join(facts), _comment(workspace, file, own, place.start, name.end))


def _comment(workspace: Workspace, file: SourceFile, own: Target, start: int, end: int) -> str | None:
    tokens = _tokens(workspace, file)
    if isinstance(own, ResolvedModule):
        return comment_above(file.text, tokens, own.node.span.start) or _first_comment(file.text, tokens, own)
    above = comment_above(file.text, tokens, start)
    if isinstance(own, Constant | Variable | NewDeclaration):
        return comment_behind(file.text, tokens, end) or above
    return above


def _tokens(workspace: Workspace, file: SourceFile) -> Tokens:
    """With all comments of the file, also those in front of its module."""
    parsed = workspace.files.parse(file)
    return parsed.tokens if parsed.module is not None else lex_module(file)[0]


def _first_comment(text: str, tokens: Tokens, module: ResolvedModule) -> str | None:
    """The comment that a module begins with."""
    header = module.node.name_span.end
    units = (start for start, kind in zip(tokens.starts, tokens.kinds, strict=True) if kind != "separator")
    before = next((start for start in units if start > header), len(text))
    for start, end in tokens.comments:
        if header <= start < before:
            return words_of(text[start:end]) or None
    return None


def _code(file: SourceFile, start: int, end: int) -> str:
    """The text of a definition, its lines moved left together, and cut if there are many."""
    column = start - (file.text.rfind("\n", 0, start) + 1)
    lines = file.text[start:end].splitlines()
    moved = [lines[0], *(line[column:] if not line[:column].strip() else line for line in lines[1:])] if lines else []
    if len(moved) > _MOST_LINES:
        moved = [*moved[:_MOST_LINES], f"… {len(moved) - _MOST_LINES} more lines"]
    return "\n".join(moved)


def kind_of(target: Target) -> str:
    match target:
        case BuiltIn():
            return "part of the language"
        case Constant():
            return "constant" if not target.arity else f"constant operator with {_arguments(target.arity)}"
        case Variable():
            return "variable"
        case Parameter():
            return "parameter or bound name"
        case NewDeclaration():
            return f"NEW {target.kind}"
        case Operator():
            return "function" if target.is_function else _operator(target.arity, target.let_depth)
        case Instanced():
            return kind_of(target.origin) + " seen through an instance"
        case Fact():
            return {"theorem": "theorem", "assumption": "assumption", "step": "step of a proof"}[target.kind]
        case ProofStep():
            return "step of a proof"
        case NamedInstance():
            return f"instance of {(target.inner or target).instance.module.name}"
        case Label():
            return "label of an expression"
        case ResolvedModule():
            return "module of the library" if target.is_library else "module"
        case AlgorithmPart():
            return f"PlusCal {target.kind}"


def _operator(arity: int, let_depth: int) -> str:
    local = " of a LET" if let_depth else ""
    return f"definition{local}" if not arity else f"operator{local} with {_arguments(arity)}"


def _arguments(arity: int) -> str:
    return f"{arity} argument{'s' if arity != 1 else ''}"


def _level(target: Target) -> list[str]:
    match target:
        case Operator() | Instanced() | Fact():
            if target.levels is None:
                return []
            return [f"{LEVEL_NAMES[target.levels.outside.level]} level"]
        case Constant() | Variable():
            return [f"{LEVEL_NAMES[target.level]} level"]
        case _:
            return []


def _home(target: Target, path: str) -> list[str]:
    own = origin_of(target)
    if isinstance(own, Parameter | ResolvedModule | Label | AlgorithmPart | BuiltIn):
        return []
    return [f"in {Path(path).stem}"]
