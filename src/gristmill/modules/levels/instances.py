"""The levels of INSTANCE: what may be put for a declared name, and what an operator becomes by it."""

from __future__ import annotations

from gristmill.modules.levels.algebra import (
    CONSTANT,
    LEVEL_NAMES,
    NO_PARAMS,
    NOTHING,
    STATE,
    Couplings,
    ExpressionLevels,
    Needs,
    OperatorLevels,
    ParameterLimits,
    Params,
    asked_of_others,
    join,
    union,
    with_limit,
    without,
)
from gristmill.modules.levels.check import LevelCheck
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import (
    Constant,
    Declared,
    Fact,
    Instance,
    Instanced,
    NamedInstance,
    Operator,
    Substitute,
    Variable,
)

# --------------------------------------------------------------------------------------------- modules


def is_constant_module(c: LevelCheck, module: ResolvedModule) -> bool:
    """No variables, and every definition and theorem of constant level. Then anything may be put for its constants."""
    if module.constant_module is None:
        module.constant_module = _is_constant_module(c, module)
    return module.constant_module


def _is_constant_module(c: LevelCheck, module: ResolvedModule) -> bool:
    for symbol in module.names.values():
        match symbol:
            case Variable():
                return False
            case Operator() | Instanced():
                if levels_of_symbol(c, symbol).body.level != CONSTANT:
                    return False
            case NamedInstance():
                for member in symbol.definitions():
                    if isinstance(member, Operator | Instanced) and levels_of_symbol(c, member).body.level != CONSTANT:
                        return False
            case _:
                pass
    return all(extended.theorem_level == CONSTANT for extended in module.with_extended())


def levels_of_symbol(c: LevelCheck, symbol: Operator | Instanced | Fact) -> OperatorLevels:
    return symbol.levels or c.operator_levels(c, symbol)


def module_limits(c: LevelCheck, module: ResolvedModule) -> ExpressionLevels:
    """What the definitions of a module, taken together, ask of the names it declares."""
    if module.limits is None:
        module.limits = ParameterLimits(_module_limits(c, module))
    return module.limits.levels


def _module_limits(c: LevelCheck, module: ResolvedModule) -> ExpressionLevels:
    parts = []
    for symbol in module.names.values():
        if isinstance(symbol, Operator | Fact):
            parts.append(asked_of_others(levels_of_symbol(c, symbol).outside))
    for extended in module.with_extended():
        parts += [instance.limits.levels for instance in extended.instances if instance.limits is not None]
    limits = join(parts)
    if not is_constant_module(c, module):
        constants: Params = frozenset(module.constants)
        limits = with_limit(limits, constants, CONSTANT)
    return limits


# ------------------------------------------------------------------------------------------ the check


def check_instance(c: LevelCheck, instance: Instance) -> ExpressionLevels:
    module = instance.module
    before = c.errors
    for substitute in instance.substitutes.values():
        levels_of_substitute(c, substitute)
    constant = is_constant_module(c, module)
    limits = module_limits(c, module)
    if c.errors == before:
        for substitute in instance.substitutes.values():
            check_substitute(c, instance, substitute, constant, limits)
        check_coupled(c, instance, limits)
    asked = substituted(c, limits, instance)
    asked = join([asked, *(asked_of_others(_levels(s)) for s in instance.substitutes.values())])
    asked = without(asked_of_others(asked), frozenset(instance.params))
    instance.limits = ParameterLimits(asked)
    return asked


def levels_of_substitute(c: LevelCheck, substitute: Substitute) -> None:
    if substitute.target.arity:
        assert substitute.value is not None or substitute.symbol is not None
        if substitute.value is not None:
            argument = c.argument(substitute.value)
        else:
            assert substitute.symbol is not None
            argument = c.operator_symbol(substitute.symbol)
        substitute.levels = argument.levels
        substitute.argument = argument
    elif substitute.value is not None:
        substitute.levels = c.expression(substitute.value)
    else:
        assert substitute.symbol is not None
        substitute.levels = c.value(substitute.symbol)


def _levels(substitute: Substitute) -> ExpressionLevels:
    return substitute.levels or NOTHING


def check_substitute(
    c: LevelCheck, instance: Instance, substitute: Substitute, constant: bool, limits: ExpressionLevels
) -> None:
    target = substitute.target
    level = _levels(substitute).level
    limit = limits.limit(target)
    if not constant:
        limit = min(limit, target.level)
    if level > limit:
        c.report(
            "substitution-level",
            f"what is put for `{target.name}` of {instance.module.name} must be of "
            f"{'constant' if limit == CONSTANT else 'at most ' + LEVEL_NAMES[limit]} level, "
            f"but is of {LEVEL_NAMES[level]} level",
            substitute.span,
        )
    operator = substitute.argument.operator if substitute.argument is not None else None
    if operator is None:
        return
    if not operator.is_leibniz:
        c.report(
            "substitution-not-leibniz",
            f"the operator put for `{target.name}` of {instance.module.name} primes its argument "
            "or applies a temporal operator to it: with it, equals could not be replaced by equals",
            substitute.span,
        )
    for k in range(target.arity):
        need = limits.needs.get((target, k))
        if need is not None and operator.max_levels[k] < need:
            c.report(
                "substitution-argument-level",
                f"{instance.module.name} applies `{target.name}` to something of {LEVEL_NAMES[need]} level, "
                f"but what is put for it admits at most {LEVEL_NAMES[operator.max_levels[k]]} level",
                substitute.span,
            )


def check_coupled(c: LevelCheck, instance: Instance, limits: ExpressionLevels) -> None:
    """The module applies one of its constants to another: together their substitutes must be legal, too."""
    subs: dict[Declared, Substitute] = dict(instance.substitutes.items())
    for op, k, param in limits.couplings:
        outer, inner = subs.get(op), subs.get(param)
        if outer is None or inner is None or outer.argument is None or outer.argument.operator is None:
            continue
        level, limit = _levels(inner).level, outer.argument.operator.max_levels[k]
        if level > limit:
            c.report(
                "substitution-argument-level",
                f"{instance.module.name} applies `{op.name}` to `{param.name}`; what is put for the one admits "
                f"at most {LEVEL_NAMES[limit]} level, and the other is of {LEVEL_NAMES[level]} level",
                outer.span,
            )


# ------------------------------------------------------------------------------------ substitution


def substituted(c: LevelCheck, levels: ExpressionLevels, instance: Instance) -> ExpressionLevels:
    """The levels of an expression of the instantiated module, after the substitutions."""
    if not instance.substitutes:
        return levels
    for substitute in instance.substitutes.values():
        if substitute.levels is None:
            levels_of_substitute(c, substitute)
    subs: dict[Declared, Substitute] = dict(instance.substitutes.items())
    put = {target: _levels(s) for target, s in subs.items()}
    level = max([levels.level, *(part.level for target, part in put.items() if target in levels.params)])
    params: Params = NO_PARAMS
    for param in levels.params:
        params = union(params, put[param].params if param in put else frozenset((param,)))
    occurring, opaque = _occurrences(levels, put)
    needs, couplings = _operator_parts(levels, subs, put)
    result = ExpressionLevels(level, params, occurring=occurring, opaque=opaque, needs=needs, couplings=couplings)
    return _substituted_limits(result, levels, subs, put, is_constant_module(c, instance.module))


def _occurrences(levels: ExpressionLevels, put: dict[Declared, ExpressionLevels]) -> tuple[Params, Params]:
    occurring, opaque = levels.occurring, levels.opaque
    for target, part in put.items():
        if target in levels.occurring:
            occurring = (occurring - {target}) | part.occurring
            opaque = opaque | part.opaque
            if target in levels.opaque:
                opaque = (opaque - {target}) | part.occurring
    return occurring, opaque


def _substituted_limits(
    result: ExpressionLevels,
    levels: ExpressionLevels,
    subs: dict[Declared, Substitute],
    put: dict[Declared, ExpressionLevels],
    constant: bool,
) -> ExpressionLevels:
    for param in levels.applied:
        limit = levels.limit(param)
        # In a module with variables, constants stand for constants and variables for states, whatever is done to them.
        if not constant and isinstance(param, Constant):
            limit = CONSTANT
        elif not constant and isinstance(param, Variable):
            limit = STATE
        result = with_limit(result, put[param].params if param in put else frozenset((param,)), limit)
    for op, k, param in levels.couplings:
        argument = subs[op].argument if op in subs else None
        if argument is not None and argument.operator is not None:
            params = put[param].params if param in put else frozenset((param,))
            result = with_limit(result, params, argument.operator.max_levels[k])
    return result


def _operator_parts(
    levels: ExpressionLevels, subs: dict[Declared, Substitute], put: dict[Declared, ExpressionLevels]
) -> tuple[Needs, Couplings]:
    needs: Needs = {}
    couplings: set[tuple[Declared, int, Declared]] = set()

    def need(op: Declared, k: int, level: int) -> None:
        needs[op, k] = max(needs.get((op, k), CONSTANT), level)

    def after(op: Declared) -> Declared | None:
        """The operator parameter that stands for `op` afterwards, if a parameter does."""
        if op not in subs:
            return op
        argument = subs[op].argument
        return argument.symbol if argument is not None else None

    for (op, k), level in levels.needs.items():
        if (new := after(op)) is not None:
            need(new, k, level)
    for op, k, param in levels.couplings:
        new = after(op)
        if new is None:
            continue
        if param in put:
            need(new, k, put[param].level)
            couplings.update((new, k, inner) for inner in put[param].params)
        else:
            couplings.add((new, k, param))
    return needs, frozenset(couplings)
