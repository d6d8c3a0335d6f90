"""What a partition must know to begin: the model, and what has been learnt of its states."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

from gristmill.ir.model import Model
from gristmill.native.plan.layout import widened
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a layout is made from. `samples`: states, encoded; `leaves`: variables that are not cut into slots.

    `least`: bytes of a slot; `widths`: bytes of each slot, where a run has shown what it takes.
    """

    samples: tuple[bytes, ...]
    leaves: frozenset[int] = frozenset()
    least: int = 1
    widths: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """`model`: pickled, with its names in their order. `folder`: where levels are saved; machines may share it."""

    model: bytes
    names: int
    owners: int
    symmetric: bool
    folder: str
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """What a partition has saved. `counts`: for each level, its states; `learnt`: for each level, which of `layouts`
    its file was written with."""

    counts: tuple[int, ...]
    learnt: tuple[int, ...]
    layouts: tuple[Learnt, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """A state did not fit the layout of a partition. `width`: of the slots for which there were too many values, or 0;
    then `counts` says how many each slot has, and `widths` how many bytes."""

    variable: int
    width: int
    states: tuple[bytes, ...]
    counts: tuple[int, ...] = ()
    widths: tuple[int, ...] = ()


class MisfitsError(Exception):
    """States do not fit the layouts of some partitions."""

    def __init__(self, misfits: Sequence[Misfit]) -> None:
        super().__init__(len(misfits))
        self.misfits = tuple(misfits)


def pickled(model: Model) -> bytes:
    return with_deep_stack(lambda: pickle.dumps(model))


def unpickled(data: bytes) -> Model:
    found: Model = with_deep_stack(lambda: pickle.loads(data))
    return found


def learnt_from(before: Learnt, misfits: Sequence[Misfit]) -> Learnt:
    """A layout that fits what did not fit. What gives no new states to learn from makes its variable a leaf."""
    if all(misfit.width and misfit.counts for misfit in misfits):
        return replace(before, widths=_wider(misfits))
    samples, leaves, least = list(before.samples), before.leaves, before.least
    for misfit in misfits:
        new = [each for each in misfit.states if each not in samples]
        samples += new
        if misfit.width:
            least = max(least, 2 * misfit.width)
        elif not new:
            leaves |= {misfit.variable}
    return Learnt(tuple(samples), leaves, least)


def _wider(misfits: Sequence[Misfit]) -> tuple[int, ...]:
    """The slots are the same; those that have most values get more bytes."""
    found = [widened(misfit.counts, misfit.widths, misfit.width) for misfit in misfits]
    return tuple(max(each) for each in zip(*found, strict=True))
