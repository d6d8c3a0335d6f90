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

from typing import Literal as OneOf

from gristmill.library.declaration import Operator
from gristmill.source import Span
from gristmill.source.node import node
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Value


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

    `nested`: the frame of the code around it is its frame's parent (a LET operator or a LAMBDA). `identity`: what it
    shares with the same operator lowered for other places: primed, or inside ENABLED. A constant has one value in all.
    `is_settled`: it is a constant whose evaluation can be seen, and has been evaluated in this run.
    `is_version`: a pass has made it of another, for some known arguments.
    """

    name: str
    arities: tuple[int, ...]  # of the parameters; 0 for an ordinary one
    parameter_names: tuple[str, ...]
    nested: bool
    recursive: bool
    span: Span
    frame_size: int = 0
    body: Expression | None = None
    identity: object = None
    is_settled: bool = False
    is_version: bool = False


@node
class Literal:
    """A constant; `value` is a TLA+ value."""

    value: Value
    span: Span


@node
class Variable:
    """Inside ENABLED an index beyond the variables is a next value that no variable of the specification has."""

    index: int
    primed: bool
    name: str
    span: Span


@node
class Local:
    """A bound name, a parameter or a LET value. May hold something not evaluated yet."""

    depth: int
    slot: int
    name: str
    span: Span


@node
class Primitive:
    """An operator with a hand-written implementation, of the language (`\\cup`) or of a module (`Append`)."""

    operator: Operator
    args: tuple[Argument, ...]
    span: Span


@node
class Call:
    """A definition applied to arguments, which are evaluated when they are first needed.

    `depth`: how many frames up the parent frame of a nested definition is (0: the frame of the caller).
    """

    definition: Definition
    args: tuple[Argument, ...]
    depth: int
    span: Span


@node
class CallLocal:
    """An operator parameter applied to arguments."""

    depth: int
    slot: int
    name: str
    args: tuple[Argument, ...]
    span: Span


@node
class OperatorArgument:
    """An operator as an argument: a definition or a LAMBDA; `depth` as in `Call`."""

    definition: Definition
    depth: int
    span: Span


@node
class LocalOperator:
    """An operator parameter handed on as an argument."""

    depth: int
    slot: int
    name: str
    span: Span


@node
class PrimitiveOperator:
    """A hand-written operator as an argument, e.g. `+` in `Fold(+, 0, s)`."""

    operator: Operator
    arity: int
    span: Span


# ----------------------------------------------------------------------------------------------------- logic


@node
class And:
    items: tuple[Expression, ...]
    span: Span


@node
class Or:
    items: tuple[Expression, ...]
    span: Span


@node
class Not:
    operand: Expression
    span: Span


@node
class Implies:
    left: Expression
    right: Expression
    span: Span


@node
class Equivalent:
    left: Expression
    right: Expression
    span: Span


@node
class Equal:
    left: Expression
    right: Expression
    span: Span


@node
class Member:
    """`left \\in right`."""

    left: Expression
    right: Expression
    span: Span


@node
class If:
    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span


@node
class Case:
    """(guard, value) in order; `other` is None when there is no OTHER."""

    arms: tuple[tuple[Expression, Expression], ...]
    other: Expression | None
    span: Span


@node
class Let:
    """`slots[i]` of the current frame is `values[i]`, evaluated when first needed."""

    slots: tuple[int, ...]
    names: tuple[str, ...]
    values: tuple[Expression, ...]
    body: Expression
    span: Span


# -------------------------------------------------------------------------------------------------- binders


@node
class Bound:
    """Slots of the current frame that take the elements of `domain`.

    Each slot takes every element (`x, y \\in S`), or, if `is_tuple`, they take the components of one element.
    `domain` is None for an unbounded CHOOSE or quantifier, which cannot be evaluated.
    """

    slots: tuple[int, ...]
    names: tuple[str, ...]
    is_tuple: bool
    domain: Expression | None
    span: Span


@node
class Quantified:
    universal: bool
    bounds: tuple[Bound, ...]
    body: Expression
    span: Span


@node
class Choose:
    bound: Bound
    body: Expression
    span: Span


@node
class SetFilter:
    bound: Bound
    predicate: Expression
    span: Span


@node
class SetMap:
    bounds: tuple[Bound, ...]
    body: Expression
    span: Span


@node
class FunctionLiteral:
    """`[x \\in S |-> e]`. `self_slot` is the slot that holds the function itself in a recursive `f[x \\in S] == e`."""

    bounds: tuple[Bound, ...]
    body: Expression
    self_slot: int | None
    name: str | None
    span: Span


# --------------------------------------------------------------------------------------------- data structures


@node
class SetEnumeration:
    items: tuple[Expression, ...]
    span: Span


@node
class TupleLiteral:
    items: tuple[Expression, ...]
    span: Span


@node
class RecordLiteral:
    names: tuple[str, ...]
    values: tuple[Expression, ...]
    span: Span


@node
class RecordSet:
    names: tuple[str, ...]
    values: tuple[Expression, ...]
    span: Span


@node
class FunctionSet:
    domain: Expression
    range: Expression
    span: Span


@node
class CrossProduct:
    factors: tuple[Expression, ...]
    span: Span


@node
class FunctionApply:
    """`f[a]`; `f[a, b]` has the tuple `<<a, b>>` as its argument."""

    function: Expression
    argument: Expression
    span: Span


@node
class FieldAccess:
    record: Expression
    name: str
    span: Span


@node
class Update:
    """`![a].b = e`: `path` are the arguments in order (a field is a string); `at_slot` takes the old value, `@`."""

    path: tuple[Expression, ...]
    value: Expression
    at_slot: int | None
    span: Span


@node
class Except:
    function: Expression
    updates: tuple[Update, ...]
    span: Span


# ------------------------------------------------------------------------------------------ actions and temporal


@node
class Unchanged:
    """`UNCHANGED` of variables, by number. Of anything else it is lowered to an equality."""

    variables: tuple[int, ...]
    span: Span


@node
class Enabled:
    action: Expression
    span: Span


@node
class Cdot:
    """`A \\cdot B`."""

    first: Expression
    second: Expression
    span: Span


@node
class Temporal:
    """`[]F`, `<>F`, `F ~> G`; `WF_v(A)`, `SF_v(A)`, whose arguments are `<<A>>_v` and the `Enabled` of it.

    `[][A]_v` is `[]` of a `BoxAction`.
    """

    operator: OneOf["[]", "<>", "~>", "WF", "SF", "-+->", "\\AA", "\\EE"]
    args: tuple[Expression, ...]
    span: Span


@node
class Disjunct:
    """A part of the next-state relation that has a name: a step that is found by way of it is one of that action.

    Stands in the branches of a model, and there only where an action may stand.
    """

    action: int  # number of an action of the model
    body: Expression
    span: Span


@node
class BoxAction:
    """`[A]_v`: `changed` is `v' # v`, so it holds iff `A \\/ ~changed`."""

    action: Expression
    changed: Expression
    span: Span


@node
class AngleAction:
    """`<<A>>_v`: holds iff `A /\\ changed`."""

    action: Expression
    changed: Expression
    span: Span


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
    | Cdot
    | Disjunct
    | Temporal
    | BoxAction
    | AngleAction
)

# Forms whose value is never a truth value, or one that is stored: none of them is a formula to be solved.
ValueForm = (
    Choose
    | SetFilter
    | SetMap
    | FunctionLiteral
    | SetEnumeration
    | TupleLiteral
    | RecordLiteral
    | RecordSet
    | FunctionSet
    | CrossProduct
    | FieldAccess
    | Except
)

# An operator parameter takes an operator.
Argument = Expression | OperatorArgument | LocalOperator | PrimitiveOperator
