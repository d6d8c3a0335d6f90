"""The operators of the language itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill import library
from gristmill.ir import nodes
from gristmill.ir.environment import ByName, Env
from gristmill.ir.environment_variables import member
from gristmill.ir.lower import BUILT_INS, Arg, Lowering, unsupported
from gristmill.library.declaration import LANGUAGE
from gristmill.modules.symbols import Constant, Instanced, Operator, Parameter, Variable
from gristmill.source import Span
from gristmill.syntax import tree
from gristmill.values import FALSE, STRING, TRUE


def _operands(lowering: Lowering, args: Sequence[Arg], env: Env) -> list[nodes.Expression]:
    return [lowering.lower(node, env.at(there)) for node, there in args]


def _literal(name: str, value: Any) -> None:
    def lower(lowering: Lowering, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        return nodes.Literal(value, span)

    BUILT_INS[name] = lower


def _primitive(operator: library.Operator) -> None:
    def lower(lowering: Lowering, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        return nodes.Primitive(operator, tuple(_operands(lowering, args, env)), span)

    BUILT_INS[operator.name] = lower


def _node(name: str, build: Any) -> None:
    def lower(lowering: Lowering, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        return build(*_operands(lowering, args, env), span)  # type: ignore[no-any-return]

    BUILT_INS[name] = lower


def _temporal(name: Any) -> None:
    def lower(lowering: Lowering, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
        return nodes.Temporal(name, tuple(_operands(lowering, args, env)), span)

    BUILT_INS[name] = lower


def _conjunction(left: nodes.Expression, right: nodes.Expression, span: Span) -> nodes.Expression:
    """`a /\\ b /\\ c` is one list."""
    first = left.items if isinstance(left, nodes.And) else (left,)
    return nodes.And((*first, right), span)


def _disjunction(left: nodes.Expression, right: nodes.Expression, span: Span) -> nodes.Expression:
    first = left.items if isinstance(left, nodes.Or) else (left,)
    return nodes.Or((*first, right), span)


def _prime(lowering: Lowering, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
    node, there = args[0]
    return lowering.lower(node, env.at(there).bind(primed=True))


def _enabled(lowering: Lowering, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
    if env.primed:
        raise unsupported("a primed ENABLED cannot be evaluated", span)
    return nodes.Enabled(_operands(lowering, args, env.bind(enabling=env.context))[0], span)


def _unchanged(lowering: Lowering, args: Sequence[Arg], env: Env, span: Span) -> nodes.Expression:
    node, there = args[0]
    return unchanged(lowering, node, env.at(there), span)


def unchanged(lowering: Lowering, node: tree.Expression, env: Env, span: Span) -> nodes.Expression:
    """`v' = v`, taken apart: a tuple by its components, a name by its definition, down to variables."""
    parts = list(_unchanged_parts(lowering, node, env))
    if all(isinstance(part, nodes.Variable) for part in parts):
        return nodes.Unchanged(tuple(part.index for part in parts if isinstance(part, nodes.Variable)), span)
    items = tuple(
        nodes.Unchanged((part.index,), part.span) if isinstance(part, nodes.Variable) else part for part in parts
    )
    return nodes.And(items, span) if len(items) != 1 else items[0]


def _unchanged_parts(lowering: Lowering, node: tree.Expression, env: Env) -> list[nodes.Expression]:
    """Variables as they are, everything else as an equality."""
    match node:
        case tree.Parens(body):
            return _unchanged_parts(lowering, body, env)
        case tree.Tuple(items):
            return [part for item in items for part in _unchanged_parts(lowering, item, env)]
        case tree.Name():
            symbol = lowering.specification.symbol_of(node)
            parts = _unchanged_symbol(lowering, symbol, env)
            if parts is not None:
                return parts
    primed = lowering.lower(node, env.bind(primed=True))
    return [nodes.Equal(primed, lowering.lower(node, env), node.span)]


def _unchanged_symbol(lowering: Lowering, symbol: object, env: Env) -> list[nodes.Expression] | None:
    """The parts of what a name stands for; None if that is not to be taken apart."""
    if isinstance(symbol, Variable | Constant):
        own = lowering.own_next_value(symbol, env, symbol.span)
        if own is not None:
            now = lowering.apply_symbol(symbol, (), env.bind(primed=False), symbol.span)
            return [nodes.Equal(own, now, symbol.span)]
        found = lowering.substitute_of(symbol, env)
        if found is not None and isinstance(found[0], tree.Expression):
            return _unchanged_parts(lowering, found[0], found[1])
        if found is not None:
            return _unchanged_symbol(lowering, *found)
        return [lowering.apply_symbol(symbol, (), env, symbol.span)] if isinstance(symbol, Variable) else None
    if isinstance(symbol, Parameter):
        binding = env.bindings.get(symbol)
        return _unchanged_parts(lowering, binding.node, env.at(binding.env)) if isinstance(binding, ByName) else None
    if isinstance(symbol, Instanced) and not symbol.params:
        inner = env.bind(bindings={}, context=lowering.home_context(symbol, env))
        context = lowering.instance_context(symbol.instance, inner)
        return _unchanged_symbol(lowering, symbol.operator, inner.bind(context=context))
    if isinstance(symbol, Operator) and symbol not in env.bindings and _is_transparent(lowering, symbol):
        return _unchanged_parts(lowering, symbol.body, lowering.base_env(symbol, env))
    return None


def _is_transparent(lowering: Lowering, symbol: Operator) -> bool:
    """A definition such as `vars == <<x, y>>`, which UNCHANGED looks into."""
    if symbol.params or symbol.recursive or not isinstance(symbol.definition, tree.OperatorDefinition):
        return False
    return symbol not in lowering.bindings.replacements


_literal("TRUE", TRUE)
_literal("FALSE", FALSE)
_literal("BOOLEAN", frozenset((TRUE, FALSE)))
_literal("STRING", STRING)
for _declared in library.OPERATORS.values():
    if _declared.module == LANGUAGE:
        _primitive(_declared)
_node("=", nodes.Equal)
_node("/=", lambda left, right, span: nodes.Not(nodes.Equal(left, right, span), span))
_node("\\in", member)
_node("\\notin", lambda left, right, span: nodes.Not(member(left, right, span), span))
_node("~", nodes.Not)
_node("=>", nodes.Implies)
_node("<=>", nodes.Equivalent)
_node("\\cdot", nodes.Cdot)
_node("/\\", _conjunction)
_node("\\/", _disjunction)
for _name in ("[]", "<>", "~>", "-+->"):
    _temporal(_name)
BUILT_INS["'"] = _prime
BUILT_INS["ENABLED"] = _enabled
BUILT_INS["UNCHANGED"] = _unchanged
