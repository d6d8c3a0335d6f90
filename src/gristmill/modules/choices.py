"""What to check, by names: of a configuration file, the command line, or a program.

`Choices` is the only place that spells the sections of a configuration. The parser of `.cfg` files, the options of the
command line, and what one configuration adds to another all follow from its fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any

from gristmill.source import Diagnostic, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Fn


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a configuration that names operators, one or any number.

    `name`: the field of `Choices`. `keywords`: how it begins in a file. `help`: of the option on the command line, if
    there is one.
    """

    name: str
    keywords: tuple[str, ...]
    many: bool
    help: str | None

    @property
    def option(self) -> str:
        return "--" + self.keywords[0].lower().replace("_", "-")


def _one(keyword: str, help: str | None = None) -> Any:
    return field(default=None, metadata={"keywords": (keyword,), "many": False, "help": help})


def _many(*keywords: str, help: str | None = None) -> Any:
    return field(default=(), metadata={"keywords": keywords, "many": True, "help": help})


@dataclass(frozen=True, slots=True)
class Choices:
    """Either `specification`, or `init` and `next`; neither for a module without variables.

    Constants and replacements are keyed by (module, name); the module is None for the root. `tables` are the values of
    constant operators at arguments. `spans` tells where a name was asked for, if in a file; `warnings`, what else there
    is to say of that file.
    """

    specification: str | None = _one("SPECIFICATION", "The specification formula.")
    init: str | None = _one("INIT", "The initial predicate.")
    next: str | None = _one("NEXT", "The next-state action.")
    constants: Mapping[tuple[str | None, str], Any] = field(default_factory=dict)
    tables: Mapping[str, Fn] = field(default_factory=dict)
    replacements: Mapping[tuple[str | None, str], str] = field(default_factory=dict)
    invariants: Sequence[str] = _many("INVARIANT", "INVARIANTS", help="Another invariant to check.")
    properties: Sequence[str] = _many("PROPERTY", "PROPERTIES", help="Another property to check.")
    constraints: Sequence[str] = _many("CONSTRAINT", "CONSTRAINTS", help="Explore only states that satisfy it.")
    action_constraints: Sequence[str] = _many(
        "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS", help="Explore only steps that satisfy it."
    )
    symmetry: str | None = _one("SYMMETRY", "Permutations of model values that make no difference.")
    view: str | None = _one("VIEW", "States with the same value of it are one.")
    alias: str | None = _one("ALIAS", "What to show of the states of a counterexample.")
    postconditions: Sequence[str] = _many("POSTCONDITION", "POSTCONDITIONS", help="Must hold at the end of the search.")
    possible: Sequence[str] = _many("_POSSIBLE")
    periodic: str | None = _one("_PERIODIC")  # this and the next are read, and have no meaning here
    rl_reward: str | None = _one("_RL_REWARD")
    check_deadlock: bool = True
    spans: Mapping[str, Span] = field(default_factory=dict)
    warnings: Sequence[Diagnostic] = ()


NAMED: tuple[Section, ...] = tuple(Section(each.name, **each.metadata) for each in fields(Choices) if each.metadata)


def named(given: Mapping[str, Any]) -> dict[str, Any]:
    """Of names that a person gives, by section: those that `Choices` has fields for."""
    return {
        each.name: tuple(given[each.name]) if each.many else given[each.name] for each in NAMED if each.name in given
    }


def with_added(choices: Choices, added: Choices) -> Choices:
    """A configuration with what was asked for in addition to it.

    Lists of properties and constraints grow. What there can be one of replaces what the configuration says: each
    constant, and the formulas of the behaviours, where SPECIFICATION excludes INIT and NEXT.
    """
    if added.specification:
        choices = replace(choices, init=None, next=None)
    elif added.init or added.next:
        choices = replace(choices, specification=None)
    said = {*added.constants, *added.replacements, *((None, name) for name in added.tables)}

    def unsaid(things: Mapping[tuple[str | None, str], Any]) -> dict[tuple[str | None, str], Any]:
        return {key: value for key, value in things.items() if key not in said}

    return Choices(
        **{each.name: _both(each, choices, added) for each in NAMED},
        constants={**unsaid(choices.constants), **added.constants},
        tables={**{n: t for n, t in choices.tables.items() if (None, n) not in said}, **added.tables},
        replacements={**unsaid(choices.replacements), **added.replacements},
        check_deadlock=choices.check_deadlock and added.check_deadlock,
        spans={**choices.spans, **added.spans},
        warnings=(*choices.warnings, *added.warnings),
    )


def _both(section: Section, choices: Choices, added: Choices) -> Any:
    first, second = getattr(choices, section.name), getattr(added, section.name)
    return tuple(dict.fromkeys((*first, *second))) if section.many else second or first
