"""Before anything is called wrong: every schedule of the last messages of a node is tried, without the reductions.

If one explains what the node has sent, the monitor goes on from there; if there are too many to try, it has lost track.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.exact import ExactSearch, TooManyStatesError
from gristmill.watch.explaining import reasons
from gristmill.watch.held_up import STALLED
from gristmill.watch.lost_messages import is_on_new_connection, may_follow_on_lost
from gristmill.watch.messages import Message
from gristmill.watch.resting import rests_on
from gristmill.watch.rewinding import rewound
from gristmill.watch.simulation import Arrived, State
from gristmill.watch.suspecting import Suspicion

if TYPE_CHECKING:
    from gristmill.watch.judging import NodeMonitor

_SHOWN = 12  # messages before an alarm
_QUICK = 4_000  # evaluations, before anything is suspected
_FOR_HELD_UP = 20_000  # evaluations, where the state is learned again if nothing is found
_HELD_UP = "nothing explains it, but all that the node sends was held up, and may come in any order"
_LOST = "nothing explains it, but its connection is new: what it follows on may have been lost with the one before"
_LINK_HELD_UP = "nothing explains it, but its connection was held up: it may have been sent long ago"


class Kept(NamedTuple):
    """A message, the states before it (none if they were wrong), and what was waiting then."""

    message: Message
    states: tuple[State, ...]
    waiting: Arrived


@dataclass(frozen=True, slots=True)
class Confirming:
    """Of one monitor, whose history ends with a message that nothing has explained."""

    monitor: NodeMonitor

    def run(self, message: Message) -> None:
        """Every schedule of the last messages is tried. Then explanations are looked for that begin earlier."""
        monitor = self.monitor
        monitor.counts.exact += 1
        kept = _from_known(monitor.history)
        confirm = len(_stretch(kept, monitor.limits.confirm))
        if not monitor.trusted:
            self._from_anywhere(message, kept[-confirm:])
            return
        found, looked = rewound(monitor, message)
        if found:
            monitor.go_on(found, [each.message for each in kept[-looked:]])
            return
        if monitor.mapping.in_order and self._may_be_held_up(message):  # several connections lead from one to another
            self._held_up(message, kept, confirm, _HELD_UP)
            return
        if monitor.mapping.in_order and self._is_link_held_up(message):
            self._held_up(message, kept, confirm, _LINK_HELD_UP)
            return
        if not monitor.mapping.in_order:
            self._decide(message, kept, confirm)
            return
        found, looked = self._patiently(kept, confirm, (confirm, *_lengths(kept, confirm)), _QUICK)
        if found:
            monitor.go_on(found, [each.message for each in kept[-looked:]])
        else:  # what it was sent after may still come, on another connection
            is_new = is_on_new_connection(monitor, message)
            monitor.suspicion = Suspicion(monitor, message, lambda: self._decide(message, kept, confirm, is_new))

    def _may_be_held_up(self, message: Message) -> bool:
        """Whether more was sent since a stall than is tried to have been overtaken. Or its connection is new: then the
        node may have been started again, with what it had sent to nobody."""
        monitor, limits = self.monitor, self.monitor.limits
        many = monitor.backlog.stalled < limits.settle - limits.late
        return monitor.backlog.stalled > 0 and (many or is_on_new_connection(monitor, message))

    def _is_link_held_up(self, message: Message) -> bool:
        """Whether its connection was, while more was sent on others than is tried to have overtaken a message."""
        monitor = self.monitor
        if not monitor.connections.is_held_up(message.channel):
            return False
        after, overtaking = message, 0
        for kept in islice(reversed(monitor.history), 1, None):
            each = kept.message
            if each.source != monitor.name:
                continue
            if each.channel != message.channel:
                overtaking += 1
            elif after.time - each.time > STALLED:
                return overtaking > monitor.limits.late
            else:
                after, overtaking = each, 0
        return True

    def _decide(self, message: Message, kept: Sequence[Kept], confirm: int, is_new: bool = False) -> None:
        """`is_new`: the connection that it came on."""
        monitor = self.monitor
        confirmed, found = self._every_schedule(kept, confirm)
        lost = None
        if not confirmed:
            lost = Lost(message, f"there are too many schedules of the last {confirm} messages to try all of them")
        elif not monitor.backlog.is_within(confirmed, len(kept)):
            lost = Lost(message, _behind(max(monitor.backlog.most, monitor.backlog.unanswered), confirmed))
        elif self._may_be_late(kept, confirmed):
            lost = Lost(message, _too_few(confirmed))
        looked = max(confirm, confirmed)
        if not found:
            found, looked = self._patiently(kept, looked, _lengths(kept, looked))
        if found:
            monitor.go_on(found, [each.message for each in kept[-looked:]])
        elif lost is not None:
            self._lose(lost)
        elif is_new and may_follow_on_lost(monitor, message):
            self._lose(Lost(message, _LOST))
        else:
            self._alarm(message, confirmed, looked)

    def _held_up(self, message: Message, kept: Sequence[Kept], confirm: int, why: str) -> None:
        """No alarm may come of it, so nothing has to be proved: an explanation is looked for, and no more than that."""
        found, looked = self._patiently(kept, confirm, (confirm, *_lengths(kept, confirm)), _FOR_HELD_UP)
        if found:
            self.monitor.go_on(found, [each.message for each in kept[-looked:]])
        else:
            self._lose(Lost(message, why))

    def _lose(self, lost: Lost) -> None:
        self.monitor.ends.append(lost)
        self.monitor.know_nothing()

    def _patiently(
        self, kept: Sequence[Kept], looked: int, counts: Iterable[int], limit: int | None = None
    ) -> tuple[list[State], int]:
        """What explains the last messages, for one of these counts, and how many were looked at, `looked` before."""
        for count in counts:
            found = self._explained(kept[-count:], patient=True, limit=limit)
            if found is None:
                break
            looked = count
            if found:
                return found, looked
        return [], looked

    def _may_be_late(self, kept: Sequence[Kept], confirmed: int) -> bool:
        """Whether it may have been sent before the messages of which every schedule was tried: where there are several
        connections between two nodes, and if these are not all."""
        monitor = self.monitor
        if not monitor.mapping.in_order or confirmed == monitor.seen - monitor.since:
            return False
        sent = sum(each.message.source == monitor.name for each in kept[-confirmed:])
        return sent <= monitor.limits.late

    def _every_schedule(self, kept: Sequence[Kept], first: int) -> tuple[int, list[State]]:
        """Over more and more of the last messages, as long as there are not too many schedules: over how many, and
        what explains them, if anything does."""
        confirmed, are_few = 0, True
        for count in (first, *_lengths(kept, first)):
            found = self._explained(kept[-count:], patient=False) if are_few else None
            if found is None:
                are_few = False
                if not self._is_refuted(kept[-count:]):
                    break
            confirmed = count
            if found:
                return confirmed, found
        # That connections are handled in order is said by the mapping: over a few messages it is not relied on.
        found = self._explained(kept[-first:], patient=False, in_order=False)
        return (first, found) if found else (confirmed, [])

    def _is_refuted(self, kept: Sequence[Kept]) -> bool:
        """Whether no schedule explains the last message that has only those messages in it which count for it."""
        kinds = self.monitor.node.relevance.kinds(kept[-1].message.kind)
        return self._explained(kept, patient=False, only=kinds) == []

    def _from_anywhere(self, message: Message, kept: Sequence[Kept]) -> None:
        """The state was not known for certain: is there any in which the node may have been?"""
        monitor = self.monitor
        anywhere = [kept[0]._replace(states=(monitor.node.unknown(),)), *kept[1:]]
        found = self._explained(anywhere, patient=False)
        if found is not None and not found:
            self._alarm(message, len(kept), len(kept))
            return
        monitor.counts.learning += 1
        monitor.counts.relearned += 1
        monitor.know_nothing()
        monitor.states = tuple(found[: monitor.limits.states]) if found else monitor.states

    def _alarm(self, message: Message, confirmed: int, looked: int) -> None:
        monitor = self.monitor
        kept = list(monitor.history)
        before = tuple(each.message for each in kept[-_SHOWN - 1 : -1])
        states = [state for state in monitor.states if not state.is_partial]
        unpaid = [state._replace(owed=state.owed.difference(monitor.debts.paid)) for state in states]
        known = [*takewhile(lambda each: each.states, reversed(kept[:-1]))][::-1]
        history = [(each.message, each.states) for each in known if not any(state.is_partial for state in each.states)]
        why = reasons(monitor.node, history, unpaid, message)
        monitor.ends.append(Alarm(message, confirmed, looked, why, before, tuple(rests_on(monitor, confirmed))))
        if monitor.alarmed is not None and self._sent_since(monitor.alarmed) < monitor.limits.settle:
            monitor.know_nothing()  # two at once: what the node does has little to do with the states at hand
        else:
            monitor.alarmed = monitor.seen  # it goes on as if it had not sent that

    def _sent_since(self, seen: int) -> int:
        """Messages of the node among the last ones, since so many had been seen."""
        since = max(0, len(self.monitor.history) - (self.monitor.seen - seen))
        return sum(each.message.source == self.monitor.name for each in islice(self.monitor.history, since, None))

    def _explained(
        self,
        kept: Sequence[Kept],
        patient: bool,
        in_order: bool = True,
        limit: int | None = None,
        only: Collection[str] | None = None,
    ) -> list[State] | None:
        """The states after these messages; none if nothing explains them; None if there is too much to try.

        `only`: of messages of these kinds. The states are not to be gone on from then."""
        monitor = self.monitor
        history = [each.message for each in kept if only is None or each.message.kind in only]
        waiting = kept[0].waiting
        if only is not None:
            waiting = {record: number for record, number in waiting.items() if monitor.node.kind_of(record) in only}
        limit = limit or monitor.limits.exact
        channels = monitor.channels if in_order and monitor.mapping.in_order else None
        search = ExactSearch(monitor.node, kept[0].states, waiting, history, limit, patient, channels)
        try:
            found = search.run(monitor.limits.late) or []
        except TooManyStatesError:
            return None
        if search.overtaken_by is not None and only is None:
            monitor.put_last_before(search.overtaken_by)
        return found


def _too_few(confirmed: int) -> str:
    return (
        f"no schedule of the last {confirmed} messages explains it, but it may have been sent before, and there are too"
        " many schedules of more messages to try all of them"
    )


def _behind(most: int, confirmed: int) -> str:
    return (
        f"the node is behind: {most:,} messages more than usual may have arrived that it has not looked at, and there"
        f" are too many schedules to try of more than the last {confirmed} messages"
    )


def _from_known(history: Iterable[Kept]) -> list[Kept]:
    """Without the first ones, before which no state is known."""
    return list(dropwhile(lambda each: not each.states, history))


def _stretch(kept: Sequence[Kept], count: int) -> Sequence[Kept]:
    """The last messages, at least so many if there are, from one on before which states are known."""
    first = max(0, len(kept) - count)
    while not kept[first].states:
        first -= 1
    return kept[first:]


def _lengths(kept: Sequence[Kept], first: int) -> Iterator[int]:
    """Of longer and longer stretches of messages."""
    while first < len(kept):
        first = len(_stretch(kept, 2 * first))
        yield first
