"""Interaction variables: what modules know of each other.

Two definitions. The conservative one of Remix (section 3.2): dependency variables that two modules share. The closed
one of IPA (definition 3), also given in Remix's appendix: besides, what the new value of an interaction variable, or of
a module's internal variable, is computed from outside of the dependency variables of the module in question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from gristmill.compose.variables.accesses import Accesses, Update
from gristmill.compose.variables.dependency import Dependencies
from gristmill.compose.variables.slots import Slots, common, is_covered, ordered
from gristmill.ir.places import Place, without_covered
from gristmill.source import Span


@dataclass(frozen=True, slots=True)
class Shared:
    """A dependency variable of two modules (rule 1)."""

    modules: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Feeds:
    """An action computes the new value of `target` from it: of an interaction variable (rule 2), or of an internal
    variable of `owner` (rule 3), whose dependency variable it is not.
    """

    target: Place
    action: str
    owner: str
    rule: Literal[2, 3]
    span: Span


Reason = Shared | Feeds
Modules = Mapping[str, Sequence[Accesses]]


@dataclass(frozen=True, slots=True)
class Interaction:
    """`shared`: by the conservative definition; `slots`: by the closed one, with the reason for each."""

    shared: Slots
    slots: Slots
    reasons: Mapping[Place, Reason]


def interaction_of(modules: Modules, dependencies: Mapping[str, Dependencies]) -> Interaction:
    reasons: dict[Place, Reason] = {}
    for one, other in combinations(modules, 2):
        for a in ordered(dependencies[one].slots):
            for b in ordered(dependencies[other].slots):
                if a.may_touch(b):
                    reasons.setdefault(common(a, b), Shared((one, other)))
    shared = without_covered(reasons)
    while True:
        more = dict(_more(modules, dependencies, list(reasons)))
        if not more:
            return Interaction(shared, without_covered(reasons), reasons)
        reasons.update(more)


def _more(
    modules: Modules, dependencies: Mapping[str, Dependencies], found: Sequence[Place]
) -> Iterator[tuple[Place, Reason]]:
    """What rules 2 and 3 add to what was found."""
    for module, actions in modules.items():
        for action in actions:
            for update in action.updates:
                for target, owner, rule in _targets(update, module, dependencies, found):
                    known = dependencies[owner].slots
                    for slot in ordered(update.sources):
                        if not is_covered(slot, known) and not is_covered(slot, found):
                            yield slot, Feeds(target, action.name, owner, rule, update.span)


def _targets(
    update: Update, module: str, dependencies: Mapping[str, Dependencies], found: Sequence[Place]
) -> Iterator[tuple[Place, str, Literal[2, 3]]]:
    """The variables that an update of a module counts for, and the module whose dependency variables it may use."""
    for slot in found:
        if slot.may_touch(update.slot):
            yield slot, module, 2
            break
    for owner, known in dependencies.items():
        for slot in ordered(known.slots):
            if slot.may_touch(update.slot) and not is_covered(slot, found):
                yield slot, owner, 3
                break
