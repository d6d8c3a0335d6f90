"""What a name in a text can denote, for an editor, and where that is defined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Instanced,
    Label,
    NamedInstance,
    NewDeclaration,
    Operator,
    Parameter,
    Symbol,
)
from gristmill.source import Span
from gristmill.syntax import tree

PartKind = Literal["algorithm", "macro", "procedure", "process", "label"]


@dataclass(frozen=True, slots=True, eq=False)
class AlgorithmPart:
    """Something of a PlusCal algorithm that has a name and is no variable: `span` is its name, `whole` all of it."""

    name: str
    kind: PartKind
    span: Span
    whole: Span


Target = Symbol | Label | ResolvedModule | AlgorithmPart


def origin_of(target: Target) -> Target:
    """The definition itself, past every instance that it was reached through."""
    if isinstance(target, Instanced):
        return target.origin
    while isinstance(target, NamedInstance) and target.inner is not None:
        target = target.inner
    return target


def name_span(target: Target) -> Span | None:
    """Where the name stands that is defined; None for what is part of the language."""
    match origin_of(target):
        case BuiltIn():
            return None
        case ResolvedModule() as module:
            return module.node.name_span
        case Label() as label:
            return Span(label.span.file, label.span.start, label.span.start + len(label.name))
        case Operator(definition=tree.OperatorDefinition() | tree.FunctionDefinition() as definition):
            return definition.name_span
        case Constant() | Parameter() | NewDeclaration() | Operator() as declared if declared.arity:
            return _name_in(declared.span, declared.name)
        case other:
            return other.span


def _name_in(span: Span, name: str) -> Span:
    """The name alone, of `F(_, _)` or `_ + _`."""
    at = span.file.text.find(name, span.start, span.end)
    return span if at < 0 else Span(span.file, at, at + len(name))


def whole_span(target: Target) -> Span | None:
    """All of a definition: the text that says what the name means."""
    match origin_of(target):
        case Operator(definition=tree.OperatorDefinition() | tree.FunctionDefinition() as definition):
            return definition.span
        case NamedInstance(instance=instance) as named:
            return named.span.to(instance.span)
        case AlgorithmPart(whole=whole):
            return whole
        case Label() as label:
            return label.span
        case _:
            return name_span(target)
