"""Which runs a page shows in full, and in what order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.replay.outcome import Confirmation, Outcome, Replayed
from gristmill.replay.report.words import Tone, counted, gist, place
from gristmill.replay.result import KINDS, Run
from gristmill.replay.steps import ModelStep
from gristmill.report.page.elide import elided

MOST_OF_A_KIND = 5
MOST = 40
_LONGEST_GIST = 200

Part: TypeAlias = Literal["only", "smallest", "whole"]  # of a trace that was made smaller, or not


@dataclass(frozen=True, slots=True)
class Entry:
    """A run to look at. `number`: from 1, its name in the page. `more`: further runs of the kind, not shown."""

    number: int
    run: Run
    trace: tuple[ModelStep, ...]
    part: Part
    replayed: Replayed
    confirmation: Confirmation | None = None
    more: int = 0

    @property
    def tone(self) -> Tone:
        if self.confirmation is not None and self.run.conforms:
            return "bad" if self.confirmation.confirmed else "warning"
        return "good" if self.run.conforms else "bad"

    @property
    def title(self) -> str:
        if self.confirmation is not None:
            return f"{self.confirmation.invariant}: {'confirmed' if self.confirmation.confirmed else 'not confirmed'}"
        if self.run.discrepancy is None:
            return "agrees"
        return KINDS[self.run.discrepancy.kind]

    @property
    def told(self) -> str:
        """In a sentence, where it ended."""
        found = self.run.discrepancy
        if found is None:
            return self.confirmation.observed if self.confirmation is not None else "every observed variable agreed"
        return f"at {place(found)}: {elided(gist(found), _LONGEST_GIST)}"

    @property
    def length(self) -> str:
        done = len(self.run.steps)
        return counted(done, "step") if done == self.run.length else f"{done} of {counted(self.run.length, 'step')}"


def entries(outcome: Outcome) -> list[Entry]:
    """Confirmations, then discrepancies, a few of each kind, then a run that agreed, if one was kept."""
    found: list[Entry] = []
    for replayed, confirmation, more in _chosen(outcome):
        for part, (trace, run) in _parts(replayed):
            found.append(Entry(len(found) + 1, run, trace, part, replayed, confirmation, more))
    return found


def _chosen(outcome: Outcome) -> Iterator[tuple[Replayed, Confirmation | None, int]]:
    shown: set[int] = set()
    for confirmation in outcome.confirmations:
        if confirmation.replayed is not None:
            shown.add(id(confirmation.replayed))
            yield confirmation.replayed, confirmation, 0
    for same in outcome.distinct.values():
        fresh = [each for each in same if id(each) not in shown]
        kept = MOST_OF_A_KIND if len(shown) < MOST else 1  # every kind is to be seen
        for position, each in enumerate(fresh[:kept], 1):
            shown.add(id(each))
            yield each, None, len(fresh) - kept if position == kept else 0
    for each in outcome.replayed:
        if each.run.conforms and id(each) not in shown:
            yield each, None, 0


def _parts(replayed: Replayed) -> Iterator[tuple[Part, tuple[tuple[ModelStep, ...], Run]]]:
    """A trace that was made smaller is shown so first, and then as it was met."""
    if replayed.smallest is None:
        yield "only", (replayed.trace, replayed.run)
        return
    yield "smallest", replayed.smallest
    yield "whole", (replayed.trace, replayed.run)
