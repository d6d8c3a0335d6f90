"""Counts: of initial states, of a search under way, of actions, of a search that has ended."""

from __future__ import annotations

import time
from collections.abc import Sequence

from gristmill.cli.tlc import codes
from gristmill.cli.tlc.expressions import print_within
from gristmill.cli.tlc.messages import Messages, now
from gristmill.cli.tlc.places import Definitions, place
from gristmill.ir.model import Named
from gristmill.search.progress import Progress
from gristmill.search.result import ActionCoverage, ExpressionCoverage, Result, Simulation
from gristmill.source import Span

_MINUTE = 60.0
_NOT_COUNTED = "-1"


class Search:
    """A search under way. Progress is told once a minute, initial states when all of them are known."""

    def __init__(self, messages: Messages, init: Span | None = None) -> None:
        self.init = init  # the definition of the initial predicate
        self._messages = messages
        self._told = time.monotonic()
        self._initial_told = False
        self._temporal_told = False

    def progress(self, at: Progress) -> None:
        if at.activity is not None and self._initial_told:
            self.temporal(at.distinct)
        elif at.initial:
            self.initial_states(at.initial, at.initial)
        if time.monotonic() - self._told >= _MINUTE:
            self._told = time.monotonic()
            minutes = max(at.seconds, 0.001) / 60
            print_progress(self._messages, at.depth, at.generated, at.distinct, at.queue, minutes)

    def simulation_progress(self, at: Progress) -> None:
        if time.monotonic() - self._told >= _MINUTE:
            self._told = time.monotonic()
            _simulated(self._messages, at.generated, 0, "")

    def initial_states(self, generated: int, distinct: int) -> None:
        if self._initial_told or not generated:
            return
        self._initial_told = True
        plural = "" if generated == 1 else "s"
        if generated == distinct:
            text = f"{distinct} distinct state{plural} generated at {now()}."
            self._messages.say(codes.INIT_GENERATED, f"Finished computing initial states: {text}")
        else:
            text = f"{generated} state{plural} generated, with {distinct} of them distinct at {now()}."
            self._messages.say(codes.INIT_GENERATED_DISTINCT, f"Finished computing initial states: {text}")

    def temporal(self, distinct: int) -> None:
        """Properties are being decided; told once."""
        if not self._temporal_told:
            self._temporal_told = True
            what = f"temporal properties for the complete state space with {distinct} total distinct states"
            self._messages.say(codes.CHECKING_TEMPORAL, f"Checking {what} at ({now()})")

    def temporal_end(self) -> None:
        self._messages.say(codes.TEMPORAL_END, f"Finished checking temporal properties at {now()}")


def print_progress(
    messages: Messages, depth: int, generated: int, distinct: int, queue: int, minutes: float | None = None
) -> None:
    per, also = ("", "")
    if minutes is not None:
        per, also = f" ({generated / minutes:,.0f} s/min)", f" ({distinct / minutes:,.0f} ds/min)"
    text = f"{generated:,} states generated{per}, {distinct:,} distinct states found{also}"
    messages.say(codes.PROGRESS, f"Progress({depth:,}) at {now()}: {text}, {queue:,} states left on queue.")


def print_statistics(messages: Messages, result: Result, complete: bool) -> None:
    """Of a search that has ended, in whatever way."""
    if messages.tool:
        minutes = max(result.seconds, 0.001) / 60
        print_progress(messages, result.depth, result.generated, result.distinct, result.queue, minutes)
    counts = f"{result.generated} states generated, {result.distinct} distinct states found"
    messages.say(codes.STATS, f"{counts}, {result.queue} states left on queue.")
    messages.say(codes.SEARCH_DEPTH, f"The depth of the complete state graph search is {result.depth}.")
    degree = result.out_degree
    if complete and degree is not None:
        text = f"{round(degree.average)} (minimum is {degree.minimum}, the maximum {degree.maximum}"
        end = f"and the 95th percentile is {degree.percentile_95})."
        messages.say(codes.OUT_DEGREE, f"The average outdegree of the complete state graph is {text} {end}")


def print_simulated(messages: Messages, found: Simulation, aril: int) -> None:
    lengths, generated = found.lengths, found.result.generated
    trace = f"mean={lengths.mean:.0f}, var(x)={lengths.variance:.0f}, sd={lengths.variance**0.5:.0f}"
    _simulated(messages, generated, lengths.behaviours, f" (trace length: {trace})")
    text = f"The number of states generated: {generated}\nSimulation using seed {found.seed} and aril {aril}"
    messages.say(codes.STATS_SIMULATION, text)


def _simulated(messages: Messages, generated: int, behaviours: int, lengths: str) -> None:
    if messages.tool:
        counts = f"{generated:,} states generated, {_NOT_COUNTED} distinct states found"
        text = f"Progress({behaviours:,}) at {now()}: {counts}, {_NOT_COUNTED} states left on queue."
    else:
        text = f"Progress: {generated:,} states checked, {behaviours:,} traces generated{lengths}"
    messages.say(codes.PROGRESS_SIMULATION, text)


def print_success(messages: Messages, odds: float) -> None:
    text = (
        "Model checking completed. No error has been found.\n"
        "  Estimates of the probability that TLC did not check all reachable states\n"
        "  because two distinct states had the same fingerprint:\n"
        f"  calculated (optimistic):  val = {odds:.1E}"
    )
    messages.say(codes.SUCCESS, text.replace("0.0E+00", "0.0"))


def print_coverage(
    messages: Messages,
    rows: Sequence[ActionCoverage],
    definitions: Definitions,
    init: Span | None,
    parts: Sequence[ExpressionCoverage] = (),
    properties: Sequence[Named] = (),
) -> None:
    """By action: how many states it was the first to find, and how many it generated; and how often its parts, and
    those of properties, were evaluated, if that was counted."""
    messages.say(codes.COVERAGE_START, f"The coverage statistics at {now()}")
    for row in rows:
        where = init if row.initial else row.location
        code = codes.COVERAGE_INIT if row.initial else codes.COVERAGE_NEXT
        told = f"<{row.name}>" if where is None else f"<{row.name} {place(definitions.head(where))}>"
        messages.say(code, f"{told}: {row.distinct}:{row.generated}")
        if where is not None:
            print_within(messages, parts, definitions.body(where))
    for each in properties if parts else ():
        named = definitions.find(each.name)
        if named is not None:
            messages.say(codes.COVERAGE_PROPERTY, f"<{each.name} {place(definitions.head(named))}>")
            print_within(messages, parts, definitions.body(named))
    messages.say(codes.COVERAGE_END, "End of statistics.")
