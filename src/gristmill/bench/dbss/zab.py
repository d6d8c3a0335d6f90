"""Zab, ZooKeeper's atomic broadcast (Junqueira, Reed and Serafini, DSN 2011): from electing an epoch to committing.

Prospective leaders and followers are processes of their own. The election oracle, which Zab leaves open, may name every
leader to every follower, so that all leaders compete. Zab does not terminate then, if nobody tries again with a higher
epoch: that is the counterexample of the paper, with liveness as a property of states in which nothing more can happen.
"""

from __future__ import annotations

from gristmill.explore import Message, Process, System, end_state, on
from gristmill.explore.properties import View

History = tuple[tuple[int, int], ...]  # transactions: epoch, counter


class CurrentEpoch(Message):
    epoch: int


class NewEpoch(Message):
    epoch: int


class EpochAck(Message):
    accepted: int
    history: History


class NewLeader(Message):
    epoch: int
    history: History


class LeaderAck(Message):
    epoch: int


class CommitLeader(Message):
    epoch: int


class Propose(Message):
    epoch: int
    counter: int


class ProposalAck(Message):
    epoch: int
    counter: int


class Commit(Message):
    epoch: int
    counter: int


class Leader(Process):
    def __init__(self, majority: int) -> None:
        self.majority = majority
        self.followers: dict[str, int] = {}  # those that named their epoch
        self.epoch = 0
        self.histories: dict[str, tuple[int, History]] = {}
        self.following: frozenset[str] = frozenset()
        self.established = False
        self.acknowledged: frozenset[str] = frozenset()
        self.last: Message | None = None

    @on(CurrentEpoch)
    def current_epoch(self, message: CurrentEpoch, sender: str) -> None:
        self.last = message
        if self.epoch:
            return
        self.followers[sender] = message.epoch
        if len(self.followers) >= self.majority:
            self.epoch = max(self.followers.values()) + 1
            self.broadcast(NewEpoch(self.epoch), to=sorted(self.followers))

    @on(EpochAck)
    def epoch_ack(self, message: EpochAck, sender: str) -> None:
        self.last = message
        if len(self.histories) >= self.majority:
            return
        self.histories[sender] = (message.accepted, message.history)
        if len(self.histories) >= self.majority:
            _, history = max(self.histories.values())
            self.broadcast(NewLeader(self.epoch, history), to=sorted(self.histories))

    @on(LeaderAck)
    def leader_ack(self, message: LeaderAck, sender: str) -> None:
        self.last = message
        self.following |= {sender}
        if len(self.following) >= self.majority and not self.established:
            self.established = True
            self.broadcast(CommitLeader(self.epoch), to=sorted(self.following))
            self.broadcast(Propose(self.epoch, 1), to=sorted(self.following))

    @on(ProposalAck)
    def proposal_ack(self, message: ProposalAck, sender: str) -> None:
        self.last = message
        if len(self.acknowledged) >= self.majority:
            return
        self.acknowledged |= {sender}
        if len(self.acknowledged) >= self.majority:
            self.broadcast(Commit(self.epoch, message.counter), to=sorted(self.following))


class Follower(Process):
    def __init__(self, leaders: tuple[str, ...]) -> None:
        self.leaders = leaders
        self.promised = 0  # the last new epoch it acknowledged
        self.accepted = 0  # the last new leader it acknowledged
        self.history: History = ()
        self.delivered = 0
        self.last: Message | None = None

    def start(self) -> None:
        self.broadcast(CurrentEpoch(self.promised), to=self.leaders)

    @on(NewEpoch)
    def new_epoch(self, message: NewEpoch, sender: str) -> None:
        self.last = message
        if message.epoch > self.promised:
            self.promised = message.epoch
            self.send(sender, EpochAck(self.accepted, self.history))

    @on(NewLeader)
    def new_leader(self, message: NewLeader, sender: str) -> None:
        self.last = message
        if message.epoch == self.promised:
            self.accepted, self.history = message.epoch, message.history
            self.send(sender, LeaderAck(message.epoch))

    @on(CommitLeader)
    def commit_leader(self, message: CommitLeader, sender: str) -> None:
        self.last = message
        if message.epoch == self.accepted:
            self.delivered = max(self.delivered, len(self.history))

    @on(Propose)
    def propose(self, message: Propose, sender: str) -> None:
        self.last = message
        if message.epoch == self.accepted:
            self.history = (*self.history, (message.epoch, message.counter))
            self.send(sender, ProposalAck(message.epoch, message.counter))

    @on(Commit)
    def commit(self, message: Commit, sender: str) -> None:
        self.last = message
        if message.epoch == self.accepted:
            self.delivered = max(self.delivered, len(self.history))


@end_state
def liveness(state: View) -> bool:
    """When nothing more can happen, something has been delivered."""
    return any(follower.delivered for follower in state.of(Follower))


def zab(leaders: int = 3, followers: int = 3) -> System:
    names = tuple(f"l{number}" for number in range(1, leaders + 1))
    processes: dict[str, Process] = {name: Leader(followers // 2 + 1) for name in names}
    for number in range(1, followers + 1):
        processes[f"f{number}"] = Follower(names)
    return System(processes, (liveness,), name=f"Zab({leaders + followers})")
