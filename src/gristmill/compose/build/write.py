"""The text of a composition and its configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gristmill.compose.build.carve import DEFINED, Carver
from gristmill.compose.build.confirm import confirm, named_actions
from gristmill.compose.build.files import TlaFile
from gristmill.compose.build.layout import WIDTH, comment_before, expression_text, unit_text
from gristmill.compose.build.merge import Merge, Merged, with_bound_names, with_names
from gristmill.compose.build.rounds import Formula, Plan, Round
from gristmill.compose.manifest.reading import completed
from gristmill.compose.system import ENVIRONMENT, ComposedAction, Composition, Mix, System
from gristmill.modules.symbols import Constant, Operator
from gristmill.source import ConfigurationError, Diagnostic, SourceError
from gristmill.syntax import tree

_OWN = ("Init", "Next", "Spec")
_RULE = "-" * 77


def write(plan: Plan, name: str | None) -> Composition:
    writer = _Writer(plan, name or default_name(plan.system, plan.mix))
    text = writer.module()
    invariants = {each.invariant.name: writer.final(each).name for each in plan.round.predicates if each.invariant}
    composed = Composition(
        name=writer.name,
        mix=dict(plan.mix),
        text=text,
        config=writer.configuration(list(invariants.values())),
        actions=(),
        variables=plan.variables,
        dropped=tuple(v for v in plan.declared if v not in plan.variables and v not in plan.lost),
        lost=tuple(plan.lost),
        invariants=plan.invariants,
        unavailable=plan.unavailable,
        also=tuple(action for each in plan.round.also for _, action in writer.expected(each)),
        lost_because=dict(plan.lost),
        search_path=tuple(dict.fromkeys(file.path.parent for file, _ in plan.round.carvers)),
        constraints=(*plan.configured.constraints, *plan.configured.action_constraints),
        invariant_names=invariants,
    )
    return replace(composed, actions=tuple(writer.actions(confirm(composed, writer.meant()))))


def _is_named(merged: Merged) -> bool:
    return not isinstance(merged.unit, tree.Recursive | tree.InstanceUnit)


def default_name(system: System, mix: Mix) -> str:
    """`Raft_Vote_fine`: the modules that are not at their coarsest grain, or what all have in common."""
    for name, known in system.mixes.items():
        if completed(system.modules, known) == mix:
            return _identifier(f"{system.name}_{name}")
    if mix == system.finest():
        return _identifier(f"{system.name}_fine")
    coarsest = system.coarsest()
    if mix == coarsest:
        return _identifier(f"{system.name}_coarse")
    return _identifier("_".join([system.name, *(f"{m}_{g}" for m, g in mix.items() if g != coarsest[m])]))


def _identifier(text: str) -> str:
    return re.sub(r"\W", "_", text)


@dataclass(slots=True, eq=False)
class _Writer:
    plan: Plan
    name: str
    merge: Merge = field(init=False)
    names: dict[Carver, dict[int, str]] = field(init=False, default_factory=dict)
    constants: dict[str, Constant] = field(init=False, default_factory=dict)
    taken: set[str] = field(init=False, default_factory=set)

    @property
    def round(self) -> Round:
        return self.plan.round

    @property
    def variables(self) -> tuple[str, ...]:
        return self.plan.variables

    def __post_init__(self) -> None:
        for each in self.round.mentions():
            if each.kind == "constant":
                self._note_constant(each.what)
        self.merge = Merge({*_OWN, *self.variables, *self.constants, *self.library_names()})
        for (file, _), carver in self.files():
            logs = [each.log for each in self.round.all() if each.carver is carver]
            self.names[carver] = self.merge.add(file, carver, logs)
        self.taken = {*self.merge.reserved, *self.merge.taken, self.tuple_name}

    def files(self) -> list[tuple[tuple[TlaFile, str], Carver]]:
        """The root first: what has the same name elsewhere is renamed there."""
        root = self.plan.system.root
        return sorted(self.round.carvers.items(), key=lambda each: (each[0][1] != "", each[0][0].path != root))

    def _note_constant(self, constant: Constant) -> None:
        known = self.constants.setdefault(constant.name, constant)
        if known.arity != constant.arity:
            raise SourceError(
                Diagnostic(
                    "compose-constant-arity",
                    f"the constant `{constant.name}` has {constant.arity} arguments here, and {known.arity} elsewhere",
                    constant.span,
                    help="constants of the same name are the same constant",
                )
            )

    def library_names(self) -> set[str]:
        found: set[str] = set()
        for file, _ in self.round.carvers:
            for name, symbol in file.specification.root.names.items():
                if isinstance(symbol, Operator) and symbol.module.is_library:
                    found.add(name)
        return found

    @property
    def tuple_name(self) -> str:
        """Of all variables: that of a definition, if there is one, or one that is free."""
        if not self.variables:
            return "<<>>"
        if self.has_tuple:
            return "vars"
        taken = {*self.merge.taken, *self.merge.reserved}
        return next(name for name in ("vars", "allVars", "allVariables") if name not in taken)

    @property
    def has_tuple(self) -> bool:
        known = self.merge.taken.get("vars")
        if not isinstance(known, tree.OperatorDefinition) or not isinstance(known.body, tree.Tuple):
            return False
        names = [item.name for item in known.body.items if isinstance(item, tree.Name)]
        return sorted(names) == sorted(self.variables)

    # ------------------------------------------------------------------------------------------------------- the module

    def module(self) -> str:
        title = f" MODULE {self.name} "
        side = max(4, (len(_RULE) - len(title)) // 2)
        sections = [
            f"{'-' * side}{title}{'-' * side}\n{self.heading()}",
            self.extends(),
            self.declarations(),
            *self.definitions(),
            *self.assumptions(),
            _RULE,
            self.initial(),
            self.next(),
            f"Spec == Init /\\ [][Next]_{self.tuple_name if self.variables else '<<>>'}",
            "=" * len(_RULE),
        ]
        return "\n\n".join(section for section in sections if section) + "\n"

    def heading(self) -> str:
        system = self.plan.system
        lines = [f"\\* Composed by `gristmill compose build` from {Path(system.source.path).name}:"]
        for module, grain in self.plan.mix.items():
            at = system.grain(module, grain)
            lines.append(f"\\*   {module}: {grain} ({at.file.name})")
        if system.environment is not None:
            file = next(iter(system.environment.grains.values())).file
            lines.append(f"\\*   {ENVIRONMENT} ({file.name})")
        return "\n".join(lines)

    def extends(self) -> str:
        found: dict[str, None] = {}
        for file, _ in self.round.carvers:
            for module in file.specification.modules.values():
                if module.is_library:
                    continue
                for extended in module.extends:
                    if extended.is_library:
                        found[extended.name] = None
                for instance in module.instances:
                    unnamed = any(
                        isinstance(unit, tree.InstanceUnit) and unit.instance is instance.node
                        for unit in module.node.units
                    )
                    if instance.module.is_library and unnamed:
                        found[instance.module.name] = None
        return f"EXTENDS {', '.join(found)}" if found else ""

    def declarations(self) -> str:
        constants = [_constant(each) for each in self.constants.values()]
        parts = []
        if constants:
            parts.append(_listing("CONSTANTS", constants))
        if self.variables:
            parts.append(_listing("VARIABLES", self.variables))
            if not self.has_tuple:
                parts.append(_listing(f"{self.tuple_name} == <<", self.variables, gap="", end=">>"))
        return "\n\n".join(parts)

    def assumptions(self) -> Iterable[str]:
        seen: list[Any] = []
        for formula in self.round.assumptions:
            made = self.final(formula)
            if made not in seen:
                seen.append(made)
                yield f"ASSUME {expression_text(made, formula.original, len('ASSUME '))}"

    def definitions(self) -> Iterable[str]:
        file: TlaFile | None = None
        for merged in self.merge.units:
            if merged.file is not file:
                file = merged.file
                yield f"{_RULE}\n\\* Definitions of {file.label}"
            yield self.definition(merged)

    def definition(self, merged: Merged) -> str:
        text = unit_text(self.unit(merged), merged.original)
        module = next((m for m in merged.file.specification.modules.values() if merged.original in m.node.units), None)
        is_first = not any(each.name == merged.name for each in self.merge.units[: self.merge.units.index(merged)])
        comment = comment_before(merged.original, module.node.units) if module is not None and is_first else ""
        return f"{comment}\n{text}" if comment else text

    def unit(self, merged: Merged) -> tree.Unit:
        unit: tree.Unit = with_bound_names(merged.unit, self.taken - {merged.name})
        return unit

    def final(self, formula: Formula) -> Any:
        return with_bound_names(with_names(formula.made, self.names[formula.carver]), self.taken)

    # ------------------------------------------------------------------------------------------------------- behaviours

    def initial(self) -> str:
        lines = [f"    /\\ {expression_text(made, original, 7)}" for made, original in self.initial_conjuncts()]
        return "\n".join(["Init ==", *lines]) if lines else "Init == TRUE"

    def initial_conjuncts(self) -> list[tuple[tree.Expression, tree.Expression]]:
        """Each once, with what it was made of."""
        found: list[tuple[tree.Expression, tree.Expression]] = []
        for formula in self.round.init:
            made = self.final(formula)
            if all(made != known for known, _ in found):
                found.append((made, formula.original))
        return found

    def next(self) -> str:
        lines: list[str] = []
        group = ""
        for formula in self.in_order():
            heading = self.group(formula)
            if heading != group:
                lines.append(f"    \\* {heading}")
                group = heading
            if formula.stutters:
                names = ", ".join(name for name, _ in formula.actions)
                lines.append(f"    \\* changes nothing that is left: {names}")
            else:
                lines.append(f"    \\/ {expression_text(self.disjunct(formula), formula.original, 7)}")
        steps = any(not formula.stutters for formula in self.round.next)
        return "\n".join(["Next ==", *lines, *([] if steps else [f"    UNCHANGED {self.tuple_name}"])])

    def meant(self) -> dict[str, tree.Expression | tree.Unit]:
        """What the definitions of the text are meant to be: those of files, and the bodies of Init and Next."""
        units: dict[str, tree.Expression | tree.Unit] = {
            each.name: self.unit(each) for each in self.merge.units if _is_named(each)
        }
        initial = tuple(made for made, _ in self.initial_conjuncts())
        steps = tuple(self.disjunct(each) for each in self.in_order() if not each.stutters)
        if initial:
            units["Init"] = tree.Junction("/\\", initial, initial[0].span)
        if steps:
            units["Next"] = tree.Junction("\\/", steps, steps[0].span)
        return units

    def in_order(self) -> list[Formula]:
        """By module, in the order of the mix; the environment last."""
        order = {name: number for number, name in enumerate((*self.plan.mix, ENVIRONMENT))}
        return sorted(self.round.next, key=lambda each: min((order[g.module] for g in each.grains), default=0))

    def group(self, formula: Formula) -> str:
        grains = [
            grain.module if grain.module == ENVIRONMENT else f"{' and '.join(grain.covers)}, {grain.name}"
            for grain in formula.grains
        ]
        return f"{'; '.join(grains)} ({formula.file.label})"

    def frame(self, formula: Formula) -> tuple[str, ...]:
        declared = set(formula.file.variables)
        return tuple(name for name in self.variables if name not in declared)

    def disjunct(self, formula: Formula) -> tree.Expression:
        made: tree.Expression = self.final(formula)
        frame = self.frame(formula)
        return framed(made, frame) if frame else made

    def actions(self, found: Sequence[Sequence[str]]) -> Iterable[ComposedAction]:
        """`found`: the names that the disjuncts have."""
        formulas = [each for each in self.in_order() if not each.stutters]
        if not formulas:
            return
        for formula, names in zip(formulas, found, strict=True):
            unwanted = {self.action_name(formula, name) for name in formula.unwanted}
            yield from named_actions(list(self.expected(formula)), names, unwanted)

    def expected(self, formula: Formula) -> Iterable[tuple[str, ComposedAction]]:
        """The actions of a disjunct, by the names of their definitions."""
        text = expression_text(self.final(formula), None, 0)
        for origin, grain in formula.actions:
            name = self.action_name(formula, origin)
            file = formula.file.path
            yield name, ComposedAction(name, grain.module, grain.name, file, text, self.frame(formula), origin)

    def action_name(self, formula: Formula, origin: str) -> str:
        """What an action is called in the composition: as its definition is."""
        if origin == self.plan.system.next:
            return "Next"
        names = self.names[formula.carver]
        head, bang, rest = origin.partition("!")
        found = [
            names[each.number] for each in formula.carver.definitions if each.name == head and each.number in names
        ]
        return f"{found[0]}{bang}{rest}" if found else origin

    # ---------------------------------------------------------------------------------------------------- configuration

    def configuration(self, invariants: Sequence[str]) -> str:
        configured = self.plan.configured
        lines = ["INIT Init", "NEXT Next"]
        if invariants:
            lines.append(f"INVARIANTS {' '.join(invariants)}")
        for keyword, names in (
            ("CONSTRAINTS", configured.constraints),
            ("ACTION_CONSTRAINTS", configured.action_constraints),
        ):
            if names:
                lines.append(f"{keyword} {' '.join(self.named(name) for name in names)}")
        lines.append("CHECK_DEADLOCK FALSE \\* whether a composition comes to an end says nothing of the system")
        given = [self.sentence(constant) for constant in self.constants.values()]
        if given:
            lines += ["CONSTANTS", *(f"    {sentence}" for sentence in given)]
        return "\n".join(lines) + "\n"

    def named(self, name: str) -> str:
        """What a definition of the root is called here that the configuration names."""
        for each in self.round.predicates:
            if each.invariant is None and _unmarked(each.made) == name:
                return str(self.final(each).name)
        return name

    def sentence(self, constant: Constant) -> str:
        replacement = self.plan.configured.replacements.get(constant.name)
        if replacement is not None:
            return f"{constant.name} <- {self.named(replacement)}"
        sentence = self.plan.configured.sentences.get(constant.name)
        if sentence is None:
            raise ConfigurationError(
                Diagnostic(
                    "constant-not-given",
                    f"the constant `{constant.name}` has no value",
                    constant.span,
                    help=f'add {constant.name} = "…" to [constants] of {Path(self.plan.system.source.path).name}',
                )
            )
        return sentence


def _unmarked(node: tree.Expression) -> str:
    return node.name.partition(DEFINED)[0] if isinstance(node, tree.Name) else ""


def framed(node: tree.Expression, frame: Sequence[str]) -> tree.Expression:
    """A disjunct that leaves further variables as they are."""
    if isinstance(node, tree.Quantified) and node.quantifier == "\\E":
        return tree.Quantified(node.quantifier, node.bounds, framed(node.body, frame), node.span)
    span = node.span
    names = tuple(tree.Name(name, span) for name in frame)
    operand: tree.Expression = names[0] if len(names) == 1 else tree.Tuple(names, span)
    unchanged = tree.Apply(tree.Name("UNCHANGED", span), (operand,), span)
    if isinstance(node, tree.Junction) and node.operator == "/\\":
        return tree.Junction("/\\", (*node.items, unchanged), span)
    if isinstance(node, tree.Name | tree.Apply) and _is_call(node):
        return tree.Apply(tree.Name("/\\", span), (node, unchanged), span)
    return tree.Junction("/\\", (node, unchanged), span)


def _is_call(node: tree.Name | tree.Apply) -> bool:
    name = node.name if isinstance(node, tree.Name) else node.operator.name
    return name.isidentifier() and name != "UNCHANGED"


def _constant(constant: Constant) -> str:
    return constant.name + (f"({', '.join('_' * constant.arity)})" if constant.arity else "")


def _listing(word: str, names: Sequence[str], gap: str = " ", end: str = "") -> str:
    """Names behind a word, in as many lines as they need."""
    indent = " " * len(word + gap)
    lines = [word + gap]
    for number, name in enumerate(names):
        last = number == len(names) - 1
        piece = name + (end if last else ",")
        if len(lines[-1]) + len(piece) > WIDTH and lines[-1].strip() != word:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += piece + ("" if last else " ")
    return "\n".join(lines)
