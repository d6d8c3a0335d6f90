"""The page: the verdict, the nodes, each alarm with its chart and its reasons, what was not judged, the messages."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.report.page.markup import code, described, listed, text
from gristmill.report.page.whole import Static, script_json, whole_page
from gristmill.watch.judging import Alarm, Lost
from gristmill.watch.mapping import WatchMap
from gristmill.watch.report.page.alarm import alarm_section
from gristmill.watch.report.page.messages import message_table
from gristmill.watch.report.words import headline, name_of, told
from gristmill.watch.verdicts import NodeVerdict, Watched

_STYLES: tuple[Static, ...] = ((__package__, "watch.css"),)
_SCRIPTS: tuple[Static, ...] = ((__package__, "filter.js"),)
_TONES = {"ok": "good", "alarm": "bad", "incomplete": "warning"}
_LINE = 160  # characters


def render_page(mapping: WatchMap, watched: Watched) -> str:
    """In the world of the specification."""
    return whole_page(
        title=f"{watched.system} watched: {watched.verdict}",
        verb="watch",
        without_script="Without JavaScript, the table of messages cannot be filtered; all of it is there.",
        body=tuple(_body(mapping, watched)),
        data=script_json({}),
        styles=_STYLES,
        scripts=_SCRIPTS,
    )


def _body(mapping: WatchMap, watched: Watched) -> Iterator[str]:
    yield _verdict(mapping, watched)
    yield _nodes(watched)
    for number, (node, alarm) in enumerate(watched.alarms_of_nodes):
        yield alarm_section(mapping, node, alarm, number)
    lost = [(each, each.end) for each in watched.nodes if isinstance(each.end, Lost)]
    if lost:
        inside = described((text(name_of(each.node)), _lost(each, end)) for each, end in lost)
        yield f'<section id="lost" class="card warning"><h2>Lost track</h2>{inside}</section>'
    if watched.trouble:
        yield f'<section id="trouble"><h2>Not judged</h2>{listed(map(text, watched.trouble))}</section>'
    yield message_table(watched)


def _verdict(mapping: WatchMap, watched: Watched) -> str:
    rate = watched.messages / watched.seconds if watched.seconds else 0.0
    facts = (
        f"{watched.messages:,} messages judged, {watched.ignored:,} not looked at · {watched.seconds:.1f} s of "
        f"processor time, {rate:,.0f} messages/s"
    )
    alarms = " · ".join(
        f'<a href="#alarm-{number}">alarm of {text(name_of(node))} at message {alarm.message.number:,}</a>'
        for number, (node, alarm) in enumerate(watched.alarms_of_nodes)
    )
    links = f'<p class="rests">{alarms}</p>' if alarms else ""
    links += "".join(f"<p>{text(each)}</p>" for each in watched.notes)
    return (
        f'<section class="verdict {_TONES[watched.verdict]}"><h1>{text(watched.system)} '
        f'<span class="soft">judged by</span> {text(mapping.specification.name)}</h1>'
        f'<p class="headline">{text(headline(watched))}</p><p class="extent">{text(facts)}</p>{links}</section>'
    )


_COLUMNS = ("node", "called", "sent", "received", "states, mean", "states, most", "searches", "exact searches", "")


def _nodes(watched: Watched) -> str:
    heads = "".join(f'<th scope="col">{each}</th>' for each in _COLUMNS)
    rows = "".join(_node(each) for each in watched.nodes)
    return (
        '<section id="nodes"><h2>Nodes</h2><div class="scroll"><table class="numbers">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def _node(verdict: NodeVerdict) -> str:
    counts = verdict.counts
    mean = f"{counts.states / counts.sent:.3f}" if counts.sent else "–"
    numbers = (f"{counts.sent:,}", f"{counts.received:,}", mean, counts.most_states, counts.searches, counts.exact)
    cells = "".join(f"<td>{each}</td>" for each in numbers)
    tone = "bad" if isinstance(verdict.end, Alarm) else "warning" if verdict.end is not None else "good"
    said = {"bad": "alarm", "warning": "lost track", "good": "no alarm"}[tone]
    called = code(verdict.called) if verdict.called else '<span class="soft">not seen</span>'
    return (
        f'<tr><th scope="row">{text(name_of(verdict.node))}</th><td>{called}</td>{cells}'
        f'<td><span class="tag {tone}">{said}</span></td></tr>'
    )


def _lost(verdict: NodeVerdict, lost: Lost) -> str:
    return f"at message {lost.message.number:,}: {text(lost.why)}<br>{code(told(lost.message, verdict.node, _LINE))}"
