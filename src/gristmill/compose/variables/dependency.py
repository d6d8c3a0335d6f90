"""Dependency variables of a module: those of enabling conditions, and what they are computed from, with the reason.

Definition 2 of both papers, at the grain of slots. A value that decides which value is assigned (IF, the choice of an
element) counts as a part of the computation, and so does an assignment of one variable to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gristmill.compose.variables.accesses import Accesses, Update
from gristmill.compose.variables.slots import Slots, is_covered, ordered, touches
from gristmill.ir.places import Place, without_covered
from gristmill.source import Span


@dataclass(frozen=True, slots=True)
class Guard:
    """The enabling condition of an action reads the slot."""

    action: str
    span: Span


@dataclass(frozen=True, slots=True)
class Computed:
    """An action computes the new value of `target` from the slot, or lets it decide (`control`) about that."""

    target: Place
    action: str
    kind: Literal["reads", "control"]
    span: Span


Reason = Guard | Computed


@dataclass(frozen=True, slots=True)
class Dependencies:
    """`reasons` knows all slots that were met; `slots` are those that are part of no other."""

    slots: Slots
    reasons: dict[Place, Reason]

    def path(self, slot: Place) -> list[tuple[Place, Reason]]:
        """From a slot to the guard that makes it a dependency: each slot is computed into the next one."""
        found: list[tuple[Place, Reason]] = []
        while True:
            reason = self.reasons[slot]
            found.append((slot, reason))
            if isinstance(reason, Guard):
                return found
            slot = reason.target


def dependencies_of(actions: Sequence[Accesses]) -> Dependencies:
    """Of a module that consists of these actions."""
    reasons: dict[Place, Reason] = {}
    for action in actions:
        for test in action.tests:
            reasons.setdefault(test.slot, Guard(action.name, test.span))
    waiting = list(reasons)
    for target in waiting:  # grows while it is gone through: what is nearer to a guard comes first
        for action in actions:
            for update in action.updates:
                if update.slot.may_touch(target):
                    for slot, reason in _sources(update, target, action.name):
                        if not is_covered(slot, reasons):
                            reasons[slot] = reason
                            waiting.append(slot)
    return Dependencies(without_covered(reasons), reasons)


def _sources(update: Update, target: Place, action: str) -> list[tuple[Place, Reason]]:
    kinds: tuple[tuple[Literal["reads", "control"], Slots], ...] = (
        ("reads", update.reads),
        ("control", update.control),
    )
    return [(slot, Computed(target, action, kind, update.span)) for kind, slots in kinds for slot in ordered(slots)]


def never_read(actions: Sequence[Accesses]) -> Slots:
    """Slots that are written, and read by no enabling condition, nor computed into anything that is: ghosts."""
    read = dependencies_of(actions).slots
    return without_covered(slot for action in actions for slot in action.writes if not touches(slot, read))
