"""The invariants of a configuration along the behaviours that fit a log, and no others.

A log that tells little fits many behaviours. If an invariant is false in all of them, it was false in the run that was
logged. If it is false in some, that cannot be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TypeAlias

from gristmill.search.model import Model, State, StatePredicate
from gristmill.search.weave import Judge, Weaver

_MOST_EVENTS = 2_000  # of a log whose behaviours are all looked at
_MOST_PAIRS = 20_000  # that are looked at where the first behaviour is in order
_SECONDS = 2.0  # for that, and as long as it took to find the first

Search: TypeAlias = Callable[
    [Judge, int, float | None], Weaver
]  # once more, with a judge, a bound, and for some seconds


@dataclass(frozen=True, slots=True)
class Judgement:
    """`best`: a search that has found a behaviour, one that keeps all invariants if there is one.

    `by_all`, `by_some`: the invariants that are false in all behaviours that fit, or in some of them. `kept`: whether
    there is a behaviour in which all hold; None if that is not known. `is_complete`: all have been looked at.
    """

    best: Weaver
    by_all: tuple[str, ...] = ()
    by_some: tuple[str, ...] = ()
    kept: bool | None = True
    is_complete: bool = True


def judged(found: Weaver, invariants: Sequence[StatePredicate], search: Search, seconds: float) -> Judgement:
    """Of a search that has found a behaviour, in so many seconds."""
    if not invariants:
        return Judgement(found)
    judge, few = judge_of(found.model, invariants), sum(found.strands.end) <= _MOST_EVENTS
    own = reduce(or_, map(judge, states_of(found)))
    if not own and not few:
        return Judgement(found, is_complete=False)
    every = search(judge, found.bound, None) if own else search(judge, _MOST_PAIRS, _SECONDS + seconds)
    every.run()
    kept = every.kept if own else True
    if few:
        every.run(to_the_end=True)
    broken = [own, *(every.pairs[end].broken for end in every.ends)]
    by_all = _names(invariants, reduce(and_, broken)) if every.is_complete else ()
    by_some = tuple(name for name in _names(invariants, reduce(or_, broken)) if name not in by_all)
    return Judgement(every if own and every.ends else found, by_all, by_some, kept, every.is_complete)


def judge_of(model: Model, invariants: Sequence[StatePredicate]) -> Judge:
    def judge(state: State) -> int:
        values = model.values(state)
        return sum(1 << number for number, each in enumerate(invariants) if not each.holds(values))

    return judge


def states_of(found: Weaver) -> Iterable[State]:
    """Those of the behaviour that was found."""
    assert found.end is not None
    first, stitches = found.pairs.path(found.end)
    return [first, *(taken.state for stitch in stitches for taken in stitch.taken)]


def _names(invariants: Sequence[StatePredicate], broken: int) -> tuple[str, ...]:
    return tuple(each.name for number, each in enumerate(invariants) if broken >> number & 1)
