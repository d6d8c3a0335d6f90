"""A node judged as `judging.py` does it, but by native code as long as nothing unusual happens.

Most of the time a node can be in one state, and every message has one effect. That is followed in one native call a
message, which knows what the node owes and what has arrived (`native/runtime/driver/following.c`). Whatever else
happens is judged in Python: the monitor begins anew from how things were noted some messages ago, sees these once more,
and so has the states and the history that it would have had without native code. Then it goes on in Python for a while.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, cast

from gristmill.native.errors import NoNativeFormError
from gristmill.native.run.following import MERGES, SENT, WAITS, Follower
from gristmill.native.run.hearing import ALL, UNKNOWN, UNUSUAL, Hearing
from gristmill.systems.decoders.listening import address_of
from gristmill.values import Fn, Value
from gristmill.watch.alarms import Counts
from gristmill.watch.applying import Actions, Local
from gristmill.watch.arrivals import arrivals
from gristmill.watch.backlog import MOST_KEPT
from gristmill.watch.evaluating import evaluating
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message
from gristmill.watch.packed import Packed, Route, Unpacking
from gristmill.watch.simulation import State

_EVERY = 512  # messages between two notes of how things are
_REST, _LONGEST_REST = 128, 16_384  # messages that are judged in Python, after something unusual
_WORTH = 2_048  # messages after which following was worth its while


class _Note(NamedTuple):
    """How things were when so many messages had been seen. No words: as in the monitor itself."""

    seen: int
    words: array[int] | None


class _Stretch(NamedTuple):
    """Messages that were followed where they lie among others: from one place to another, and how many."""

    packed: Packed
    start: int
    end: int
    messages: int


class FollowedMonitor(NodeMonitor):
    """`unpacking`: of messages that come many together, if any do."""

    def __init__(self, mapping: WatchMap, actions: Actions, name: Value, unpacking: Unpacking | None = None) -> None:
        self.unpacking = unpacking
        self._follower: Follower | None = None
        self._hearing: Hearing | None = None  # if there is one, it knows the connections
        self._routes: list[Route] | None = None  # those whose numbers it knows
        self._counts = Counts()
        self._rest = self._next_rest = _REST
        self._notes: deque[_Note] = deque()
        self._log: deque[Message | _Stretch] = deque()  # since the first note
        self._logged = 0  # messages in it
        self._plans: dict[tuple[object, ...], tuple[int, int] | None] = {}
        self._until_note = _EVERY
        self._allowed = 0  # what learning had been allowed when following began
        super().__init__(mapping, actions, name)

    @property
    def is_following(self) -> bool:
        """Whether native code has seen more than the monitor itself."""
        return self._follower is not None

    @property
    def counts(self) -> Counts:
        return self._counts if self._follower is None else self._counted(self._follower.head())

    @counts.setter
    def counts(self, counts: Counts) -> None:
        self._counts = counts

    def lose_sight(self, connection: int, why: str) -> None:
        self.catch_up()
        super().lose_sight(connection, why)

    def regain_sight(self, connection: int) -> None:
        self.catch_up()
        super().regain_sight(connection)

    def see(self, message: Message) -> None:
        if self._hearing is None:
            super().see(message)
            return
        if message.source == self.name:
            self._hearing.hear(message.channel[0] << 1 | message.channel[1], message.time)
        self.judge(message)

    def judge(self, message: Message) -> None:
        follower = self._follower
        if follower is None:
            super().judge(message)
            self._rest -= 1
            if self._rest <= 0:
                self._begin()
            return
        if not self._follow(follower, message):
            self._judge_unusual(message)

    def _judge_unusual(self, message: Message) -> None:
        followed = self._logged if self._notes[0].words is None else _WORTH
        self._next_rest = _REST if followed >= _WORTH else min(2 * self._next_rest, _LONGEST_REST)
        self.catch_up()
        super().judge(message)

    def see_packed(self, packed: Packed) -> Iterator[Message]:
        """All messages of this node among these. Stops behind each one that is judged in Python: only there something
        can be told."""
        at, end, address = 0, len(packed.data), address_of(packed.data)
        while at < end:
            why = ALL
            if self._hearing is not None:
                if packed.routes is not self._routes:
                    self._hearing.forget_routes()
                    self._routes = packed.routes
                used, count, why = self._hearing.follow(address + at, end - at, self._until_note)
                if count:
                    self._add_to_log(_Stretch(packed, at, at + used, count), count)
                at += used
                if why in (ALL, UNKNOWN):
                    if why == UNKNOWN:
                        self._learn_route(packed, at)
                    continue
            message, at = self._next_own(packed, at)
            if message is None:
                continue
            with evaluating(message, self.name):
                if why == UNUSUAL:  # native code has heard it already
                    self._judge_unusual(message)
                else:
                    self.see(message)
            yield message

    # -------------------------------------------------------------------------------------------------- in native code

    def _follow(self, follower: Follower, message: Message) -> bool:
        """False if it is not usual, or has no native form: nothing has been done with it then."""
        record, is_sent = message.record, message.source == self.name
        assert type(record) is Fn
        try:
            key = (is_sent, message.kind, *record)
            plan = self._plans[key] if key in self._plans else self._new_plan(key, message, is_sent)
            if plan is None:
                return False
            parts = follower.taker.parts(record)
        except NoNativeFormError:
            return False
        channel = message.channel[0] << 1 | message.channel[1]
        if not follower.see(plan[0], parts, message.number, message.time, channel, plan[1]):
            return False
        self._add_to_log(message, 1)
        return True

    def _add_to_log(self, followed: Message | _Stretch, count: int) -> None:
        self._log.append(followed)
        self._logged += count
        self._until_note -= count
        if not self._until_note:
            assert self._follower is not None
            self._note(self._follower)

    def _next_own(self, packed: Packed, start: int) -> tuple[Message | None, int]:
        """The next message of this node, and where it ends; None if there is no more."""
        assert self.unpacking is not None
        for item in self.unpacking.items(packed, start):
            if packed.routes[item.route].concerns(self.name):
                return self.unpacking.message(packed, item.start), item.end
        return None, len(packed.data)

    def _learn_route(self, packed: Packed, at: int) -> None:
        """What native code does with messages such as this one."""
        unpacking, hearing = self.unpacking, self._hearing
        assert unpacking is not None
        assert hearing is not None
        id = next(unpacking.items(packed, at)).route
        route = packed.routes[id]
        if not route.concerns(self.name):
            hearing.skip(id)
            return
        message = unpacking.message(packed, at)
        record, is_sent = message.record, message.source == self.name
        assert type(record) is Fn
        try:
            plan = self._new_plan((is_sent, message.kind, *record), message, is_sent)
            if plan is None:
                hearing.refuse(id)
                return
            channel = message.channel[0] << 1 | message.channel[1]
            hearing.follow_on(id, *plan, channel, [*record.values()], route.recipe.differ)
        except NoNativeFormError:
            hearing.refuse(id)

    def _new_plan(self, key: tuple[object, ...], message: Message, is_sent: bool) -> tuple[int, int] | None:
        native, kind, record = self.node.actions.native(self.name), message.kind, message.record
        assert native is not None
        assert type(record) is Fn
        events = self.node.sending(kind) if is_sent else self.node.consuming(kind)
        plan = native.plan_for(events, record, not is_sent)
        flags = SENT if is_sent else WAITS * (kind in self.mapping.wait)
        flags |= MERGES * (kind in self.mapping.merges)
        found = self._plans[key] = None if plan is None else (plan, flags)
        return found

    def _note(self, follower: Follower) -> None:
        """How things are now; what nobody will go back to is forgotten."""
        self._until_note = _EVERY
        notes, words = self._notes, follower.dump()
        notes.append(_Note(words[0], words))
        oldest = words[0] - self.limits.window - MOST_KEPT
        while len(notes) > 1 and notes[1].seen <= oldest:
            count = notes[1].seen - notes.popleft().seen
            self._logged -= count
            while count:
                first = self._log.popleft()
                count -= first.messages if type(first) is _Stretch else 1
        native = self.node.actions.native(self.name)
        assert native is not None
        if native.is_large:
            self.catch_up()
            self.node.actions.renewed(native)
            self._rest = 0  # nothing unusual has happened

    def _begin(self) -> None:
        """From the next message on, native code follows; if it can."""
        self._rest = self._next_rest
        native = self.node.actions.native(self.name)
        is_usual = self.trusted and not self.is_learning and len(self.states) == 1 and self.backlog.most <= MOST_KEPT
        is_usual = is_usual and self.suspicion is None
        if native is None or not is_usual or self.node.actions.by == "both":
            return
        follower = None
        try:
            follower = Follower(native.taker, self.limits.settle, self.mapping.kind, self.mapping.target)
            follower.load(self._words(follower))
        except NoNativeFormError:
            if follower is not None:
                follower.close()
            return
        if self.unpacking is not None:
            self._hearing = Hearing(follower, self.limits.settle)
            self._hearing.load(self.connections.dump())
        self._plans.clear()
        self._clear_log()
        self._notes.append(_Note(self.seen, None))
        self._until_note, self._allowed, self._follower = _EVERY, self.allowance.left, follower

    def catch_up(self) -> None:
        follower = self._follower
        if follower is None:
            return
        seen = self._notes[0].seen + self._logged
        head = follower.head()
        behind = min(MOST_KEPT, max(head[6], head[9]) + 1)  # it may just have seen that the node is less behind
        note = self._note_before(seen - self.limits.window - behind)
        messages = self._logged_after(note.seen - self._notes[0].seen)
        if note.words is not None:
            self._put(follower, note.words)
        if self._hearing is not None:
            self.connections.load(self._hearing.connections())
            self._hearing.close()
        follower.close()
        self._follower, self._hearing, self._rest = None, None, self._next_rest
        for message in messages:
            super().judge(message)
        self._clear_log()

    def _logged_after(self, count: int) -> Iterator[Message]:
        """The messages in the log behind the first ones."""
        for each in self._log:
            if count > 0:  # there is a note at the end of a stretch, never inside of one
                count -= each.messages if type(each) is _Stretch else 1
            elif type(each) is _Stretch:
                message, at = self._next_own(each.packed, each.start)
                while message is not None and at <= each.end:
                    yield message
                    message, at = self._next_own(each.packed, at)
            else:
                assert type(each) is Message
                yield each

    def _clear_log(self) -> None:
        self._log.clear()
        self._notes.clear()
        self._logged = 0

    def rest(self, messages: int) -> None:
        """So many messages are judged in Python before native code follows again."""
        self._rest = messages

    def _note_before(self, seen: int) -> _Note:
        """The last one that was made by then, or the first one there is."""
        return next((each for each in reversed(self._notes) if each.seen <= seen), self._notes[0])

    # -------------------------------------------------------------------------------------------- as numbers, and back

    def _words(self, follower: Follower) -> array[int]:
        number, counts, backlog, debts = follower.taker.number, self._counts, self.backlog, self.debts
        (state,) = self.states
        assert type(state.local) is Local
        packed = array("I", state.local.packed)
        words = [self.seen, counts.sent, counts.received, counts.states, counts.waiting, counts.most_waiting]
        words += [backlog.most, backlog.stalled, backlog.silent, backlog.unanswered, *packed]
        for some in (backlog.times, backlog.sent, state.used):
            words += [len(some), *some]
        words.append(len(self.waiting))
        for record, at in self.waiting.items():
            connection, direction = cast(tuple[int, int], self.channels[at])
            words += [number(record), at, connection << 1 | direction]
        owed = {*state.owed, *debts.owed, *debts.paid}
        words.append(len(owed))
        for record in owed:
            words += [number(record), record in state.owed, debts.owed.get(record, 0), debts.paid.get(record, 0)]
        return array("Q", words)

    def _put(self, follower: Follower, words: array[int]) -> None:
        """The monitor is as it was then, but that it has no history."""
        value, take = follower.taker.value, iter(words)
        self._counts = self._counted([*islice(take, 6)])
        self.allowance.left = self._allowed
        self.allowance.grow(words[0] - self.seen)
        self.seen = words[0]
        backlog, debts = self.backlog, self.debts
        backlog.most, backlog.stalled, backlog.silent, backlog.unanswered = islice(take, 4)
        local = self.states[0].local.home.packed(array("I", islice(take, follower.states)).tobytes())
        for some in (backlog.times, backlog.sent):
            some.clear()
            some.extend(_some(take))
        used = frozenset(_some(take))
        waiting: dict[Value, int] = {}
        self.channels = {}
        for _ in range(next(take)):
            number, at, channel = islice(take, 3)
            waiting[value(number)] = at
            self.channels[at] = (channel >> 1, channel & 1)
        self.waiting = arrivals(waiting)
        debts.clear()
        held = []
        for _ in range(next(take)):
            record, is_held, owed, paid = value(next(take)), *islice(take, 3)
            held += [record] if is_held else []
            debts.owed |= {record: owed} if owed else {}
            debts.paid |= {record: paid} if paid else {}
        self.states = (State(local, frozenset(held), used),)
        self.history.clear()

    def _counted(self, words: Sequence[int]) -> Counts:
        _, sent, received, states, waiting, most_waiting, *_ = words
        changed = {"sent": sent, "received": received, "states": states, "waiting": waiting}
        return replace(self._counts, most_waiting=most_waiting, **changed)


def _some(words: Iterator[int]) -> list[int]:
    return list(islice(words, next(words)))
