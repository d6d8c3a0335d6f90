"""Summaries: is a coarse grain that merges visible steps what comes of uninterrupted runs of the fine module?

`atomic` defines entry states, uninterrupted runs and exits. From every entry state of the fine composition, what is
seen at the exits of the module's runs is compared with what the coarse grain makes of what is seen of that state: the
exits of its own runs, which are mostly single steps, in the states of the coarse composition that look the same.

- *exact*: the same exits.
- *missing*: exits that only the fine module comes to; checks of the coarse composition miss what follows.
- *spurious*: exits that only the coarse grain comes to; what follows may be a false alarm.
- *diverging*: no run of the fine module comes to an exit.
- *unreached*: no state of the coarse composition looks like the entry state, as it was missing, or followed from what
  was.

Entry states in which neither side does anything that can be seen are not counted. To stay in the entry state, or to
come back to what is seen there, is no exit that one side could lack: both show it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gristmill.checking.graphs import View
from gristmill.compose.verify.atomic import Atomic, Runs
from gristmill.compose.verify.sides import Change, Clock, Observed, Side, changes, contrast, observe
from gristmill.search.budget.limits import NO_LIMITS, LimitReached, Limits
from gristmill.trace import Trace

Fault = Literal["missing", "spurious", "unreached", "diverging"]


@dataclass(frozen=True, slots=True)
class Exit:
    """`by`: the actions of a run to it, in order; `changes`: from the entry state. `state`: its number in the graph."""

    by: tuple[str, ...]
    changes: tuple[Change, ...]
    state: int


@dataclass(frozen=True, slots=True)
class Example:
    """An entry state that is not summarised exactly, with a behaviour of the fine composition to it.

    `exit`: the one in question, on the side that has it, and `behaviour` goes on to it if that is the fine one.
    `others`: what the other side comes to from there; `contrast`: where the exit in question differs from the most
    similar of them, `before` being its value there.
    """

    fault: Fault
    behaviour: Trace
    entry: int
    exit: Exit | None
    others: tuple[Exit, ...]
    contrast: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """How far the coarse grain of some modules summarises them. Counts are of entry states.

    `beginnings`: by the module actions that are possible in an entry state, how many are exact, of how many.
    `several`: entry states that look like more than one state of the coarse composition, whose exits were taken
    together. `examples`: of each fault the first.
    """

    fine: str
    coarse: str
    modules: tuple[str, ...]
    observed: tuple[str, ...]
    entries: int = 0
    exact: int = 0
    counts: Mapping[Fault, int] = field(default_factory=dict)
    beginnings: Mapping[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    several: int = 0
    examples: tuple[Example, ...] = ()
    incomplete: str | None = None

    @property
    def verdict(self) -> Literal["exact", "inexact", "incomplete"]:
        if self.exact < self.entries:
            return "inexact"
        return "exact" if self.incomplete is None else "incomplete"


def summarise(
    fine: Side,
    coarse: Side,
    modules: Collection[str],
    variables: Sequence[str],
    *,
    limits: Limits = NO_LIMITS,
    views: Mapping[str, View] | None = None,
) -> Summary:
    """Compare `modules` of the fine composition with those of the coarse one, as seen through `variables`."""
    clock = Clock(limits)
    found = Summary(fine.name, coarse.name, tuple(modules), tuple(variables))
    partial = next((each for each in (fine, coarse) if each.graph.incomplete is not None), None)
    if partial is not None:
        reason = f"Not all states of {partial.name} were explored: {partial.graph.incomplete}"
        return replace(found, incomplete=reason)
    try:
        fine_seen, coarse_seen = observe((fine, coarse), variables, views)
        return _Summarising(found, fine_seen, coarse_seen, modules, clock, views or {}).result()
    except LimitReached as reached:
        return replace(found, incomplete=str(reached))


class _Summarising:
    def __init__(
        self,
        found: Summary,
        fine: Observed,
        coarse: Observed,
        modules: Collection[str],
        clock: Clock,
        views: Mapping[str, View],
    ) -> None:
        self.views = views
        self.found, self.fine, self.coarse = found, fine, coarse
        self.runs = Runs(fine.side.graph, fine.seen, fine.side.actions_of(modules), clock.tick)
        self.others = Runs(coarse.side.graph, coarse.seen, coarse.side.actions_of(modules), clock.tick)
        self.atomic = Atomic(self.runs, clock.tick)
        self.alike: dict[int, list[int]] = defaultdict(list)  # states of the coarse composition by what is seen
        for state, seen in enumerate(coarse.seen):
            self.alike[seen].append(state)

    def result(self) -> Summary:
        counts: dict[Fault, int] = {}
        examples: dict[Fault, Example] = {}
        beginnings: dict[tuple[str, ...], tuple[int, int]] = {}
        several = 0
        for entry in self.atomic.entries:
            alike = self.alike.get(self.fine.seen[entry], [])
            if not self.runs.unstable[entry] and not any(self.others.unstable[each] for each in alike):
                continue
            several += len(alike) > 1
            faults = list(self._faults(entry, alike))
            begins = self._beginning(entry)
            exact, entries = beginnings.get(begins, (0, 0))
            beginnings[begins] = exact + (not faults), entries + 1
            for fault, seen in faults:
                counts[fault] = counts.get(fault, 0) + 1
                if fault not in examples:
                    examples[fault] = self._example(fault, entry, alike, seen)
        return replace(
            self.found,
            entries=sum(entries for _, entries in beginnings.values()),
            exact=sum(exact for exact, _ in beginnings.values()),
            counts=counts,
            beginnings=beginnings,
            several=several,
            examples=tuple(examples.values()),
        )

    def _beginning(self, entry: int) -> tuple[str, ...]:
        side = self.fine.side
        return tuple(sorted({side.action_name(side.graph.labels[edge]) for edge, _ in self.runs.own(entry)}))

    def _faults(self, entry: int, alike: Sequence[int]) -> Iterator[tuple[Fault, int | None]]:
        """What is wrong with an entry state, each with what is seen at an exit in question."""
        if not alike:
            yield "unreached", None
            return
        own = self.runs.exits(entry)
        if not own:
            yield "diverging", None
            return
        others = frozenset().union(*(self.others.exits(each) for each in alike))
        here = {self.fine.seen[entry]}  # both sides show it: who stays there, or comes back, adds nothing
        if own - others - here:
            yield "missing", min(own - others - here)
        if others - own - here:
            yield "spurious", min(others - own - here)

    # ----------------------------------------------------------------------------------------------------- examples

    def _example(self, fault: Fault, entry: int, alike: Sequence[int], seen: int | None) -> Example:
        states, edges = self.atomic.path(entry)
        own = dict(self._exits(self.fine, self.runs, entry))
        others = {each: exit for state in alike for each, exit in self._exits(self.coarse, self.others, state)}
        if fault == "missing" and seen is not None:
            run = self.runs.run(entry)
            target = next(each for each in run.exits if self.fine.seen[each] == seen)
            more_states, more_edges = run.to(target)
            states, edges = [*states, *more_states[1:]], [*edges, *more_edges]
        behaviour = self.fine.side.graph.trace(states, edges)
        if fault == "missing" and seen is not None:
            contrast = self._contrast(self.fine, own[seen], self.coarse, others.values())
            return Example(fault, behaviour, entry, own[seen], tuple(others.values()), contrast)
        if fault == "spurious" and seen is not None:
            contrast = self._contrast(self.coarse, others[seen], self.fine, own.values())
            return Example(fault, behaviour, entry, others[seen], tuple(own.values()), contrast)
        return Example(fault, behaviour, entry, None, tuple(others.values()))

    def _contrast(self, here: Observed, exit: Exit, there: Observed, others: Collection[Exit]) -> tuple[Change, ...]:
        """Where an exit differs from the most similar one of the other side."""
        found = [
            contrast(there.side.graph, each.state, here.side.graph, exit.state, self.found.observed, self.views)
            for each in others
        ]
        return min(found, key=len, default=())

    def _exits(self, of: Observed, runs: Runs, entry: int) -> Iterator[tuple[int, Exit]]:
        """Each once, by what is seen."""
        if not runs.unstable[entry]:
            yield of.seen[entry], Exit((), (), entry)
            return
        run, known = runs.run(entry), set()
        graph = of.side.graph
        for target in run.exits:
            if of.seen[target] not in known:
                known.add(of.seen[target])
                names = tuple(of.side.action_name(graph.labels[edge]) for edge in run.to(target)[1])
                yield of.seen[target], Exit(names, changes(graph, self.found.observed, entry, target), target)
