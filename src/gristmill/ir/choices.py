"""What to check, by names: a configuration file, and what the command line adds to it or puts in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.modules.config import Config, Name
from gristmill.source import Span
from gristmill.values import Fn


@dataclass(frozen=True, slots=True)
class Choices:
    """Either `specification`, or `init` and `next`; neither for a module without variables.

    Constants and replacements are keyed by (module, name); the module is None for the root. `tables` are the values of
    constant operators at arguments. `spans` tells where a name was asked for, if in a file.
    """

    specification: str | None = None
    init: str | None = None
    next: str | None = None
    constants: Mapping[tuple[str | None, str], Any] = field(default_factory=dict)
    tables: Mapping[str, Fn] = field(default_factory=dict)
    replacements: Mapping[tuple[str | None, str], str] = field(default_factory=dict)
    invariants: Sequence[str] = ()
    properties: Sequence[str] = ()
    constraints: Sequence[str] = ()
    action_constraints: Sequence[str] = ()
    postconditions: Sequence[str] = ()
    possible: Sequence[str] = ()
    symmetry: str | None = None
    view: str | None = None
    alias: str | None = None
    check_deadlock: bool = True
    spans: Mapping[str, Span] = field(default_factory=dict)


def choices_of(config: Config) -> Choices:
    """What a configuration file asks for. Of two things said of a constant, the later holds."""
    spans: dict[str, Span] = {}

    def one(name: Name | None) -> str | None:
        return None if name is None else many([name])[0]

    def many(names: list[Name]) -> list[str]:
        for name in names:
            spans.setdefault(name.text, name.span)
        return [name.text for name in names]

    constants: dict[tuple[str | None, str], Any] = {}
    tables: dict[str, dict[Any, Any]] = {}
    for assignment in config.assignments:
        spans.setdefault(assignment.name, assignment.name_span)
        if assignment.arguments:
            tables.setdefault(assignment.name, {})[assignment.arguments] = assignment.value
        else:
            constants[assignment.module, assignment.name] = assignment.value
    replacements: dict[tuple[str | None, str], str] = {}
    for replacement in config.replacements:
        spans.setdefault(replacement.name, replacement.name_span)
        spans.setdefault(replacement.definition, replacement.span)
        replacements[replacement.module, replacement.name] = replacement.definition
    return Choices(
        one(config.specification),
        one(config.init),
        one(config.next),
        constants,
        {name: Fn(table) for name, table in tables.items()},
        replacements,
        many(config.invariants),
        many(config.properties),
        many(config.constraints),
        many(config.action_constraints),
        many(config.postconditions),
        many(config.possible),
        one(config.symmetry),
        one(config.view),
        one(config.alias),
        config.checks_deadlock,
        spans,
    )
