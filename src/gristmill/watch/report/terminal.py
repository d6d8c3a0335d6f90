"""What came of watching, on a terminal. The verdict comes last."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from gristmill.report.style import Style, printable
from gristmill.values import Value
from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.explaining import Candidate, Lack
from gristmill.watch.report.chart import chart_text
from gristmill.watch.report.words import basis, heading, headline, name_of, otherwise, place, told, when
from gristmill.watch.verdicts import NodeVerdict, Watched

_WIDTH = 100
_MOST_TROUBLE = 8  # that are told one by one


def render(watched: Watched, style: Style | None = None, width: int = _WIDTH) -> str:
    """In the world of the specification."""
    style = style or Style(color=False)
    good = {"ok": "good", "alarm": "bad", "incomplete": "warning"}
    paragraphs = [
        *(render_alarm(each.node, alarm, style, width) for each in watched.nodes for alarm in each.alarms),
        *(render_lost(each.node, end, width) for each in watched.nodes for end in each.ends if isinstance(end, Lost)),
        "\n".join(_nodes(watched)),
        "\n".join(_trouble(watched)),
        "\n".join(f"note: {printable(each)}" for each in watched.notes),
        style.paint(good[watched.verdict], printable(headline(watched))),  # type: ignore[arg-type]
    ]
    return "\n\n".join(each for each in paragraphs if each) + "\n"


def _trouble(watched: Watched) -> Iterator[str]:
    for each in watched.trouble[:_MOST_TROUBLE]:
        yield f"not judged: {printable(each)}"
    more = len(watched.trouble) - _MOST_TROUBLE
    if more > 0:
        yield f"not judged: {more:,} more, which --format json tells"
    if watched.messages == 0:
        yield "Is it a recording of this system? And is the decoder of the mapping the right one?"


def render_alarm(node: Value, alarm: Alarm, style: Style, width: int) -> str:
    """The messages, a chart of them, and why the last one is wrong."""
    lines = [
        style.paint("bad", f"Alarm: {printable(name_of(node))} has sent what the specification does not allow"),
        "",
        *(printable(f"  {told(each, node, width - 2)}") for each in alarm.before),
        style.paint("bad", printable(f"> {told(alarm.message, node, width - 2)}")),
        "",
        *chart_text(alarm, width).splitlines(),
        "",
        *map(printable, _reasons(node, alarm, width)),
    ]
    return "\n".join(lines)


def _reasons(node: Value, alarm: Alarm, width: int) -> Iterator[str]:
    yield from wrap(basis(alarm), width)
    if not alarm.candidates:
        yield "No action of the specification sends such a message."
    else:
        yield "It could have been sent by"
    for candidate in alarm.candidates:
        yield from _candidate(candidate, width)
    for each in alarm.reasons.instead:
        yield from wrap(f"{otherwise(each)}.", width, subsequent_indent="  ")
    if alarm.reasons.earlier is not None:
        yield from wrap(f"{when(alarm.reasons.earlier, node)}.", width, subsequent_indent="  ")


def _candidate(candidate: Candidate, width: int) -> Iterator[str]:
    yield f"  {heading(candidate)}, but"
    for lack in candidate.obstacles:
        yield from _lack(lack, width)


def _lack(lack: Lack, width: int) -> Iterator[str]:
    where = f"   {place(lack)}" if lack.span is not None else ""
    if lack.words:
        yield from wrap(f"it is needed that {lack.words}:", width, initial_indent="    ", subsequent_indent="      ")
    indent = "      " if lack.words else "    "
    yield from wrap(f"{lack}{where}", width, initial_indent=indent, subsequent_indent=indent + "  ")


def render_lost(node: Value, lost: Lost, width: int) -> str:
    lines = [
        f"Lost track of {name_of(node)} at message {lost.message.number}: {lost.why}",
        f"> {told(lost.message, node, width - 2)}",
        "What it sends after that is judged as far as its state can be learned from its messages.",
    ]
    return "\n".join(map(printable, lines))


def _nodes(watched: Watched) -> Iterator[str]:
    yield f"{'node':<10}{'sent':>9}{'received':>10}{'states':>8}{'most':>6}{'searches':>10}{'exact':>7}"
    for each in watched.nodes:
        yield printable(_node(each))
        if each.counts.learning:
            unknown = ", ".join(each.unknown)
            still = f"still unknown, at least in parts: {unknown}" if unknown else "it is known in the end"
            yield f"  {each.counts.learning:,} that it has sent were not judged, as its state was not known; {still}"
    rate = watched.messages / watched.seconds if watched.seconds else 0.0
    yield f"{watched.seconds:.1f} s of processor time, {rate:,.0f} messages/s; {watched.ignored:,} were not looked at"


def _node(each: NodeVerdict) -> str:
    counts = each.counts
    mean = counts.states / counts.sent if counts.sent else 1.0
    return (
        f"{name_of(each.node):<10}{counts.sent:>9,}{counts.received:>10,}{mean:>8.2f}{counts.most_states:>6}"
        f"{counts.searches:>10}{counts.exact:>7}  {each.called or 'not seen'}"
    )
