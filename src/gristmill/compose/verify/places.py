"""Where in the files of a system an action is defined, and where it speaks of a variable."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from gristmill.compose.system import ComposedAction
from gristmill.loading import load
from gristmill.modules.specification import Specification
from gristmill.modules.symbols import Operator
from gristmill.source import Span


class Places:
    """Reads each file once."""

    def __init__(self) -> None:
        self._loaded = cache(_loaded)

    def action(self, action: ComposedAction) -> Span | None:
        """The name of its definition."""
        operator = self._operator(action.file, action.origin or action.name)
        return None if operator is None else operator.span

    def write(self, action: ComposedAction, variable: str) -> Span | None:
        """Where it says what a variable becomes, also in a definition that it calls; else its definition."""
        operator = self._operator(action.file, action.origin or action.name)
        if operator is None:
            return None
        found = self._mention(action.file, operator, re.compile(rf"\b{re.escape(variable)}\s*'"), set())
        return found or operator.span

    def read(self, action: ComposedAction, variable: str) -> Span | None:
        operator = self._operator(action.file, action.origin or action.name)
        if operator is None:
            return None
        found = self._mention(action.file, operator, re.compile(rf"\b{re.escape(variable)}\b(?!\s*')"), set())
        return found or operator.span

    def _mention(self, path: Path, operator: Operator, pattern: re.Pattern[str], seen: set[str]) -> Span | None:
        seen.add(operator.name)
        span = operator.body.span
        text = span.file.text
        match = pattern.search(text, span.start, span.end)
        if match is not None:
            return span.file.span(match.start(), match.end())
        for name in re.findall(r"\w+", text[span.start : span.end]):
            other = self._operator(path, name)
            if other is not None and name not in seen:
                found = self._mention(path, other, pattern, seen)
                if found is not None:
                    return found
        return None

    def _operator(self, path: Path, name: str) -> Operator | None:
        specification = self._loaded(path)
        symbol = None if specification is None else specification.root.names.get(name)
        return symbol if isinstance(symbol, Operator) and not symbol.module.is_library else None


def _loaded(path: Path) -> Specification | None:
    return load(path, ())[0].specification
