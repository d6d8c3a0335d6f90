"""The walk that checks levels: no primed prime, no action where a state is meant, no temporal formula in an action.

`levels` says how levels combine; this and the files beside it walk the trees and report what the combination forbids.
An operator's levels are computed once, when its definition is met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from gristmill.modules.levels.algebra import (
    ACTION,
    LEVEL_NAMES,
    NOTHING,
    ExpressionLevels,
    Operand,
    OperatorArgument,
    OperatorLevels,
    Params,
    apply,
    apply_declared,
    define,
    join,
    levels_of,
    limited,
    reference,
    without,
)
from gristmill.modules.levels.builtins import built_in
from gristmill.modules.levels.messages import too_high
from gristmill.modules.resolve.state import MAX_DIAGNOSTICS, Program
from gristmill.modules.specification import Selection
from gristmill.modules.symbols import (
    BuiltIn,
    Constant,
    Fact,
    Instance,
    Instanced,
    NamedInstance,
    NewDeclaration,
    Operator,
    Parameter,
    ProofStep,
    Symbol,
    Variable,
)
from gristmill.source import Diagnostic, Label, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.syntax import tree

Handler = Callable[["LevelCheck", Any], ExpressionLevels]


@dataclass(slots=True, eq=False)
class LevelCheck:
    """The state of the walk. What stands in other files of it is handed in."""

    program: Program
    handlers: dict[type, Handler]
    operator_levels: Callable[[LevelCheck, Operator | Instanced | Fact], OperatorLevels]
    substitute: Callable[[LevelCheck, ExpressionLevels, Instance], ExpressionLevels]
    errors: int = 0
    record: dict[int, ExpressionLevels] | None = None  # while an error is explained
    sections: dict[Operator, list[Operator]] = field(default_factory=dict)
    active: list[list[Operator]] = field(default_factory=list)

    def expression(self, node: object) -> ExpressionLevels:
        levels = self.handlers[type(node)](self, node)
        if self.record is not None:
            self.record[id(node)] = levels
        return levels

    def report(self, id: str, message: str, span: Span, help: str | None = None, labels: Sequence[Label] = ()) -> None:
        self.errors += 1
        if self.record is None and len(self.program.diagnostics) < MAX_DIAGNOSTICS:
            self.program.diagnostics.append(Diagnostic(id, message, span, "error", help, tuple(labels)))

    def symbol(self, node: object) -> Symbol:
        return self.program.symbols[id(node)]  # type: ignore[return-value]

    # ------------------------------------------------------------------------------------- references

    def value(self, symbol: Symbol) -> ExpressionLevels:
        """A symbol as an expression."""
        match symbol:
            case Parameter() | Variable() | Constant() | NewDeclaration():
                return symbol.levels or reference(symbol)
            case BuiltIn():
                return symbol.levels.outside
            case Operator() | Instanced() | Fact():
                return self.levels_of(symbol).outside
            case NamedInstance() | ProofStep():
                return NOTHING

    def levels_of(self, symbol: Operator | Instanced | Fact) -> OperatorLevels:
        levels = symbol.levels or self.operator_levels(self, symbol)
        if not levels.correct:
            self.errors += 1  # has been reported; what follows from it is not
        return levels

    def argument(self, node: tree.Expression) -> OperatorArgument:
        """An operator as an argument."""
        if isinstance(node, tree.Path):
            found = self.program.references[id(node)]
            if isinstance(found, Selection):
                levels = self.selection(found)
                return OperatorArgument(levels.outside, levels, None, len(found.params))
            return self.operator_symbol(found.symbol)
        return self.operator_symbol(self.symbol(node))

    def operator_symbol(self, symbol: Symbol) -> OperatorArgument:
        match symbol:
            case BuiltIn():
                return OperatorArgument(symbol.levels.outside, symbol.levels, None, symbol.arity)
            case Operator() | Instanced() | Fact():
                levels = self.levels_of(symbol)
                return OperatorArgument(levels.outside, levels, None, symbol.arity)
            case Parameter() | Variable() | Constant() | NewDeclaration():
                return OperatorArgument(reference(symbol), None, symbol, symbol.arity)
            case NamedInstance() | ProofStep():
                return OperatorArgument(NOTHING, None, None, 0)

    def selection(self, found: Selection) -> OperatorLevels:
        """A piece of a definition, as the LAMBDA that it means."""
        body = self.expression(found.node)
        for instance in reversed(found.instances):
            body = self.substitute(self, body, instance)
        return define(found.params, body)

    def operands(self, params: Sequence[Parameter], args: Sequence[tree.Expression]) -> list[Operand]:
        return [
            self.argument(arg) if params and params[i].arity else self.expression(arg) for i, arg in enumerate(args)
        ]

    def application(self, node: tree.Expression, symbol: Symbol, args: Sequence[tree.Expression]) -> ExpressionLevels:
        match symbol:
            case BuiltIn():
                return built_in(self, node, symbol, args)
            case Operator() | Instanced() | Fact():
                levels = self.levels_of(symbol)
                return self.apply_defined(node, symbol.name, levels, symbol.params, args)
            case Parameter() | Variable() | Constant() | NewDeclaration():
                return apply_declared(symbol, [self.expression(arg) for arg in args])
            case NamedInstance() | ProofStep():
                return NOTHING

    def apply_defined(
        self,
        node: tree.Expression,
        name: str,
        levels: OperatorLevels,
        params: Sequence[Parameter],
        args: Sequence[tree.Expression],
    ) -> ExpressionLevels:
        if not args:
            return levels.outside
        before = self.errors
        operands = self.operands(params, args)
        if self.errors == before and levels.correct:
            check_operands(self, node, name, levels, operands, args)
        return apply(levels, params, operands)

    # ----------------------------------------------------------------------------------------- bounds

    def domains(self, bounds: Sequence[tree.Bound]) -> list[ExpressionLevels]:
        found = []
        for bound in bounds:
            if bound.domain is not None:
                before = self.errors
                levels = self.expression(bound.domain)
                if levels.level > ACTION and self.errors == before:
                    names = ", ".join(f"`{name.name}`" for name in bound.names)
                    message = f"the set that {names} ranges over is a temporal formula"
                    self.report("level-temporal-bound", message, bound.domain.span)
                found.append(levels)
        return found

    def bound_names(self, bounds: Sequence[tree.Bound]) -> Params:
        symbols = self.program.symbols
        return frozenset(symbols[id(name)] for bound in bounds for name in bound.names)  # type: ignore[misc]

    def under(
        self, what: str, bounds: Sequence[tree.Bound], body: tree.Expression, limit: int
    ) -> tuple[ExpressionLevels, list[ExpressionLevels]]:
        """An expression that binds names; its own levels and those of the domains."""
        domains = self.domains(bounds)
        inner = self.operand(what, body, limit)
        inner = without(limited(inner, limit), self.bound_names(bounds))
        return join((inner, *domains)), domains

    def operand(self, what: str, node: tree.Expression, limit: int) -> ExpressionLevels:
        """An operand of a construct of the language that admits levels up to `limit`."""
        before = self.errors
        levels = self.expression(node)
        if levels.level > limit and self.errors == before:
            too_high(self, what, node, levels.level, limit)
        return levels


def check_operands(
    c: LevelCheck,
    node: tree.Expression,
    name: str,
    op: OperatorLevels,
    operands: Sequence[Operand],
    args: Sequence[tree.Expression],
) -> None:
    """Does every operand have a level that the operator admits?"""
    for i, operand in enumerate(operands):
        level = levels_of(operand).level
        if level > op.max_levels[i]:
            too_high(c, f"argument {i + 1} of `{name}`", args[i], level, op.max_levels[i])
        if isinstance(operand, OperatorArgument) and operand.operator is not None and op.needs:
            for k, need in enumerate(op.needs[i]):
                if operand.operator.max_levels[k] < need:
                    c.report(
                        "level-operator-argument",
                        f"`{name}` applies its argument {i + 1} to something of {LEVEL_NAMES[need]} level, "
                        f"but this operator admits at most {LEVEL_NAMES[operand.operator.max_levels[k]]} level",
                        args[i].span,
                    )
    for i, j, k in op.couplings:
        operator = operands[i]
        if not isinstance(operator, OperatorArgument) or operator.operator is None:
            continue
        level, limit = levels_of(operands[j]).level, operator.operator.max_levels[k]
        if level > limit:
            what = f"argument {j + 1} of `{name}`, which its argument {i + 1} is applied to,"
            too_high(c, what, args[j], level, limit)
