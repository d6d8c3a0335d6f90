"""What a step leaves in a message sequence chart: marks on the lifelines of nodes, and between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.replay.result import Discrepancy, Kind, Moved, Run, StepRun
from gristmill.report.page.lifelines import Mark

_MOST = 8  # in a step
_ERRORS: dict[Kind, str] = {
    "differs": "differs",
    "never-came": "never came",
    "unexpected": "unexpected",
    "failed": "failed",
    "start": "not there",
}


def nodes_of(run: Run, nodes: Sequence[str]) -> tuple[str, ...]:
    """Those of the mapping, then whatever else takes part, such as a client that sends messages."""
    found = dict.fromkeys(nodes)
    for step in run.steps:
        for move in step.moves:
            found |= dict.fromkeys(each for each in (move.node, move.other) if each is not None)
    return tuple(found)


def marks_of(step: StepRun | None, discrepancy: Discrepancy | None) -> list[Mark]:
    """Of a step, or of the initial state; with the discrepancy if it is here."""
    found = [] if step is None else [mark for move in step.moves for mark in _marks(move)]
    if len(found) > _MOST:
        left_out = found[_MOST - 1 :]
        title = "\n".join(each.title for each in left_out)
        found[_MOST - 1 :] = [Mark("note", None, f"… and {len(left_out)} more", title)]
    return [*found, *([] if discrepancy is None else [_error(discrepancy)])]


def _marks(move: Moved) -> Iterator[Mark]:
    title = f"{move.node}: {move.text}" if move.node else move.text
    if move.what == "fault":
        yield Mark("fault", move.node, move.text, title, move.other)
    elif move.what == "release" and move.other is not None:
        yield Mark("message", move.node, move.message or _points(move.text), title, move.other)
    elif move.what == "release":
        yield Mark("bar", move.node, _points(move.text), title)
    elif move.what == "await":
        yield Mark("await", move.node, "at " + (move.text.partition(" is at ")[2] or move.text), title)
    elif move.what == "call":
        yield Mark("call", move.node, move.text, title)
    else:
        yield Mark("note", move.node, move.text, title)


def _points(text: str) -> str:
    """Of "QuorumPeer from A to B", where it goes; who it is stands in the title."""
    return (text.partition(" from ")[2] or text).replace(" to ", " → ")


def _error(found: Discrepancy) -> Mark:
    others = len({each.variable for each in found.comparisons} - {found.variable})
    what = f"{found.variable} " if found.variable else ""
    more = f" +{others}" if others > 0 else ""
    return Mark("error", found.node, f"✗ {what}{_ERRORS[found.kind]}{more}", found.message)
