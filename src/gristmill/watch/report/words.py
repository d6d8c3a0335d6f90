"""Messages, nodes and verdicts in words, the same in every report. In the world of the specification."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.report.changes import SHORT, Words, variable_words
from gristmill.trace.chart import Chart, Row, RowKind
from gristmill.trace.difference import changes
from gristmill.values import Fn, Value, show
from gristmill.watch.explaining import Candidate, Change, Earlier, Instead, Lack
from gristmill.watch.judging import Alarm
from gristmill.watch.messages import Message
from gristmill.watch.verdicts import Watched

_LONGEST = 60  # characters of a value in a sentence


def name_of(node: Value) -> str:
    return node if isinstance(node, str) else show(node)


def fields_of(message: Message) -> dict[str, str]:
    """What a message says, besides its kind and who speaks to whom."""
    assert isinstance(message.record, Fn)
    known = (message.kind, message.source, message.target)
    return {str(name): show(value) for name, value in message.record.items() if value not in known}


def told(message: Message, node: Value, width: int) -> str:
    """In one line, as the node sees it."""
    sends = message.source == node
    way = f"sends {message.kind} to {name_of(message.target)}"
    way = way if sends else f"gets  {message.kind} from {name_of(message.source)}"
    said = ", ".join(f"{name} {value}" for name, value in fields_of(message).items())
    return cut(f"{message.number:>7}  {way}: {said}", width)


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def headline(watched: Watched) -> str:
    count = f"{watched.messages:,} messages"
    match watched.verdict:
        case "ok" if watched.learning:
            return f"No alarm: {count} of {watched.system}; {_judged(watched)}"
        case "ok":
            return f"No alarm: {count} of {watched.system} follow the specification"
        case "alarm":
            nodes = ", ".join(name_of(each.node) for each in watched.nodes if isinstance(each.end, Alarm))
            return f"Alarm: {watched.system} does not follow the specification ({nodes}; {count})"
        case _ if watched.learning:
            return f"Not everything was judged ({count}; {_judged(watched)})"
        case _:
            return f"Not everything was judged ({count})" if watched.messages else "No messages were found"


def _judged(watched: Watched) -> str:
    return f"{watched.sent - watched.learning:,} of {watched.sent:,} that were sent were judged"


def summary(node: Value, alarm: Alarm) -> str:
    """An alarm in a line: who sent what to whom, and what that needed. For a list, a log, a page's title."""
    message = alarm.message
    what = f"{name_of(node)} sent {message.kind} to {name_of(message.target)}"
    nearest = next(iter(alarm.candidates), None)
    if nearest is None:
        return f"{what}, which no action of the specification sends"
    needed = "; ".join(lack.words or lack.text for lack in nearest.obstacles)
    needs = any(lack.words for lack in nearest.obstacles)
    return f"{what}, which {nearest.action} does only if: {needed}" if needs else f"{what}, but {needed}"


def basis(alarm: Alarm) -> str:
    """What an alarm rests on."""
    found = f"No schedule of the last {alarm.confirmed} messages of this node explains it"
    if alarm.window > alarm.confirmed:
        found += f", and none was found that begins up to {alarm.window} messages before"
    rests = "; ".join(alarm.rests_on)
    return f"{found}. That rests on {rests}." if rests else f"{found}."


def heading(candidate: Candidate) -> str:
    asked = candidate.held + len(candidate.obstacles)
    held = f" ({candidate.held} of {asked} conditions hold)" if candidate.held else ""
    answers = f", answering message {candidate.answers.number}" if candidate.answers is not None else ""
    return f"{candidate.action}{answers}{held}"


def place(lack: Lack) -> str:
    """File and line, for whoever wants to read on."""
    if lack.span is None:
        return ""
    return f"{lack.span.file.path.rpartition('/')[2]}:{lack.span.line}"


def otherwise(each: Instead) -> str:
    return f"With {each.field} {_value(each.allowed)} in the place of {_value(each.value)} it would be allowed"


def when(earlier: Earlier, node: Value) -> str:
    if earlier.until.source == node:
        what = f"sent {earlier.until.kind} to {name_of(earlier.until.target)}"
    else:
        what = f"got {earlier.until.kind} from {name_of(earlier.until.source)}"
    changed = [str(words) for each in earlier.changes for words in change_words(each, _LONGEST)]
    then = f"; with it {'; '.join(changed)}" if changed else ""
    ago = "1 message" if earlier.ago == 1 else f"{earlier.ago} messages"
    return (
        f"It was allowed until {name_of(node)} {what} (message {earlier.until.number}, {ago} of this node before){then}"
    )


def change_words(change: Change, width: int) -> Iterator[Words]:
    """What changed inside of a variable: `log: Append [term |-> 2]`, `votes: {} → {n1}`."""
    yield from variable_words(change.variable, changes(change.before, change.after, SHORT), width)


def _value(value: Value) -> str:
    return cut(show(value), _LONGEST)


# ------------------------------------------------------------------------------------------------------------- a chart


def chart_of(alarm: Alarm) -> Chart:
    """The last messages of the node, and the wrong one."""
    messages = (*alarm.before, alarm.message)
    ends = {name_of(end) for each in messages for end in (each.source, each.target)}
    return Chart(tuple(sorted(ends)), tuple(_rows(alarm)))


def _rows(alarm: Alarm) -> Iterator[Row]:
    for each in (*alarm.before, alarm.message):
        kind: RowKind = "wrong" if each is alarm.message else "message"
        yield Row(each.number, kind, label(each), name_of(each.source), name_of(each.target))


def label(message: Message) -> str:
    return " ".join([message.kind, *short_fields(message)])


def short_fields(message: Message) -> list[str]:
    """As short as they can be understood: numbers and Booleans, no sequences."""
    return [f"{name} {value}" for name, value in fields_of(message).items() if len(value) <= 6]
