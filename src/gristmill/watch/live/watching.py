"""Live: what the tap or the capture notes is recorded and judged as it comes; alarms are told when they are found."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from gristmill.values import Value
from gristmill.watch.events import Events, Source, Started
from gristmill.watch.judging import Alarm
from gristmill.watch.live.backlog import MOST, Backlog, BacklogFullError
from gristmill.watch.live.judges import Judges
from gristmill.watch.live.notes import Gap
from gristmill.watch.live.recorder import Recorder, new_recording
from gristmill.watch.live.reports import Failed, Judged, Read, Report
from gristmill.watch.live.ring import Ring
from gristmill.watch.live.standing import Standing
from gristmill.watch.mapping import WatchMap
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import chosen

_TICK = 0.01  # seconds between two looks at the ring
_LOOK_EVERY = 0.1  # seconds between two looks whether all still run
_PROGRESS_EVERY = 1.0
_MOST_NOTES = 100
_FOR_DECODER = 1 << 20  # bytes that wait in the pipe to it; the rest waits in the backlog


class Noting(Protocol):
    """Who notes what goes by: the tap, or the capture."""

    @property
    def source(self) -> str: ...
    def describe(self) -> tuple[str, ...]: ...
    def start(self) -> None: ...
    def look(self) -> str | None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...


Notice = Callable[[str], None]  # what an operator may want to know, and is no trouble


@dataclass(frozen=True, slots=True)
class Options:
    """`seconds`: how long to watch. `spool`: bytes that may wait to be judged."""

    record: Path | None = None
    seconds: float | None = None
    spool: int = MOST
    only: Collection[str] = ()


def watch_live(
    mapping: WatchMap,
    noting: Callable[[Ring], Noting],
    options: Options,
    events: Callable[[], Events] = Events,
    notice: Notice = lambda text: None,
    ready: Callable[[], None] = lambda: None,
) -> Watched:
    """Until Ctrl-C, SIGTERM, or the time is over. `ready` is called when the links are watched.

    `events` makes who is told, once all processes are there: it may have threads. It is closed at the end.

    Raises `SourceError` if links cannot be watched, or the recording cannot be begun.
    """
    nodes = chosen(mapping, options.only)
    recorder = None
    with ExitStack() as stack:
        ring = Ring()
        stack.callback(ring.close)
        source = noting(ring)
        stack.callback(source.close)
        stop = stack.enter_context(_Stop())
        file = None if options.record is None else new_recording(options.record)
        judges = Judges(mapping, nodes)
        stack.callback(judges.kill)
        if file is not None and options.record is not None:
            recorder = Recorder(options.record, file)
            stack.callback(recorder.close)
        stack.enter_context(mapping.specification.world.active())
        told = events()
        stack.callback(told.close)
        live = _Live(mapping, nodes, ring, source, judges, recorder, options, told, notice, stop)
        stack.callback(live.backlog.close)
        return live.run(ready)


class _Stop:
    """Ctrl-C and SIGTERM, counted."""

    def __init__(self) -> None:
        self.count = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Stop:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._came)
        return self

    def _came(self, number: int, frame: FrameType | None) -> None:
        self.count += 1

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


class _Live:
    def __init__(
        self,
        mapping: WatchMap,
        nodes: tuple[Value, ...],
        ring: Ring,
        source: Noting,
        judges: Judges,
        recorder: Recorder | None,
        options: Options,
        events: Events,
        notice: Notice,
        stop: _Stop,
    ) -> None:
        self.mapping, self.nodes, self.ring, self.source = mapping, nodes, ring, source
        self.judges, self.recorder, self.options = judges, recorder, options
        self.events, self.notice, self.stop = events, notice, stop
        self.backlog = Backlog(options.spool)
        self.standing = Standing(nodes)
        self.trouble: dict[str, str] = {}
        self.notes: list[str] = []  # what has happened, and is no trouble
        self._gap = Gap("the checker was too slow")
        self._next_look = self._next_progress = 0.0
        self._began = time.process_time()

    # ------------------------------------------------------------------------------------------------------------- runs

    def run(self, ready: Callable[[], None]) -> Watched:
        source: Source = "capture" if self.source.source == "capture" else "tap"
        inputs = self.source.describe()
        self.events.started(Started(self.mapping.name, self.mapping.specification.name, self.nodes, source, inputs))
        self.source.start()
        ready()
        end = None if self.options.seconds is None else time.monotonic() + self.options.seconds
        while not self.stop.count and (end is None or time.monotonic() < end):
            self._move()
            self._hear(_TICK)
            self._look()
        return self._finish()

    def _finish(self) -> Watched:
        """The traffic ends, what was noted is judged; another Ctrl-C ends that, too."""
        asked = self.stop.count
        self.source.stop()
        while self._move():
            pass
        if self.recorder is not None:
            self.recorder.close()
        self._note_missed()
        while self.judges.decodes and (self.backlog.bytes or self.judges.decoder.bytes) and self.stop.count <= asked:
            self._hear(_TICK)
            self._feed()
            self._progress()
        left = self.backlog.bytes + self.judges.decoder.bytes
        self.judges.no_more()
        while not self.judges.is_done and self.stop.count <= asked:
            self._hear(_TICK)
            self._progress()
        if left or not self.judges.is_done:
            self._add_trouble("the last messages", "were not judged: it was broken off")
        for who in self.standing.unfinished():
            self._add_trouble(who, "has not come to an end")
        self.judges.kill()
        own = time.process_time() - self._began
        watched = self.standing.watched(self.mapping.name, self.trouble, own, self.notes)
        self.events.ended(watched)
        return watched

    def _note_missed(self) -> None:
        """What no note tells of, as nothing was noted after it."""
        counts = self.ring.counts
        if counts.missed > counts.told:
            self._add_trouble(f"{counts.missed - counts.told} records", "are missing at the end: they came too fast")
        if self._gap.records:
            self._add_trouble(f"{self._gap.records} records", "are missing at the end: the checker was too slow")
        self._collect()

    # --------------------------------------------------------------------------------------------- records on their way

    def _move(self) -> bool:
        """From the ring to the recording and to who decodes. Whether there was something."""
        records = self.ring.take()
        if records:
            if self.recorder is not None:
                self.recorder.put(records)
            if self.judges.decodes:
                self._keep(records)
        self._feed()
        return bool(records)

    def _keep(self, records: bytes) -> None:
        try:
            if self._gap.records and self.backlog.bytes > self.options.spool // 2:
                raise BacklogFullError("the checker has not caught up yet")
            if self._gap.records:
                self.backlog.put(self._gap.note())
            self.backlog.put(records)
        except BacklogFullError as error:
            if not self._gap.records:
                self._add_trouble("what follows", f"is not judged: {error}")
            self._gap.skip(records)

    def _feed(self) -> None:
        decoder = self.judges.decoder
        decoder.flush()
        while decoder.bytes < _FOR_DECODER and not decoder.broken:
            piece = self.backlog.take()
            if piece is None:
                return
            decoder.put(piece)

    # ------------------------------------------------------------------------------------------------- what we are told

    def _hear(self, seconds: float) -> None:
        busy = self.ring.waiting > 0
        for who, report in self.judges.reports(0 if busy else seconds):
            self._heard(who, report)

    def _heard(self, who: str, report: Report | None) -> None:
        match report:
            case Read():
                self.standing.read = report
                for what, why in report.trouble.items():
                    self._add_trouble(what, why)
            case Judged():
                self.standing.hear(report)
                self._news(report)
                for what, why in report.trouble.items():
                    self._add_trouble(what, why)
            case Failed():
                self._add_trouble(who, f"has stopped: {report.why}" + (f" ({report.help})" if report.help else ""))
            case None:
                self._gone(who)

    def _news(self, report: Judged) -> None:
        called = self.standing.called().get(report.node)
        for end in report.news:
            if isinstance(end, Alarm):
                self.events.alarm(report.node, called, end)
            else:
                self.events.lost(report.node, called, end)

    def _gone(self, who: str) -> None:
        """One of the processes has ended. That is as it should be once nothing more comes."""
        if not self.judges.decoder.broken:
            self._add_trouble(who, "has ended by itself: it was killed, or there was no more memory")
            if not self.judges.decodes:
                self.backlog.close()

    def _look(self) -> None:
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _LOOK_EVERY
            said = self.source.look()
            if said is not None:
                self.notes[_MOST_NOTES:] = [said]
                self.notice(said)
            self._collect()
        self._progress()

    def _collect(self) -> None:
        if self.recorder is not None:
            for what, why in list(self.recorder.trouble.items()):
                self._add_trouble(what, why)

    def _add_trouble(self, what: str, why: str) -> None:
        if self.trouble.get(what) != why:
            self.trouble[what] = why
            self.events.trouble(what, why)

    def _progress(self) -> None:
        now = time.monotonic()
        if now >= self._next_progress:
            self._next_progress = now + _PROGRESS_EVERY
            self.events.progress(self.standing.progress(waiting=self.backlog.bytes > 0))
