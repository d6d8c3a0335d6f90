"""The syntax tree of TLA+.

Nodes are immutable and compare by structure: the span is not part of what a node is. Names of operators are the
canonical ones of the operator table. Parentheses are kept (`Parens`), so that a tree prints as it was written.
Every application of an operator, in whatever notation, is an `Apply`: `a + b` is `Apply(Name("+"), (a, b))`, `-a` is
`Apply(Name("-."), (a,))`, `x'` is `Apply(Name("'"), (x,))`, `Op(a)` is `Apply(Name("Op"), (a,))`.
"""

from __future__ import annotations

from typing import Literal

from gristmill.source import Span
from gristmill.source.node import node

# ----------------------------------------------------------------------------------------- expressions


@node
class Name:
    """An identifier, or an operator symbol by its canonical name (as an argument: `Fold(+, 0, s)`)."""

    name: str
    span: Span


@node
class Number:
    """A natural number; `text` keeps the base (`42`, `\\b101`, `\\o17`, `\\hFF`)."""

    value: int
    text: str
    span: Span


@node
class Decimal:
    """A decimal such as `3.14`."""

    text: str
    span: Span


@node
class String:
    """A string literal; `value` has its escapes resolved."""

    value: str
    span: Span


@node
class At:
    """`@`: the old value inside EXCEPT (or, in a proof, the previous right-hand side)."""

    span: Span


@node
class NameSegment:
    """`Foo` or `Foo(a, b)` in `A!Foo(a, b)!…`."""

    name: str
    args: tuple[Expression, ...]
    span: Span


@node
class IndexSegment:
    """`!2`: the second operand."""

    index: int
    span: Span


@node
class ArgumentsSegment:
    """`!(e1, e2)`: the body with bound names or parameters instantiated."""

    args: tuple[Expression, ...]
    span: Span


@node
class SelectorSegment:
    """`!<<`, `!>>` (first and second operand), `!@` (the body), `!:` (the whole definition)."""

    kind: Literal["<<", ">>", "@", ":"]
    span: Span


Segment = NameSegment | IndexSegment | ArgumentsSegment | SelectorSegment


@node
class Path:
    """A compound name: into an instance (`Inner!Spec`), or to a subexpression (`Op!1!(x)!<<`, `Op!:`).

    The first segment is always a `NameSegment`; there are at least two. Arguments of the last name are in its
    segment: `M!Op(a)` is `Path((M, Op(a)))`; `M!+(a, b)` likewise, with the segment's name `+`.
    """

    segments: tuple[Segment, ...]
    span: Span


@node
class Apply:
    """An operator applied to arguments. `operator` is a `Name`, or a `StepName` of a proof."""

    operator: Name
    args: tuple[Expression, ...]
    span: Span


@node
class Parens:
    body: Expression
    span: Span


@node
class Junction:
    """A bulleted list of conjuncts or disjuncts. `operator` is `/\\` or `\\/`; there is at least one item."""

    operator: Literal["/\\", "\\/"]
    items: tuple[Expression, ...]
    span: Span


@node
class Bound:
    """`x, y \\in S` or `<<x, y>> \\in S` (`is_tuple`); `domain` is None for an unbounded `x, y`."""

    names: tuple[Name, ...]
    is_tuple: bool
    domain: Expression | None
    span: Span


@node
class Quantified:
    """`\\A`, `\\E`, `\\AA`, `\\EE` over bounds, all bounded or all unbounded (one `Bound` with no domain)."""

    quantifier: Literal["\\A", "\\E", "\\AA", "\\EE"]
    bounds: tuple[Bound, ...]
    body: Expression
    span: Span


@node
class Choose:
    """`CHOOSE x \\in S : P`, `CHOOSE <<x, y>> \\in S : P`, `CHOOSE x : P`."""

    bound: Bound
    body: Expression
    span: Span


@node
class SetEnumeration:
    items: tuple[Expression, ...]
    span: Span


@node
class SetFilter:
    """`{x \\in S : P}`; one name, or one tuple of names."""

    bound: Bound
    predicate: Expression
    span: Span


@node
class SetMap:
    """`{e : x \\in S, y \\in T}`."""

    body: Expression
    bounds: tuple[Bound, ...]
    span: Span


@node
class FunctionLiteral:
    """`[x \\in S, y \\in T |-> e]`."""

    bounds: tuple[Bound, ...]
    body: Expression
    span: Span


@node
class FunctionSet:
    """`[S -> T]`."""

    domain: Expression
    range: Expression
    span: Span


@node
class FunctionApply:
    """`f[a, b]`."""

    function: Expression
    args: tuple[Expression, ...]
    span: Span


@node
class FieldValue:
    """`name |-> value` of a record, or `name : set` of a set of records."""

    name: str
    value: Expression
    span: Span


@node
class Record:
    """`[a |-> 1, b |-> 2]`."""

    fields: tuple[FieldValue, ...]
    span: Span


@node
class RecordSet:
    """`[a : S, b : T]`."""

    fields: tuple[FieldValue, ...]
    span: Span


@node
class FieldAccess:
    """`r.name`."""

    record: Expression
    name: str
    span: Span


@node
class IndexStep:
    """`[a, b]` in `![a, b].c`."""

    args: tuple[Expression, ...]
    span: Span


@node
class FieldStep:
    """`.c` in `![a, b].c`."""

    name: str
    span: Span


@node
class Update:
    """`![a].b = e` of EXCEPT."""

    path: tuple[IndexStep | FieldStep, ...]
    value: Expression
    span: Span


@node
class Except:
    """`[f EXCEPT ![a].b = e, …]`."""

    function: Expression
    updates: tuple[Update, ...]
    span: Span


@node
class Tuple:
    items: tuple[Expression, ...]
    span: Span


@node
class CrossProduct:
    """`A \\X B \\X C`, all factors at one level: `(A \\X B) \\X C` is another set."""

    factors: tuple[Expression, ...]
    span: Span


@node
class If:
    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span


@node
class Arm:
    """`guard -> value` of a CASE; the guard of OTHER is None."""

    guard: Expression | None
    value: Expression
    span: Span


@node
class Case:
    """At least one arm; an OTHER, if any, is the last."""

    arms: tuple[Arm, ...]
    span: Span


@node
class Let:
    """Definitions are `OperatorDefinition`, `FunctionDefinition`, `InstanceDefinition` or `Recursive`."""

    definitions: tuple[Definition, ...]
    body: Expression
    span: Span


@node
class BoxAction:
    """`[A]_v`."""

    action: Expression
    subscript: Expression
    span: Span


@node
class AngleAction:
    """`<<A>>_v`."""

    action: Expression
    subscript: Expression
    span: Span


@node
class Fairness:
    """`WF_v(A)`, `SF_v(A)`."""

    kind: Literal["WF", "SF"]
    subscript: Expression
    action: Expression
    span: Span


@node
class Lambda:
    """`LAMBDA x, y : e`; only as an argument of an operator, or in a substitution."""

    params: tuple[Name, ...]
    body: Expression
    span: Span


@node
class Labelled:
    """`lab(x, y) :: e`."""

    name: str
    params: tuple[Name, ...]
    body: Expression
    span: Span


@node
class StepName:
    """`<1>2` used as a name in an expression or a BY."""

    name: str
    span: Span


Expression = (
    Name
    | Number
    | Decimal
    | String
    | At
    | Path
    | Apply
    | Parens
    | Junction
    | Quantified
    | Choose
    | SetEnumeration
    | SetFilter
    | SetMap
    | FunctionLiteral
    | FunctionSet
    | FunctionApply
    | Record
    | RecordSet
    | FieldAccess
    | Except
    | Tuple
    | CrossProduct
    | If
    | Case
    | Let
    | BoxAction
    | AngleAction
    | Fairness
    | Lambda
    | Labelled
    | StepName
)


# ----------------------------------------------------------------------------------------- definitions


@node
class Parameter:
    """A declared name with the number of arguments it takes: `x`, `F(_, _)`, `_ + _` (name `+`), `-. _`."""

    name: str
    arity: int
    span: Span


@node
class OperatorDefinition:
    """`Op(x, F(_)) == e`; for `a ++ b == e` the name is `++`. `name_span` covers the defined symbol alone."""

    name: str
    params: tuple[Parameter, ...]
    body: Expression
    local: bool
    name_span: Span
    span: Span


@node
class FunctionDefinition:
    """`f[x \\in S] == e`."""

    name: str
    bounds: tuple[Bound, ...]
    body: Expression
    local: bool
    name_span: Span
    span: Span


@node
class Substitution:
    """`name <- value`; the name may be an operator symbol, the value an operator (`Name`) or a `Lambda`."""

    name: str
    value: Expression
    span: Span


@node
class Instance:
    """`INSTANCE M WITH x <- e, …`."""

    module: str
    substitutions: tuple[Substitution, ...]
    module_span: Span
    span: Span


@node
class InstanceDefinition:
    """`I(x) == INSTANCE M WITH …`."""

    name: str
    params: tuple[Parameter, ...]
    instance: Instance
    local: bool
    name_span: Span
    span: Span


@node
class Recursive:
    """`RECURSIVE F(_), g`."""

    params: tuple[Parameter, ...]
    span: Span


Definition = OperatorDefinition | FunctionDefinition | InstanceDefinition | Recursive


# ---------------------------------------------------------------------------------------------- proofs


@node
class NewSymbol:
    """`NEW CONSTANT x \\in S` and its like in ASSUME … PROVE; `kind` is empty when it was left out."""

    kind: Literal["", "CONSTANT", "VARIABLE", "STATE", "ACTION", "TEMPORAL"]
    parameter: Parameter
    domain: Expression | None
    span: Span


@node
class AssumeProve:
    """`ASSUME a, NEW x PROVE b`; `boxed` for `[]ASSUME … []PROVE`. An assumption may be one itself."""

    assumptions: tuple[Assumption, ...]
    goal: Expression
    boxed: bool
    label: str | None
    span: Span


Statement = Expression | AssumeProve
Assumption = Expression | AssumeProve | NewSymbol


@node
class ModuleFact:
    """`MODULE M` in a BY or a DEF list."""

    module: str
    span: Span


Fact = Expression | ModuleFact


@node
class LeafProof:
    """`OBVIOUS`, `OMITTED`, or `BY [ONLY] facts DEF names`; `explicit` when PROOF stands before it."""

    kind: Literal["OBVIOUS", "OMITTED", "BY"]
    only: bool
    facts: tuple[Fact, ...]
    definitions: tuple[Fact, ...]
    explicit: bool
    span: Span


@node
class UseOrHide:
    """`USE`/`HIDE` facts `DEF` names, in a module or as a step."""

    kind: Literal["USE", "HIDE"]
    only: bool
    facts: tuple[Fact, ...]
    definitions: tuple[Fact, ...]
    span: Span


@node
class AssertStep:
    """A step that claims something; `suffices` for SUFFICES."""

    statement: Statement
    suffices: bool
    span: Span


@node
class CaseStep:
    condition: Expression
    span: Span


@node
class HaveStep:
    fact: Expression
    span: Span


@node
class TakeStep:
    bounds: tuple[Bound, ...]
    span: Span


@node
class WitnessStep:
    values: tuple[Expression, ...]
    span: Span


@node
class PickStep:
    bounds: tuple[Bound, ...]
    predicate: Expression
    span: Span


@node
class DefineStep:
    """`DEFINE` definitions (the word may be left out); `explicit` when it was not."""

    definitions: tuple[Definition, ...]
    explicit: bool
    span: Span


@node
class InstanceStep:
    instance: Instance
    span: Span


@node
class QedStep:
    span: Span


StepBody = (
    AssertStep
    | CaseStep
    | HaveStep
    | TakeStep
    | WitnessStep
    | PickStep
    | DefineStep
    | InstanceStep
    | UseOrHide
    | QedStep
)


@node
class Step:
    """`<1>2. body proof`; `token` is the beginning as written (`<1>2.`, `<+>`, `<*>a`)."""

    token: str
    body: StepBody
    proof: Proof | None
    span: Span


@node
class StepsProof:
    """A structured proof; `explicit` when the word PROOF stands before it."""

    steps: tuple[Step, ...]
    explicit: bool
    span: Span


Proof = LeafProof | StepsProof


# --------------------------------------------------------------------------------------------- modules


@node
class ConstantDeclaration:
    params: tuple[Parameter, ...]
    span: Span


@node
class VariableDeclaration:
    names: tuple[Name, ...]
    span: Span


@node
class InstanceUnit:
    """`[LOCAL] INSTANCE M WITH …` without a name of its own."""

    instance: Instance
    local: bool
    span: Span


@node
class Assume:
    """`ASSUME`, `ASSUMPTION` or `AXIOM` (the `keyword`), perhaps named: `ASSUME Positive == N > 0`."""

    keyword: str
    name: Name | None
    body: Statement
    span: Span


@node
class Theorem:
    """`THEOREM`, `LEMMA`, `PROPOSITION` or `COROLLARY`, perhaps named, perhaps proved."""

    keyword: str
    name: Name | None
    body: Statement
    proof: Proof | None
    span: Span


@node
class Separator:
    """`--------`."""

    span: Span


@node
class Module:
    """A module, at the top of a file or nested in another."""

    name: str
    extends: tuple[Name, ...]
    units: tuple[Unit, ...]
    name_span: Span
    span: Span


Unit = (
    ConstantDeclaration
    | VariableDeclaration
    | OperatorDefinition
    | FunctionDefinition
    | InstanceDefinition
    | InstanceUnit
    | Recursive
    | Assume
    | Theorem
    | UseOrHide
    | Separator
    | Module
)
