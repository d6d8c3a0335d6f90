"""Puts definitions of several files into one module, under names that do not clash.

Definitions of the same name are one if they are equal, with all that they apply; otherwise the later one is called
`File_Name`. What a quantifier, a LET or a parameter binds is renamed where a definition, a variable or a constant of
another file has its name, as TLA+ does not allow that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gristmill.compose.build.carve import BOUND, DEFINED, Carved, Carver, Mention, Outcome
from gristmill.compose.build.files import TlaFile
from gristmill.source import Diagnostic, SourceError, Span
from gristmill.syntax import tree
from gristmill.syntax.operators import OPERATORS


@dataclass(slots=True, eq=False)
class Merged:
    """A definition of the composition. `unit`: with names of definitions final, and bound names still marked."""

    name: str
    unit: tree.Unit
    original: tree.Unit
    file: TlaFile


@dataclass(slots=True)
class Merge:
    """`reserved`: names that no definition may have: of variables, constants, and modules that are extended."""

    reserved: set[str]
    units: list[Merged] = field(default_factory=list)
    taken: dict[str, tree.Unit] = field(default_factory=dict)

    def add(self, file: TlaFile, carver: Carver, logs: Iterable[list[Mention]]) -> dict[int, str]:
        """The definitions that are reached from these logs; returns the final name of each."""
        wanted = reached(carver, logs)
        order = {name: number for number, name in enumerate(file.specification.modules)}
        found = sorted(
            (each for each in carver.definitions if each.number in wanted and not isinstance(each.made, Outcome)),
            key=lambda each: (order.get(each.module.name, len(order)), each.original.span.start, each.number),
        )
        forced: set[int] = set()
        while True:
            names, units, renamed_late = self._named(file, found, forced)
            if not renamed_late:
                break
            forced |= renamed_late
        for unit in units:
            self.units.append(unit)
            if not isinstance(unit.unit, tree.Recursive):
                self.taken[unit.name] = unit.unit
        return names

    def _named(
        self, file: TlaFile, found: list[Carved], forced: Collection[int]
    ) -> tuple[dict[int, str], list[Merged], set[int]]:
        """Third, recursive definitions that got another name than those before them had assumed."""
        names: dict[int, str] = {}
        units: list[Merged] = []
        own: dict[str, tree.Unit] = {}
        assumed: dict[int, str] = {}
        for each in found:
            if each.recursive:
                assumed[each.number] = self._free(each, own) if each.number in forced else each.name
        late: set[int] = set()
        for each in found:
            assert each.made is not None
            assert not isinstance(each.made, Outcome)
            unit = with_names(each.made, {**assumed, **names})
            if not each.name:  # an INSTANCE without a name
                key = f"INSTANCE {each.number} {file.path}"
                if all(unit != known for known in (*self.taken.values(), *own.values())):
                    own[key] = unit
                    units.append(Merged(key, unit, each.original, file))
                continue
            name = assumed.get(each.number, each.name)
            known = own.get(name) or self.taken.get(name)
            if known is not None and known == _called(unit, name):
                names[each.number] = name
                continue
            if known is not None or name in self.reserved:
                if each.recursive:
                    late.add(each.number)
                name = self._free(each, own)
            names[each.number] = name
            unit = _called(unit, name)
            if each.recursive:
                declared = tree.Recursive((tree.Parameter(name, _arity(unit), each.original.span),), each.original.span)
                units.insert(_first_use(units, name), Merged(name, declared, declared, file))
            own[name] = unit
            units.append(Merged(name, unit, each.original, file))
        return names, units, late - set(forced)

    def _free(self, each: Carved, own: Mapping[str, tree.Unit]) -> str:
        if each.name in OPERATORS:
            raise SourceError(_operator_clash(each))
        base = f"{each.module.name}_{each.name}"
        names = [base, *(f"{base}_{number}" for number in range(2, 1000))]
        return next(n for n in names if n not in self.taken and n not in self.reserved and n not in own)


def reached(carver: Carver, logs: Iterable[list[Mention]]) -> set[int]:
    """The numbers of the definitions that some formulas apply, directly or not."""
    found: set[int] = set()
    waiting = list(logs)
    while waiting:
        for mention in waiting.pop():
            if mention.kind == "definition" and mention.what not in found:
                found.add(mention.what)
                waiting.append(carver.definitions[mention.what].log)
    return found


def mentions(carver: Carver, log: list[Mention]) -> list[Mention]:
    """All that a formula speaks of, also by way of definitions."""
    numbers = reached(carver, [log])
    return [*log, *(mention for number in sorted(numbers) for mention in carver.definitions[number].log)]


# -------------------------------------------------------------------------------------------------------------- names


def with_names(node: Any, names: Mapping[int, str]) -> Any:
    """A copy with the final names of definitions."""

    def final(name: str) -> str:
        if DEFINED not in name:
            return name
        return names[int(name.partition(DEFINED)[2])]

    return renamed(node, final)


def renamed(node: Any, final: Any) -> Any:
    """A copy in which every name is given by `final`. Parts without a change are the same objects."""
    if isinstance(node, Span):
        return node
    if isinstance(node, tuple):
        made = tuple(renamed(each, final) for each in node)
        return node if all(a is b for a, b in zip(node, made, strict=True)) else made
    if type(node).__module__ != tree.__name__:
        return node
    changes = {}
    for each in type(node).__match_args__:
        value = getattr(node, each)
        changed = final(value) if each == "name" and isinstance(value, str) else renamed(value, final)
        if changed is not value:
            changes[each] = changed
    return replace(node, **changes) if changes else node


def with_bound_names(node: Any, taken: Collection[str]) -> Any:
    """A copy in which names that are bound are plain, and differ from those of definitions, variables and constants."""
    bound = {name.removesuffix(BOUND) for name in _marked(node)}
    final: dict[str, str] = {}
    for name in bound:
        candidates = [name, *(f"{name}_{number}" for number in range(1, 1000))]
        free = (each for each in candidates if each not in taken and (each == name or each not in bound))
        final[name] = next(free)

    def plain(name: str) -> str:
        return final[name.removesuffix(BOUND)] if name.endswith(BOUND) else name

    return renamed(node, plain)


def _marked(node: Any) -> set[str]:
    if isinstance(node, Span):
        return set()
    if isinstance(node, tuple):
        return set().union(*(_marked(each) for each in node))
    if type(node).__module__ != tree.__name__:
        return set()
    found: set[str] = set()
    for each in type(node).__match_args__:
        value = getattr(node, each)
        if each == "name" and isinstance(value, str):
            if value.endswith(BOUND):
                found.add(value)
        else:
            found |= _marked(value)
    return found


def _called(unit: tree.Unit, name: str) -> tree.Unit:
    if isinstance(unit, tree.OperatorDefinition | tree.FunctionDefinition | tree.InstanceDefinition):
        return replace(unit, name=name)
    return unit


def _arity(unit: tree.Unit) -> int:
    return len(unit.params) if isinstance(unit, tree.OperatorDefinition) else 0


def _first_use(units: list[Merged], name: str) -> int:
    """A RECURSIVE stands before the first definition that applies it."""
    for number, unit in enumerate(units):
        if name in _all_names(unit.unit):
            return number
    return len(units)


def _all_names(node: Any) -> set[str]:
    if isinstance(node, tree.Name):
        return {node.name}
    if isinstance(node, Span):
        return set()
    if isinstance(node, tuple):
        return set().union(*(_all_names(each) for each in node))
    if type(node).__module__ != tree.__name__:
        return set()
    return set().union(*(_all_names(getattr(node, each)) for each in type(node).__match_args__))


def _operator_clash(each: Carved) -> Diagnostic:
    return Diagnostic(
        "compose-operator-clash",
        f"`{each.name}` has another meaning in another file, and an operator symbol cannot be renamed",
        each.original.span,
        help="give one of them a name",
    )
