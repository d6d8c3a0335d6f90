"""What a search has found, in terms of lines and of states with names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gristmill.replay.logs.lines import Line
from gristmill.replay.logs.log import Log
from gristmill.replay.logs.result import FileMatch, LogDeparture, LogRepair, NearestStep, StuckLine
from gristmill.search.behaviour import trace_of_steps
from gristmill.search.model import Model, State, Taken
from gristmill.search.weave import Nearest, Position, Repair, Stuck, Weaver, departure, repairs
from gristmill.trace import Step, Trace


def behaviour(log: Log, found: Weaver, pair: int | None) -> tuple[Trace, tuple[tuple[Line, ...], ...]]:
    """The way to a pair, and the lines that tell of each of its states."""
    if pair is None:
        return Trace(tuple(found.model.variables), ()), ()
    first, stitches = found.pairs.path(pair)
    path: list[tuple[Taken | None, State]] = [(None, first)]
    lines: list[tuple[Line, ...]] = [()]
    for stitch in stitches:
        path += [(taken, taken.state) for taken in stitch.taken]
        lines += [()] * len(stitch.taken)
        if stitch.strand is not None:
            lines[-1] = (*lines[-1], log.line(stitch.strand, stitch.number))
    return trace_of_steps(found.model, path), tuple(lines)


def file_matches(log: Log, position: Position) -> tuple[FileMatch, ...]:
    """Of each file, how many of its events are among those of a position."""
    fit = {line for lines, count in zip(log.lines, position, strict=True) for line in lines[:count]}
    found = []
    for file in log.files:
        own = [line for line in file.lines if line in fit]
        last = max((line.number for line in own), default=None)
        found.append(FileMatch(file.source.path, len(file.lines), len(own), last, dict(file.left_out)))
    return tuple(found)


def log_departure(log: Log, found: Weaver) -> LogDeparture:
    """Of a search that has found no behaviour."""
    left = departure(found)
    teller = _Teller(log, found.model)
    furthest = found.pairs.furthest() if len(found.pairs) else found.strands.end
    never = [log.line(strand, count) for strand, count in enumerate(furthest) if count < len(log.lines[strand])]
    changes = list(map(teller.repair, repairs(found, left)))
    gains = {change.stuck: change.repair.events for change in reversed(changes)}
    stuck = sorted(
        map(teller.stuck, left.stuck), key=lambda each: -gains.get(each.line, 0)
    )  # where it went wrong first
    return LogDeparture(left.count, len(left.positions), tuple(stuck), tuple(changes), tuple(never))


class _Teller:
    def __init__(self, log: Log, model: Model) -> None:
        self.log, self.model = log, model

    def stuck(self, stuck: Stuck) -> StuckLine:
        return StuckLine(
            self.log.line(stuck.strand, stuck.number),
            tuple(" \\cdot ".join(act.action or "any step" for act in way) for way in stuck.event.ways if way),
            stuck.count,
            stuck.looked_into,
            stuck.lacks,
            None if stuck.nearest is None else self.nearest(stuck.nearest),
        )

    def nearest(self, nearest: Nearest) -> NearestStep:
        state, *steps = self.steps(nearest.state, nearest.taken)
        return NearestStep(state, tuple(steps), nearest.differences)

    def repair(self, repair: Repair) -> LogRepair:
        other = None if repair.other is None else self.log.line(repair.strand, repair.other)
        step = None if repair.taken is None else self.steps(repair.taken.state, [repair.taken])[1]
        stuck = self.log.line(repair.strand, repair.stuck)
        return LogRepair(self.log.line(repair.strand, repair.number), stuck, repair, other, step)

    def steps(self, state: State, taken: Iterable[Taken]) -> Sequence[Step]:
        return trace_of_steps(self.model, [(None, state), *((each, each.state) for each in taken)]).steps
