"""Every name in the text of a module, with what it denotes, read off the tables of name resolution."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from gristmill.language.targets import Target
from gristmill.modules.resolve.state import Program
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Constant, Instance, Label, NamedInstance, Operator, Variable
from gristmill.source import Span
from gristmill.syntax import tree

_WORD = re.compile(r"\w+")


class Occurrence(NamedTuple):
    """Characters `start` to `end` name `target`; `defines` where it is introduced."""

    start: int
    end: int
    target: Target
    defines: bool


def occurrences(module: ResolvedModule, program: Program) -> list[Occurrence]:
    walk = Walk(program, module)
    walk.go(module.node)
    return walk.found


class Walk:
    def __init__(self, program: Program, module: ResolvedModule) -> None:
        self.program = program
        self.symbols = program.symbols
        self.module = module
        self.found: list[Occurrence] = []

    def go(self, root: object) -> None:
        """Nodes without recursion, each looked at by the handler of its type; whatever has parts is gone into."""
        waiting: list[Any] = [root]
        while waiting:
            node = waiting.pop()
            kind = type(node)
            if kind is tuple:
                waiting.extend(node)
                continue
            parts = _PARTS.get(kind)
            if parts is None:
                continue
            handler = _HANDLERS.get(kind)
            if handler is not None:
                handler(self, node)
            for part in parts:
                waiting.append(getattr(node, part))

    def add(self, span: Span, target: object, defines: bool = False) -> None:
        if target is not None and not isinstance(target, Instance):
            self.found.append(Occurrence(span.start, span.end, target, defines))  # type: ignore[arg-type]

    def named(self, name: str) -> ResolvedModule | None:
        """A module by its name, as it can be seen from here."""
        return _module_of(self.module, name) or self.program.modules.get(name)


def _module_of(module: ResolvedModule, name: str) -> ResolvedModule | None:
    inner = module.modules.get(name)
    if inner is not None:
        return inner
    for nested in module.modules.values():
        found = _module_of(nested, name) if nested.parent is module else None
        if found is not None:
            return found
    return None


# ------------------------------------------------------------------------------------------------------ handlers


def name(walk: Walk, node: tree.Name | tree.StepName) -> None:
    symbol = walk.symbols.get(id(node))
    if symbol is not None:
        span = node.span
        defines = symbol.span is not None and symbol.span[1:] == span[1:] and symbol.span.file is span.file
        walk.add(span, symbol, defines)


def segment(walk: Walk, node: tree.NameSegment) -> None:
    symbol = walk.symbols.get(id(node))
    if symbol is not None:
        start = node.span.start
        start += node.span.file.text[start : start + 1] == "!" and not node.name.startswith("!")
        found = node.span.file.text.find(node.name, start, node.span.end) if node.name[:1].isalnum() else start
        start = found if found >= 0 else start
        walk.add(Span(node.span.file, start, start + len(node.name)), symbol)


def definition(walk: Walk, node: tree.OperatorDefinition | tree.FunctionDefinition | tree.InstanceDefinition) -> None:
    symbol = walk.symbols.get(id(node))
    if isinstance(symbol, Operator | NamedInstance):
        walk.add(node.name_span, symbol, True)
        if not isinstance(node, tree.FunctionDefinition):
            for param in symbol.params:
                walk.add(_name_of(param.span, param.name), param, True)


def parameter(walk: Walk, node: tree.Parameter) -> None:
    """Of CONSTANT, RECURSIVE and NEW; those of definitions are known to the definition."""
    symbol = walk.symbols.get(id(node))
    if symbol is not None:
        walk.add(_name_of(node.span, node.name), symbol, True)


def _name_of(span: Span, name: str) -> Span:
    """The name alone, of `F(_, _)` or `_ + _`."""
    at = span.file.text.find(name, span.start, span.end)
    return span if at < 0 else Span(span.file, at, at + len(name))


def module(walk: Walk, node: tree.Module) -> None:
    own = walk.module if node is walk.module.node else walk.named(node.name)
    if own is not None:
        walk.add(node.name_span, own, True)
    for extended in node.extends:
        walk.add(extended.span, walk.named(extended.name))


def instance(walk: Walk, node: tree.Instance) -> None:
    made = walk.symbols.get(id(node))
    if not isinstance(made, Instance):
        return
    walk.add(node.module_span, made.module)
    declared = {symbol.name: symbol for symbol in made.substitutes}
    for substitution in node.substitutions:
        target: Constant | Variable | None = declared.get(substitution.name)
        if target is not None:
            span = substitution.span
            walk.add(Span(span.file, span.start, span.start + len(substitution.name)), target)


def statement(walk: Walk, node: tree.Theorem | tree.Assume) -> None:
    if node.name is not None:
        walk.add(node.name.span, walk.symbols.get(id(node)), True)


def step(walk: Walk, node: tree.Step) -> None:
    symbol = walk.symbols.get(id(node))
    if symbol is not None and symbol.span is not None:
        walk.add(symbol.span, symbol, True)


def labelled(walk: Walk, node: tree.Labelled | tree.AssumeProve) -> None:
    label = walk.symbols.get(id(node))
    if isinstance(label, Label):
        walk.add(Span(node.span.file, node.span.start, node.span.start + len(label.name)), label, True)


def module_fact(walk: Walk, node: tree.ModuleFact) -> None:
    words = list(_WORD.finditer(node.span.file.text, node.span.start, node.span.end))
    if words and words[-1][0] == node.module:
        walk.add(Span(node.span.file, *words[-1].span()), walk.named(node.module))


_HANDLERS: dict[type, Callable[[Walk, Any], None]] = {
    tree.Name: name,
    tree.StepName: name,
    tree.NameSegment: segment,
    tree.OperatorDefinition: definition,
    tree.FunctionDefinition: definition,
    tree.InstanceDefinition: definition,
    tree.Parameter: parameter,
    tree.Module: module,
    tree.Instance: instance,
    tree.Theorem: statement,
    tree.Assume: statement,
    tree.Step: step,
    tree.Labelled: labelled,
    tree.AssumeProve: labelled,
    tree.ModuleFact: module_fact,
}


def _node_types() -> Iterator[type]:
    return (each for each in vars(tree).values() if isinstance(each, type) and hasattr(each, "__dataclass_fields__"))


def _parts(kind: type) -> tuple[str, ...]:
    """The fields of a node that may hold other nodes."""
    plain = {"str", "int", "bool", "str | None"}
    return tuple(
        part.name
        for part in fields(kind)
        if part.compare and kind.__annotations__.get(part.name, "") not in plain and part.name != "extends"
    )


_PARTS: dict[type, tuple[str, ...]] = {kind: _parts(kind) for kind in _node_types()}
