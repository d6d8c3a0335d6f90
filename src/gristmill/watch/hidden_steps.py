"""What may have happened unseen, where the states at hand do not explain a message that a node has sent (§3.4.1)."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.values import Value
from gristmill.watch.exact import ExactSearch, TooManyStatesError
from gristmill.watch.simulation import Arrived, Node, State

MOST_UNSEEN = 12  # steps in a row, of which some may have sent what was lost


def shortest_explanations(
    node: Node, states: Sequence[State], waiting: Arrived, record: Value, tried: int, unseen: bool = False
) -> dict[State, None]:
    """Breadth first; where the message is explained, no further. None is found beyond so many states `tried`.

    `unseen`: also that the node has sent something that was lost.
    """
    seen, layer, layers = dict.fromkeys(states), list(states), 0
    while layer and len(seen) <= tried and not (unseen and layers == MOST_UNSEEN):
        layers += 1
        found: dict[State, None] = {}
        looked: set[int] = set()  # at states of the last layer: there may be thousands, each with hundreds of messages
        explained: dict[State, None] = {}
        for each in (each for state in layer for each in node.moves(state, waiting, True, unseen)):
            if each in seen or each in found or hash(each) in looked:
                continue
            if len(seen) + len(found) <= tried:
                found[each] = None
            else:
                looked.add(hash(each))
            explained.update(dict.fromkeys(node.send(each, record)))
        if explained:
            return explained
        seen |= found
        layer = list(found)
    return {}


def answers(node: Node, states: Sequence[State], waiting: Arrived, record: Value) -> dict[State, None]:
    """One message that has arrived, and that this is an answer to: the first that came."""
    events = node.monitor.answering(node.kind_of(record))
    kinds = {kind for event in events for kind in event.kinds}
    for arrived, number in waiting.items():
        if not kinds or node.kind_of(arrived) in kinds:
            looked = [each for state in states for each in node.consume(state, arrived, number)]
            found = {after: None for state in looked for after in node.send(state, record)}
            if found:
                return found
    return {}


def every_explanation(
    node: Node, states: Sequence[State], waiting: Arrived, record: Value, evaluations: int
) -> list[State] | None:
    """Also those by which more has happened unseen than is needed. None if there are too many."""
    search = ExactSearch(node, states, waiting, (), evaluations)
    try:
        return search.after(list(states), record)
    except TooManyStatesError:
        return None
