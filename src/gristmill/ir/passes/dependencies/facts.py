"""What is known of an action: its guard, and its writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gristmill.ir.places import Key, Place, without_covered
from gristmill.source.quick_dataclass import dataclass

Places = frozenset[Place]
NOTHING: Places = frozenset()


@dataclass(frozen=True, slots=True)
class Write:
    """A place is given a value. `reads`: what that is computed from; `control`: what decides whether, or which.

    `certain`: every step of the action gives the place a value other than by leaving it as it is; that value may still
    be the old one.
    """

    place: Place
    reads: Places = NOTHING
    control: Places = NOTHING
    certain: bool = True

    @property
    def sources(self) -> Places:
        return self.reads | self.control


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Of one action. `reads`: all of them, those of `updates` included.

    `limits`: constructs that were only looked at as a whole, by name. `parameters`: what stands for the value of each
    parameter of the action in the paths of places.
    """

    guard: Places
    writes: tuple[Write, ...]
    limits: tuple[str, ...] = ()
    parameters: tuple[Key, ...] = ()

    @property
    def reads(self) -> Places:
        return self.guard | self.updates

    @property
    def updates(self) -> Places:
        """What written values are computed from, and what decides which are written."""
        return NOTHING.union(*(write.sources for write in self.writes))

    @property
    def may_write(self) -> Places:
        return frozenset(write.place for write in self.writes)

    @property
    def must_write(self) -> Places:
        return frozenset(write.place for write in self.writes if write.certain)

    def unchanged(self, variables: int) -> frozenset[int]:
        """Variables that no step of the action changes."""
        return frozenset(range(variables)) - {write.place.variable for write in self.writes}


def merged(writes: Iterable[Write]) -> tuple[Write, ...]:
    """One write for each place."""
    found: dict[Place, Write] = {}
    for write in writes:
        same = found.get(write.place)
        if same is not None:
            certain = same.certain or write.certain
            write = Write(write.place, same.reads | write.reads, same.control | write.control, certain)
        found[write.place] = write
    return tuple(
        replace(each, reads=without_covered(each.reads), control=without_covered(each.control))
        for each in found.values()
    )
