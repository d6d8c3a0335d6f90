"""What an alarm rests on: all that was taken for granted when no explanation was found, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gristmill.watch.judging import NodeMonitor


def rests_on(monitor: NodeMonitor, confirmed: int) -> Iterator[str]:
    """`confirmed`: over so many messages every schedule was tried."""
    limits = monitor.limits
    if not monitor.trusted:
        yield f"nothing that came before the last {confirmed} messages: there is no state from which they are explained"
    elif monitor.since:
        unknown = ", ".join(monitor.unknown)
        known = f" but for {unknown}" if unknown else ""
        yield f"the state of the node, which is known{known} since its message {monitor.since:,}"
        if monitor.mapping.anchors is not None and monitor.mapping.anchors.assumes:
            yield monitor.mapping.anchors.assumes
    else:
        yield "the initial states of the specification, and what the node has sent since"
    yield (
        f"a message that has arrived is looked at within the next {limits.settle} messages of the node, if at all, and"
        f" one that is sent is overtaken by at most {limits.late} on other connections"
    )
    if monitor.node.monitor.unseen:
        names = ", ".join(dict.fromkeys(each.name for each in monitor.node.monitor.unseen))
        yield f"what the node sends is seen, but for at most a dozen times in a row ({names})"
    if monitor.mapping.in_order and confirmed > limits.confirm:
        yield (
            "messages that come on one connection are handled in their order, as the mapping says"
            f" (but for the last {limits.confirm}, which were tried in every order)"
        )
    if monitor.alarmed is not None:
        ago = monitor.seen - monitor.alarmed
        yield f"the node goes on from its alarm {ago} messages before as if it had not sent that"
