"""What a temporal formula is made of, and where in the specification that stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gristmill.ir.nodes import Code, Expression
from gristmill.search.liveness.formula import Formula
from gristmill.source import Span
from gristmill.trace import Shown


@dataclass(frozen=True, slots=True)
class Predicate:
    """An atom: a predicate of states, or of steps if `of_steps`.

    Of `<<A>>_v` and `[A]_v`, `action` is A and `subscript` v, and `stuttering` what it is if nothing changes. Of a
    fairness condition, `enabled` is the atom ENABLED `<<A>>_v` that belongs to `<<A>>_v`, and `taken` the converse;
    `is_next`: all that A allows, and nothing else, is in the graph. `between`: what is the same between two different
    states, and less to evaluate.
    """

    code: Code
    of_steps: bool
    stuttering: bool | None = None
    action: Expression | None = None
    subscript: Subscript | None = None
    is_next: bool = False
    enabled: int | None = None
    taken: int | None = None
    between: Code | None = None

    @property
    def of_edges(self) -> Code:
        """What to evaluate of steps that change something."""
        return self.between or self.code


@dataclass(frozen=True, slots=True)
class Subscript:
    """v of `<<A>>_v`: some variables, by number, and some expressions."""

    variables: tuple[int, ...]
    expressions: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class LeadsTo:
    """`P ~> Q` as it was met: who reads "it holds" should know whether P ever does."""

    left: Formula
    text: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What a formula was before it was translated. `bindings`: the values of the names bound around it."""

    text: str
    span: Span
    bindings: Shown


@dataclass(frozen=True, slots=True)
class Condition:
    """`WF_v(A)` or `SF_v(A)`; `enabled` and `taken` are the numbers of its atoms."""

    kind: Literal["WF", "SF"]
    origin: Origin
    enabled: int
    taken: int
