"""Files of logs as strands of events, with the lines that each of them stands in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gristmill.replay.logs.lines import Line, LogFile, read_logs
from gristmill.replay.logs.mapping import LogMapping
from gristmill.replay.logs.matching import Matching
from gristmill.replay.logs.order import order_of, streams_of
from gristmill.search.weave import Strands
from gristmill.source import Diagnostic, SourceError
from gristmill.specification import Specification


class Log:
    """`lines[s][n]`: where event n of strand s stands. Made in the world of the specification. Raises `SourceError`."""

    def __init__(self, specification: Specification, mapping: LogMapping, files: Sequence[Path]) -> None:
        self.mapping = mapping
        self.files: list[LogFile] = read_logs(mapping, files)
        matching = Matching(specification, mapping)
        rules = {line: rule for file in self.files for line, rule in matching.select(file)}
        if not rules:
            raise SourceError(_no_events(mapping, files))
        self.lines = streams_of(mapping, self.files)
        needs, times = order_of(mapping, self.lines)
        events = [
            [
                matching.event(rules[line], line, None if times is None else times[strand][at])
                for at, line in enumerate(lines)
            ]
            for strand, lines in enumerate(self.lines)
        ]
        self.strands = Strands(events, needs)

    @property
    def events(self) -> int:
        return sum(map(len, self.lines))

    def line(self, strand: int, number: int) -> Line:
        return self.lines[strand][number]


def _no_events(mapping: LogMapping, files: Sequence[Path]) -> Diagnostic:
    """Everything fits a log in which nothing happens: to say so would mislead."""
    where = f"{files[0]} has" if len(files) == 1 else "these files have"
    help = "`kind` of [log] says where the kind of an event stands, and [log.event.KIND] which there are"
    return Diagnostic("no-events", f"{where} no events in them", mapping.span, help=help)
