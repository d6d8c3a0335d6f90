"""A behaviour of a model in which the events of several strands happen, each strand in its own order.

What is searched are pairs of a position (how many events of each strand have happened) and a state of the model. All
orders of events that lead to the same pair are one. The pair furthest along is looked at next, so that a behaviour is
found soon where there is one. What is put off is looked at later, and nothing twice: when all has been looked at and no
behaviour was found, there is none.

At first one pair is looked at at a time. While that leads nowhere new, more and more of those that are as far along are
taken together, as a model may take the steps of many states in one go.

Predicates on states may be watched on the way (`judge`): behaviours in which all of them hold are looked for first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from gristmill.search.model import Failure, Model, State, Taken
from gristmill.search.observation import has_parameters
from gristmill.search.weave.agenda import Agenda, Entry
from gristmill.search.weave.pairs import HIDDEN, NOWHERE, Judge, Pairs
from gristmill.search.weave.strands import Act, Claim, Condition, Event, Position, Strands, Values, after_one

DEFAULT_BOUND = 200_000
_LARGEST_BATCH = 4_096
_RENEW_AFTER = 64  # pairs that were looked at

Verdict: TypeAlias = Literal["matched", "left", "unknown", "error"]
_Begun: TypeAlias = list[tuple[int, tuple[Taken, ...], State]]  # the number of a state, steps from it, where they lead


class Weaver:
    """`starts`: pairs to begin with, in place of the initial states and the beginning of all strands.

    `hidden`: actions whose steps nobody sees; any number of them may come anywhere. `bound`: of all pairs. `enough`:
    events, after which the search may end. `stop` is asked now and then whether it is to end.
    """

    def __init__(
        self,
        model: Model,
        strands: Strands,
        *,
        starts: Iterable[tuple[Position, State]] | None = None,
        hidden: Collection[str] = (),
        bound: int = DEFAULT_BOUND,
        judge: Judge | None = None,
        enough: int | None = None,
        stop: Callable[[Weaver], bool] = lambda weaver: False,
    ) -> None:
        self.model, self.strands, self.hidden, self.bound = model, strands, tuple(dict.fromkeys(hidden)), bound
        self.pairs = Pairs(judge)
        self.deepest = -1  # how many events have happened in the pair furthest along
        self.ends: list[int] = []  # pairs in which all events have happened
        self.is_cut = False
        self.failure: Failure | None = None  # the first
        self._starts, self._stop, self._enough = starts, stop, enough
        self._end = strands.end
        self._agenda = Agenda()
        self._looked_at = 0

    def run(self, *, to_the_end: bool = False) -> Verdict:
        """Until a behaviour is found, or with `to_the_end` until all are. Call it again to go on."""
        self._begin()
        batch = 1
        while not self._is_done(to_the_end) and (entries := self._agenda.take(batch)):
            before = self.deepest
            self._look_at(entries)
            batch = 1 if self.deepest > before else min(2 * batch, _LARGEST_BATCH)
        return self.verdict

    @property
    def verdict(self) -> Verdict:
        """What is found, is found; that there is nothing can be said only if nothing was left out."""
        if self.ends:
            return "matched"
        if self.failure is not None:
            return "error"
        return "left" if self.is_complete else "unknown"

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left out: `ends` are all there are, and so are the pairs."""
        return not (self._agenda or self.is_cut or self.failure)

    @property
    def kept(self) -> bool | None:
        """Whether there is a behaviour in which nothing is broken; None if that is not known."""
        if any(not self.pairs[end].broken for end in self.ends):
            return True
        return None if self._agenda.has_certain or self.is_cut or self.failure else False

    @property
    def end(self) -> int | None:
        """The end of a behaviour, one in which nothing is broken if there is one."""
        return min(self.ends, key=lambda end: self.pairs[end].broken != 0, default=None)

    def _is_done(self, to_the_end: bool) -> bool:
        if self.is_cut or (self._enough is not None and self.deepest >= self._enough):
            return True
        if to_the_end or not self.ends:
            return False
        return not self._agenda.has_certain or not all(self.pairs[end].broken for end in self.ends)

    def _begin(self) -> None:
        starts, self._starts = self._starts, ()
        try:
            if starts is None:
                nowhere = (0,) * len(self._end)
                starts = ((nowhere, state) for state in self.model.initial_states())
            for position, state in starts:
                self._reach(position, state, NOWHERE, HIDDEN, ())
        except self.model.errors as error:
            self.failure = self.model.failure(error)

    def _look_at(self, entries: Sequence[Entry]) -> None:
        """One move of each pair: its next event of one strand, or hidden steps."""
        self._renew(len(entries))
        by_move: dict[tuple[int, int], list[int]] = {}
        for entry in entries:
            strand = entry.moves.pop()
            at = 0 if strand == HIDDEN else self.pairs.position(entry.pair)[strand]
            by_move.setdefault((strand, at), []).append(entry.pair)
        for entry in entries:
            self._put(entry)
        for (strand, at), pairs in by_move.items():
            self._try(strand, at, pairs)

    def _renew(self, count: int) -> None:
        """Now and then. States of another form that are the same are taken for new ones, which does no harm."""
        if self._looked_at // _RENEW_AFTER != (self._looked_at + count) // _RENEW_AFTER:
            self.model.renew()
            self.is_cut = self.is_cut or self._stop(self)
        self._looked_at += count

    def _try(self, strand: int, at: int, pairs: list[int]) -> None:
        """What cannot be evaluated in one state says nothing about the others, in which there may be a behaviour."""
        try:
            if strand == HIDDEN:
                self._hide(pairs)
            else:
                self._happen(strand, self.strands.events[strand][at], pairs)
        except self.model.errors as error:
            if len(pairs) == 1:
                self.failure = self.failure or self.model.failure(error)
            for pair in pairs if len(pairs) > 1 else ():
                self._try(strand, at, [pair])

    def _happen(self, strand: int, event: Event, pairs: list[int]) -> None:
        for number, taken, state in self.outcomes(event, list(map(self.pairs.state, pairs))):
            pair = pairs[number]
            self._reach(after_one(self.pairs.position(pair), strand), state, pair, strand, taken)

    def _hide(self, pairs: list[int]) -> None:
        states = list(map(self.pairs.state, pairs))
        for name in self.hidden:
            for pair, found in zip(pairs, self.model.take_from(states, name), strict=True):
                for taken in found:
                    self._reach(self.pairs.position(pair), taken.state, pair, HIDDEN, (taken,))

    def _reach(self, position: Position, state: State, origin: int, strand: int, taken: tuple[Taken, ...]) -> None:
        key = self.pairs.key(position, state, origin, taken)
        if self.pairs.has(key):
            return
        if len(self.pairs) >= self.bound:
            self.is_cut = True
            return
        pair = self.pairs.add(key, origin, strand, taken)
        self.deepest = max(self.deepest, self.pairs.distance(pair))
        if position == self._end:
            self.ends.append(pair)
        else:
            self._put(Entry(pair, self._moves(position, strand)))

    def _put(self, entry: Entry) -> None:
        self._agenda.put(entry, self.pairs.worth(entry.pair), bool(self.pairs[entry.pair].broken))

    def _moves(self, position: Position, last: int) -> list[int]:
        """The best one last: the event of the lowest rank, or of the strand that the last one was of."""

        def worth(strand: int) -> tuple[float, bool]:
            rank = self.strands.events[strand][position[strand]].rank
            return (0.0 if rank is None else -rank), strand == last

        moves = sorted(self.strands.next_at(position), key=worth)
        return [HIDDEN, *moves] if self.hidden else moves

    # ----------------------------------------------------------------------------------------------------------- events

    def outcomes(self, event: Event, states: Sequence[State]) -> Iterator[tuple[int, tuple[Taken, ...], State]]:
        """How an event can happen in these states: the number of the state, the steps, and where they lead."""
        able = [number for number, state in enumerate(states) if self._agrees(state, event.before)]
        for way in event.ways:
            begun: _Begun = [(number, (), states[number]) for number in able]
            for act in way:
                begun = self._further(begun, act)
            for number, taken, state in begun:
                if self._agrees(state, event.after):
                    yield number, taken, state

    def _further(self, begun: _Begun, act: Act) -> _Begun:
        found = take(self.model, [state for _, _, state in begun], act)
        return [
            (number, (*before, taken), taken.state)
            for (number, before, _), several in zip(begun, found, strict=True)
            for taken in several
        ]

    def _agrees(self, state: State, claims: Sequence[Claim]) -> bool:
        if not claims:
            return True
        values = values_for(self.model, state, claims)
        return all(claim.holds(values) for claim in claims)


def take(model: Model, states: Sequence[State], act: Act) -> list[list[Taken]]:
    """The steps of each state that are the act."""
    if act.action is not None:
        found = model.take_from(states, act.action, act.parameters)
    else:
        every = model.steps_from(states)
        found = [[each for each in several if has_parameters(each, act.parameters)] for several in every]
    return [fulfilling(model, state, several, act) for state, several in zip(states, found, strict=True)]


def fulfilling(model: Model, state: State, steps: Sequence[Taken], act: Act) -> list[Taken]:
    """Those of some steps from a state of which the condition of the act is true."""
    if act.such_that is None or not steps:
        return list(steps)
    values, holds = values_for(model, state, [act.such_that]), act.such_that.holds
    return [each for each in steps if holds(values, dict(each.parameters))]


def values_for(model: Model, state: State, looks: Sequence[Claim | Condition]) -> Values:
    """What these look at: to unpack all of a large state takes longer than to take a step."""
    which: set[int] = set()
    for each in looks:
        if each.reads is None:
            return model.values(state)
        which.update(each.reads)
    return model.some_values(state, sorted(which))
