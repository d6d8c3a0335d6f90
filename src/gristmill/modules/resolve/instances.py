"""INSTANCE: which module, and what is put for the names it declares."""

from __future__ import annotations

from gristmill.modules.resolve.references import check_is_expression, lambda_
from gristmill.modules.resolve.state import Handler, Resolution, Wanted
from gristmill.modules.specification import OperatorReference, ResolvedModule
from gristmill.modules.symbols import (
    Constant,
    Instance,
    NamedInstance,
    Parameter,
    ProofStep,
    Substitute,
    Symbol,
    Variable,
    is_definition,
)
from gristmill.source import Span
from gristmill.syntax import tree


def find_module(r: Resolution, name: str, span: Span) -> ResolvedModule | None:
    """A module nested here (if its end is behind us), or that of a file."""
    module = r.scope.modules.get(name) or r.load(r.program, name, span, r.module.is_library)
    if module is None:
        r.module.has_errors = r.module.names_unknown = True
        return None
    r.module.names_unknown |= module.names_unknown
    user: ResolvedModule | None = r.module
    while user is not None:
        user.depends.append(module)
        user = user.parent
    return module


def instance(r: Resolution, node: tree.Instance, params: tuple[Parameter, ...]) -> Instance | None:
    module = find_module(r, node.module, node.module_span)
    if module is None:
        for substitution in node.substitutions:
            _loose_value(r, substitution.value)
        return None
    substitutes: dict[Constant | Variable, Substitute] = {}
    for substitution in node.substitutions:
        explicit(r, module, substitution, substitutes)
    for declared in module.names.values():
        if isinstance(declared, Constant | Variable) and declared not in substitutes:
            implicit(r, declared, node, substitutes)
    made = Instance(module, params, substitutes, r.module, node, node.span)
    r.note(node, made)
    return made


def _loose_value(r: Resolution, value: tree.Expression) -> None:
    if isinstance(value, tree.Lambda):
        lambda_(r, value)
    elif not isinstance(value, tree.Name):
        r.expression(value)


def explicit(
    r: Resolution,
    module: ResolvedModule,
    node: tree.Substitution,
    substitutes: dict[Constant | Variable, Substitute],
) -> None:
    target = module.names.get(node.name)
    if target is None and module.names_unknown:  # perhaps it is declared where a mistake is
        _loose_value(r, node.value)
        return
    if not isinstance(target, Constant | Variable):
        names = [s.name for s in module.constants] + [s.name for s in module.variables]
        declares = f"it declares {', '.join(f'`{n}`' for n in names)}" if names else "it declares none"
        r.report(
            "not-substitutable",
            f"`{node.name}` is not a constant or variable of the module {module.name}",
            node.span,
            declares,
        )
        _loose_value(r, node.value)
        return
    if target in substitutes:
        r.report("duplicate-substitution", f"`{node.name}` is substituted twice", node.span)
        _loose_value(r, node.value)
        return
    made = Substitute(target, node.value, None, node.span)
    substitutes[target] = made
    if target.arity == 0:
        r.expression(node.value)
    else:
        operator_value(r, node, target, made)


def operator_value(r: Resolution, node: tree.Substitution, target: Constant | Variable, made: Substitute) -> None:
    place = f"what is put for `{target.name}`"
    value = node.value
    match value:
        case tree.Lambda():
            made.operator = lambda_(r, value)
            check_arity(r, made.operator, target, value.span)
        case tree.Name():
            made.operator = r.scope.names.get(value.name)
            if made.operator is None:
                r.unknown(value.name, value.span)
                return
            r.note(value, made.operator)
            check_arity(r, made.operator, target, value.span)
        case tree.Path():
            reference = r.resolve_path(r, value, Wanted(target.arity, place))
            if isinstance(reference, OperatorReference):
                made.operator = reference.symbol
        case _:
            r.expression(value)
            r.report(
                "substitution-arity",
                f"`{target.name}` is an operator with {target.arity} arguments, and an expression is put for it",
                value.span,
            )


def check_arity(r: Resolution, symbol: Symbol, target: Constant | Variable, span: Span) -> None:
    if symbol.arity != target.arity:
        takes = f"{target.arity} argument{'s' if target.arity != 1 else ''}" if target.arity else "no arguments"
        r.report(
            "substitution-arity",
            f"`{target.name}` takes {takes}, but `{symbol.name}`, which is put for it, takes {symbol.arity}",
            span,
            other=(target.span, f"`{target.name}` is declared here"),
        )


def implicit(
    r: Resolution,
    target: Constant | Variable,
    node: tree.Instance,
    substitutes: dict[Constant | Variable, Substitute],
) -> None:
    symbol = r.scope.names.get(target.name)
    if symbol is None:
        if not r.module.names_unknown:
            r.report(
                "missing-substitution",
                f"the module {node.module} declares `{target.name}`, and nothing is put for it",
                node.span,
                f"add `WITH {target.name} <- …`, or declare `{target.name}` here",
                (target.span, "declared here"),
            )
        r.module.has_errors = True
        return
    check_arity(r, symbol, target, node.span)
    if target.arity == 0 and symbol.arity == 0:
        check_is_expression(r, symbol, node.span)
    made = Substitute(target, None, symbol, node.span)
    if target.arity:
        made.operator = symbol
    substitutes[target] = made


def instance_definition(r: Resolution, node: tree.InstanceDefinition) -> None:
    """`I(x) == INSTANCE M WITH …`."""
    r.scope.enter()
    params = r.parameters(node.params)
    made = instance(r, node.instance, params)
    r.scope.leave()
    if made is None:
        return
    symbol = NamedInstance(node.name, params, made, r.module, node.name_span, node.local)
    r.note(node, symbol)
    if at_top_level(r):
        r.module.instances.append(made)
    if r.declare(symbol, node.name_span) and node.local and at_top_level(r):
        r.module.local_names.add(node.name)


def instance_unit(r: Resolution, node: tree.InstanceUnit) -> None:
    """`INSTANCE M`: the definitions of M come under their own names."""
    import_definitions(r, node.instance, node.local)


def import_definitions(r: Resolution, node: tree.Instance, local: bool) -> None:
    made = instance(r, node, ())
    if made is None:
        return
    if at_top_level(r):
        r.module.instances.append(made)
    for name, symbol in made.module.exports():
        if not is_definition(symbol) or isinstance(symbol, ProofStep):
            continue
        weak = name in made.module.weak_names
        if weak and name in r.scope.names:
            continue
        if r.declare(made.member(symbol), node.span) and at_top_level(r):
            if local:
                r.module.local_names.add(name)
            if weak:
                r.module.weak_names.add(name)


def at_top_level(r: Resolution) -> bool:
    return r.scope.contexts[-1] is r.module.names


INSTANCES: dict[type, Handler] = {
    tree.InstanceDefinition: instance_definition,
    tree.InstanceUnit: instance_unit,
}
