"""One node judged by its messages: a fast simulation, and the exact search before anything is called wrong.

The simulation takes messages to have their effect when they arrive, and looks further only if something that the node
sends cannot be explained so. That is no proof of anything: before an alarm, every schedule of the last messages is
tried. If that takes too many states, nothing is known, and the monitor has lost track: it learns anew from the messages
where the node is (`learning`). So does one that begins in the middle of a run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from gristmill.values import Value
from gristmill.watch.alarms import Alarm, Counts, Lost
from gristmill.watch.anchoring import Anchoring
from gristmill.watch.applying import Actions
from gristmill.watch.arrivals import Arrivals
from gristmill.watch.backlog import Backlog
from gristmill.watch.confirming import Confirming, Kept
from gristmill.watch.debts import Debts
from gristmill.watch.exact import Shelf
from gristmill.watch.held_up import Connections
from gristmill.watch.hidden_steps import answers, every_explanation, shortest_explanations
from gristmill.watch.learning import Allowance, anchored, narrowed, unknown_parts
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Node, Records, State
from gristmill.watch.suspecting import Suspicion

__all__ = ["Alarm", "Counts", "Kept", "Lost", "NodeMonitor"]

_MOST_WAITING = 64  # messages that may still be looked at, of a node that is not behind; older ones count as lost
_EVERY = 64  # messages: how often that is looked at
_AWAKE = 200  # messages that are followed while nothing is certain
_ASLEEP, _LONGEST_ASLEEP = 1_800, 115_200  # messages that are not, at first, and after many vain attempts
_MOST_LEARNING = 16  # states while nothing is certain, if learning has taken long already
_TRIED_UNSURE = 128  # states for one message, where another message will soon tell what the node is in
_NOTHING: Records = frozenset()
_IS_PARTIAL = attrgetter("is_partial")
_MOST_ENDS = 50  # alarms and losses after which a node is not judged any further


class NodeMonitor:
    """Sees the messages to and from one node, one after the other.

    `ends`: alarms, and where track was lost, in their order. The monitor goes on after them.
    """

    def __init__(self, mapping: WatchMap, actions: Actions, name: Value) -> None:
        self.mapping, self.name, self.limits = mapping, name, mapping.limits
        self.node = Node(mapping, actions, name)
        self.states = tuple(State(local) for local in actions.initial(name))
        self.waiting = Arrivals()  # has arrived, and may be looked at
        self.channels: dict[int, object] = {}  # the connections that they came on
        self.history: deque[Kept] = deque()
        self.backlog, self.connections = Backlog(self.limits), Connections(self.limits)
        self.allowance = Allowance(self.limits.exact)
        self.debts = Debts(mapping.kind, mapping.target)
        self.seen = 0
        self.counts = Counts()
        self.ends: list[Alarm | Lost] = []
        self.settling = 0  # so many messages are only collected
        self.unsure, self.asleep = 0, _ASLEEP  # messages while it is not
        self.trusted = True  # else alarms must not come of what the state is taken to be
        self.complete = True  # every explanation of what was sent is among the states
        self.since = 0  # the message from which on the node was followed; 0: from its beginning
        self.alarmed: int | None = None  # at this message, as long as what follows may be a consequence
        self.suspicion: Suspicion | None = None  # a message that what comes next may explain
        self._hidden: dict[int, str] = {}  # connections of which nothing is seen, and why
        self._told_hidden = False
        self.anchoring = None if mapping.anchors is None else Anchoring(self, mapping.anchors)
        if mapping.midway:
            self.begin_anew()

    def lose_sight(self, connection: int, why: str) -> None:
        """Of what goes over this connection, nothing is seen: whatever this node does may come of that."""
        self.decide()
        self._hidden[connection] = why

    def regain_sight(self, connection: int) -> None:
        """It has ended. If nothing else is hidden, the monitor learns anew where the node is."""
        if self._hidden.pop(connection, None) is not None and not self._hidden:
            self._told_hidden = False
            self.begin_anew()

    def catch_up(self) -> None:
        """All that was seen shows in the states and the history from now on. (Here, it always does.)"""

    def decide(self) -> None:
        """No message will come for now: what is suspected is decided."""
        while self.suspicion is not None:
            self.suspicion.decide()

    @property
    def end(self) -> Alarm | Lost | None:
        """The last alarm, or the last place where track was lost."""
        return self.ends[-1] if self.ends else None

    @property
    def is_learning(self) -> bool:
        return bool(self._hidden) or self.settling > 0 or self._is_partly_known

    @property
    def _is_partly_known(self) -> bool:
        return any(map(_IS_PARTIAL, self.states))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The variables of which something is not known now."""
        is_unknown = self.settling or (self.anchoring is not None and not self.trusted)
        return self.node.monitor.local if is_unknown else unknown_parts(self.states, self.node.monitor.local)

    def see(self, message: Message) -> None:
        """The next message to or from this node."""
        if message.source == self.name:
            self.connections.hear(message.channel, message.time)
        self.judge(message)

    def judge(self, message: Message) -> None:
        counts = self.counts
        if message.source == self.name:
            counts.sent += 1
        else:
            counts.received += 1
        self.take(message)

    def take(self, message: Message) -> None:
        """Now, or when it is known what came of a suspicion."""
        counts, is_sent = self.counts, message.source == self.name
        if self.suspicion is not None:
            self.suspicion.see(message)
            return
        if self._hidden or len(self.ends) >= _MOST_ENDS:
            self._overlook(message, is_sent)
            return
        self.seen += 1
        self.allowance.grow()
        if self.seen % _EVERY == 0:
            self._forget()
        if self.anchoring is not None and not self.trusted:
            counts.learning += is_sent
            self.anchoring.see(message, is_sent)
            return
        if self.settling or (not self.trusted and self._dozes(message)):
            self.settling = max(0, self.settling - 1)
            counts.learning += is_sent
            if not is_sent:
                self._wait(message)
            return
        self.follow(message, is_sent)

    def follow(self, message: Message, is_sent: bool) -> None:
        """What the node may be in after this message."""
        counts = self.counts
        self.backlog.see(is_sent, self.seen, message.time)
        self.history.append(Kept(message, self.states, self.waiting))
        while len(self.history) > self.backlog.window:
            self.history.popleft()
        if is_sent:
            before = self.node.evaluations
            self._sent(message)
            if not self.trusted:
                self.allowance.spend(self.node.evaluations - before)
            counts.states += len(self.states)
            waiting = len(self.waiting)
            counts.waiting += waiting
            counts.most_waiting = max(counts.most_waiting, waiting)
        else:
            self._received(message)

    def _overlook(self, message: Message, is_sent: bool) -> None:
        """Nothing follows from it."""
        if self._hidden and not self._told_hidden and len(self.ends) < _MOST_ENDS:
            self._told_hidden = True
            self.ends.append(Lost(message, next(iter(self._hidden.values()))))
        self.counts.learning += is_sent

    # --------------------------------------------------------------------------------------- where nothing is known

    def begin_anew(self) -> None:
        """Nothing is known of the node, nor what it has still to look at: before, or messages were lost."""
        self.waiting = Arrivals()
        self.history.clear()
        self.settling = self.limits.settle if self.anchoring is None else 0
        self.trusted = False
        self.know_nothing()

    def _dozes(self, message: Message) -> bool:
        """To follow a state of which little is known takes long: it is done now and then, and where much is told."""
        at = self.unsure = (self.unsure + 1) % (_AWAKE + self.asleep)
        if at == 0:
            self.asleep = min(2 * self.asleep, _LONGEST_ASLEEP)
        if at < _AWAKE:
            return False
        if at == _AWAKE or (message.source == self.name and message.kind in self.mapping.learn):
            self.know_nothing()
            return at == _AWAKE
        return True

    def know_nothing(self) -> None:
        """The node may be in any state; what has arrived lately may still be looked at."""
        if self.anchoring is not None:
            history, last = [each.message for each in self.history], self.states if self.trusted else ()
            self.anchoring.begin(history, last)
            self.forget_states()
            return
        for each in self.history:
            if each.message.target == self.name:
                self._wait(each.message)
        self.states = (self.node.unknown(),)
        self.trusted, self.complete, self.alarmed = False, True, None
        self.since = self.seen
        self.debts.clear()

    def forget_states(self) -> None:
        """They are not known, until messages tell them."""
        self.states, self.history = (), deque()
        self.trusted, self.complete, self.alarmed = False, False, None
        self.debts.clear()

    def follow_from(self, states: Sequence[State], before: Iterable[Message]) -> None:
        """The node is in one of these states, by what it has sent; these messages were before, and may still be looked
        at if they have arrived."""
        self.waiting, self.channels = Arrivals(), {}
        for each in before:
            if each.target == self.name:
                self._wait(each)
        self.history.clear()
        self.since = self.seen
        self.debts.clear()
        for state in states:
            self.debts.owe(state.owed, self.seen)
        self._keep(states)

    def trust(self) -> None:
        """What these states rest on counts no more."""
        self.trusted = True

    # -------------------------------------------------------------------------------------------------- the simulation

    def _received(self, message: Message) -> None:
        """It has its effect at once, or waits. Where the state is not known, it waits: what it does is not certain."""
        after: dict[State, None] = {}
        waits = message.kind in self.mapping.wait
        for state in self.states:
            at_once = not waits and not state.is_partial
            effects = self.node.effects(state, message.record, message.number, remember=False) if at_once else ()
            if not effects:
                waits = True
                after[state] = None
            for each, owes in effects:
                after[each] = None
                if owes:
                    self.debts.owe(owes, self.seen)
        if waits:
            self._wait(message)
        self._keep(after)

    def _wait(self, message: Message) -> None:
        most = _MOST_WAITING + self.backlog.most
        self.waiting = self.waiting.with_arrived(message.record, message.number, most)
        self.channels[message.number] = message.channel

    def _keep(self, states: Iterable[State]) -> None:
        """Those that can do most, and no more than the limit: leaving out the right one costs an exact search."""
        found = tuple(states)
        if len(found) == 1:
            self.states = found
            return
        most = self.limits.states if self.trusted or self.allowance.is_plenty else _MOST_LEARNING
        shelf = Shelf()
        for state in found:
            shelf.add(state)
        found = tuple(shelf)
        self.states = found[:most]
        self.complete = self.complete and len(found) <= most
        self.counts.most_states = max(self.counts.most_states, len(self.states))

    def _forget(self) -> None:
        """Answers that were sent, and those that nobody has sent for long."""
        held = frozenset[Value]().union(*(state.owed for state in self.states))
        still, waiting = self.debts.forget(self.backlog, self.seen, held), frozenset(self.waiting.values())
        looked_at = waiting.union(self.history[0].waiting.values()) if self.history else waiting
        self.channels = {number: each for number, each in self.channels.items() if number in looked_at}
        self._keep([State(state.local, state.owed & still, state.used & waiting) for state in self.states])

    def _sent(self, message: Message) -> None:
        record, node = message.record, self.node
        node.assumed = False
        is_known = (self.trusted or self.anchoring is not None) and not self._is_partly_known
        usual = [each for state in self.states for each in self._usual(state, record)] if is_known else ()
        if usual:
            after: Iterable[State] = [state for state, _ in usual]
            for _, owes in usual:
                if owes:
                    self.debts.owe(owes.difference(self.debts.owed), self.seen)
        else:
            after = self._explanations(record)
            self.counts.learning += node.assumed
            if not after:
                if self.anchoring is not None and not self.trusted:
                    self.anchoring.surprised()
                else:
                    Confirming(self).run(message)
                return
            if self.anchoring is None and (self.is_learning or not self.trusted):
                after = self._learned(message, after)
            for state in after:
                self.debts.owe(state.owed.difference(self.debts.owed), self.seen)
        owed, paid = self.debts.owed, self.debts.paid
        if record in owed and record not in paid:
            self.backlog.pay(self.seen - owed[record])
        paid[record] = self.seen
        if message.kind in self.mapping.merges and not self.backlog.stalled:  # held up, they come in any order
            after = [self.debts.merged(self.node, state, record) for state in after]
        self._keep(after)

    def _usual(self, state: State, record: Value) -> list[tuple[State, Records]]:
        """The states after it was sent, if nothing has happened unseen. What was sent a short while ago, and is sent
        again, is taken to change nothing: taking the action once more would leave two states, often for good."""
        if record in self.debts.paid and record in state.owed:
            return [(state, _NOTHING)]
        return self.node.sendings(state, record, remember=False)

    def _explanations(self, record: Value) -> Iterable[State]:
        node, states, waiting = self.node, self.states, self.waiting
        if not self.trusted and self.complete:
            every = every_explanation(node, states, waiting, record, 2 * self.limits.tried)
            if every is not None:
                return every
            self.complete = False
        after = {each: None for state in states for each in node.send(state, record)}
        after = after or (answers(node, states, waiting, record) if self.is_learning else {})
        return after or self._searched(record)

    def _searched(self, record: Value) -> Iterable[State]:
        node, states, waiting, tried = self.node, self.states, self.waiting, self.limits.tried
        if not self.trusted and self.anchoring is not None:
            return shortest_explanations(node, states, waiting, record, _TRIED_UNSURE)
        found: Iterable[State] = ()
        for unseen in (False, True) if node.monitor.unseen else (False,):
            self.counts.searches += not found
            found = found or shortest_explanations(node, states, waiting, record, tried, unseen)
        return found

    def _learned(self, message: Message, states: Iterable[State]) -> list[State]:
        rule = None if self.trusted else self.mapping.learn.get(message.kind)
        if rule is not None:
            states = anchored(self.node, rule, message)
        found = list(narrowed(self.node, states))
        is_known = self.complete and not any(state.is_partial for state in found)
        if not self.trusted and (rule is not None or is_known):
            self.trusted, self.since, self.unsure, self.asleep = True, self.seen, 0, _ASLEEP
            self.history.clear()
        return found

    def insert_before_last(self, messages: Sequence[Message], states: Sequence[State]) -> None:
        """These were sent before the last one, and the node is in one of these states after all of them."""
        last = self.history.pop()
        self.history.extend(Kept(each, (), last.waiting) for each in messages)
        self.history.append(last._replace(states=()))
        for each in (*messages, last.message):
            self.debts.paid[each.record] = self.seen
        for state in states:
            self.debts.owe(state.owed.difference(self.debts.owed), self.seen)
        self._keep(states)

    def put_last_before(self, other: Message) -> None:
        """The last message was sent before this one, which has overtaken it: whoever looks at the last messages again
        must not find it where it came, as there nothing explains it."""
        last = self.history.pop()
        at = next(at for at in range(len(self.history) - 1, -1, -1) if self.history[at].message is other)
        moved = replace(last.message, number=other.number)
        self.history.insert(at, last._replace(message=moved, states=(), waiting=self.history[at].waiting))

    def go_on(self, found: Sequence[State], history: Sequence[Message]) -> None:
        """The node is in one of these states, and may still look at what has arrived."""
        for each in history:
            if each.target == self.name:
                self._wait(each)
        for state in found:
            self.debts.owe(state.owed.difference(self.debts.owed), self.seen)
        self._keep(found)
        for at in range(len(self.history) - len(history) + 1, len(self.history)):
            self.history[at] = self.history[at]._replace(states=())  # what it was taken to be was wrong
