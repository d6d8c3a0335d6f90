"""The levels of the operators of the language, with the rules that are theirs alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gristmill.modules.levels.algebra import (
    ACTION,
    TEMPORAL,
    ExpressionLevels,
    OperatorLevels,
    join,
    limited,
    pass_on,
    veiled,
)
from gristmill.modules.levels.messages import action_within, too_high
from gristmill.modules.symbols import BuiltIn
from gristmill.source import Label
from gristmill.syntax import tree

if TYPE_CHECKING:
    from gristmill.modules.levels.check import LevelCheck

Check = Callable[["LevelCheck", tree.Expression, str, Sequence[tree.Expression], Sequence[ExpressionLevels]], None]


def built_in(
    c: LevelCheck, node: tree.Expression, symbol: BuiltIn, args: Sequence[tree.Expression]
) -> ExpressionLevels:
    op = symbol.levels
    before = c.errors
    operands = [c.expression(arg) for arg in args]
    if c.errors == before:
        for i, operand in enumerate(operands):
            if operand.level > op.max_levels[i]:
                too_high(c, _operand_of(symbol, i), args[i], operand.level, op.max_levels[i])
        check = _SPECIAL.get(symbol.name)
        if check is not None and c.errors == before:
            check(c, node, symbol.name, args, operands)
    if not op.weights:
        return op.outside
    if op.weights[0]:
        return pass_on(operands, op.max_levels[0])
    return veil(op, operands)


def veil(op: OperatorLevels, operands: Sequence[ExpressionLevels]) -> ExpressionLevels:
    bounded = [limited(operand, limit) for operand, limit in zip(operands, op.max_levels, strict=True)]
    return veiled(join(bounded), op.outside.level)


def _operand_of(symbol: BuiltIn, i: int) -> str:
    if symbol.name == "'":
        return "what is primed"
    if symbol.arity == 1:
        return f"the operand of `{symbol.name}`"
    return f"the {'left' if i == 0 else 'right'} operand of `{symbol.name}`"


def _check_always(
    c: LevelCheck, node: tree.Expression, name: str, args: Sequence[tree.Expression], found: Sequence[ExpressionLevels]
) -> None:
    """`[]A` and `<>A` of an action are formulas only as `[][A]_v` and `<><<A>>_v`: others feel stuttering."""
    arg = args[0]
    while isinstance(arg, tree.Parens):
        arg = arg.body
    if found[0].level != ACTION or isinstance(arg, tree.Let | tree.Labelled | tree.At):
        return
    if name == "[]" and not isinstance(arg, tree.BoxAction):
        c.report("level-always-action", "`[]` applies to an action only in the form `[][A]_v`", node.span)
    elif name == "<>" and not isinstance(arg, tree.AngleAction):
        c.report("level-eventually-action", "`<>` applies to an action only in the form `<><<A>>_v`", node.span)


def _check_leads_to(
    c: LevelCheck, node: tree.Expression, name: str, args: Sequence[tree.Expression], found: Sequence[ExpressionLevels]
) -> None:
    for arg, levels in zip(args, found, strict=True):
        if levels.level == ACTION:
            message = f"an operand of `{name}` must be a state predicate or a temporal formula, not an action"
            c.report("level-action-operand", message, arg.span)


def check_mixed(
    c: LevelCheck, node: tree.Expression, name: str, args: Sequence[tree.Expression], found: Sequence[ExpressionLevels]
) -> None:
    """A formula with an action beside a temporal formula has no meaning: one is about a step, one about a behaviour."""
    levels = {part.level for part in found}
    if ACTION not in levels or TEMPORAL not in levels:
        return
    action = next(arg for arg, part in zip(args, found, strict=True) if part.level == ACTION)
    temporal = next(arg for arg, part in zip(args, found, strict=True) if part.level == TEMPORAL)
    labels = [Label(action.span, "an action"), Label(temporal.span, "a temporal formula")]
    prime = action_within(c, action)
    remedy = "an action becomes a formula as `[][A]_v`"
    if prime is not None and not action.span.covers(prime):
        labels.insert(1, Label(prime, "it is an action because this speaks of the next state"))
        remedy = f"if `{action.span.text}` is about one state, leave out the prime, or UNCHANGED; {remedy}"
    c.report("level-mixed-operands", f"`{name}` joins an action with a temporal formula", node.span, remedy, labels)


_SPECIAL: dict[str, Check] = {
    "[]": _check_always,
    "<>": _check_always,
    "~>": _check_leads_to,
    "-+->": _check_leads_to,
    "/\\": check_mixed,
    "\\/": check_mixed,
    "=>": check_mixed,
    "<=>": check_mixed,
}
