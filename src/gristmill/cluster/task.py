"""What a partition must know to begin: the model, and what has been learnt of its states."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from gristmill.ir.model import Model
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a layout is made from. `samples`: states, encoded; `leaves`: variables that are not cut into slots."""

    samples: tuple[bytes, ...]
    leaves: frozenset[int] = frozenset()
    least: int = 1  # bytes of a slot


@dataclass(frozen=True, slots=True)
class Task:
    """`model`: pickled, with its names in their order. `folder`: where partitions save levels."""

    model: bytes
    names: int
    owners: int
    symmetric: bool
    folder: str


@dataclass(frozen=True, slots=True)
class Misfit:
    """A state did not fit the layout of a partition."""

    variable: int
    width: int
    states: tuple[bytes, ...]


def pickled(model: Model) -> bytes:
    return with_deep_stack(lambda: pickle.dumps(model))


def unpickled(data: bytes) -> Model:
    found: Model = with_deep_stack(lambda: pickle.loads(data))
    return found


def learnt_from(before: Learnt, misfits: Sequence[Misfit]) -> Learnt:
    """A layout that fits what did not fit. What gives no new states to learn from makes its variable a leaf."""
    samples, leaves, least = list(before.samples), before.leaves, before.least
    for misfit in misfits:
        new = [each for each in misfit.states if each not in samples]
        samples += new
        if misfit.width:
            least = max(least, 2 * misfit.width)
        elif not new:
            leaves |= {misfit.variable}
    return Learnt(tuple(samples), leaves, least)
