"""Files of logs, one object of JSON a line, read into lines that know their place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gristmill.replay.logs.json_values import JsonValues
from gristmill.replay.logs.mapping import LogMapping
from gristmill.source import Diagnostic, SourceError, SourceFile, Span
from gristmill.source.diagnostic import MAX_DIAGNOSTICS
from gristmill.source.toml_reader import suggestion
from gristmill.values import Value

ABSENT = object()


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """An event as it was logged. `number`: of the line in its file, from 1. `value`: the event as a record of TLA+."""

    file: SourceFile
    number: int
    fields: Mapping[str, Any]
    kind: str
    node: str
    value: Value = field(repr=False)

    @property
    def span(self) -> Span:
        return line_span(self.file, self.number)

    @property
    def text(self) -> str:
        return self.file.line_text(self.number).strip()

    def __str__(self) -> str:
        return f"{self.file.path}:{self.number}"


@dataclass(slots=True)
class LogFile:
    """`left_out`: how many lines are no events, by why. `is_cut`: nor is the last, of a process that was killed."""

    source: SourceFile
    lines: list[Line] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    is_cut: bool = False


def read_logs(mapping: LogMapping, files: Sequence[Path]) -> list[LogFile]:
    """In the world that is active. Raises `SourceError` with all that is wrong with them."""
    values = JsonValues(mapping.names, mapping.model_values)
    readers = [_Reader(mapping, values, _read(path)) for path in files]
    problems = [each for reader in readers for each in reader.read()]
    if problems:
        raise SourceError(problems[:MAX_DIAGNOSTICS])
    return [reader.log for reader in readers]


def line_span(file: SourceFile, number: int) -> Span:
    start = file.line_starts[number - 1]
    return file.span(start, start + len(file.line_text(number)))


def look_up(fields: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """What a path of keys leads to; `ABSENT` if nothing, or null, is there."""
    found: Any = fields
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return ABSENT if found is None else found


def _read(path: Path) -> SourceFile:
    try:
        return SourceFile(str(path), path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff"))
    except FileNotFoundError:
        raise SourceError(Diagnostic("file-not-found", f"there is no file {path}")) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(Diagnostic("file-not-readable", f"{path} cannot be read: {reason}")) from None


class _Reader:
    def __init__(self, mapping: LogMapping, values: JsonValues, source: SourceFile) -> None:
        self.mapping, self.values, self.log = mapping, values, LogFile(source)
        self.problems: list[Diagnostic] = []
        self.unknown: set[str] = set()  # kinds that were told already

    def read(self) -> list[Diagnostic]:
        text = self.log.source.text
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if line.strip():
                self._line(number, line, ended=number < len(lines))
        return self.problems

    def _line(self, number: int, text: str, ended: bool) -> None:
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            if not ended:  # whoever wrote it was killed meanwhile
                self.log.is_cut = True
            else:
                self._other(number, "this is no JSON")
            return
        if not isinstance(fields, dict):
            self._other(number, "this is no object of JSON")
            return
        kind = look_up(fields, self.mapping.kind)
        if not isinstance(kind, str):
            self._other(number, f"this object has no text at `{'.'.join(self.mapping.kind)}`, which would be its kind")
        elif kind in self.mapping.ignore:
            self.log.left_out[f"of kind {kind}"] += 1
        elif kind not in self.mapping.rules:
            self._unknown(number, kind)
        else:
            self._event(number, fields, kind)

    def _event(self, number: int, fields: dict[str, Any], kind: str) -> None:
        node: Any = Path(self.log.source.path).name.partition(".")[0]
        if self.mapping.node is not None:
            node = look_up(fields, self.mapping.node)
            if not isinstance(node, str | int) or isinstance(node, bool):
                keys = ".".join(self.mapping.node)
                self._wrong(
                    "no-node", number, f"this event does not say at `{keys}` whose it is", "see `node` of [log]"
                )
                return
        whole = fields if "node" in fields else {**fields, "node": node}
        node_name = self.mapping.names.get(str(node), str(node))
        self.log.lines.append(Line(self.log.source, number, fields, kind, node_name, self.values.record(whole)))

    def _other(self, number: int, message: str) -> None:
        if self.mapping.skip_others:
            self.log.left_out["that are no events"] += 1
        else:
            help = 'others = "skip" in [log] leaves out what is no event; `kind` says where the kind of an event stands'
            self._wrong("not-an-event", number, message, help)

    def _unknown(self, number: int, kind: str) -> None:
        if kind in self.unknown:
            return
        self.unknown.add(kind)
        help = suggestion(kind, self.mapping.rules)
        help = f"{help}; " if help and help.startswith("did") else ""
        help += f"describe it in [log.event.{kind}], or add it to `ignore` of [log]"
        self._wrong("unknown-kind", number, f"the mapping does not say what events of kind `{kind}` are", help)

    def _wrong(self, id: str, number: int, message: str, help: str) -> None:
        if len(self.problems) < MAX_DIAGNOSTICS:
            self.problems.append(Diagnostic(id, message, line_span(self.log.source, number), help=help))
