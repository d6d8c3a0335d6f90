"""What a mix is made of: the actions of its grains, as parts of the files that they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gristmill.compose.build.carve import Carver, Outcome
from gristmill.compose.build.files import Files, NextAction, TlaFile, entries
from gristmill.compose.build.merge import mentions
from gristmill.compose.manifest.fields import listed, suggestion
from gristmill.compose.system import FINE, Grain, Mix, System, holder
from gristmill.modules.specification import ResolvedModule
from gristmill.source import Diagnostic, Label, SourceError
from gristmill.syntax import tree


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A disjunct of the next-state relation to be: of a relation of a file, or a call that the manifest makes.

    `called`: the name of the action that a call is about.
    """

    grain: Grain
    file: TlaFile
    node: tree.Expression
    called: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Actions of one next-state relation: `wanted`, by the identity of their places, with the grain of each."""

    file: TlaFile
    relation: str
    wanted: Mapping[int, tuple[str, Grain]]
    unwanted: frozenset[int]
    unwanted_names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What some grains consist of: parts of relations, and calls."""

    chosen: tuple[Chosen, ...]
    calls: tuple[Part, ...]


def grains_in(system: System, mix: Mix, environment: bool = True) -> list[Grain]:
    """The grains of a mix that have actions, each once, the environment last."""
    found: dict[tuple[str, str], Grain] = {}
    for module, name in mix.items():
        key = holder(system.grain(module, name))
        found[key] = system.grain(*key)
    grains = list(found.values())
    if environment and system.environment is not None:
        grains.append(system.environment.grains[FINE])
    return grains


def selected(files: Files, grains: list[Grain]) -> Selection:
    relations: dict[tuple[TlaFile, str], dict[int, tuple[str, Grain]]] = {}
    calls: list[Part] = []
    for grain in grains:
        file = files.get(grain.file)
        actions, called = entries(files, grain)
        if actions:
            wanted = relations.setdefault((file, grain.next), {})
            wanted |= {id(action.place): (action.name, grain) for action in actions}
        for text, operator in called:
            calls.append(Part(grain, file, operator.body, _called_name(text, operator.body)))
    chosen = [_chosen(files, file, next_, wanted) for (file, next_), wanted in relations.items()]
    return Selection(tuple(chosen), tuple(calls))


def _chosen(files: Files, file: TlaFile, relation: str, wanted: dict[int, tuple[str, Grain]]) -> Chosen:
    others = [action for action in files.relation(file, relation) or [] if id(action.place) not in wanted]
    names = frozenset(action.name for action in others) - {name for name, _ in wanted.values()}
    return Chosen(file, relation, wanted, frozenset(id(action.place) for action in others), names)


def _called_name(text: str, node: tree.Expression) -> str:
    """The action that a call is about: what it applies, past quantifiers."""
    match node:
        case tree.Parens(body) | tree.Quantified(_, _, body):
            return _called_name(text, body)
        case tree.Apply(tree.Name(name)) if name.isidentifier():
            return name
        case tree.Name(name):
            return name
    return text


class Distributed(tree.Quantified):
    """A quantifier that does not stand like this in the text."""


def disjuncts(carver: Carver, node: tree.Expression, home: ResolvedModule) -> Iterator[tree.Expression]:
    """The disjuncts of a relation, also of `(A \\/ B) /\\ update`, if nothing is left of the update, and of
    `\\E x \\in S : A \\/ B`, each with the quantifier."""
    match node:
        case tree.Parens(body):
            yield from disjuncts(carver, body, home)
        case tree.Junction("\\/", items) | tree.Apply(tree.Name("\\/"), items):
            for item in items:
                yield from disjuncts(carver, item, home)
        case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
            left = [item for item in items if carver.action(item, home) is not Outcome.TRUE]
            if len(left) == 1:
                yield from disjuncts(carver, left[0], home)
            else:
                yield node
        case tree.Quantified("\\E", bounds, body) if all(bound.domain is not None for bound in bounds):
            inner = list(disjuncts(carver, body, home))
            if len(inner) == 1:
                yield node
            else:
                yield from (Distributed("\\E", bounds, each, node.span) for each in inner)
        case _:
            yield node


# ------------------------------------------------------------------------------------------- what a grain gives a value


def written_by(files: Files, grain: Grain) -> set[str]:
    """The variables that the actions of a grain give a value to."""
    selection = selected(files, [grain])
    found: set[str] = set()
    for chosen in selection.chosen:
        carver = Carver(chosen.file.specification, (), chosen.unwanted, {})
        relation = chosen.file.operator(chosen.relation)
        assert relation is not None
        carver.action(relation.body, relation.module)
        found |= {each.what for each in mentions(carver, carver.log) if each.kind == "write"}
    for part in selection.calls:
        carver = Carver(part.file.specification, (), (), {})
        carver.action(part.node, part.file.specification.root)
        found |= {each.what for each in mentions(carver, carver.log) if each.kind == "write"}
    return found


# ---------------------------------------------------------------------------------------------- the root's next actions


def check_partition(system: System, files: Files) -> None:
    """Every action of the root's next-state relation is in one module, or of the environment. Raises `SourceError`."""
    if system.root is None:
        return
    file = files.get(system.root)
    relation = files.relation(file, system.next)
    owners = _owners(system, files, file)
    if relation is None:
        if any(grain.file == system.root for grain in owners.values()):
            return
        return
    if not any(owner for owner in owners.values()):
        return
    problems = [*_twice(system, files, file), *_left_over(system, relation, owners)]
    if problems:
        raise SourceError(problems)


def _root_grains(system: System) -> list[Grain]:
    modules = [*system.modules.values(), *([system.environment] if system.environment else [])]
    found = [grain for module in modules for grain in module.grains.values()]
    return [g for g in found if g.file == system.root and g.covered_by is None and g.next == system.next]


def _owners(system: System, files: Files, file: TlaFile) -> dict[int, Grain]:
    return {id(a.place): grain for grain in _root_grains(system) for a in entries(files, grain)[0]}


def _twice(system: System, files: Files, file: TlaFile) -> Iterator[Diagnostic]:
    seen: dict[int, Grain] = {}
    told: set[tuple[str, str, str]] = set()
    for grain in _root_grains(system):
        for action in entries(files, grain)[0]:
            other = seen.setdefault(id(action.place), grain)
            key = (action.name, other.module, grain.module)
            if other.module != grain.module and key not in told:
                told.add(key)
                yield Diagnostic(
                    "action-in-two-modules",
                    f"the action `{action.name}` is in `{other.module}` and in `{grain.module}`",
                    grain.span,
                    labels=(Label(other.span, f"`{other.module}`"),),
                    help="a step belongs to one module; name the action in one of them, or divide its definition",
                )


def _left_over(system: System, relation: list[NextAction], owners: Mapping[int, Grain]) -> Iterator[Diagnostic]:
    names = [action.name for action in relation if id(action.place) not in owners]
    if names:
        distinct = list(dict.fromkeys(names))
        one = len(distinct) == 1
        yield Diagnostic(
            "action-in-no-module",
            f"the action{'' if one else 's'} {listed(distinct[:8])}{' …' if len(distinct) > 8 else ''} of"
            f" `{system.next}` {'is' if one else 'are'} in no module",
            system.place("system", "root"),
            help="add it to the `actions` of a module, or to those of [environment]"
            if one
            else "add them to the `actions` of modules, or to those of [environment]",
        )


def unknown_operator(name: str, file: TlaFile, role: str) -> str | None:
    """What may have been meant by a name that a file does not define."""
    names = [each for each in file.specification.root.names if file.operator(each) is not None]
    return suggestion(name, names) if len(names) else None
