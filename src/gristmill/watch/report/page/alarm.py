"""An alarm on the page: what was sent, the chart of the last messages, what each way to send it lacks, how it came."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.report.page.elide import shortened
from gristmill.report.page.lifelines import Lifelines, Mark, lifelines, names_svg, row_svg
from gristmill.report.page.markup import code, text
from gristmill.values import Value, apply, show
from gristmill.watch.explaining import Candidate, Change, Lack, PathStep
from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message
from gristmill.watch.report.words import (
    basis,
    change_words,
    chart_of,
    fields_of,
    heading,
    name_of,
    otherwise,
    place,
    short_fields,
    summary,
    told,
    when,
)

_LONGEST = 140  # characters of a value in the history
_ROOM = 60  # letters beside the chart: two lines
_LINE = 1_000  # characters of a message


def alarm_section(mapping: WatchMap, node: Value, alarm: Alarm, number: int) -> str:
    title = f"Alarm: {name_of(node)} at message {alarm.message.number:,}"
    return (
        f'<section class="alarm" id="alarm-{number}"><h2>{text(title)}</h2>'
        f'<div class="finding"><strong>{text(summary(node, alarm))}</strong>'
        f"<div>{code(told(alarm.message, node, _LINE).strip())}</div></div>"
        f'<div class="two"><div class="charts">{_chart(alarm)}</div><div class="reasons">{_reasons(node, alarm)}</div>'
        f"</div>{_history(mapping, node, alarm)}</section>"
    )


# ----------------------------------------------------------------------------------------------------------- the chart


def _chart(alarm: Alarm) -> str:
    lines = lifelines(chart_of(alarm).processes)
    rows = "".join(_row(lines, each, each is alarm.message) for each in (*alarm.before, alarm.message))
    return (
        '<div class="chart shown"><h3>The last messages of this node</h3><div class="scroll">'
        f'<div class="names"><span></span><span></span>{names_svg(lines)}</div><ol>{rows}</ol></div></div>'
    )


def _row(lines: Lifelines, message: Message, wrong: bool) -> str:
    said = ", ".join(f"{name} {value}" for name, value in fields_of(message).items())
    mark = Mark(
        "wrong" if wrong else "message",
        name_of(message.target),
        message.kind,
        f"{message.kind}: {said}",
        name_of(message.source),
    )
    short = shortened(", ".join(short_fields(message)), _ROOM)
    style = ' class="wrong"' if wrong else ""
    return (
        f'<li{style}><span class="number">{message.number}</span>'
        f'<span class="action" title="{text(said)}">{text(short)}</span>{row_svg(lines, [mark])}</li>'
    )


# --------------------------------------------------------------------------------------------------------- the reasons


def _reasons(node: Value, alarm: Alarm) -> str:
    parts = [f"<p>{text(basis(alarm))}</p>"]
    if alarm.candidates:
        parts.append("<h3>It could have been sent by</h3>")
        parts.append(f'<ol class="candidates">{"".join(map(_candidate, alarm.candidates))}</ol>')
    else:
        parts.append("<p>No action of the specification sends such a message.</p>")
    also = [f"{otherwise(each)}." for each in alarm.reasons.instead]
    also += [f"{when(alarm.reasons.earlier, node)}."] if alarm.reasons.earlier is not None else []
    if also:
        parts.append("<h3>What would have been allowed</h3>")
        parts.append("<ul>" + "".join(f"<li>{text(each)}</li>" for each in also) + "</ul>")
    return "".join(parts)


def _candidate(candidate: Candidate) -> str:
    about = f'<p class="soft">{text(candidate.words)}</p>' if candidate.words else ""
    lacks = "".join(map(_lack, candidate.obstacles))
    return f'<li class="card"><h4>{text(heading(candidate))}, but</h4>{about}<ul class="lacks">{lacks}</ul></li>'


def _lack(lack: Lack) -> str:
    words = f'<p class="words">it is needed that {text(lack.words)}</p>' if lack.words else ""
    where = f' <span class="soft">{text(place(lack))}</span>' if lack.span is not None else ""
    values = "".join(f"<div><dt>{code(name)}</dt><dd>{code(value)}</dd></div>" for name, value in lack.values)
    shown = f'<dl class="facts">{values}</dl>' if values else ""
    return f"<li>{words}<p>{code(lack.text)}{where}</p>{shown}</li>"


# --------------------------------------------------------------------------------------------------------- the history


def _history(mapping: WatchMap, node: Value, alarm: Alarm) -> str:
    rows = "".join(_steps(mapping, node, alarm))
    heads = "".join(f'<th scope="col">{each}</th>' for each in ("message", "", "action", "what changed"))
    return (
        f"<details><summary>What the specification has {text(name_of(node))} do before: "
        f"{len(alarm.reasons.path)} steps</summary>"
        f'<div class="scroll"><table class="history"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        "</details>"
    )


def _steps(mapping: WatchMap, node: Value, alarm: Alarm) -> Iterator[str]:
    before = alarm.reasons.start
    for step in alarm.reasons.path:
        number = "" if step.message is None else str(step.message.number)
        yield (
            f"<tr><td>{number}</td><td>{_told(step, node)}</td><td>{code(step.action) if step.action else ''}</td>"
            f"<td>{''.join(_changes(mapping, node, before, step))}</td></tr>"
        )
        before = step.local


def _told(step: PathStep, node: Value) -> str:
    message = step.message
    if message is None:
        return '<span class="soft">unseen</span>'
    if message.source == node:
        return text(f"sends {message.kind} to {name_of(message.target)}")
    return text(f"gets {message.kind} from {name_of(message.source)}")


def _changes(mapping: WatchMap, node: Value, before: tuple[Value, ...], step: PathStep) -> Iterator[str]:
    for name, old, new in zip(mapping.monitor.local, before, step.local, strict=True):
        if old != new:
            change = Change(name, apply(old, node), apply(new, node))
            title = text(f"{name}: {show(change.before)} → {show(change.after)}")
            for place, what in change_words(change, _LONGEST):
                yield f'<div title="{title}">{code(place)} <span class="soft">{code(what)}</span></div>'
