"""The syntax tree of PlusCal, the same for both syntaxes.

Expressions are TLA+ expressions. Nodes are immutable; passes build new ones. Every statement carries the label that
stands before it and, when it comes from a macro, the span of the macro's call: `span` then points into the macro.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from gristmill.source import Span
from gristmill.syntax.tree import Expression, FieldAccess, FieldStep, FunctionApply, IndexStep, Name


@dataclass(frozen=True, slots=True)
class Label:
    """`name:`, with `+` or `-` behind it as its fairness; `added` when the translator put it there."""

    name: str
    fairness: Literal["", "+", "-"]
    added: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class VariableDeclaration:
    """`x`, `x = value`, or `x \\in value` (`is_member`)."""

    name: Name
    is_member: bool
    value: Expression | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assignment:
    """`x[i].f := value`, one of those joined by `||`."""

    variable: Name
    path: tuple[IndexStep | FieldStep, ...]
    value: Expression
    span: Span = field(compare=False, repr=False)


# ------------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Assign:
    """Assignments made at once; all right-hand sides are of the state before."""

    assignments: tuple[Assignment, ...]
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class If:
    test: Expression
    then: Body
    otherwise: Body
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Either:
    clauses: tuple[Body, ...]
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class While:
    test: Expression
    body: Body
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class With:
    """`with x = value` or `with x \\in value` (`is_member`); several bindings are several nested ones."""

    name: Name
    is_member: bool
    value: Expression
    body: Body
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Await:
    condition: Expression
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Print:
    value: Expression
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Skip:
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Goto:
    target: Name
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Return:
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """`call P(args)`, with the unlabelled `return` or `goto` right behind it, if any, as `then`: one step."""

    procedure: Name
    args: tuple[Expression, ...]
    then: Return | Goto | None
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MacroCall:
    macro: Name
    args: tuple[Expression, ...]
    label: Label | None
    call: Span | None
    span: Span = field(compare=False, repr=False)


Statement = Assign | If | Either | While | With | Await | Print | Assert | Skip | Goto | Return | Call | MacroCall
Body = tuple[Statement, ...]


# ------------------------------------------------------------------------------------------------ the algorithm


@dataclass(frozen=True, slots=True)
class Macro:
    name: Name
    params: tuple[Name, ...]
    body: Body
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Procedure:
    name: Name
    params: tuple[VariableDeclaration, ...]
    variables: tuple[VariableDeclaration, ...]
    body: Body
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Process:
    """`process name = identity`, or `process name \\in identity` (`is_set`)."""

    name: Name
    fairness: Literal["", "WF", "SF"]
    is_set: bool
    identity: Expression
    variables: tuple[VariableDeclaration, ...]
    body: Body
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Algorithm:
    """`processes` is empty for an algorithm of a single process, whose statements are `body`.

    `definitions` is the text of the `define` statement, comments included: nothing in it is ever replaced.
    """

    name: Name
    fair: bool
    syntax: Literal["p", "c"]
    variables: tuple[VariableDeclaration, ...]
    definitions: Span | None
    macros: tuple[Macro, ...]
    procedures: tuple[Procedure, ...]
    processes: tuple[Process, ...]
    body: Body
    span: Span = field(compare=False, repr=False)


def assignment_target(left: Expression) -> tuple[Name, tuple[IndexStep | FieldStep, ...]] | None:
    """`x[i].f` as the variable and the path into its value; None for what cannot be assigned to."""
    path: list[IndexStep | FieldStep] = []
    while not isinstance(left, Name):
        match left:
            case FunctionApply(inner, args, span):
                path.append(IndexStep(args, span))
            case FieldAccess(inner, name, span):
                path.append(FieldStep(name, span))
            case _:
                return None
        left = inner
    return left, tuple(reversed(path))


def map_statement(
    s: Statement,
    on: Callable[[Expression], Expression],
    body: Callable[[Body], Body],
    assignment: Callable[[Assignment], Assignment],
) -> Statement:
    """A statement with its parts replaced by what the functions make of them; labels and names stay."""
    match s:
        case Assign(assignments):
            return replace(s, assignments=tuple(map(assignment, assignments)))
        case If(test, then, otherwise):
            return replace(s, test=on(test), then=body(then), otherwise=body(otherwise))
        case Either(clauses):
            return replace(s, clauses=tuple(map(body, clauses)))
        case While(test, inner):
            return replace(s, test=on(test), body=body(inner))
        case With(_, _, value, inner):
            return replace(s, value=on(value), body=body(inner))
        case Await(condition) | Assert(condition):
            return replace(s, condition=on(condition))
        case Print(value):
            return replace(s, value=on(value))
        case Call(_, args) | MacroCall(_, args):
            return replace(s, args=tuple(map(on, args)))
        case Skip() | Goto() | Return():
            return s
        case _:
            assert_never(s)


def bodies_of(s: Statement) -> tuple[Body, ...]:
    """The statements that a statement contains."""
    match s:
        case If(_, then, otherwise):
            return (then, otherwise)
        case Either(clauses):
            return clauses
        case While(_, body) | With(_, _, _, body):
            return (body,)
        case _:
            return ()


def walk(body: Body) -> Iterator[Statement]:
    """All statements, also those inside others, in the order of the text."""
    for s in body:
        yield s
        for inner in bodies_of(s):
            yield from walk(inner)
