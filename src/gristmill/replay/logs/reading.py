"""Reads the table [log] of a mapping. All mistakes are reported at once, each with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gristmill.replay.logs.mapping import LogMapping, Rule
from gristmill.replay.logs.mapping import Path as KeyPath
from gristmill.replay.logs.rules import RuleReader
from gristmill.source import Diagnostic, SourceError
from gristmill.source.toml_places import Places
from gristmill.source.toml_reader import Reader
from gristmill.specification import Specification

_LOG = (
    "kind",
    "node",
    "as",
    "order",
    "clock",
    "skew",
    "vector",
    "hidden",
    "ignore",
    "others",
    "names",
    "model-values",
    "observes",
    "before",
    "event",
)
_NAME = re.compile(r"[A-Za-z_]\w*")


def read_log_mapping(specification: Specification, tables: Mapping[str, Any], places: Places) -> LogMapping:
    """`tables`: the mapping as a whole. Raises `SourceError` with everything that is wrong with its table [log]."""
    reader = Reader(places.file, dict(tables), Path(places.file.path).parent)
    reader.places = places  # which may know more: what grains of a module lay over it
    return _Assembly(reader, specification).mapping()


class _Assembly:
    def __init__(self, reader: Reader, specification: Specification) -> None:
        self.reader, self.specification = reader, specification
        self.rules = RuleReader(reader, specification, self._event())

    def mapping(self) -> LogMapping:
        reader = self.reader
        if not isinstance(reader.get("log"), dict):
            message, help = (
                "the mapping says nothing of logs",
                "write a table [log], and [log.event.KIND] for each kind",
            )
            raise SourceError(Diagnostic("no-log", message, reader.places.key("log"), help=help))
        reader.known(("log",), _LOG)
        rules = {kind: self.rules.rules(kind) for kind in reader.table("log", "event")}
        if not rules:
            message, help = "no kind of event is described", "write [log.event.KIND] for each kind"
            reader.error("no-events", message, reader.places.key("log"), help)
        found = self._log(rules)
        problems = list(reader.diagnostics)
        problems += self.rules.compile(each for several in rules.values() for each in several) if not problems else []
        if problems:
            raise SourceError(sorted(problems, key=lambda each: each.span.start if each.span else 0))
        return found

    def _log(self, rules: Mapping[str, tuple[Rule, ...]]) -> LogMapping:
        found = LogMapping(
            self._keys("kind") or ("event",),
            self._keys("node"),
            self.rules.event,
            self._choice("order", "file", "node"),
            self._keys("clock"),
            self._skew(),
            self._keys("vector"),
            self._hidden(),
            self._ignore(rules),
            self._choice("others", "error", "skip") == "skip",
            self.reader.texts_by_name("log", "names"),
            self._model_values(),
            rules,
            self.reader.places.key("log"),
        )
        self._check_clocks(found)
        return found

    def _event(self) -> str:
        name = self.reader.text("log", "as", default="e")
        if _NAME.fullmatch(name):
            return name
        span = self.reader.places.value("log", "as")
        self.reader.error("no-name", f"`{name}` is no name of TLA+", span, 'write as = "event"')
        return "e"

    def _keys(self, key: str) -> KeyPath | None:
        """`msg.type` leads to `type` of the object `msg`."""
        text = self.reader.text("log", key)
        if not text:
            return None
        keys = tuple(text.split("."))
        if not all(keys):
            self.reader.wrong(("log", key), "a key, or several with dots between", f'{key} = "msg.type"')
        return keys

    def _choice(self, key: str, *known: str) -> Any:
        text = self.reader.text("log", key, default=known[0])
        if text not in known:
            span = self.reader.places.value("log", key)
            self.reader.unknown("unknown-value", f"`{key}` cannot be `{text}`", span, text, known)
        return text

    def _skew(self) -> int | float:
        skew = self.reader.get("log", "skew")
        if skew is None:
            return 0
        if isinstance(skew, bool) or not isinstance(skew, int | float) or not 0 <= skew < float("inf"):
            self.reader.wrong(("log", "skew"), "a number that is not negative", "skew = 0.005")
            return 0
        return skew

    def _check_clocks(self, found: LogMapping) -> None:
        if found.clock and found.vector:
            span = self.reader.places.key("log", "vector")
            message = "there are a clock and a vector clock"
            self.reader.error("two-clocks", message, span, "a vector clock says more: leave the other one out")
        if found.skew and not found.clock:
            span = self.reader.places.key("log", "skew")
            self.reader.error("no-clock", "there is no clock that `skew` could be of", span, 'add clock = "…"')

    def _hidden(self) -> tuple[str, ...]:
        names = self.reader.texts("log", "hidden")
        return tuple(name for number, name in enumerate(names) if self.rules.is_action(name, ("log", "hidden", number)))

    def _ignore(self, rules: Mapping[str, object]) -> tuple[str, ...]:
        kinds = self.reader.texts("log", "ignore")
        for number, kind in enumerate(kinds):
            if kind in rules:
                span = self.reader.places.value("log", "ignore", number)
                message = f"events of kind `{kind}` are ignored, and described as well"
                self.reader.error("ignored-and-described", message, span, "leave one of them out")
        return kinds

    def _model_values(self) -> frozenset[str]:
        """All that the configuration has, unless some are named."""
        known = self.specification.model_values
        if self.reader.get("log", "model-values") is None:
            return known
        names = self.reader.texts("log", "model-values")
        for number, name in enumerate(names):
            if name not in known:
                span = self.reader.places.value("log", "model-values", number)
                message = f"the configuration has no model value `{name}`"
                self.reader.unknown("unknown-model-value", message, span, name, sorted(known))
        return frozenset(names)
