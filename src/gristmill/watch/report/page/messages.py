"""The last messages of all nodes, in a table that can be filtered."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.report.page.elide import elided
from gristmill.report.page.markup import code, text
from gristmill.watch.messages import Message
from gristmill.watch.report.words import fields_of, name_of
from gristmill.watch.verdicts import Watched

_LONGEST = 200  # characters of what a message says
_COLUMNS = ("number", "seconds", "from", "to", "kind", "what it says")


def message_table(watched: Watched) -> str:
    """Each message once, in the order of the recording."""
    shown = {each.number: each for verdict in watched.nodes for each in verdict.last}
    messages = [shown[number] for number in sorted(shown)]
    if not messages:
        return ""
    wrong = {alarm.message.number for alarm in watched.alarms}
    first = messages[0].time
    rows = "".join(_row(each, first, each.number in wrong) for each in messages)
    heads = "".join(f'<th scope="col">{each}</th>' for each in _COLUMNS)
    return (
        f'<section id="messages"><h2>The last messages <span class="soft" id="count">{len(messages):,}</span></h2>'
        f'{_controls(messages)}<div class="scroll"><table class="messages"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _controls(messages: Iterable[Message]) -> str:
    nodes = sorted({name_of(end) for each in messages for end in (each.source, each.target)})
    kinds = sorted({each.kind for each in messages})
    return (
        '<div class="controls filter">'
        '<label>with <input type="search" id="wanted" placeholder="such as term 2" autocomplete="off"></label>'
        f"<label>of node {_choice('of-node', nodes)}</label><label>kind {_choice('of-kind', kinds)}</label>"
        '<button type="button" id="reset">all</button></div>'
    )


def _choice(name: str, values: Iterable[str]) -> str:
    options = "".join(f'<option value="{text(each)}">{text(each)}</option>' for each in values)
    return f'<select id="{name}"><option value="">any</option>{options}</select>'


def _row(message: Message, first: int, wrong: bool) -> str:
    said = ", ".join(f"{name} {value}" for name, value in fields_of(message).items())
    source, target = name_of(message.source), name_of(message.target)
    style = ' class="differs"' if wrong else ""
    return (
        f'<tr{style} data-from="{text(source)}" data-to="{text(target)}" data-kind="{text(message.kind)}">'
        f"<td>{message.number}</td><td>{(message.time - first) / 1e9:.4f}</td><td>{text(source)}</td>"
        f"<td>{text(target)}</td><td>{text(message.kind)}</td>"
        f'<td title="{text(said)}">{code(elided(said, _LONGEST))}</td></tr>'
    )
