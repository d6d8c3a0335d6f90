"""The levels of expressions, one function a construct."""

from __future__ import annotations

from typing import Any

from gristmill.modules.builtins import ACTION_BRACKETS, FAIRNESS, TEMPORAL_QUANTIFIER
from gristmill.modules.levels.algebra import ACTION, NOTHING, STATE, TEMPORAL, ExpressionLevels, join, limited, pass_on
from gristmill.modules.levels.builtins import built_in, check_mixed, veil
from gristmill.modules.levels.check import Handler, LevelCheck
from gristmill.modules.specification import ExceptTarget, OperatorReference, PreviousStep, Selection
from gristmill.modules.symbols import BuiltIn
from gristmill.syntax import tree


def name(c: LevelCheck, node: tree.Name | tree.StepName) -> ExpressionLevels:
    return c.value(c.program.symbols[id(node)])  # type: ignore[arg-type]


def literal(c: LevelCheck, node: tree.Number | tree.Decimal | tree.String) -> ExpressionLevels:
    return NOTHING


def at(c: LevelCheck, node: tree.At) -> ExpressionLevels:
    match c.program.at_targets[id(node)]:
        case ExceptTarget(_, update):
            return c.program.at_levels[id(update)]
        case PreviousStep(expression):
            return c.expression(expression)


def path(c: LevelCheck, node: tree.Path) -> ExpressionLevels:
    match c.program.references[id(node)]:
        case OperatorReference(symbol, args):
            return c.application(node, symbol, args) if args else c.value(symbol)
        case Selection() as found:
            levels = c.selection(found)
            return c.apply_defined(node, found.definition.name, levels, found.params, found.args)


def apply_operator(c: LevelCheck, node: tree.Apply) -> ExpressionLevels:
    symbol = c.program.symbols[id(node.operator)]
    if type(symbol) is BuiltIn:
        return built_in(c, node, symbol, node.args)
    return c.application(node, symbol, node.args)  # type: ignore[arg-type]


def parens(c: LevelCheck, node: tree.Parens) -> ExpressionLevels:
    return c.expression(node.body)


def junction(c: LevelCheck, node: tree.Junction) -> ExpressionLevels:
    before = c.errors
    parts = [c.expression(item) for item in node.items]
    if c.errors == before:
        check_mixed(c, node, node.operator, node.items, parts)
    return pass_on(parts, TEMPORAL)


def quantified(c: LevelCheck, node: tree.Quantified) -> ExpressionLevels:
    levels, domains = c.under("the body", node.bounds, node.body, TEMPORAL)
    if node.quantifier in ("\\AA", "\\EE"):
        return veil(TEMPORAL_QUANTIFIER, (levels,))
    if levels.level == TEMPORAL:
        for bound, domain in zip(node.bounds, domains, strict=False):
            if domain.level == ACTION and bound.domain is not None:
                message = "the set in a quantifier over a temporal formula must not be of action level"
                c.report("level-action-bound", message, bound.domain.span)
    return levels


def choose(c: LevelCheck, node: tree.Choose) -> ExpressionLevels:
    return c.under("the body of CHOOSE", (node.bound,), node.body, ACTION)[0]


def set_filter(c: LevelCheck, node: tree.SetFilter) -> ExpressionLevels:
    return c.under("the condition on elements of a set", (node.bound,), node.predicate, ACTION)[0]


def set_map(c: LevelCheck, node: tree.SetMap) -> ExpressionLevels:
    return c.under("an element of a set", node.bounds, node.body, ACTION)[0]


def function_literal(c: LevelCheck, node: tree.FunctionLiteral) -> ExpressionLevels:
    return c.under("the value of a function", node.bounds, node.body, TEMPORAL)[0]


def parts_of(what: str, *fields: str) -> Handler:
    """A construct whose operands are all of at most action level."""

    def handler(c: LevelCheck, node: Any) -> ExpressionLevels:
        found = []
        for field_name in fields:
            value = getattr(node, field_name)
            for part in value if isinstance(value, tuple) else (value,):
                found.append(c.operand(what, part, ACTION))
        return pass_on(found, ACTION)

    return handler


def record(c: LevelCheck, node: tree.Record) -> ExpressionLevels:
    return pass_on([c.expression(entry.value) for entry in node.fields], TEMPORAL)


def record_set(c: LevelCheck, node: tree.RecordSet) -> ExpressionLevels:
    return pass_on([c.operand("the values of a field", entry.value, ACTION) for entry in node.fields], ACTION)


def except_(c: LevelCheck, node: tree.Except) -> ExpressionLevels:
    so_far = c.operand("the function of EXCEPT", node.function, ACTION)
    for update in node.updates:
        c.program.at_levels[id(update)] = so_far
        parts = []
        for step in update.path:
            if isinstance(step, tree.IndexStep):
                parts += [c.operand("an argument in EXCEPT", arg, ACTION) for arg in step.args]
        parts.append(c.operand("the new value in EXCEPT", update.value, ACTION))
        so_far = join((so_far, pass_on(parts, TEMPORAL)))
    return limited(so_far, ACTION)


def if_(c: LevelCheck, node: tree.If) -> ExpressionLevels:
    return pass_on([c.expression(part) for part in (node.condition, node.then, node.otherwise)], TEMPORAL)


def case(c: LevelCheck, node: tree.Case) -> ExpressionLevels:
    parts = []
    for arm in node.arms:
        if arm.guard is not None:
            parts.append(c.expression(arm.guard))
        parts.append(c.expression(arm.value))
    return pass_on(parts, TEMPORAL)


def bracketed(c: LevelCheck, node: tree.BoxAction | tree.AngleAction) -> ExpressionLevels:
    form = "[A]_v" if isinstance(node, tree.BoxAction) else "<<A>>_v"
    action = c.operand(f"the action in `{form}`", node.action, ACTION)
    subscript = c.operand(f"the subscript of `{form}`", node.subscript, STATE)
    return veil(ACTION_BRACKETS, (action, subscript))


def fairness(c: LevelCheck, node: tree.Fairness) -> ExpressionLevels:
    subscript = c.operand(f"the subscript of {node.kind}", node.subscript, STATE)
    action = c.operand(f"the action in {node.kind}", node.action, ACTION)
    return veil(FAIRNESS, (subscript, action))


def labelled(c: LevelCheck, node: tree.Labelled) -> ExpressionLevels:
    return c.expression(node.body)


EXPRESSIONS: dict[type, Handler] = {
    tree.Name: name,
    tree.StepName: name,
    tree.Number: literal,
    tree.Decimal: literal,
    tree.String: literal,
    tree.At: at,
    tree.Path: path,
    tree.Apply: apply_operator,
    tree.Parens: parens,
    tree.Junction: junction,
    tree.Quantified: quantified,
    tree.Choose: choose,
    tree.SetEnumeration: parts_of("an element of a set", "items"),
    tree.SetFilter: set_filter,
    tree.SetMap: set_map,
    tree.FunctionLiteral: function_literal,
    tree.FunctionSet: parts_of("a set of functions", "domain", "range"),
    tree.FunctionApply: parts_of("a function and its arguments", "function", "args"),
    tree.Record: record,
    tree.RecordSet: record_set,
    tree.FieldAccess: parts_of("a record", "record"),
    tree.Except: except_,
    tree.Tuple: parts_of("an element of a tuple", "items"),
    tree.CrossProduct: parts_of("a factor of `\\X`", "factors"),
    tree.If: if_,
    tree.Case: case,
    tree.BoxAction: bracketed,
    tree.AngleAction: bracketed,
    tree.Fairness: fairness,
    tree.Labelled: labelled,
}
