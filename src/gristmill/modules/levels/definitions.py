"""The levels of definitions: operators, functions, LET, and operators that are declared RECURSIVE."""

from __future__ import annotations

from gristmill.modules.levels.algebra import (
    ACTION,
    CONSTANT,
    NO_PARAMS,
    NOTHING,
    TEMPORAL,
    ExpressionLevels,
    OperatorLevels,
    asked_of_others,
    define,
    join,
    union,
)
from gristmill.modules.levels.check import Handler, LevelCheck
from gristmill.modules.levels.instances import check_instance
from gristmill.modules.symbols import Fact, Instanced, NamedInstance, Operator
from gristmill.syntax import tree


def operator_levels(c: LevelCheck, symbol: Operator | Instanced | Fact) -> OperatorLevels:
    """The levels of a definition that have not been needed before."""
    match symbol:
        case Instanced():
            inner = symbol.operator.levels or operator_levels(c, symbol.operator)
            levels = define(symbol.params, c.substitute(c, inner.body, symbol.instance))
            levels.correct = inner.correct
        case Fact():
            statement = symbol.statement
            levels = define((), NOTHING if statement is None else c.expression(statement))
        case Operator():
            section = c.sections.get(symbol)
            if section is not None and section not in c.active:
                check_section(c, section)
                assert symbol.levels is not None
                return symbol.levels
            levels = operator_from_body(c, symbol, None)
    symbol.levels = levels
    return levels


def operator_from_body(c: LevelCheck, symbol: Operator, assumed: OperatorLevels | None) -> OperatorLevels:
    before = c.errors
    match symbol.definition:
        case tree.FunctionDefinition() as definition:
            if symbol.levels is None:
                symbol.levels = define((), NOTHING)  # in its own body a function is a bound name
            body, _ = c.under("the value of a function", definition.bounds, definition.body, TEMPORAL)
        case None:
            body = NOTHING
        case definition:
            body = c.expression(definition.body)
    levels = define(symbol.params, body, assumed)
    levels.correct = c.errors == before
    return levels


# --------------------------------------------------------------------------------------------- RECURSIVE


def check_section(c: LevelCheck, section: list[Operator]) -> None:
    """Operators that refer to each other. First they are taken to be constant, and to admit actions as arguments;
    then all get the highest level that one of them has, and their definitions are checked again with it."""
    c.active.append(section)
    for symbol in section:
        symbol.levels = assumption(symbol) if symbol.declared else None
    for symbol in section:
        if symbol.declared:
            symbol.levels = operator_from_body(c, symbol, symbol.levels)
            check_not_primed(c, symbol)
        elif symbol.levels is None:
            symbol.levels = operator_from_body(c, symbol, None)
    share_levels(section)
    for symbol in section:
        if symbol.in_section:
            symbol.levels = operator_from_body(c, symbol, symbol.levels)
    c.active.pop()


def assumption(symbol: Operator) -> OperatorLevels:
    count = symbol.arity
    return OperatorLevels(
        NOTHING, (ACTION,) * count, (1,) * count, (True,) * count, NOTHING, tuple((0,) * p.arity for p in symbol.params)
    )


def check_not_primed(c: LevelCheck, symbol: Operator) -> None:
    assert symbol.levels is not None
    for position, limit in enumerate(symbol.levels.max_levels):
        if limit < ACTION:
            c.report(
                "recursive-primes-parameter",
                f"the recursive operator `{symbol.name}` primes its parameter `{symbol.params[position].name}`",
                symbol.span,
                "a recursive operator must admit any state or action as an argument",
            )


def share_levels(section: list[Operator]) -> None:
    level, params, occurring = CONSTANT, NO_PARAMS, NO_PARAMS
    for symbol in section:
        if symbol.declared and symbol.levels is not None:
            outside = symbol.levels.outside
            level = max(level, outside.level)
            params = union(params, outside.params)
            occurring = union(occurring, outside.occurring)
    shared = ExpressionLevels(level, params, occurring=occurring)
    for symbol in section:
        if symbol.levels is not None:
            symbol.levels.outside = join((symbol.levels.outside, shared))


# -------------------------------------------------------------------------------------------------- LET


def definition(c: LevelCheck, node: tree.Definition) -> ExpressionLevels:
    """A definition; its levels are what it asks of the names around it."""
    if isinstance(node, tree.Recursive):
        return NOTHING
    symbol = c.program.symbols[id(node)]
    match symbol:
        case Operator():
            levels = symbol.levels or operator_levels(c, symbol)
            return levels.outside
        case NamedInstance():
            return check_instance(c, symbol.instance)
        case _:
            return NOTHING


def let(c: LevelCheck, node: tree.Let) -> ExpressionLevels:
    """A LET has the level of its body; what its definitions ask of parameters around it holds for the whole."""
    asked = [asked_of_others(definition(c, each)) for each in node.definitions]
    return join((c.expression(node.body), *asked))


DEFINITIONS: dict[type, Handler] = {
    tree.Let: let,
    tree.OperatorDefinition: definition,
    tree.FunctionDefinition: definition,
    tree.InstanceDefinition: definition,
    tree.Recursive: definition,
}
