"""`[watch]` of a mapping: which messages of a system are which records of the specification."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gristmill.source import Diagnostic, SourceError, SourceFile, Span, read_source
from gristmill.source.toml_places import Places
from gristmill.source.toml_reader import Reader, parsed_document
from gristmill.specification import Specification
from gristmill.systems.decoders import NAMES, Decoder, DecodingError, decoder_called
from gristmill.systems.decoders.fields import steps
from gristmill.systems.formulas import Definitions, Formula, Formulas
from gristmill.systems.specification import opened, read_constants
from gristmill.values import Value
from gristmill.watch.derive import Monitor, derive
from gristmill.watch.limits import Limits
from gristmill.watch.live.links import Link, read_links
from gristmill.watch.records import Field, RecordMap

_WATCH = (
    *("decoder", "options", "messages", "kind", "from", "to", "outside", "ignore", "wait", "merges"),
    *("record", "limits", "links", "start", "learn", "in_order", "bounded"),
)
_LEARN = ("settled", "assumes")
_FORMS = ("path", "not", "digest", "each", "node", "nodes")


@dataclass(frozen=True, slots=True)
class LearnRule:
    """How a message that a node has sent tells the node's part of variables, in terms of `m`, the message."""

    kind: str
    values: Mapping[str, Formula]


@dataclass(frozen=True, slots=True)
class Anchors:
    """How messages that a node has sent tell the states it may be in, so that it is followed from there.

    - `states`: by kinds of messages, in terms of `node`, `m`, `seen` and `past`: a set of records `at`, `owes` and
      `state`; none if nothing can be told.
    - `settled`: whether what was not known then counts no more, in terms of `then` and `now`, states.
    - `assumes`: what is taken for granted, in words.
    """

    states: Mapping[str, Formula]
    settled: Formula
    assumes: str


@dataclass(frozen=True, slots=True)
class Bounded:
    """A model of the specification within bounds, on which is checked what the monitor takes for granted."""

    specification: Path
    config: Path
    constants: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WatchMap:
    """
    - `nodes`: the TLA+ values that stand for them, in their order.
    - `outside`: names in messages that are no nodes, such as clients.
    - `wait`: kinds of messages whose effect is not assumed when they arrive, but when something sent tells of it.
    - `merges`: kinds of answers of which a later one takes the place of earlier ones.
    - `in_order`: a node handles the messages that come on one connection in their order.
    - `midway`: the nodes were running before the first message, in states that are not known.
    - `learn`: kinds of messages that tell the state of whoever has sent them, and how. `anchors`: the same for whole
      states, which are told by several messages.
    """

    name: str
    specification: Specification
    monitor: Monitor
    nodes: tuple[Value, ...]
    decoder: str
    options: Mapping[str, Any]
    records: Mapping[str, RecordMap]
    kind: str  # the fields of records for kind, sender and receiver
    source: str
    target: str
    outside: frozenset[str]
    ignore: frozenset[str]
    wait: frozenset[str]
    merges: frozenset[str]
    limits: Limits
    links: tuple[Link, ...]
    folder: Path
    document: Mapping[str, Any]  # the mapping as a whole
    places: Places
    span: Span = field(compare=False)
    learn: Mapping[str, LearnRule] = field(default_factory=dict)
    in_order: bool = False
    bounded: Bounded | None = None
    anchors: Anchors | None = None
    midway: bool = False

    def new_decoder(self) -> Decoder:
        return decoder_called(self.decoder, self.options, self.folder)


class _MappingReader(Reader):
    kind = "a mapping"


def read_watch_map(source: str | Path | SourceFile, constants: Mapping[str, str] | None = None) -> WatchMap:
    """Raises `SourceError` with everything that is wrong. `constants` go over those of the mapping."""
    file = source if isinstance(source, SourceFile) else read_source(source)
    reader = _MappingReader(file, parsed_document(file), Path(file.path).parent)
    if not reader.table("watch"):
        help = "a mapping for `gristmill watch` has a table [watch]: docs/reference/watch.md"
        span = file.span(0, 0)
        raise SourceError(Diagnostic("nothing-to-watch", "the mapping does not say what to watch", span, help=help))
    specification, _ = opened(reader, None, None, constants or {})
    try:
        return _Assembly(reader, specification).watch_map()
    except BaseException:
        specification.close()
        raise


class _Assembly:
    def __init__(self, reader: Reader, specification: Specification) -> None:
        self.reader, self.specification = reader, specification

    def watch_map(self) -> WatchMap:
        reader = self.reader
        reader.known(("watch",), _WATCH)
        network = reader.text("watch", "messages", default="messages")
        kind = reader.text("watch", "kind", default="kind")
        monitor = derive(self.specification, network, kind, reader.places.key("watch"))
        records = {name: self._record(name) for name in reader.table("watch", "record")}
        self._check_kinds(monitor, records)
        limits, in_order, bounded = self._limits(), self._flag("watch", "in_order"), self._bounded()
        decoder, options = self._decoder()
        links = read_links(reader)
        if reader.diagnostics:
            raise SourceError(sorted(reader.diagnostics, key=lambda each: each.span.start if each.span else 0))
        learn, anchors = self._learn(monitor, records)
        return WatchMap(
            reader.text("system", "name", default=Path(reader.file.path).name.partition(".")[0]),
            self.specification,
            monitor,
            self._nodes(),
            decoder,
            options,
            records,
            kind,
            reader.text("watch", "from", default="from"),
            reader.text("watch", "to", default="to"),
            frozenset(reader.texts("watch", "outside")),
            frozenset(reader.texts("watch", "ignore")),
            frozenset(reader.texts("watch", "wait")),
            frozenset(reader.texts("watch", "merges")),
            limits,
            links,
            reader.folder,
            reader.document,
            reader.places,
            reader.places.key("watch"),
            learn,
            in_order,
            bounded,
            anchors,
        )

    def _bounded(self) -> Bounded | None:
        reader = self.reader
        if not reader.table("watch", "bounded"):
            return None
        reader.known(("watch", "bounded"), ("specification", "config", "constants"))
        specification = reader.file_of("watch", "bounded", "specification")
        config = reader.file_of("watch", "bounded", "config")
        if specification is None:
            help = 'specification = "FILE.tla"'
            span = reader.places.key("watch", "bounded")
            reader.error("no-specification", "[watch.bounded] names no specification", span, help)
            return None
        constants, _ = read_constants(reader.texts_by_name("watch", "bounded", "constants"))
        return Bounded(specification, config or specification.with_suffix(".cfg"), constants)

    def _flag(self, *path: str) -> bool:
        found = self.reader.get(*path)
        if found is not None and not isinstance(found, bool):
            self.reader.wrong(path, "true or false", f"{path[-1]} = true")
        return found is True

    def _learn(self, monitor: Monitor, records: Mapping[str, RecordMap]) -> tuple[dict[str, LearnRule], Anchors | None]:
        """`[watch.learn.KIND]`: an expression for each variable that such a message tells, or for whole `states`."""
        reader, formulas, rules, states = self.reader, Formulas(), dict[str, LearnRule](), dict[str, Formula]()
        told = reader.table("watch", "learn")
        for kind in told:
            if kind in _LEARN:
                continue
            path = ("watch", "learn", kind)
            if kind not in records:
                message = f"there is no [watch.record.{kind}]"
                reader.unknown("unknown-message", message, reader.places.key(*path), kind, records)
            if "states" in reader.table(*path):
                reader.known(path, ("states",))
                text, span = reader.text(*path, "states"), reader.places.value(*path, "states")
                states[kind] = formulas.add(text, span, ("node", "m", "seen", "past"))
                continue
            reader.known(path, monitor.local)
            texts = {name: reader.text(*path, name) for name in reader.table(*path) if name in monitor.local}
            values = {
                name: formulas.add(text, reader.places.value(*path, name), ("m",)) for name, text in texts.items()
            }
            rules[kind] = LearnRule(kind, values)
        anchors = self._anchors(states, formulas) if states else None
        problems = [*reader.diagnostics, *formulas.compile(self.specification, self._definitions())] if told else []
        if problems:
            raise SourceError(problems)
        return rules, anchors

    def _anchors(self, states: Mapping[str, Formula], formulas: Formulas) -> Anchors:
        reader, path = self.reader, ("watch", "learn")
        settled, assumes = (reader.text(*path, name) for name in _LEARN)
        if not settled:
            message = "nothing says when a state that was told by messages is certain"
            reader.error("no-settled", message, reader.places.key(*path), 'settled = "now.commit > then.commit"')
        return Anchors(
            states,
            formulas.add(settled or "FALSE", reader.places.value(*path, "settled"), ("then", "now")),
            assumes,
        )

    def _nodes(self) -> tuple[Value, ...]:
        formulas, span = Formulas(), self.reader.places.value("system", "nodes")
        nodes = formulas.add(self.reader.text("system", "nodes", default="Server"), span)
        problems = formulas.compile(self.specification, self._definitions())
        if problems:
            raise SourceError(problems)
        found = nodes.value(raw=True)
        if not isinstance(found, frozenset):
            raise SourceError(Diagnostic("no-nodes", "`nodes` must be a set", span, help='nodes = "Server"'))
        return tuple(sorted(found, key=lambda each: _in_parts(str(each))))

    def _definitions(self) -> Definitions | None:
        text = self.reader.text("system", "definitions")
        return Definitions([Formula(text, self.reader.places.value("system", "definitions"), ())]) if text else None

    def _decoder(self) -> tuple[str, Mapping[str, Any]]:
        name, options = self.reader.text("watch", "decoder"), self.reader.table("watch", "options")
        span = self.reader.places.value("watch", "decoder")
        if not name:
            help = f'decoder = "…", one of {", ".join(NAMES)}, or FILE.py:Class'
            self.reader.error("no-decoder", "nothing says how bytes become messages", span, help)
            return name, options
        try:
            decoder_called(name, options, self.reader.folder)
        except DecodingError as error:
            self.reader.error("bad-decoder", str(error), span)
        return name, options

    # --------------------------------------------------------------------------------------------------------- records

    def _record(self, kind: str) -> RecordMap:
        path = ("watch", "record", kind)
        fields = {name: self._field((*path, name), value) for name, value in self.reader.table(*path).items()}
        return RecordMap(kind, fields)

    def _field(self, path: tuple[str, ...], value: Any) -> Field:
        if isinstance(value, str):
            return Field("path", self._path(path, value))
        if isinstance(value, dict) and list(value) == ["constant"] and isinstance(value["constant"], str | int | bool):
            return Field("constant", "", constant=value["constant"])
        if isinstance(value, dict):
            forms = [form for form in _FORMS if form in value]
            if len(forms) == 1 and isinstance(value[forms[0]], str):
                form = forms[0]
                if form == "node":
                    self.reader.known(path, ("node", "none"))
                    none = self.reader.text(*path, "none") if "none" in value else None
                    return Field(form, self._path((*path, form), value[form]), constant=none)
                parts = {name: self._field((*path, name), each) for name, each in value.items() if name != form}
                if parts and form != "each":
                    self.reader.known(path, (form,))
                return Field(form, self._path((*path, form), value[form]), parts)
        example = f'{path[-1]} = "index", or {{ not = "reject" }}, {{ digest = "data" }}, {{ each = "entries", … }}'
        self.reader.wrong(path, "a path of fields, or a table with one form", example)
        return Field("path", "")

    def _path(self, at: Sequence[str], text: str) -> str:
        try:
            steps(text)
        except ValueError as error:
            self.reader.error("bad-path", str(error), self.reader.places.value(*at))
        return text

    def _check_kinds(self, monitor: Monitor, records: Mapping[str, RecordMap]) -> None:
        """Every kind is one that some action sends or consumes; every kind of the specification is described."""
        known = {kind for event in monitor.receivers for kind in event.kinds}
        known |= {each.kind for event in monitor.events for each in event.sends if each.kind is not None}
        for kind in records:
            if kind not in known:
                span = self.reader.places.key("watch", "record", kind)
                message = f"no action of {self.specification.name} sends or consumes `{kind}`"
                self.reader.unknown("unknown-message", message, span, kind, sorted(known))
        for name in ("wait", "merges"):
            for kind in self.reader.texts("watch", name):
                if kind not in records:
                    span = self.reader.places.value("watch", name)
                    self.reader.unknown("unknown-message", f"there is no [watch.record.{kind}]", span, kind, records)

    def _limits(self) -> Limits:
        given = self.reader.table("watch", "limits")
        self.reader.known(("watch", "limits"), Limits.NAMES)
        for name, value in given.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                self.reader.wrong(("watch", "limits", name), "a positive number", f"{name} = 1000")
                return Limits()
        return Limits(**{name: value for name, value in given.items() if name in Limits.NAMES})


def _in_parts(name: str) -> list[tuple[int, str]]:
    """For sorting as people do: s2 comes before s10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]
