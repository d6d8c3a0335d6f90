"""What a node owes, and what it has sent of it: answers, by when they came to be owed."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.values import Value
from gristmill.watch.backlog import Backlog
from gristmill.watch.simulation import Node, State

_OLDEST_OWED = 1_000  # messages that the node sends, after which an answer that it has not sent counts as lost
_OLDEST_PAID = 128  # messages that it sends, after which one that it has sent is not sent again


class Debts:
    """`owed` and `paid`: by how many messages had been seen then."""

    def __init__(self) -> None:
        self.owed: dict[Value, int] = {}
        self.paid: dict[Value, int] = {}

    def owe(self, records: Iterable[Value], seen: int) -> None:
        for record in records:
            self.owed[record] = seen

    def clear(self) -> None:
        self.owed.clear()
        self.paid.clear()

    def forget(self, backlog: Backlog) -> frozenset[Value]:
        """Answers that were sent, and those that nobody has sent for long; which ones are left."""
        unpaid, paid = backlog.seen_before(_OLDEST_OWED), backlog.seen_before(_OLDEST_PAID)
        for record in [record for record, number in self.owed.items() if number <= unpaid]:
            del self.owed[record]
        for record in [record for record, number in self.paid.items() if number <= paid]:
            del self.paid[record]
            self.owed.pop(record, None)
        return frozenset(self.owed)

    def merged(self, node: Node, state: State, record: Value) -> State:
        """An answer takes the place of earlier ones of its kind, if the implementation merges them."""
        if record not in state.owed:
            return state
        since = self.owed.get(record, 0)
        gone = [each for each in node.those_alike(state.owed, record) if self.owed.get(each, since) < since]
        return state._replace(owed=state.owed.difference(gone)) if gone else state
