"""Message sequence charts of a run: one lifeline a process, time downwards; as text for a terminal, and as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from gristmill.trace.schedule import Event, Sent, Step

RowKind = Literal["message", "wrong", "lost", "pending", "note", "fault", "error"]
_FAULTS = {"crash": "crashes", "restart": "restarts", "partition": "partition", "heal": "heals"}
_SILENT = {"task", "clock", "start"}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the chart: a message from one process to another, or a remark at one process (or at none).

    `wrong` is a message that should not have been sent.
    """

    step: int
    kind: RowKind
    text: str
    sender: str = ""
    receiver: str = ""
    sent: int | None = None  # the step in which a message was sent


@dataclass(frozen=True, slots=True)
class Chart:
    processes: tuple[str, ...]
    rows: tuple[Row, ...]


def chart(processes: Sequence[str], steps: Sequence[Step], error: str = "") -> Chart:
    """The chart of a run; `error` stands below it. What is still in flight at the end stands where it was sent."""
    sent: dict[Sent, list[int]] = {}
    rows: list[Row] = []
    arrived = Counter(message for step in steps for message in step.event.received)
    for index, step in enumerate(steps, 1):
        rows += _rows(index, step, sent)
        for message in step.sent:
            sent.setdefault(message, []).append(index)
            if not arrived[message]:
                text = str(message.message)
                rows.append(Row(index, "pending", text, message.sender, message.receiver, index))
    if error and not (steps and steps[-1].error == error):  # which is told where it happened
        rows.append(Row(len(steps), "error", error))
    return Chart(tuple(processes), tuple(replace(row, text=_printable(row.text)) for row in rows))


def _printable(text: str) -> str:
    """Without control characters, which a terminal would obey and XML does not allow in any form."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _rows(index: int, step: Step, sent: dict[Sent, list[int]]) -> list[Row]:
    event = step.event
    rows = [_message_row(index, event, message, sent) for message in event.received]
    if event.kind in _FAULTS:
        text = f"{_FAULTS[event.kind]} {event.name}".strip()
        rows.append(Row(index, "fault", text, event.process, event.process))
    elif not event.received and event.kind not in _SILENT:
        rows.append(Row(index, "note", f"{event.kind} {event.name}".strip(), event.process, event.process))
    rows += [Row(index, "note", f"chooses {option}", event.process, event.process) for option in event.chosen]
    for record in step.records:
        mark = "begins" if record.kind == "invoke" else "ends"
        value = "" if record.value is None else f" {record.value!r}"
        rows.append(Row(index, "note", f"{mark} {record.operation}{value}", record.process, record.process))
    for name, value in step.changes:
        text = f"{name} = {value}" if name else value
        rows.append(Row(index, "note", text, event.process, event.process))
    if step.error:
        rows.append(Row(index, "error", step.error, event.process, event.process))
    return rows


def _message_row(index: int, event: Event, message: Sent, sent: dict[Sent, list[int]]) -> Row:
    kind: RowKind = "lost" if event.kind == "lose" else "message"
    text = str(message.message) + (" (again)" if event.kind == "duplicate" else "")
    steps = sent.get(message)
    when = (steps.pop(0) if len(steps) > 1 else steps[0]) if steps else None
    return Row(index, kind, text, message.sender, message.receiver, when)


# In the terminal.

_NARROWEST, _NARROW, _WIDE = 10, 24, 40  # columns of a process


def render_text(drawn: Chart, width: int | None = None, within: int | None = None) -> str:
    """Lifelines as columns of some `width`; a message is an arrow on the line of its arrival.

    `within`: so many columns for all of it. Processes stand closer together then; where that is not enough, it is said
    instead.
    """
    digits = len(str(max((row.step for row in drawn.rows), default=0)))
    longest = max((len(row.text) for row in drawn.rows if row.sender != row.receiver), default=0)
    width = width or max(_NARROW, min(_WIDE, longest + 8))
    if within is not None and drawn.processes:
        width = min(width, (within - digits - 2) // len(drawn.processes))
        if width < _NARROWEST:
            needed = _NARROWEST * len(drawn.processes) + digits + 2
            return f"A chart of {len(drawn.processes)} processes takes {needed} columns; --svg FILE draws it.\n"
    columns = {name: index * width + width // 2 for index, name in enumerate(drawn.processes)}
    total = len(drawn.processes) * width
    room = total if within is None else max(total, within - digits - 2)
    names = "".join(_cut(name, width - 1).center(width) for name in drawn.processes)
    lines = [" " * (digits + 2) + names.rstrip()]
    for row in drawn.rows:
        number = str(row.step).rjust(digits)
        text = _text_line(row, columns, total, None if within is None else room)
        lines.append(f"{number}  {text}".rstrip())
    return "\n".join(lines) + "\n"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(0, room - 1)] + "…" * (room > 0)


def _text_line(row: Row, columns: dict[str, int], total: int, room: int | None) -> str:
    line = [" "] * total
    for column in columns.values():
        line[column] = "│"
    start, stop = columns.get(row.sender), columns.get(row.receiver)
    if start is None or stop is None:
        text = f"{'✗ ' if row.kind == 'error' else ''}{row.text}"
        return text if room is None else _cut(text, room)
    if start == stop:
        return _remark(line, row, start, room)
    return _arrow(line, row, start, stop, room)


def _remark(line: list[str], row: Row, column: int, room: int | None) -> str:
    """Right of the lifeline; left of it, if there is not room enough on the right, and more on the left."""
    marks = {"fault": "╳ ", "error": "", "message": "↺ ", "lost": "↺ × ", "pending": "↺ … "}  # an error has its own
    mark = marks.get(row.kind, "· ")
    _write_beside(line, mark + row.text, column, column, room)
    line[column] = {"fault": "╳", "error": "✗"}.get(row.kind, "┤" if row.kind == "message" else "│")
    return "".join(line)


def _write_beside(line: list[str], text: str, left: int, right: int, room: int | None) -> None:
    """Text to the right of what goes from `left` to `right`, or to the left, cut to the room that there is."""
    start = right + 2
    if room is not None and start + len(text) > room:
        if left - 1 > room - start:
            text = _cut(text, left - 1)
            start = left - 1 - len(text)
        else:
            text = _cut(text, room - start)
    end = start + len(text)
    line += [" "] * (end - len(line))
    line[start:end] = text


def _arrow(line: list[str], row: Row, start: int, stop: int, room: int | None) -> str:
    """With the label on it, or beside it, if it is too short for that."""
    left, right = min(start, stop), max(start, stop)
    for position in range(left + 1, right):
        line[position] = {"pending": "┄", "wrong": "═"}.get(row.kind, "─")
    head = {"lost": "×", "pending": "…"}.get(row.kind, "▶" if start < stop else "◀")
    if start < stop:
        line[left], line[right - 1] = "├", head
    else:
        line[right], line[left + 1] = "┤", head
    if len(row.text) > right - left - 6 and room is not None and max(room - right - 2, left - 1) > right - left:
        _write_beside(line, row.text, left, right, room)
        return "".join(line)
    text = f" {_cut(row.text, right - left - 6)} "
    middle = (left + right) // 2 - len(text) // 2
    line[middle : middle + len(text)] = text
    return "".join(line)


# As SVG.

_SPACING, _HEIGHT, _TOP, _MARGIN = 190, 26, 60, 110
_STYLE = """
text { font: 12px sans-serif; fill: #222 } .name { font-weight: bold; text-anchor: middle }
.life { stroke: #999; stroke-dasharray: 3 4 } .message { stroke: #1f5fa8; stroke-width: 1.4; marker-end: url(#head) }
.pending { stroke: #999; stroke-dasharray: 2 4 }
.lost { stroke: #b3261e; stroke-width: 1.4; stroke-dasharray: 5 3 }
.wrong { stroke: #b3261e; stroke-width: 2.4; marker-end: url(#wrong) } .label { text-anchor: middle; font-size: 11px }
.fault, .error { fill: #b3261e; font-weight: bold } .note { fill: #555; font-size: 11px }
"""


def render_svg(drawn: Chart) -> str:
    """A message goes from where it was sent to where it arrived."""
    columns = {name: _MARGIN + index * _SPACING for index, name in enumerate(drawn.processes)}
    places = {id(row): _TOP + (index + 1) * _HEIGHT for index, row in enumerate(drawn.rows)}
    first_of_step: dict[int, int] = {}
    for row in drawn.rows:
        first_of_step.setdefault(row.step, places[id(row)])
    width = 2 * _MARGIN + max(0, len(columns) - 1) * _SPACING
    height = _TOP + (len(drawn.rows) + 2) * _HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="head" markerWidth="9" markerHeight="7" refX="8" refY="3.5" orient="auto">'
        '<path d="M0,0 L9,3.5 L0,7 z" fill="#1f5fa8"/></marker>'
        '<marker id="wrong" markerWidth="7" markerHeight="5.5" refX="6" refY="2.75" orient="auto">'
        '<path d="M0,0 L7,2.75 L0,5.5 z" fill="#b3261e"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for name, x in columns.items():
        parts.append(f'<text class="name" x="{x}" y="{_TOP - 20}">{_xml(name)}</text>')
        parts.append(f'<line class="life" x1="{x}" y1="{_TOP - 10}" x2="{x}" y2="{height - _HEIGHT}"/>')
    for row in drawn.rows:
        parts += _svg_row(row, columns, places[id(row)], first_of_step)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _svg_row(row: Row, columns: dict[str, int], y: int, first_of_step: dict[int, int]) -> list[str]:
    start, stop = columns.get(row.sender), columns.get(row.receiver)
    if start is None or stop is None:
        return [f'<text class="{row.kind}" x="12" y="{y + 4}">{_xml(row.text)}</text>']
    if start == stop:
        mark = {"fault": "╳ ", "error": "✗ ", "message": "↺ "}.get(row.kind, "")
        return [f'<text class="{row.kind}" x="{start + 8}" y="{y + 4}">{_xml(mark + row.text)}</text>']
    sent = _sent_at(row, y, first_of_step)
    lines = [f'<line class="{row.kind}" x1="{start}" y1="{sent}" x2="{stop}" y2="{y}"/>']
    if row.kind == "lost":
        lines.append(f'<text class="fault" x="{stop - 4}" y="{y + 4}">×</text>')
    middle = (start + stop) // 2
    style = "label fault" if row.kind == "wrong" else "label"
    lines.append(f'<text class="{style}" x="{middle}" y="{(sent + y) // 2 - 4}">{_xml(row.text)}</text>')
    return lines


def _sent_at(row: Row, y: int, first_of_step: dict[int, int]) -> int:
    """Where the arrow begins: at the step it was sent in, or the last one before that has a line."""
    if row.sent is None or row.kind == "pending":
        return y - _HEIGHT // 2
    lines = [line for step, line in first_of_step.items() if step <= row.sent]
    return max(lines, default=_TOP - 8)


def _xml(text: str) -> str:
    return escape(_printable(text))
