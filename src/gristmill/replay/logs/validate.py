"""Runs that an implementation has recorded itself, followed by the model.

    result = validate(specification, document, places, [Path("s1.ndjson"), Path("s2.ndjson")])
    print(render(result))

The events of all files become strands (`search.weave`): each file, or each node, has its own order, and between them
there is as much order as clocks tell. What is looked for is a behaviour of the specification in which all happen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gristmill.replay.logs.invariants import Judgement, judge_of, judged, states_of
from gristmill.replay.logs.log import Log
from gristmill.replay.logs.reading import read_log_mapping
from gristmill.replay.logs.result import BrokenInvariant, LogResult
from gristmill.replay.logs.telling import behaviour, file_matches, log_departure
from gristmill.search.model import Model, StatePredicate
from gristmill.search.verdict import Verdict
from gristmill.search.weave import DEFAULT_BOUND, Judge, Weaver
from gristmill.source.toml_places import Places
from gristmill.specification import Specification

OnProgress: TypeAlias = Callable[[int, int, int], None]  # events that fit, all events, pairs looked at


def validate(
    specification: Specification,
    tables: Mapping[str, Any],
    places: Places,
    files: Sequence[Path],
    *,
    bound: int = DEFAULT_BOUND,
    seconds: float | None = None,
    invariants: bool = True,
    on_progress: OnProgress = lambda matched, events, pairs: None,
) -> LogResult:
    """Follow the logs in some files. Raises `SourceError` with what is wrong with the mapping or the logs.

    `tables`: the mapping as a whole, whose table [log] is read. `bound`: of pairs of a place in the logs and a state
    that are looked at; with `seconds`, also of the time. Where one of them ends the search, the end is "unknown".
    `invariants`: whether those of the configuration are looked at, along the behaviours that fit.
    """
    started = time.monotonic()
    mapping = read_log_mapping(specification, tables, places)
    predicates = specification.invariants if invariants else ()

    def found(model: Model) -> LogResult:
        log = Log(specification, mapping, files)
        ends = None if seconds is None else started + seconds
        return _Validation(specification.name, model, log, predicates, bound, ends, on_progress).result(started)

    return specification.search(found)


class _Validation:
    def __init__(
        self,
        name: str,
        model: Model,
        log: Log,
        invariants: Sequence[StatePredicate],
        bound: int,
        ends: float | None,
        on_progress: OnProgress,
    ) -> None:
        self.name, self.model, self.log, self.invariants, self.bound = name, model, log, invariants, bound
        self.ends, self.on_progress = ends, on_progress

    def result(self, started: float) -> LogResult:
        begun = time.monotonic()
        found = self._weaver(None, self.bound)
        status = found.run()
        judgement = Judgement(found)
        if status == "matched":
            judgement = judged(found, self.invariants, self._weaver, time.monotonic() - begun)
            found = judgement.best
        furthest = found.end if found.end is not None else next(iter(found.pairs.at(found.deepest)), None)
        trace, lines = behaviour(self.log, found, furthest)
        position = found.pairs.position(furthest) if furthest is not None else (0,) * len(self.log.lines)
        failure = found.failure if status == "error" else None
        broken = tuple(self._broken(judgement))
        departure = log_departure(self.log, found) if status in ("left", "unknown") else None
        return LogResult(
            self.name,
            status,
            _verdict(status, judgement, failure.verdict if failure else "error"),
            self._message(status, sum(position), judgement, failure.message if failure else ""),
            file_matches(self.log, position),
            self.log.events,
            sum(position),
            len(found.pairs),
            time.monotonic() - started,
            trace,
            lines,
            departure,
            broken,
            tuple(self._caveats(found, judgement)),
            failure.diagnostics if failure else (),
        )

    def _weaver(self, judge: Judge | None, bound: int, seconds: float | None = None) -> Weaver:
        limits = [self.ends, None if seconds is None else time.monotonic() + seconds]
        ends = min((each for each in limits if each is not None), default=inf)

        def stop(weaver: Weaver) -> bool:
            self.on_progress(weaver.deepest, self.log.events, len(weaver.pairs))
            return time.monotonic() > ends

        hidden = self.log.mapping.hidden
        return Weaver(self.model, self.log.strands, hidden=hidden, bound=bound, judge=judge, stop=stop)

    def _message(self, status: str, matched: int, judgement: Judgement, failure: str) -> str:
        events = f"{self.log.events:,} {'event' if self.log.events == 1 else 'events'}"
        match status:
            case "matched" if judgement.kept is True:
                return f"The log is that of a behaviour of {self.name}: {events}"
            case "matched" if judgement.kept is False:
                names = " and ".join(judgement.by_all) or "an invariant"
                return f"Every behaviour of {self.name} that fits the log violates {names}"
            case "matched":
                names = " and ".join(judgement.by_some)
                return f"a behaviour fits the log and violates {names}; whether all do is not known"
            case "left":
                return f"No behaviour of {self.name} fits the log beyond {matched:,} of {events}"
            case "error":
                return failure
            case _:
                return f"no behaviour was found that fits more than {matched:,} of {events}, but not all were tried"

    def _broken(self, judgement: Judgement) -> Iterator[BrokenInvariant]:
        """With the first state of the behaviour in which each is false."""
        names = (*judgement.by_all, *judgement.by_some)
        if not names:
            return
        _, lines = behaviour(self.log, judgement.best, judgement.best.end)
        states = list(states_of(judgement.best))
        masks = list(map(judge_of(self.model, self.invariants), states))
        for bit, predicate in enumerate(self.invariants):
            if predicate.name not in names:
                continue
            by: Literal["all", "some"] = "all" if predicate.name in judgement.by_all else "some"
            number = next((at for at, mask in enumerate(masks) if mask >> bit & 1), None)
            if number is None:
                yield BrokenInvariant(predicate.name, by)
                continue
            line = next((each[-1] for each in lines[number::-1] if each), None)
            explain = predicate.explain
            why = None if explain is None else explain(self.model.values(states[number]))
            yield BrokenInvariant(predicate.name, by, number, line, why)

    def _caveats(self, found: Weaver, judgement: Judgement) -> Iterator[str]:
        mapping = self.log.mapping
        for file in self.log.files:
            for why, count in file.left_out.items():
                lines, were = ("line", "was") if count == 1 else ("lines", "were")
                yield f"{file.source.path}: {count:,} {lines} {why} {were} left out."
            if file.is_cut:
                yield f"{file.source.path}: the last line is not complete, and was left out."
        if mapping.hidden:
            yield f"Any number of steps by {' and '.join(mapping.hidden)}, which no line tells of, may come anywhere."
        if len(self.log.lines) > 1:
            yield self._order()
        if found.is_cut:
            more = "the time was up" if self.ends and time.monotonic() > self.ends else f"the bound is {found.bound:,}"
            yield f"{len(found.pairs):,} pairs of a place in the log and a state were looked at: {more}."
        for name in judgement.by_some:
            yield f"{name} is false in some behaviours that fit: the log does not tell whether it was in this run."
        if not judgement.is_complete and not found.is_cut:
            yield "Invariants were not looked at in all behaviours that fit the log."

    def _order(self) -> str:
        mapping = self.log.mapping
        each = f"Events of one {mapping.streams} are in the order of their lines"
        if mapping.clock is not None:
            skew = f", where these differ by more than {mapping.skew}" if mapping.skew else ""
            return f"{each}, and those of different ones in the order of their clocks{skew}."
        if mapping.vector is not None:
            return f"{each}, and those of different ones in the order of their vector clocks."
        return f"{each}, and those of different ones in any order."


def _verdict(status: str, judgement: Judgement, failed: Literal["error", "assert"]) -> Verdict:
    match status:
        case "matched":
            return "ok" if judgement.kept else "incomplete" if judgement.kept is None else "invariant"
        case "left":
            return "property"
        case "error":
            return failed
        case _:
            return "incomplete"
