"""The nodes of the intermediate representation.

Both evaluators start here. There are no names left to look up:

- Variables of the specification are numbered; `Variable(i, primed)` is the value in this or in the next state. Primes
  have been pushed down to variables, so there is no prime operator.
- Bound names, parameters and LET values live in *frames*: a `Local(depth, slot)` is a slot of the current frame
  (`depth` 0) or of the frame of the `depth`-th enclosing definition. Every `Code` says how large its frame is.
- An operator is a `Definition`; a LET operator with parameters is one whose frame has a parent.
- Operators of the library that have a hand-written implementation are `Primitive`s.
- INSTANCE has been substituted away, CONSTANTs are `Literal`s or definitions.

Order matters: conjuncts, disjuncts, CASE arms and arguments are evaluated as they stand, lazily where TLA+'s users are
used to it: arguments and LET values are evaluated when they are first needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

from gristmill.source import Span


def _span() -> Span:
    return field(compare=False, repr=False)  # type: ignore[no-any-return]


@dataclass(slots=True, eq=False)
class Code:
    """Something to evaluate on its own, with the size of the frame it needs."""

    body: Expression
    frame_size: int
    name: str
    span: Span


@dataclass(slots=True, eq=False)
class Definition:
    """An operator. Its parameters are the first slots of its frame. `body` is None only while it is being lowered.

    `nested`: the frame of the code around it is its frame's parent (a LET operator or a LAMBDA).
    """

    name: str
    arities: tuple[int, ...]  # of the parameters; 0 for an ordinary one
    parameter_names: tuple[str, ...]
    nested: bool
    recursive: bool
    span: Span
    level: int = 0
    frame_size: int = 0
    body: Expression | None = None


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; `value` is a TLA+ value."""

    value: Any
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Variable:
    index: int
    primed: bool
    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Local:
    """A bound name, a parameter or a LET value. May hold something not evaluated yet."""

    depth: int
    slot: int
    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Primitive:
    """An operator with a hand-written implementation: of the language (`\\cup`) or a module (`Sequences!Append`)."""

    operator: str
    args: tuple[Argument, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Call:
    """A definition applied to arguments, which are evaluated when they are first needed.

    `depth`: how many frames up the parent frame of a nested definition is (0: the frame of the caller).
    """

    definition: Definition
    args: tuple[Argument, ...]
    depth: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class CallLocal:
    """An operator parameter applied to arguments."""

    depth: int
    slot: int
    name: str
    args: tuple[Argument, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OperatorArgument:
    """An operator as an argument: a definition or a LAMBDA; `depth` as in `Call`."""

    definition: Definition
    depth: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class LocalOperator:
    """An operator parameter handed on as an argument."""

    depth: int
    slot: int
    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class PrimitiveOperator:
    """A hand-written operator as an argument, e.g. `+` in `Fold(+, 0, s)`."""

    operator: str
    arity: int
    span: Span = _span()


# ----------------------------------------------------------------------------------------------------- logic


@dataclass(frozen=True, slots=True)
class And:
    items: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Or:
    items: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Implies:
    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Equivalent:
    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Equal:
    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Member:
    """`left \\in right`."""

    left: Expression
    right: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Case:
    """(guard, value) in order; `other` is None when there is no OTHER."""

    arms: tuple[tuple[Expression, Expression], ...]
    other: Expression | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Let:
    """`slots[i]` of the current frame is `values[i]`, evaluated when first needed."""

    slots: tuple[int, ...]
    names: tuple[str, ...]
    values: tuple[Expression, ...]
    body: Expression
    span: Span = _span()


# -------------------------------------------------------------------------------------------------- binders


@dataclass(frozen=True, slots=True)
class Bound:
    """Slots of the current frame that take the elements of `domain`.

    Each slot takes every element (`x, y \\in S`), or, if `is_tuple`, they take the components of one element.
    `domain` is None for an unbounded CHOOSE or quantifier, which cannot be evaluated.
    """

    slots: tuple[int, ...]
    names: tuple[str, ...]
    is_tuple: bool
    domain: Expression | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Quantified:
    universal: bool
    bounds: tuple[Bound, ...]
    body: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Choose:
    bound: Bound
    body: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class SetFilter:
    bound: Bound
    predicate: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class SetMap:
    bounds: tuple[Bound, ...]
    body: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FunctionLiteral:
    """`[x \\in S |-> e]`. `self_slot` is the slot that holds the function itself in a recursive `f[x \\in S] == e`."""

    bounds: tuple[Bound, ...]
    body: Expression
    self_slot: int | None
    name: str | None
    span: Span = _span()


# --------------------------------------------------------------------------------------------- data structures


@dataclass(frozen=True, slots=True)
class SetEnumeration:
    items: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class TupleLiteral:
    items: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RecordLiteral:
    names: tuple[str, ...]
    values: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RecordSet:
    names: tuple[str, ...]
    values: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FunctionSet:
    domain: Expression
    range: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class CrossProduct:
    factors: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FunctionApply:
    """`f[a]`; `f[a, b]` has the tuple `<<a, b>>` as its argument."""

    function: Expression
    argument: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FieldAccess:
    record: Expression
    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Update:
    """`![a].b = e`: `path` are the arguments in order (a field is a string); `at_slot` takes the old value, `@`."""

    path: tuple[Expression, ...]
    value: Expression
    at_slot: int | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Except:
    function: Expression
    updates: tuple[Update, ...]
    span: Span = _span()


# ------------------------------------------------------------------------------------------ actions and temporal


@dataclass(frozen=True, slots=True)
class Unchanged:
    """`UNCHANGED` of variables, by number. Of anything else it is lowered to an equality."""

    variables: tuple[int, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Enabled:
    action: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Compose:
    """`A \\cdot B`."""

    first: Expression
    second: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Temporal:
    """`[]F`, `<>F`, `F ~> G`, `WF_v(A)`, `SF_v(A)` (args: v, A), `[][A]_v` is `[]` of a `BoxAction`."""

    operator: OneOf["[]", "<>", "~>", "WF", "SF", "-+->", "\\AA", "\\EE"]
    args: tuple[Expression, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class BoxAction:
    """`[A]_v`: `changed` is `v' # v`, so it holds iff `A \\/ ~changed`."""

    action: Expression
    changed: Expression
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AngleAction:
    """`<<A>>_v`: holds iff `A /\\ changed`."""

    action: Expression
    changed: Expression
    span: Span = _span()


Expression = (
    Literal
    | Variable
    | Local
    | Primitive
    | Call
    | CallLocal
    | And
    | Or
    | Not
    | Implies
    | Equivalent
    | Equal
    | Member
    | If
    | Case
    | Let
    | Quantified
    | Choose
    | SetFilter
    | SetMap
    | FunctionLiteral
    | SetEnumeration
    | TupleLiteral
    | RecordLiteral
    | RecordSet
    | FunctionSet
    | CrossProduct
    | FunctionApply
    | FieldAccess
    | Except
    | Unchanged
    | Enabled
    | Compose
    | Temporal
    | BoxAction
    | AngleAction
)

# An operator parameter takes an operator.
Argument = Expression | OperatorArgument | LocalOperator | PrimitiveOperator
