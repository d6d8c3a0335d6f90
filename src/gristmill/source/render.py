"""Diagnostics for people (text) and for tools (JSON)."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from gristmill.source.diagnostic import Diagnostic
from gristmill.source.span import Span

_COLORS = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "note": "\x1b[1;36m",
    "bold": "\x1b[1m",
    "line": "\x1b[1;34m",
}
_RESET = "\x1b[0m"

# Of a longer line only the part around the span is shown.
MAX_WIDTH = 120
_MOST_PLACES = 12


def render_text(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """One block a diagnostic: message, place, the source line with the span underlined, help.

    What is said of several places of a file is said once: a variable that nobody declared is used in many.
    """
    alike: dict[object, list[Diagnostic]] = {}
    for each in diagnostics:
        alike.setdefault(_what_is_said(each), []).append(each)
    return "\n".join(_render(first, color, _elsewhere(first, others)) for first, *others in alike.values())


def _what_is_said(diagnostic: Diagnostic) -> object:
    where = None if diagnostic.span is None else diagnostic.span.file.path
    return diagnostic.severity, diagnostic.id, diagnostic.message, diagnostic.help, diagnostic.labels, where


def _elsewhere(first: Diagnostic, others: Sequence[Diagnostic]) -> str:
    """The lines of other places where the same is said."""
    here = None if first.span is None else first.span.line
    spans = dict.fromkeys(each.span for each in others if each.span is not None and each.span != first.span)
    lines = [str(line) for line in dict.fromkeys(span.line for span in spans) if line != here]
    if not lines:
        return ""
    shown = ", ".join(lines[:_MOST_PLACES])
    more = f" and {len(lines) - _MOST_PLACES:,} more" if len(lines) > _MOST_PLACES else ""
    return f"also in line{'s' if len(lines) > 1 else ''} {shown}{more}"


def _render(diagnostic: Diagnostic, color: bool, elsewhere: str = "") -> str:
    def paint(style: str, text: str) -> str:
        return f"{_COLORS[style]}{text}{_RESET}" if color else text

    title = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.id}]")
    lines = [f"{title}: {paint('bold', _printable(diagnostic.message))}"]
    width = 1
    if diagnostic.span is not None:
        places = [(diagnostic.span, ""), *((label.span, label.text) for label in diagnostic.labels)]
        width = max(len(str(span.line)) for span, _ in places)
        for index, (span, text) in enumerate(places):
            arrow = "-->" if index == 0 else ":::"
            lines.append(f"{' ' * width}{paint('line', arrow)} {_printable(str(span))}")
            lines += _excerpt(span, text, width, paint("line", "|"), "^" if index == 0 else "-")
    if elsewhere:
        lines.append(f"{' ' * width} {paint('line', '=')} {elsewhere}")
    if diagnostic.help:
        lines.append(f"{' ' * width} {paint('line', '=')} {paint('bold', 'help')}: {_printable(diagnostic.help)}")
    return "\n".join(lines)


def _excerpt(span: Span, text: str, width: int, bar: str, mark: str) -> list[str]:
    line, column = span.file.position(span.start)
    source = span.file.line_text(line)
    length = max(1, min(span.end - span.start, len(source) - column + 1))
    first = 0 if column + length <= MAX_WIDTH else max(0, column - MAX_WIDTH // 3)
    shown = source[first : first + MAX_WIDTH]
    before = shown[: column - 1 - first]
    underline = mark * max(1, min(length, MAX_WIDTH - len(before)))
    cut = "…" if first else ""
    # Tabs are shown as they are, so the underline repeats them.
    padding = "".join("\t" if character == "\t" else " " for character in cut + before)
    return [
        f"{' ' * width} {bar}",
        f"{line:>{width}} {bar} {cut}{_printable(shown)}{'…' if len(source) > first + MAX_WIDTH else ''}",
        f"{' ' * width} {bar} {padding}{underline}{' ' + text if text else ''}",
    ]


def _printable(text: str) -> str:
    """Control characters of the input must not reach the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as plain data; lines and columns from 1, `end` exclusive."""
    return {
        "id": diagnostic.id,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "help": diagnostic.help,
        **(_place(diagnostic.span) if diagnostic.span else {"file": None}),
        "labels": [{**_place(label.span), "text": label.text} for label in diagnostic.labels],
    }


def _place(span: Span) -> dict[str, Any]:
    line, column = span.file.position(span.start)
    end_line, end_column = span.file.position(span.end)
    return {
        "file": span.file.path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    return json.dumps([diagnostic_json(d) for d in diagnostics], indent=2, ensure_ascii=False)


def dumped(content: Any) -> str:
    """JSON as UTF-8 can carry it: bytes of a source that are no text, which a message may cite, are escaped."""
    return json.dumps(content, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
