"""From a system and a mix to one specification."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from gristmill.compose.build.carve import Carver, Mention, Outcome, Result
from gristmill.compose.build.files import Files, TlaFile
from gristmill.compose.build.merge import mentions
from gristmill.compose.build.parts import (
    Chosen,
    Selection,
    check_partition,
    disjuncts,
    grains_in,
    selected,
    unknown_operator,
    written_by,
)
from gristmill.compose.build.rounds import Formula, Plan, Round
from gristmill.compose.build.write import write
from gristmill.compose.manifest.constants import Configured, configured
from gristmill.compose.manifest.fields import listed
from gristmill.compose.manifest.reading import completed, conflicts
from gristmill.compose.system import Composition, Grain, Invariant, Mix, System, Unavailable
from gristmill.modules.symbols import Operator
from gristmill.source import Diagnostic, SourceError, Span
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.values import World


def composition(
    system: System, mix: Mix, *, also: Mix | None = None, keep: Collection[str] = (), name: str | None = None
) -> Composition:
    """One specification with a grain of each module; where the mix says nothing of one, its finest.

    `also`: further grains, whose actions are defined, and are no part of the next-state relation. `keep`: variables
    (or globs) that stay although nobody reads them, besides those that the manifest names; also if a coarse grain does
    without them. `name`: of the module. Raises `SourceError`.
    """

    def made() -> Composition:
        with World().active():
            return _Composer(system, mix, also or {}, keep).composed(name)

    return with_deep_stack(made)


def matching(names: Collection[str], patterns: Collection[str]) -> list[str]:
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


class _Composer:
    def __init__(self, system: System, mix: Mix, also: Mix, keep: Collection[str]) -> None:
        self.system, self.also, self.keep = system, also, keep
        check_names(system, {**mix, **also})
        self.mix = completed(system.modules, mix)
        problems = list(conflicts(system.modules, self.mix, None))
        if problems:
            raise SourceError(problems)
        self.configured: Configured = configured(system)
        self.files = Files(system, self.configured.choices)
        check_partition(system, self.files)
        self.grains = grains_in(system, self.mix)
        self.selection = selected(self.files, self.grains)
        self.also_selection = selected(self.files, grains_in_pairs(system, also))
        self.lost = self._lost()
        self.declared = self._declared(self.grains)
        of_modules = self._declared([grain for grain in self.grains if grain.covers])
        self.available = [name for name in of_modules if name not in self.lost]

    # ------------------------------------------------------------------------------------------------------ variables

    def _declared(self, grains: list[Grain]) -> list[str]:
        """Variables of the files of some grains, in the order of the root's and then of the others' declarations."""
        paths = dict.fromkeys(grain.file for grain in grains)
        if self.system.root in paths:
            paths = {self.system.root: None, **paths}
        return list(dict.fromkeys(name for path in paths for name in self.files.get(path).variables))

    def _lost(self) -> dict[str, str]:
        """Variables that a coarse grain no longer writes, with the reason. Those in slices are lost slice by slice."""
        found: dict[str, str] = {}
        for module, name in self.mix.items():
            grain = self.system.grain(module, name)
            declared = set(self.files.get(grain.file).variables)
            for finer in self._finer(grain):
                for variable in sorted(self._written(finer) - declared - self.system.slices.keys()):
                    found.setdefault(
                        variable,
                        f"`{module}` at the grain `{finer.name}` writes it, and {grain.file.name}, which stands in for"
                        " that, does not declare it",
                    )
        return found

    def _finer(self, grain: Grain) -> list[Grain]:
        found = []
        while grain.counterpart is not None:
            grain = self.system.grain(grain.module, grain.counterpart)
            found.append(grain)
        return found

    def _written(self, grain: Grain) -> set[str]:
        if grain.covered_by is not None:
            grain = self.system.grain(*grain.covered_by)
        return written_by(self.files, grain)

    # -------------------------------------------------------------------------------------------------- what is chosen

    def composed(self, name: str | None) -> Composition:
        chosen, unavailable = self._choose_invariants()
        kept = {*matching(self.available, self.system.keep), *matching(self.declared, self.keep)}
        round = self._closed(kept, chosen)
        if not round.kept:  # nobody reads anything: then everything is of interest
            round = self._closed(set(self.available), chosen)
        variables = tuple(each for each in self.declared if each in round.kept)
        self._check_initialised(round, variables)
        plan = Plan(
            self.system,
            self.mix,
            self.configured,
            round,
            tuple(self.declared),
            variables,
            self.lost,
            tuple(chosen),
            (*unavailable, *self._properties()),
        )
        return write(plan, name)

    def _closed(self, kept: set[str], chosen: list[Invariant]) -> Round:
        """What is left with these variables, and with those that are read then, and so on."""
        while True:
            round = self._round(frozenset(kept), chosen)
            missing = [each for each in round.mentions() if each.kind == "variable" and each.what not in kept]
            if not missing:
                return round
            self._refuse_unavailable(missing)
            kept |= {each.what for each in missing}

    def _properties(self) -> list[Unavailable]:
        """What a configuration asks for besides invariants."""
        root = self.system.root or self.system.folder
        place = self.system.place("system", "config")
        reason = "compositions are checked for invariants only; temporal properties need not carry over"
        return [Unavailable(Invariant(name, root, place), reason) for name in self.configured.properties]

    def _choose_invariants(self) -> tuple[list[Invariant], list[Unavailable]]:
        chosen, unavailable = [], []
        for invariant in self.system.invariants:
            reason = self._reason_against(invariant)
            if reason is None:
                chosen.append(invariant)
            else:
                unavailable.append(Unavailable(invariant, reason))
        return chosen, unavailable

    def _reason_against(self, invariant: Invariant) -> str | None:
        for module, grains in invariant.grains.items():
            if self.mix[module] not in grains:
                return f"it is meant for {module} = {' or '.join(grains)}, not for `{self.mix[module]}`"
        operator = self.operator(invariant.file, invariant.name, "invariant", invariant.span)
        carver = Carver(self.files.get(invariant.file).specification, (), (), {})
        carver.reference(operator)
        names = dict.fromkeys(each.what for each in mentions(carver, carver.log) if each.kind == "variable")
        absent = [each for each in names if each not in self.available]
        if not absent:
            return None
        because = [f"`{each}`: {self.lost[each]}" for each in absent if each in self.lost]
        gone = [each for each in absent if each not in self.lost]
        if gone:
            because.append(f"{listed(gone)}: no grain of this mix declares {'it' if len(gone) == 1 else 'them'}")
        return "it speaks of " + "; ".join(because)

    def operator(self, path: Path, name: str, role: str, span: Span) -> Operator:
        file = self.files.get(path)
        found = file.operator(name)
        if found is None or found.params:
            message = f"{file.label} does not define the {role} `{name}`"
            if found is not None:
                message = f"the {role} `{name}` of {file.label} takes arguments"
            raise SourceError(Diagnostic(f"unknown-{role}", message, span, help=unknown_operator(name, file, role)))
        return found

    # ---------------------------------------------------------------------------------------------------------- rounds

    def _round(self, kept: frozenset[str], invariants: list[Invariant]) -> Round:
        round = Round(kept)
        self._actions(round, round.next, self.selection, "")
        self._actions(round, round.also, self.also_selection, "also")
        self._initial(round)
        self._predicates(round, invariants)
        self._assumptions(round)
        return round

    def carver(self, round: Round, file: TlaFile, tag: str = "") -> Carver:
        """Of a file, with all that is wanted of it."""
        found = round.carvers.get((file, tag))
        if found is None:
            selection = self.also_selection if tag else self.selection
            of_file = [chosen for chosen in selection.chosen if chosen.file is file]
            unwanted = frozenset().union(*(chosen.unwanted for chosen in of_file))
            wanted = {key: name for chosen in of_file for key, (name, _) in chosen.wanted.items()}
            found = round.carvers[file, tag] = Carver(file.specification, round.kept, unwanted, wanted)
        found.log = []
        return found

    def _actions(self, round: Round, formulas: list[Formula], selection: Selection, tag: str) -> None:
        for chosen in selection.chosen:
            relation = chosen.file.operator(chosen.relation)
            assert relation is not None
            for node in disjuncts(self.carver(round, chosen.file, tag), relation.body, relation.module):
                carver = self.carver(round, chosen.file, tag)
                made = carver.action(node, relation.module)
                if made is not Outcome.FALSE:
                    formulas.append(_of_relation(chosen, carver, node, made))
        for part in selection.calls:
            carver = self.carver(round, part.file, tag)
            made = carver.action(part.node, part.file.specification.root)
            formulas.append(_formula(carver, part.file, part.node, made, ((part.called, part.grain),)))

    def _initial(self, round: Round) -> None:
        seen: set[tuple[object, str]] = set()
        places = [(self.system.root, self.system.init)] if self.system.root is not None else []
        places += [(grain.file, grain.init) for grain in self.grains]
        for path, name in places:
            if path is None or (path, name) in seen:
                continue
            seen.add((path, name))
            file = self.files.get(path)
            operator = file.operator(name)
            if operator is None:
                continue
            for node in conjuncts(operator.body):
                carver = self.carver(round, file)
                made = carver.initial(node, operator.module)
                if not isinstance(made, Outcome):
                    round.init.append(Formula(carver, file, node, made, carver.log))

    def _predicates(self, round: Round, invariants: list[Invariant]) -> None:
        for each in invariants:
            self._predicate(round, self.operator(each.file, each.name, "invariant", each.span), each.file, each)
        root, place = self.system.root, self.system.place("system", "config")
        for name in (*self.configured.constraints, *self.configured.action_constraints):
            if root is not None:
                self._predicate(round, self.operator(root, name, "constraint", place), root, None)
        for name in self.configured.replacements.values():
            if root is not None and (operator := self.files.get(root).operator(name)) is not None:
                self._predicate(round, operator, root, None)

    def _predicate(self, round: Round, operator: Operator, path: Path, invariant: Invariant | None) -> None:
        file = self.files.get(path)
        carver = self.carver(round, file)
        made = carver.reference(operator)
        round.predicates.append(Formula(carver, file, made, made, carver.log, invariant=invariant))

    def _assumptions(self, round: Round) -> None:
        for file, tag in list(round.carvers):
            if tag:
                continue
            for module in file.module.with_extended():
                for unit in [] if module.is_library else module.node.units:
                    if isinstance(unit, tree.Assume) and unit.keyword != "AXIOM" and is_expression(unit.body):
                        carver = self.carver(round, file)
                        made = carver.expression(unit.body, module)  # type: ignore[arg-type]
                        round.assumptions.append(Formula(carver, file, unit.body, made, carver.log))  # type: ignore[arg-type]

    # -------------------------------------------------------------------------------------------------------- mistakes

    def _refuse_unavailable(self, missing: list[Mention]) -> None:
        for each in missing:
            if each.what in self.lost:
                raise SourceError(
                    Diagnostic(
                        "lost-variable",
                        f"this reads `{each.what}`, which is lost in this mix: {self.lost[each.what]}",
                        each.span,
                        help="let the coarse grain declare and write it, or take the finer grain",
                    )
                )
            if each.what not in self.declared:
                raise SourceError(
                    Diagnostic(
                        "missing-variable",
                        f"this reads `{each.what}`, which no grain of this mix declares",
                        each.span,
                        help="a conjunct about variables that are there must not speak of others",
                    )
                )

    def _check_initialised(self, round: Round, variables: tuple[str, ...]) -> None:
        found = {
            each.what
            for formula in round.init
            for each in mentions(formula.carver, formula.log)
            if each.kind in ("variable", "write")
        }
        for name in variables:
            if name not in found:
                raise SourceError(self._uninitialised(name))

    def _uninitialised(self, name: str) -> Diagnostic:
        files = [self.files.get(grain.file) for grain in self.grains]
        symbols = [each for file in files for each in file.module.variables if each.name == name]
        return Diagnostic(
            "no-initial-value",
            f"no initial predicate of this mix says what `{name}` is at first",
            symbols[0].span,
            help=f"define `{self.system.init}` in that file, with a conjunct for `{name}`",
        )


def is_expression(body: tree.Statement) -> bool:
    return not isinstance(body, tree.AssumeProve)


def _of_relation(chosen: Chosen, carver: Carver, node: tree.Expression, made: Result) -> Formula:
    """A disjunct of a relation, with the actions that were met in it."""
    met = [each.what for each in mentions(carver, carver.log) if each.kind == "action"]
    actions = tuple(chosen.wanted[each] for each in dict.fromkeys(met) if each in chosen.wanted)
    found = _formula(carver, chosen.file, node, made, actions)
    found.unwanted = chosen.unwanted_names
    return found


def _formula(
    carver: Carver, file: TlaFile, node: tree.Expression, made: Result, actions: tuple[tuple[str, Grain], ...]
) -> Formula:
    stutters = isinstance(made, Outcome)
    body = tree.Name(made.value, node.span) if isinstance(made, Outcome) else made
    return Formula(carver, file, node, body, carver.log, actions, stutters=stutters)


def grains_in_pairs(system: System, also: Mix) -> list[Grain]:
    return grains_in(system, also, environment=False)


def conjuncts(node: tree.Expression) -> list[tree.Expression]:
    match node:
        case tree.Parens(body):
            return conjuncts(body)
        case tree.Junction("/\\", items) | tree.Apply(tree.Name("/\\"), items):
            return [each for item in items for each in conjuncts(item)]
    return [node]


def check_names(system: System, mix: Mapping[str, str]) -> None:
    """Raises `SourceError` if a mix names a module or a grain that is not there."""
    for module, grain in mix.items():
        if module not in system.modules:
            raise SourceError(
                Diagnostic(
                    "unknown-module",
                    f"{system.source.path} has no module `{module}`",
                    help=f"there are {listed(system.modules)}",
                )
            )
        known = system.modules[module].grains
        if grain not in known:
            raise SourceError(
                Diagnostic(
                    "unknown-grain", f"the module `{module}` has no grain `{grain}`", help=f"there are {listed(known)}"
                )
            )
