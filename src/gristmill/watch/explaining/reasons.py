"""All that explains an alarm, from the states that the monitor has kept."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.watch.explaining.alternatives import Before, earlier, instead
from gristmill.watch.explaining.candidates import candidates
from gristmill.watch.explaining.parts import Reasons
from gristmill.watch.explaining.path import path_to
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Node, State


def reasons(node: Node, history: Sequence[Before], states: Sequence[State], message: Message) -> Reasons:
    """`history`: the messages of the node before this one, with the states before each. `states`: those before this
    one, without answers that were sent."""
    if not states:
        return Reasons()
    before = [each for each, _ in history]
    start, path = path_to(node, history, states[0])
    return Reasons(
        tuple(candidates(node, states, history, message)),
        earlier(node, history, states, message.record),
        tuple(instead(node, states, before, message.record)),
        start.values,
        path,
    )
