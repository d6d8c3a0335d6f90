"""What a node owes, and what it has sent of it: answers, by when they came to be owed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gristmill.values import Fn, Value
from gristmill.watch.backlog import MOST_KEPT, Backlog
from gristmill.watch.simulation import Node, Records, State

_OLDEST_OWED = 1_000  # messages that the node sends, after which an answer that it has not sent counts as lost
_OLDEST_PAID = 128  # messages that it sends, after which one that it has sent is not sent again
_MANY_UNPAID = 16  # answers of one kind to one node, which it may have come to owe without knowing it yet


@dataclass(slots=True)
class _Group:
    """Answers of one kind to one node: when the last one was sent, how many have come to be owed since then, and when
    the first of these did."""

    paid: int = 0
    unpaid: int = 0
    first: int = 0

    @property
    def is_left_unpaid(self) -> bool:
        return self.unpaid >= _MANY_UNPAID


class Debts:
    """`owed` and `paid`: by how many messages had been seen then. `kind`, `target`: the fields that tell kinds of
    messages apart, and the receiver."""

    def __init__(self, kind: str, target: str) -> None:
        self.owed: dict[Value, int] = {}
        self.paid: dict[Value, int] = {}
        self._kind, self._target = kind, target

    def owe(self, records: Iterable[Value], seen: int) -> None:
        for record in records:
            self.owed[record] = seen

    def clear(self) -> None:
        self.owed.clear()
        self.paid.clear()

    def forget(self, backlog: Backlog, seen: int, held: Records) -> frozenset[Value]:
        """Answers that were sent, but for the last one of its kind, and those that nobody has sent for long; which ones
        are left. `held`: those that some state owes.

        A node may look at what comes on one connection only much later, and meanwhile answer what comes on others. Then
        it has many answers of one kind to send, and has sent none of them. Until it does, these are not forgotten.
        """
        groups = self._groups(held)
        waits = [seen - each.first for each in groups.values() if each.is_left_unpaid]
        backlog.unanswered = max((each for each in waits if each > backlog.limits.settle), default=0)
        unpaid, paid = backlog.seen_before(_OLDEST_OWED), backlog.seen_before(_OLDEST_PAID)
        for record in {**self.owed, **self.paid}:
            group, was_paid = groups[self._group_of(record)], self.paid.get(record, 0)
            if was_paid and was_paid == group.paid:
                continue
            oldest = max(0, seen - MOST_KEPT) if group.is_left_unpaid else seen
            if self.owed.get(record, seen) <= min(unpaid, oldest):
                del self.owed[record]
            if was_paid and was_paid <= min(paid, oldest):
                del self.paid[record]
                self.owed.pop(record, None)
        return frozenset(self.owed)

    def _group_of(self, record: Value) -> tuple[Value, Value] | None:
        return (record[self._kind], record[self._target]) if isinstance(record, Fn) else None

    def _groups(self, held: Records) -> dict[tuple[Value, Value] | None, _Group]:
        found: dict[tuple[Value, Value] | None, _Group] = {}
        for record in {**self.owed, **self.paid}:
            group = found.setdefault(self._group_of(record), _Group())
            group.paid = max(group.paid, self.paid.get(record, 0))
        for record in held:
            owed, its = self.owed.get(record, 0), found.get(self._group_of(record))
            if its is not None and record not in self.paid and owed > its.paid:
                its.first = min(its.first, owed) if its.unpaid else owed
                its.unpaid += 1
        return found

    def merged(self, node: Node, state: State, record: Value) -> State:
        """An answer takes the place of earlier ones of its kind, if the implementation merges them."""
        if record not in state.owed:
            return state
        since = self.owed.get(record, 0)
        gone = [each for each in node.those_alike(state.owed, record) if self.owed.get(each, since) < since]
        return state._replace(owed=state.owed.difference(gone)) if gone else state
