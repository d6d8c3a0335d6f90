"""Definitions that look like invariants or properties, and that nobody has asked for.

A verdict is about what was named; whoever forgot to name `Served` would take silence for "it holds". What looks like a
property is a formula without parameters, of states or of behaviours, that neither the behaviour nor anything else that
was asked for makes use of, and that is no other specification, no fairness condition and no other initial predicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gristmill.modules.choices import Choices
from gristmill.modules.specification import OperatorReference, Selection, Specification
from gristmill.modules.symbols import Fact, Instanced, NamedInstance, Operator, Symbol, Variable, origin
from gristmill.search.result import Unasked
from gristmill.syntax import tree

_STATE, _TEMPORAL = 1, 3
_FORMULAS = frozenset(
    r"/\ \/ ~ \lnot \neg => <=> \equiv = /= # \in \notin \subseteq < > <= >= =< \leq \geq [] <> ~> -+-> ENABLED".split()
)
_INITIAL = re.compile(r"^Init(?![a-z])|Init$")  # in the name of a predicate of initial states
_PARTS: dict[type, tuple[str, ...] | None] = {}  # see `_parts_of`
_NO_PROPERTY = ("constraint", "symmetry", "view", "alias")  # in the name of what is for other sections


def unasked(specification: Specification, choices: Choices) -> tuple[Unasked, ...]:
    """In the order of the text. Only what modules of the user define, in the root module or extended by it."""
    uses = _Uses(specification)
    asked = uses.reached(_asked(specification, choices))
    found = [
        symbol
        for symbol in specification.root.symbols()
        if isinstance(symbol, Operator) and symbol not in asked and _is_property(symbol, specification, uses, asked)
    ]
    inner = uses.reached(used for symbol in found for used in uses.direct(symbol))
    return tuple(
        Unasked(symbol.name, "invariant" if symbol.level == _STATE else "property", symbol.span)
        for symbol in sorted(found, key=lambda each: (each.module is specification.root, each.span.start))
        if symbol not in inner
    )


def _asked(specification: Specification, choices: Choices) -> Iterator[Symbol]:
    """Whatever a configuration names, in any of its sections."""
    names = [choices.specification, choices.init, choices.next, choices.symmetry, choices.view, choices.alias]
    several = (choices.invariants, choices.properties, choices.constraints, choices.action_constraints)
    names += [name for section in (*several, choices.postconditions, choices.possible) for name in section]
    names += choices.replacements.values()
    for name in names:
        symbol = specification.find(name) if name is not None else None
        if isinstance(symbol, NamedInstance):
            symbol = symbol.find("Spec")
        if symbol is not None:
            yield symbol


class _Uses:
    """Which definitions a definition mentions."""

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self._direct: dict[Symbol, frozenset[Symbol]] = {}

    def direct(self, symbol: Symbol) -> frozenset[Symbol]:
        known = self._direct.get(symbol)
        if known is None:
            body = _body(symbol)
            known = self._direct[symbol] = frozenset() if body is None else frozenset(self.mentioned(body))
        return known

    def reached(self, symbols: Iterable[Symbol]) -> set[Symbol]:
        """These, and all that they are made of."""
        found: set[Symbol] = set()
        waiting = [origin(symbol) for symbol in symbols]
        while waiting:
            symbol = waiting.pop()
            if symbol not in found:
                found.add(symbol)
                waiting += self.direct(symbol)
        return found

    def mentioned(self, node: object) -> Iterator[Symbol]:
        for each in nodes_of(node):
            symbol: Any = None
            if isinstance(each, tree.Name):
                symbol = self.specification.symbols.get(id(each))
            elif isinstance(each, tree.Path):
                reference = self.specification.references.get(id(each))
                if isinstance(reference, OperatorReference):
                    symbol = reference.symbol
                elif isinstance(reference, Selection):
                    symbol = reference.definition
            if isinstance(symbol, Operator | Instanced | Fact | Variable):
                yield origin(symbol)


def _body(symbol: Symbol) -> object | None:
    if isinstance(symbol, Operator):
        return symbol.definition
    return symbol.statement if isinstance(symbol, Fact) else None


def nodes_of(node: object) -> Iterator[object]:
    """A node of a tree and all below it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            waiting += each
        elif (parts := _parts_of(type(each))) is not None:
            yield each
            waiting += [getattr(each, name) for name in parts]


def _parts_of(kind: type) -> tuple[str, ...] | None:
    """The names of what nodes of a class consist of; None if it is no class of nodes."""
    if kind not in _PARTS:
        slots: tuple[str, ...] | None = getattr(kind, "__slots__", None) if hasattr(kind, "span") else None
        _PARTS[kind] = None if slots is None else tuple(name for name in slots if name != "span")
    return _PARTS[kind]


# --------------------------------------------------------------------------------------------- what looks like one


def _is_property(symbol: Operator, specification: Specification, uses: _Uses, asked: set[Symbol]) -> bool:
    if symbol.arity or symbol.is_function or symbol.local or symbol.module.is_library or symbol.definition is None:
        return False
    if symbol.level not in (_STATE, _TEMPORAL) or any(word in symbol.name.lower() for word in _NO_PROPERTY):
        return False
    parts = list(_conjuncts(symbol.body, specification))
    if not all(map(_is_formula, parts)):
        return False
    if symbol.level == _STATE:
        return not _INITIAL.search(symbol.name) and not _is_initial(parts, specification)
    return not _is_specification(parts, uses, asked) and not all(map(_is_fairness, parts))


def _is_formula(node: object) -> bool:
    match node:
        case tree.Parens(body) | tree.Labelled(_, _, body) | tree.Let(_, body):
            return _is_formula(body)
        case tree.Junction() | tree.Quantified() | tree.Fairness() | tree.BoxAction() | tree.AngleAction():
            return True
        case tree.Apply(tree.Name(name), _):
            return name in _FORMULAS
        case tree.If():
            return _is_formula(node.then)
        case _:
            return False


def _conjuncts(node: tree.Expression, specification: Specification) -> Iterator[tree.Expression]:
    """Through parentheses, and definitions that are temporal formulas."""
    match node:
        case tree.Parens(body):
            yield from _conjuncts(body, specification)
        case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
            for item in items:
                yield from _conjuncts(item, specification)
        case tree.Name():
            symbol = specification.symbols.get(id(node))
            if isinstance(symbol, Operator) and not symbol.arity and symbol.definition is not None:
                yield from _conjuncts(symbol.body, specification)
            else:
                yield node
        case _:
            yield node


def _is_specification(parts: Sequence[tree.Expression], uses: _Uses, asked: set[Symbol]) -> bool:
    """`[][Next]_vars` is among them, of which Next is what the behaviour is made of, or beside an initial predicate."""
    steps = [part for part in parts if _is_box(part)]
    if not steps:
        return False
    is_own = any(symbol in asked for step in steps for symbol in uses.mentioned(step) if isinstance(symbol, Operator))
    return is_own or any(not _is_box(part) and _is_of_states(part) for part in parts)


def _is_box(node: tree.Expression) -> bool:
    match node:
        case tree.Apply(tree.Name("[]"), (tree.BoxAction(action=tree.Name()),)):
            return True
        case _:
            return False


def _is_of_states(node: tree.Expression) -> bool:
    return not any(_is_temporal(each) for each in nodes_of(node))


def _is_temporal(node: object) -> bool:
    match node:
        case tree.Apply(tree.Name("[]" | "<>" | "~>" | "'"), _) | tree.Fairness() | tree.BoxAction():
            return True
        case _:
            return False


def _is_fairness(node: object) -> bool:
    match node:
        case tree.Fairness():
            return True
        case tree.Parens(body) | tree.Quantified(body=body) | tree.Let(_, body):
            return _is_fairness(body)
        case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
            return all(map(_is_fairness, items))
        case _:
            return False


def _is_initial(parts: Iterable[tree.Expression], specification: Specification) -> bool:
    """All variables are given values, one of them by `=`."""
    given, exactly = set(), False
    for part in parts:
        match part:
            case tree.Apply(tree.Name("=" | "\\in" as sign), (tree.Name() as left, _)):
                given.add(specification.symbols.get(id(left)))
                exactly = exactly or sign == "="
            case _:
                return False
    return exactly and given >= set(specification.root.variables)
