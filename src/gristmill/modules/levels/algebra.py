"""The algebra of levels: constant, state, action and temporal, and how operators combine them.

An expression has a level, but it may also stand under parameters (declared constants, formal parameters) of which the
level is not known yet. What must be known about it is therefore, besides the level it has when they are all constant:

- `params`: those whose level adds to its own;
- `at_most_…`: what level they may have at most, so that the expression stays legal; and `applied`: those that some
  operator is applied to at all, if only one that admits everything;
- `occurring`, `opaque`: those that occur at all, and those that occur where equals may not be replaced by equals
  (inside a prime, ENABLED, a temporal operator). An operator with an opaque argument is not Leibniz;
- `needs`: for an operator parameter, which level each of its arguments must at least admit;
- `couplings`: `(op, i, p)` when `p` adds to the level of the `i`-th argument of the operator parameter `op`.

This is the analysis that SANY does, told in sets; the checks that use it are in `check_levels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gristmill.modules.symbols import Declared, Parameter
from gristmill.source.quick_dataclass import dataclass

CONSTANT, STATE, ACTION, TEMPORAL = range(4)
LEVEL_NAMES = ("constant", "state", "action", "temporal")

Params = frozenset[Declared]
Needs = dict[tuple[Declared, int], int]
Couplings = frozenset[tuple[Declared, int, Declared]]

NO_PARAMS: Params = frozenset()
NO_NEEDS: Needs = {}
NO_COUPLINGS: Couplings = frozenset()


class ExpressionLevels:
    __slots__ = (
        "applied",
        "at_most_action",
        "at_most_constant",
        "at_most_state",
        "couplings",
        "level",
        "needs",
        "occurring",
        "opaque",
        "params",
    )

    def __init__(
        self,
        level: int,
        params: Params = NO_PARAMS,
        at_most_constant: Params = NO_PARAMS,
        at_most_state: Params = NO_PARAMS,
        at_most_action: Params = NO_PARAMS,
        applied: Params = NO_PARAMS,
        occurring: Params = NO_PARAMS,
        opaque: Params = NO_PARAMS,
        needs: Needs = NO_NEEDS,
        couplings: Couplings = NO_COUPLINGS,
    ) -> None:
        self.level = level
        self.params = params
        self.at_most_constant = at_most_constant
        self.at_most_state = at_most_state
        self.at_most_action = at_most_action
        self.applied = applied
        self.occurring = occurring
        self.opaque = opaque
        self.needs = needs
        self.couplings = couplings

    def limit(self, param: Declared) -> int:
        """The highest level that `param` may have."""
        if param in self.at_most_constant:
            return CONSTANT
        if param in self.at_most_state:
            return STATE
        return ACTION if param in self.at_most_action else TEMPORAL

    def changed(
        self,
        *,
        level: int | None = None,
        params: Params | None = None,
        opaque: Params | None = None,
        needs: Needs | None = None,
        couplings: Couplings | None = None,
    ) -> ExpressionLevels:
        return ExpressionLevels(
            self.level if level is None else level,
            self.params if params is None else params,
            self.at_most_constant,
            self.at_most_state,
            self.at_most_action,
            self.applied,
            self.occurring,
            self.opaque if opaque is None else opaque,
            self.needs if needs is None else needs,
            self.couplings if couplings is None else couplings,
        )


NOTHING = ExpressionLevels(CONSTANT)


@dataclass(slots=True, eq=False)
class ParameterLimits:
    """What a module or an INSTANCE asks of the declared names, without a level of its own."""

    levels: ExpressionLevels


@dataclass(slots=True, eq=False)
class OperatorLevels:
    """What an application of an operator has to know about it.

    `outside` is the body without what concerns the operator's own parameters. For a built-in operator with any number
    of operands, the tuples have one element, which holds for all of them.
    """

    outside: ExpressionLevels
    max_levels: tuple[int, ...]
    weights: tuple[int, ...]
    leibniz: tuple[bool, ...]
    body: ExpressionLevels
    needs: tuple[tuple[int, ...], ...] = ()
    couplings: frozenset[tuple[int, int, int]] = frozenset()
    correct: bool = True

    @property
    def is_leibniz(self) -> bool:
        return all(self.leibniz)


@dataclass(slots=True, eq=False)
class OperatorArgument:
    """An operator as an operand: a defined one (then `operator` is known) or a parameter (`symbol`)."""

    levels: ExpressionLevels
    operator: OperatorLevels | None
    symbol: Declared | None
    arity: int


Operand = ExpressionLevels | OperatorArgument


def union(left: frozenset[Declared], right: frozenset[Declared]) -> frozenset[Declared]:
    """The union, sharing an operand where it can: most sets on a path through an expression are the same."""
    if left is right or not right:
        return left
    if not left:
        return right
    if right <= left:
        return left
    return left | right


def merge_needs(left: Needs, right: Needs) -> Needs:
    if not right or left is right:
        return left
    if not left:
        return right
    merged = dict(left)
    for key, level in right.items():
        if level > merged.get(key, -1):
            merged[key] = level
    return merged


def reference(symbol: Declared) -> ExpressionLevels:
    """A declared name or a parameter, used as an expression or as an operator argument."""
    if symbol.levels is None:
        alone = frozenset((symbol,))
        symbol.levels = ExpressionLevels(symbol.level, alone, occurring=alone)
    return symbol.levels


def join(parts: Iterable[ExpressionLevels]) -> ExpressionLevels:
    """All the parts together."""
    result = NOTHING
    for part in parts:
        if part is not NOTHING and part is not result:
            result = part if result is NOTHING else _join_two(result, part)
    return result


def pass_on(parts: Iterable[ExpressionLevels], limit: int) -> ExpressionLevels:
    """The levels of an operator that passes its operands' levels on, and admits at most `limit`."""
    return limited(join(parts), limit)


def _join_two(left: ExpressionLevels, right: ExpressionLevels) -> ExpressionLevels:
    return ExpressionLevels(
        left.level if left.level >= right.level else right.level,
        union(left.params, right.params),
        union(left.at_most_constant, right.at_most_constant),
        union(left.at_most_state, right.at_most_state),
        union(left.at_most_action, right.at_most_action),
        union(left.applied, right.applied),
        union(left.occurring, right.occurring),
        union(left.opaque, right.opaque),
        merge_needs(left.needs, right.needs),
        left.couplings | right.couplings if right.couplings else left.couplings,
    )


def limited(part: ExpressionLevels, limit: int) -> ExpressionLevels:
    """The levels of an operand, when an operator admits at most `limit` for it."""
    params = part.params
    if not params:
        return part
    if params <= part.applied and (limit == TEMPORAL or (limit == ACTION and params <= part.at_most_action)):
        return part
    return with_limit(part, params, limit)


def with_limit(part: ExpressionLevels, params: Params, limit: int) -> ExpressionLevels:
    if not params:
        return part
    return ExpressionLevels(
        part.level,
        part.params,
        union(part.at_most_constant, params) if limit == CONSTANT else part.at_most_constant,
        union(part.at_most_state, params) if limit == STATE else part.at_most_state,
        union(part.at_most_action, params) if limit == ACTION else part.at_most_action,
        union(part.applied, params),
        part.occurring,
        part.opaque,
        part.needs,
        part.couplings,
    )


def veiled(part: ExpressionLevels, level: int) -> ExpressionLevels:
    """An operand of a prime, of ENABLED, of a temporal operator: the level is theirs, and no parameter adds to it."""
    return part.changed(level=level, params=NO_PARAMS, opaque=union(part.opaque, part.occurring))


def without(part: ExpressionLevels, bound: Params) -> ExpressionLevels:
    """The levels outside the scope of `bound`."""
    if part.occurring.isdisjoint(bound) and part.params.isdisjoint(bound):
        return part
    return ExpressionLevels(
        part.level,
        part.params - bound,
        part.at_most_constant - bound,
        part.at_most_state - bound,
        part.at_most_action - bound,
        part.applied - bound,
        part.occurring - bound,
        part.opaque - bound,
        {key: level for key, level in part.needs.items() if key[0] not in bound} if part.needs else part.needs,
        frozenset(c for c in part.couplings if c[2] not in bound) if part.couplings else part.couplings,
    )


def asked_of_others(part: ExpressionLevels) -> ExpressionLevels:
    """Only what is asked of the parameters, without a level."""
    return ExpressionLevels(
        CONSTANT,
        NO_PARAMS,
        part.at_most_constant,
        part.at_most_state,
        part.at_most_action,
        part.applied,
        needs=part.needs,
        couplings=part.couplings,
    )


def define(
    params: Sequence[Parameter], body: ExpressionLevels, assumed: OperatorLevels | None = None
) -> OperatorLevels:
    """The levels of an operator from those of its body. A recursive operator starts from what was `assumed` of it."""
    if not params:
        outside = body if assumed is None else _join_two(body, assumed.outside)
        return OperatorLevels(outside, (), (), (), body)
    own: Params = frozenset(params)
    max_levels = [body.limit(p) for p in params]
    weights = [1 if p in body.params else 0 for p in params]
    outside = without(body, own)
    if body.couplings:
        mixed = frozenset(c for c in body.couplings if c[0] not in own or c[2] not in own)
        outside = outside.changed(couplings=mixed)
    if assumed is not None:
        max_levels = [min(a, b) for a, b in zip(max_levels, assumed.max_levels, strict=True)]
        weights = [max(a, b) for a, b in zip(weights, assumed.weights, strict=True)]
        outside = _join_two(outside, assumed.outside)
    return OperatorLevels(
        outside,
        tuple(max_levels),
        tuple(weights),
        tuple(p not in body.opaque for p in params),
        body,
        tuple(tuple(body.needs.get((p, k), CONSTANT) for k in range(p.arity)) for p in params),
        _coupled_positions(params, body.couplings) if body.couplings else frozenset(),
    )


def _coupled_positions(params: Sequence[Parameter], couplings: Couplings) -> frozenset[tuple[int, int, int]]:
    position: dict[Declared, int] = {p: i for i, p in enumerate(params)}
    return frozenset(
        (position[op], position[param], k) for op, k, param in couplings if op in position and param in position
    )


def levels_of(operand: Operand) -> ExpressionLevels:
    return operand.levels if isinstance(operand, OperatorArgument) else operand


def apply(op: OperatorLevels, params: Sequence[Parameter], operands: Sequence[Operand]) -> ExpressionLevels:
    """The levels of an application of a defined operator."""
    result = op.outside
    for i, operand in enumerate(operands):
        part = levels_of(operand)
        if part is NOTHING:
            continue
        bounded = limited(part, op.max_levels[i])
        if not op.weights[i]:
            bounded = bounded.changed(level=CONSTANT, params=NO_PARAMS)
        if not op.leibniz[i]:
            bounded = bounded.changed(opaque=union(bounded.opaque, bounded.occurring))
        result = bounded if result is NOTHING else _join_two(result, bounded)
    if op.couplings or op.outside.couplings or any(op.needs):
        result = _apply_higher_order(result, op, params, operands)
    return result


def _apply_higher_order(
    result: ExpressionLevels, op: OperatorLevels, params: Sequence[Parameter], operands: Sequence[Operand]
) -> ExpressionLevels:
    """What operator arguments bring: their limits bear on the other operands that they are applied to."""
    needs = dict(result.needs)
    couplings = set(result.couplings - op.outside.couplings)
    for i, j, k in op.couplings:
        operator, other = operands[i], levels_of(operands[j])
        if not isinstance(operator, OperatorArgument):
            continue
        if operator.operator is not None:
            result = with_limit(result, other.params, operator.operator.max_levels[k])
            if not operator.operator.leibniz[k]:
                result = _join_two(result, ExpressionLevels(CONSTANT, opaque=other.occurring))
        elif operator.symbol is not None:
            key = (operator.symbol, k)
            needs[key] = max(needs.get(key, CONSTANT), other.level)
            couplings.update((operator.symbol, k, param) for param in other.params)
    for needed, operand in zip(op.needs, operands, strict=False):
        if isinstance(operand, OperatorArgument) and operand.symbol is not None:
            for k, level in enumerate(needed):
                needs[operand.symbol, k] = max(needs.get((operand.symbol, k), CONSTANT), level)
    given: dict[Declared, Operand] = dict(zip(params, operands, strict=False))
    for coupling in op.outside.couplings:
        result = _pass_coupling(result, coupling, given, couplings)
    return result.changed(needs=needs, couplings=frozenset(couplings))


def _pass_coupling(
    result: ExpressionLevels,
    coupling: tuple[Declared, int, Declared],
    given: dict[Declared, Operand],
    couplings: set[tuple[Declared, int, Declared]],
) -> ExpressionLevels:
    """A coupling between a parameter of the applied operator and a name from outside it."""
    op, k, param = coupling
    operator = given.get(op)
    if isinstance(operator, OperatorArgument):
        if operator.operator is not None:
            return with_limit(result, frozenset((param,)), operator.operator.max_levels[k])
        if operator.symbol is not None:
            couplings.add((operator.symbol, k, param))
    elif (operand := given.get(param)) is not None:
        couplings.update((op, k, inner) for inner in levels_of(operand).params)
    else:
        couplings.add(coupling)
    return result


def apply_declared(symbol: Declared, operands: Sequence[ExpressionLevels]) -> ExpressionLevels:
    """The levels of an application of a declared operator or of an operator parameter."""
    result = join((reference(symbol), *operands))
    needs = dict(result.needs)
    couplings = set(result.couplings)
    for k, operand in enumerate(operands):
        needs[symbol, k] = max(needs.get((symbol, k), CONSTANT), operand.level)
        couplings.update((symbol, k, param) for param in operand.params)
    return result.changed(needs=needs, couplings=frozenset(couplings))
