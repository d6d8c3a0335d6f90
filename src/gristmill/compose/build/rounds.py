"""What is left of the files of a mix if some variables are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gristmill.compose.build.carve import Carver, Mention
from gristmill.compose.build.files import TlaFile
from gristmill.compose.build.merge import mentions
from gristmill.compose.manifest.constants import Configured
from gristmill.compose.system import Grain, Invariant, Mix, System, Unavailable
from gristmill.syntax import tree


@dataclass(slots=True, eq=False)
class Formula:
    """Something of a file that becomes a part of the composition, with the log of what it speaks of."""

    carver: Carver
    file: TlaFile
    original: tree.Expression
    made: tree.Expression
    log: list[Mention]
    actions: tuple[tuple[str, Grain], ...] = ()  # the names that they have in their file
    invariant: Invariant | None = None
    unwanted: frozenset[str] = frozenset()  # names of actions that are no part of the mix
    stutters: bool = False  # nothing of it is left that changes anything

    @property
    def grains(self) -> list[Grain]:
        return list({(grain.module, grain.name): grain for _, grain in self.actions}.values())


@dataclass(slots=True, eq=False)
class Round:
    """What is left of the files if some variables are kept."""

    kept: frozenset[str]
    carvers: dict[tuple[TlaFile, str], Carver] = field(default_factory=dict)  # those of `also` are others
    next: list[Formula] = field(default_factory=list)
    also: list[Formula] = field(default_factory=list)
    init: list[Formula] = field(default_factory=list)
    predicates: list[Formula] = field(default_factory=list)  # invariants, constraints, replacements: by their names
    assumptions: list[Formula] = field(default_factory=list)

    def all(self) -> list[Formula]:
        return [*self.next, *self.also, *self.init, *self.predicates, *self.assumptions]

    def mentions(self) -> list[Mention]:
        return [each for formula in self.all() for each in mentions(formula.carver, formula.log)]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that the text of a composition is made from."""

    system: System
    mix: Mix
    configured: Configured
    round: Round
    declared: tuple[str, ...]  # all variables of the files
    variables: tuple[str, ...]  # those that are kept
    lost: Mapping[str, str]
    invariants: tuple[Invariant, ...]
    unavailable: tuple[Unavailable, ...]
