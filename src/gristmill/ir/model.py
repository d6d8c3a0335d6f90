"""A model ready to be checked: every formula of it as code, the next-state action split into named actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.ir.nodes import Code, Expression
from gristmill.source import Span


@dataclass(frozen=True, slots=True)
class Choices:
    """What to check, by names: the union of a configuration file and the command line.

    Either `specification`, or `init` and `next`. `replacements` are `Op <- Other`; `module_replacements` are
    `Op <- [Module] Other`, keyed by (module, Op).
    """

    specification: str | None = None
    init: str | None = None
    next: str | None = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    replacements: Mapping[str, str] = field(default_factory=dict)
    module_replacements: Mapping[tuple[str, str], str] = field(default_factory=dict)
    module_constants: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    invariants: Sequence[str] = ()
    properties: Sequence[str] = ()
    constraints: Sequence[str] = ()
    action_constraints: Sequence[str] = ()
    symmetry: str | None = None
    view: str | None = None
    alias: str | None = None
    postcondition: str | None = None
    check_deadlock: bool = True


@dataclass(frozen=True, slots=True)
class Named:
    """A formula under the name it was asked for by."""

    name: str
    code: Code


@dataclass(frozen=True, slots=True)
class Action:
    """A disjunct of the next-state relation. `name` is the definition it stands in; `span` the disjunct itself."""

    name: str
    code: Code
    span: Span


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
    """Everything to be evaluated. A specification without variables has no `init` and no actions."""

    name: str
    variables: tuple[str, ...]
    constants: Mapping[str, Any]
    init: Code | None
    actions: tuple[Action, ...]
    assumptions: tuple[Named, ...]
    invariants: tuple[Named, ...] = ()
    constraints: tuple[Named, ...] = ()
    action_constraints: tuple[Named, ...] = ()
    implied_inits: tuple[Named, ...] = ()
    implied_actions: tuple[Named, ...] = ()
    temporal: tuple[TemporalProperty, ...] = ()
    fairness: tuple[Code, ...] = ()
    symmetry: Named | None = None
    view: Named | None = None
    alias: Named | None = None
    postcondition: Named | None = None
    check_deadlock: bool = True
