"""A model ready to be checked: every formula of it as code, the next-state action split into named actions."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from gristmill.ir.nodes import Code, Definition, Expression
from gristmill.search.result import Unasked
from gristmill.source import Diagnostic, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import World, current_or_new


@dataclass(frozen=True, slots=True)
class Named:
    """A formula under the name it was asked for by.

    `mapping`, of a formula of another module seen through an INSTANCE: its variables, as functions of this one's.
    """

    name: str
    code: Code
    mapping: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """A disjunct of the next-state relation. `name` is the definition it stands in.

    `code`: the disjunct with all that stands around it, so that its steps are those of the next-state relation that are
    found by way of it. `span`: where the definition is, or the disjunct itself if the definition has several.
    `parameters`: those of the definition and the names bound in it around the disjunct, as expressions to be evaluated
    where it is satisfied, and `domains` what each is chosen from, if it is chosen. `disjunct_of`: definitions without
    parameters, each of which every step of this action satisfies. `module`: where the definition is written, also if
    it is extended or instanced. `passes.dependencies` says what an action reads and writes.
    """

    name: str
    code: Code
    span: Span
    parameters: tuple[tuple[str, Expression], ...] = ()
    disjunct_of: tuple[Definition, ...] = ()
    module: str = ""
    domains: tuple[Expression | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A part of the next-state relation that is solved as a whole.

    What is found by way of a `Disjunct` in it is a step of that action.
    `actions`: the numbers of those, in the order of the text.
    """

    code: Code
    actions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Obligation:
    """What every step by one action must satisfy: one of `alternatives`, which are tried in their order.

    An action has at most one, with at least one alternative.
    """

    name: str
    action: int
    alternatives: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class TemporalProperty:
    """A part of a property that speaks of whole behaviours; `formula` is `code.body`."""

    name: str
    code: Code

    @property
    def formula(self) -> Expression:
        return self.code.body


@dataclass(slots=True)
class Model:
    """Everything to be evaluated, while its `world` is active.

    A specification without variables has no `init` and no actions.
    """

    name: str
    variables: tuple[str, ...]
    init: Code | None
    actions: tuple[Action, ...]  # the disjuncts of the next-state action
    branches: tuple[Branch, ...]  # which is the disjunction of these; solved one after the other, as TLC does
    assumptions: tuple[Named, ...]
    invariants: tuple[Named, ...] = ()
    constraints: tuple[Named, ...] = ()
    action_constraints: tuple[Named, ...] = ()
    implied_inits: tuple[Named, ...] = ()
    implied_actions: tuple[Named, ...] = ()
    obligations: tuple[Obligation, ...] = ()  # of steps by single actions; no configuration asks for them
    temporal: tuple[TemporalProperty, ...] = ()
    fairness: tuple[Code, ...] = ()
    constants: tuple[Named, ...] = ()  # given by definitions; to be evaluated first
    claims: tuple[Named, ...] = ()  # of the specification, about constants: if false, there is no behaviour at all
    symmetry: Named | None = None
    view: Named | None = None
    alias: Named | None = None
    postconditions: tuple[Named, ...] = ()
    possible: tuple[Named, ...] = ()  # predicates of states or steps that must be true somewhere
    check_deadlock: bool = True
    next: Definition | None = None  # the next-state action as a whole, if it is a definition
    asserts: bool = False  # whether something says what must be true where it is evaluated
    unsplit: tuple[Branch, ...] = ()  # the branches before they were cut: one after the other, they find the same
    asks_search: bool = False  # whether something asks how far the search is: TLCGet("level")
    variable_order: tuple[int, ...] = ()  # variables by number, as TLC orders them
    warnings: tuple[Diagnostic, ...] = ()
    unasked: tuple[Unasked, ...] = ()  # definitions that could have been checked
    world: World = field(default_factory=current_or_new, compare=False)  # of the values of this model, and its runs
    analyses: dict[Code, Any] = field(default_factory=dict, compare=False, repr=False)  # what passes keep, by formula
