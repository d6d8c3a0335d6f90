"""What a whole replay found: all its traces, what they covered, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gristmill.replay.result import Run
from gristmill.replay.steps import ModelStep
from gristmill.search.verdict import EXIT_CODES, Verdict


@dataclass(frozen=True, slots=True)
class Replayed:
    """A trace with what came of it. `smallest`: the smallest trace found that shows the same, with its run."""

    trace: tuple[ModelStep, ...]
    run: Run
    smallest: tuple[tuple[ModelStep, ...], Run] | None = None
    tries: int = 0  # to make it smaller

    @property
    def shown(self) -> tuple[tuple[ModelStep, ...], Run]:
        """The one to look at."""
        return self.smallest or (self.trace, self.run)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A violation that the model has, and whether the system shows it.

    - `confirmed`: the system did every step of the trace, and what the mapping says of the violation was seen.
    - `observed`: in words, what was seen; or why not.
    """

    invariant: str
    replayed: Replayed | None
    confirmed: bool
    observed: str
    check_seconds: float = 0.0
    states: int = 0


@dataclass(slots=True)
class Outcome:
    """- `distinct`: the discrepancies, one a kind, with how often each was met."""

    system: str
    specification: str
    mode: Literal["trace", "random", "confirm", "from"]
    replayed: list[Replayed] = field(default_factory=list)
    confirmations: list[Confirmation] = field(default_factory=list)
    actions: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    unmet: tuple[str, ...] = ()  # actions of the specification that were never replayed
    observed: tuple[str, ...] = ()  # variables that the mapping says how to observe
    compared: set[str] = field(default_factory=set)  # those of them that have been
    unobserved: Mapping[str, str] = field(default_factory=dict)
    avoided: Counter[str] = field(default_factory=Counter)
    reasons: Mapping[str, str] = field(default_factory=dict)  # of what was avoided
    traces: int = 0
    steps: int = 0
    conforming: int = 0
    seconds: float = 0.0
    seed: int | None = None
    step_seconds: list[tuple[float, float, float]] = field(default_factory=list)  # running, observing, our own
    start_seconds: list[float] = field(default_factory=list)
    interrupted: bool = False
    caveats: list[str] = field(default_factory=list)
    not_as_recorded: list[str] = field(default_factory=list)  # of a recorded run that was replayed again: sentences

    @property
    def distinct(self) -> dict[tuple[str, ...], list[Replayed]]:
        found: dict[tuple[str, ...], list[Replayed]] = {}
        for each in self.replayed:
            if each.run.discrepancy is not None:
                found.setdefault(each.run.discrepancy.signature, []).append(each)
        return found

    @property
    def verdict(self) -> Verdict:
        if self.mode == "confirm":
            if any(each.confirmed for each in self.confirmations):
                return "invariant"
            if self.interrupted:
                return "incomplete"
            return "property" if self.confirmations else "incomplete" if self.caveats else "ok"
        if self.distinct or self.not_as_recorded:
            return "property"
        return "ok" if self.replayed_something and not self.interrupted else "incomplete"

    @property
    def replayed_something(self) -> bool:
        """A random trace without a step is none; and where nothing could be compared, nothing has agreed."""
        done = self.steps if self.mode == "random" else self.traces
        return done > 0 and (not self.observed or bool(self.compared))

    @property
    def never_compared(self) -> tuple[str, ...]:
        """Variables that could be observed, but never were: nodes were down, or `when` was never true."""
        return tuple(name for name in self.observed if name not in self.compared)

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def add(self, replayed: Replayed) -> None:
        """Only traces with discrepancies are kept as a whole, and the first one."""
        run = replayed.run
        self.traces += 1
        self.steps += len(run.steps)
        self.conforming += run.conforms
        self.compared.update(each.variable for each in run.initial)
        for step in run.steps:
            self.compared.update(each.variable for each in step.comparisons)
        self.step_seconds += [(each.run_seconds, each.observe_seconds, each.own_seconds) for each in run.steps]
        self.start_seconds.append(run.start_seconds)
        if not run.conforms or not self.replayed:
            self.replayed.append(replayed)
