"""What can be done to a system of processes.

start kill restart    a process (kill: `lose` = "to", "from", "both" or "none": messages that are on their way)
cut heal              two processes (`to`): messages between them wait until they heal
drop duplicate        a message that is held
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gristmill.explore.program import Envelope
from gristmill.explore.transitions import sent as shown
from gristmill.explore.transitions import without
from gristmill.replay.driver import DriverError, Node
from gristmill.replay.program.stage import Actor, check_lose
from gristmill.trace.schedule import Sent

if TYPE_CHECKING:
    from gristmill.replay.program.systems import SystemStage

__all__ = ["KINDS", "do", "received", "shown", "start"]

KINDS = ("start", "kill", "restart", "cut", "heal", "drop", "duplicate")


def do(stage: SystemStage, kind: str, node: Node | None, details: Mapping[str, Any], actor: Actor | None) -> None:
    if kind in ("drop", "duplicate"):
        _hit(stage, kind, actor)
        return
    if node is None:
        raise DriverError(f"`{kind}` needs a process", 'on = "…" names it')
    if kind in ("cut", "heal"):
        other = details.get("to")
        if other not in stage.rules.index:
            raise DriverError(f"`{kind}` needs two processes", 'with = { to = "…" } names the other one')
        (stage.cut.add if kind == "cut" else stage.cut.discard)(frozenset((node, other)))
        return
    up = stage.running(node)
    if kind != "restart" and up == (kind == "start"):
        raise DriverError(f"`{kind}`: {node} is {'running' if up else 'down'} already")
    if up:
        _kill(stage, node, check_lose(details))
    if kind != "kill":
        start(stage, node)


def start(stage: SystemStage, node: Node) -> None:
    """For the first time, or again with what has survived."""
    index = stage.rules.index[node]
    if node not in stage.started:
        stage.started.add(node)
        stage.apply(index, stage.rules.start(index), "the start")
        return
    again = stage.rules.restored(index, stage.state.locals[index])
    stage.apply(index, stage.rules.outcomes(index, again, "restart", ()), "the restart")


def _kill(stage: SystemStage, node: Node, lose: str) -> None:
    index = stage.rules.index[node]
    stage.become(index, stage.rules.survivor(index, stage.state.locals[index]))
    inboxes = list(stage.state.inboxes)
    if lose in ("to", "both"):
        inboxes[index] = ()
    if lose in ("from", "both"):
        inboxes = [tuple(each for each in inbox if each.sender != node) for inbox in inboxes]
    stage.state = stage.state._replace(inboxes=tuple(inboxes))


def _hit(stage: SystemStage, kind: str, actor: Actor | None) -> None:
    if actor is None or actor.at != "message" or not isinstance(actor.given["from"], str):
        raise DriverError(f"`{kind}` hits no single message that is held")
    index = stage.rules.index[actor.node]
    envelope = _envelope(stage, index, actor)
    inbox = stage.state.inboxes[index]
    if kind == "drop":
        inbox = without(inbox, (envelope,))
    else:
        inbox = stage.rules.put(inbox, stage.state.locals[index], envelope)
    inboxes = (*stage.state.inboxes[:index], inbox, *stage.state.inboxes[index + 1 :])
    stage.state = stage.state._replace(inboxes=inboxes)


def received(messages: Sequence[Sent]) -> tuple[tuple[Node, str], ...]:
    """What tells messages apart: who has sent them, and what is in them."""
    return tuple((each.sender, repr(each.message)) for each in messages)


def _envelope(stage: SystemStage, index: int, actor: Actor) -> Envelope:
    for envelope in stage.state.inboxes[index]:
        if received((shown(envelope),)) == actor.key[-1]:
            return envelope
    raise DriverError(f"{actor.text} is not on its way any more")
