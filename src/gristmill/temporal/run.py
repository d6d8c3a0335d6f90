"""Which graph temporal properties are decided on.

That of the search itself, unless that leaves something out: with a SYMMETRY or a VIEW, another search finds the whole
one. A behaviour up to symmetry may be unfair to each of the things that it takes turns with; one up to a VIEW may take
a step that is not possible in the state that it has really reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from gristmill.evaluate.context import Context
from gristmill.explain.formulas import undisturbed
from gristmill.ir.nodes import Code
from gristmill.reference.model import SpecificationModel
from gristmill.search import Limits, OnProgress, Result
from gristmill.search.budget.limits import LimitReached
from gristmill.search.on_the_fly import Interim
from gristmill.temporal.progress import Pace
from gristmill.temporal.properties import Temporal, violated

# Without its VIEW a specification may have infinitely many states: more of them than these are not looked at.
_MOST_STATES, _TIMES_AS_MANY = 20_000, 20

Explore = Callable[[SpecificationModel, Limits, Interim], Result]


class TemporalRun:
    """`explore` is how the states are searched; the search is given `interim`, if that is of use to it."""

    def __init__(
        self,
        searchable: SpecificationModel,
        context: Context,
        limits: Limits,
        on_progress: OnProgress | None,
        explore: Explore,
    ) -> None:
        self._searchable, self._context, self._limits, self._explore = searchable, context, limits, explore
        self._started = time.monotonic()
        self._temporal = Temporal(searchable, Pace(limits, on_progress, self._started))

    @property
    def reduced(self) -> bool:
        """Whether the search leaves something out."""
        return self._searchable.view is not None or self._searchable.symmetry is not None

    @property
    def interim(self) -> Interim | None:
        return None if self.reduced else self._temporal

    def predicates(self) -> list[tuple[Code, bool]]:
        """See `Temporal.predicates`."""
        return self._temporal.predicates()

    def decided(self, result: Result) -> Result:
        """The result of a search, with the verdict on temporal properties if that has found nothing wrong."""
        counted = self._context.intermediate
        try:
            return self._decided(result)
        finally:
            self._context.intermediate = counted  # what is evaluated here is not part of the search

    def _decided(self, result: Result) -> Result:
        if result.verdict == "incomplete" and not self.reduced:
            return self._glimpsed(result, result) if _ended_between_states(result) else result
        if result.verdict != "ok":
            return result
        if self.reduced:
            return self._without_reduction(result)
        if result.graph is None:
            return self._undecided(result, "that takes a search of all states")
        if result.queue:
            undecided = self._undecided(result, "the search was ended before all states were explored")
            return self._glimpsed(undecided, result)
        return self._temporal.decide(result, result.graph)

    def _without_reduction(self, result: Result) -> Result:
        whole = self._whole(result.distinct)
        if whole.verdict == "liveness":
            return violated(result, whole.violations[0])
        if whole.verdict == "ok" and whole.graph is not None and not whole.queue:
            return self._temporal.decide(result, whole.graph)
        without = "VIEW" if self._searchable.view is not None else "SYMMETRY"
        undecided = self._undecided(result, f"that takes the graph without the {without}. {whole.message}")
        return self._glimpsed(undecided, whole) if _ended_between_states(whole) else undecided

    def _glimpsed(self, result: Result, ended: Result) -> Result:
        """Of a search that a limit has ended: what can be seen in what it has found."""
        if ended.graph is None or self._is_out_of_time():
            return result
        try:
            found = self._temporal.look(ended.graph, ended.distinct - ended.queue)
        except (LimitReached, KeyboardInterrupt, MemoryError):
            return result
        return result if found is None else violated(result, found)

    def _is_out_of_time(self) -> bool:
        return self._limits.seconds is not None and time.monotonic() - self._started >= self._limits.seconds

    def _whole(self, distinct: int) -> Result:
        limits = self._limits.after(time.monotonic() - self._started, at_least=0.1)
        if self._searchable.view is not None:
            limits = replace(limits, states=max(_MOST_STATES, _TIMES_AS_MANY * distinct))
        searchable = self._searchable
        view, symmetry = searchable.view, searchable.symmetry
        searchable.view = searchable.symmetry = None
        try:
            with undisturbed(self._context):
                return self._explore(searchable, limits, self._temporal)
        finally:
            searchable.view, searchable.symmetry = view, symmetry

    def _undecided(self, result: Result, why: str) -> Result:
        names = sorted({formula.name for formula in self._searchable.specified.temporal})
        message = f"temporal properties are not checked ({', '.join(names)}): {why}"
        return replace(result, verdict="incomplete", property=names[0], message=message)


def _ended_between_states(result: Result) -> bool:
    """Whether a limit has ended the search that leaves time to look at what it has found.

    An interrupt may come while a state is being expanded: then some of its steps are missing, and an action that takes
    them would seem not to be enabled.
    """
    return result.verdict == "incomplete" and result.message.startswith(("The depth limit", "There are more than"))
