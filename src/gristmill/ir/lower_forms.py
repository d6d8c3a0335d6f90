"""The forms of the tree, one lowering each."""

from __future__ import annotations

from typing import Any

from gristmill.ir import environment_variables, nodes
from gristmill.ir.environment import Binding, ByName, Env, InSlot, InstanceHere, LetOperator
from gristmill.ir.let_actions import is_solved
from gristmill.ir.lower import FORMS, Arg, Lowering, Wrap, unsupported
from gristmill.ir.lower_operators import unchanged
from gristmill.library.arithmetic import DECIMAL
from gristmill.modules.specification import ExceptTarget
from gristmill.modules.symbols import Instance, NamedInstance, Operator
from gristmill.syntax import tree


def _apply(lowering: Lowering, node: tree.Apply, env: Env) -> nodes.Expression:
    symbol = lowering.specification.symbol_of(node.operator)
    args: list[Arg] = [(arg, env) for arg in node.args]
    return lowering.apply_symbol(symbol, args, env, node.span)  # type: ignore[arg-type]


def _inside(lowering: Lowering, node: tree.Parens | tree.Labelled, env: Env) -> nodes.Expression:
    return lowering.lower(node.body, env)


def _number(lowering: Lowering, node: tree.Number, env: Env) -> nodes.Expression:
    return nodes.Literal(node.value, node.span)


def _string(lowering: Lowering, node: tree.String, env: Env) -> nodes.Expression:
    return nodes.Literal(node.value, node.span)


def _decimal(lowering: Lowering, node: tree.Decimal, env: Env) -> nodes.Expression:
    return nodes.Primitive(DECIMAL, (nodes.Literal(node.text, node.span),), node.span)


def _at(lowering: Lowering, node: tree.At, env: Env) -> nodes.Expression:
    target = lowering.specification.at_target(node)
    if not isinstance(target, ExceptTarget):
        raise unsupported("`@` stands for a step of a proof here", node.span)
    binding = env.bindings[id(target.update)]
    assert isinstance(binding, InSlot)
    return nodes.Local(env.frame.hops_to(binding.frame), binding.slot, "@", node.span)


def _junction(lowering: Lowering, node: tree.Junction, env: Env) -> nodes.Expression:
    items = tuple(lowering.lower(item, env) for item in node.items)
    if len(items) == 1:
        return items[0]
    return nodes.And(items, node.span) if node.operator == "/\\" else nodes.Or(items, node.span)


def _quantified(lowering: Lowering, node: tree.Quantified, env: Env) -> nodes.Expression:
    bounds, inner = lowering.bounds(node.bounds, env, env)
    body = lowering.lower(node.body, inner)
    if node.quantifier in ("\\AA", "\\EE"):
        return nodes.Temporal(node.quantifier, (body,), node.span)
    return nodes.Quantified(node.quantifier == "\\A", bounds, body, node.span)


def _choose(lowering: Lowering, node: tree.Choose, env: Env) -> nodes.Expression:
    (bound,), inner = lowering.bounds((node.bound,), env, env)
    return nodes.Choose(bound, lowering.lower(node.body, inner), node.span)


def _set_filter(lowering: Lowering, node: tree.SetFilter, env: Env) -> nodes.Expression:
    (bound,), inner = lowering.bounds((node.bound,), env, env)
    return nodes.SetFilter(bound, lowering.lower(node.predicate, inner), node.span)


def _set_map(lowering: Lowering, node: tree.SetMap, env: Env) -> nodes.Expression:
    bounds, inner = lowering.bounds(node.bounds, env, env)
    return nodes.SetMap(bounds, lowering.lower(node.body, inner), node.span)


def _function_literal(lowering: Lowering, node: tree.FunctionLiteral, env: Env) -> nodes.Expression:
    bounds, inner = lowering.bounds(node.bounds, env, env)
    return nodes.FunctionLiteral(bounds, lowering.lower(node.body, inner), None, None, node.span)


def _items(build: Any) -> Any:
    def lower(lowering: Lowering, node: Any, env: Env) -> nodes.Expression:
        items = node.factors if isinstance(node, tree.CrossProduct) else node.items
        lowered: nodes.Expression = build(tuple(lowering.lower(item, env) for item in items), node.span)
        return lowered

    return lower


def _function_set(lowering: Lowering, node: tree.FunctionSet, env: Env) -> nodes.Expression:
    return nodes.FunctionSet(lowering.lower(node.domain, env), lowering.lower(node.range, env), node.span)


def _function_apply(lowering: Lowering, node: tree.FunctionApply, env: Env) -> nodes.Expression:
    function = lowering.lower(node.function, env)
    return environment_variables.applied(function, _argument(lowering, node, env), node.span)


def _argument(lowering: Lowering, node: tree.FunctionApply | tree.IndexStep, env: Env) -> nodes.Expression:
    """`f[a, b]` applies `f` to `<<a, b>>`."""
    args = tuple(lowering.lower(arg, env) for arg in node.args)
    return args[0] if len(args) == 1 else nodes.TupleLiteral(args, node.span)


def _fields(build: Any) -> Any:
    def lower(lowering: Lowering, node: tree.Record | tree.RecordSet, env: Env) -> nodes.Expression:
        names = tuple(field.name for field in node.fields)
        values = tuple(lowering.lower(field.value, env) for field in node.fields)
        lowered: nodes.Expression = build(names, values, node.span)
        return lowered

    return lower


def _field_access(lowering: Lowering, node: tree.FieldAccess, env: Env) -> nodes.Expression:
    return environment_variables.field(lowering.lower(node.record, env), node.name, node.span)


def _except(lowering: Lowering, node: tree.Except, env: Env) -> nodes.Expression:
    updates = tuple(_update(lowering, update, env) for update in node.updates)
    return nodes.Except(lowering.lower(node.function, env), updates, node.span)


def _update(lowering: Lowering, update: tree.Update, env: Env) -> nodes.Update:
    path = tuple(
        nodes.Literal(step.name, step.span) if isinstance(step, tree.FieldStep) else _argument(lowering, step, env)
        for step in update.path
    )
    inner, slot = env.in_slot(id(update))
    value = lowering.lower(update.value, inner)
    return nodes.Update(path, value, slot, update.span)


def _if(lowering: Lowering, node: tree.If, env: Env) -> nodes.Expression:
    condition, then = lowering.lower(node.condition, env), lowering.lower(node.then, env)
    return nodes.If(condition, then, lowering.lower(node.otherwise, env), node.span)


def _case(lowering: Lowering, node: tree.Case, env: Env) -> nodes.Expression:
    arms, other = [], None
    for arm in node.arms:
        value = lowering.lower(arm.value, env)
        if arm.guard is None:
            other = value
        else:
            arms.append((lowering.lower(arm.guard, env), value))
    return nodes.Case(tuple(arms), other, node.span)


def _let(lowering: Lowering, node: tree.Let, env: Env) -> nodes.Expression:
    inner, let = bind_let(lowering, node, env)
    return let(lowering.lower(node.body, inner))


def bind_let(lowering: Lowering, node: tree.Let, env: Env) -> tuple[Env, Wrap]:
    """The environment of a LET's body, and the node to put around what is lowered there."""
    slots, names, values = [], [], []
    for definition in node.definitions:
        if isinstance(definition, tree.Recursive):
            continue
        if isinstance(definition, tree.InstanceDefinition):
            env = _let_instance(lowering, definition, env)
            continue
        symbol = lowering.specification.symbol_of(definition)
        assert isinstance(symbol, Operator)
        if symbol.params:
            env = _let_operator(lowering, node, symbol, env)
            continue
        if isinstance(definition, tree.OperatorDefinition) and is_solved(lowering.specification, symbol, node):
            env = env.with_bindings({symbol: ByName(definition.body, env)})
            continue
        slot = env.frame.slot()
        values.append(lowering.expansion(symbol, env))
        slots.append(slot)
        names.append(symbol.name)
        env = env.with_bindings({symbol: InSlot(env.frame, slot, env)})

    def let(body: nodes.Expression) -> nodes.Expression:
        return nodes.Let(tuple(slots), tuple(names), tuple(values), body, node.span) if slots else body

    return env, let


def _let_operator(lowering: Lowering, node: tree.Let, symbol: Operator, env: Env) -> Env:
    """An operator with parameters. Those declared RECURSIVE see one another, so they share an environment."""
    if symbol in env.bindings:
        return env
    group = [symbol]
    if symbol.recursive:
        found = (lowering.specification.symbols.get(id(definition)) for definition in node.definitions)
        group = [s for s in found if isinstance(s, Operator) and s.recursive and s.params and s not in env.bindings]
    bindings: dict[object, Binding] = dict(env.bindings)
    shared = env.bind(bindings=bindings)
    for member in group:
        bindings[member] = LetOperator(member, shared)
    return shared


def _let_instance(lowering: Lowering, definition: tree.InstanceDefinition, env: Env) -> Env:
    symbol = lowering.specification.symbol_of(definition)
    instance = symbol.instance if isinstance(symbol, NamedInstance) else symbol
    assert isinstance(instance, Instance)
    return env.with_bindings({instance: InstanceHere(env)})


def _box_action(lowering: Lowering, node: tree.BoxAction, env: Env) -> nodes.Expression:
    action = lowering.lower(node.action, env)
    same = unchanged(lowering, node.subscript, env, node.subscript.span)
    return nodes.BoxAction(action, nodes.Not(same, same.span), node.span)


def _angle_action(lowering: Lowering, node: tree.AngleAction, env: Env) -> nodes.Expression:
    action = lowering.lower(node.action, env)
    same = unchanged(lowering, node.subscript, env, node.subscript.span)
    return nodes.AngleAction(action, nodes.Not(same, same.span), node.span)


def _fairness(lowering: Lowering, node: tree.Fairness, env: Env) -> nodes.Expression:
    def step(env: Env) -> nodes.Expression:
        action = lowering.lower(node.action, env)
        same = unchanged(lowering, node.subscript, env, node.subscript.span)
        return nodes.AngleAction(action, nodes.Not(same, same.span), node.span)

    enabled = nodes.Enabled(step(env.bind(enabling=env.context)), node.span)
    return nodes.Temporal(node.kind, (step(env), enabled), node.span)


def _unexpected(lowering: Lowering, node: Any, env: Env) -> nodes.Expression:
    raise unsupported("this cannot be evaluated", node.span)


FORMS.update(
    {
        tree.Name: Lowering.name,
        tree.Apply: _apply,
        tree.Path: Lowering.path,
        tree.Parens: _inside,
        tree.Labelled: _inside,
        tree.Number: _number,
        tree.String: _string,
        tree.Decimal: _decimal,
        tree.At: _at,
        tree.Junction: _junction,
        tree.Quantified: _quantified,
        tree.Choose: _choose,
        tree.SetEnumeration: _items(nodes.SetEnumeration),
        tree.SetFilter: _set_filter,
        tree.SetMap: _set_map,
        tree.FunctionLiteral: _function_literal,
        tree.FunctionSet: _function_set,
        tree.FunctionApply: _function_apply,
        tree.Record: _fields(nodes.RecordLiteral),
        tree.RecordSet: _fields(nodes.RecordSet),
        tree.FieldAccess: _field_access,
        tree.Except: _except,
        tree.Tuple: _items(nodes.TupleLiteral),
        tree.CrossProduct: _items(nodes.CrossProduct),
        tree.If: _if,
        tree.Case: _case,
        tree.Let: _let,
        tree.BoxAction: _box_action,
        tree.AngleAction: _angle_action,
        tree.Fairness: _fairness,
        tree.Lambda: _unexpected,
        tree.StepName: _unexpected,
    }
)
