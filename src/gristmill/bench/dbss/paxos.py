"""Single-decree Paxos (Lamport, "The Part-Time Parliament"): proposers, acceptors, a learner; right and wrong.

As in the paper, every process keeps the message it handled last, for people who debug it; nothing else depends on it.
"""

from __future__ import annotations

from dataclasses import replace

from gristmill.explore import Message, Process, Property, System, invariant, on, persistent
from gristmill.explore.properties import View

Vote = tuple[int, int]  # ballot, value


class Prepare(Message):
    ballot: int


class Promise(Message):
    ballot: int
    accepted: Vote | None


class Accept(Message):
    ballot: int
    value: int


class Accepted(Message):
    ballot: int
    value: int


class Proposer(Process):
    """Issues one proposal: its own value, or the one that a majority of acceptors obliges it to propose."""

    def __init__(self, ballot: int, value: int, acceptors: tuple[str, ...]) -> None:
        self.ballot, self.value, self.acceptors = ballot, value, acceptors
        self.promised: frozenset[str] = frozenset()
        self.highest: Vote | None = None
        self.last: Message | None = None

    def start(self) -> None:
        self.broadcast(Prepare(self.ballot), to=self.acceptors)

    @on(Promise)
    def promise(self, promise: Promise, sender: str) -> None:
        self.last = promise
        if len(self.promised) > len(self.acceptors) // 2:
            return  # has proposed already
        self.promised |= {sender}
        if promise.accepted is not None and (self.highest is None or promise.accepted[0] > self.highest[0]):
            self.highest = promise.accepted
        if len(self.promised) > len(self.acceptors) // 2:
            value = self.value if self.highest is None else self.highest[1]
            self.broadcast(Accept(self.ballot, value), to=self.acceptors)


class Acceptor(Process):
    """Accepts what no promise forbids, and remembers the highest-numbered proposal that it accepted."""

    promised: int = persistent(0)
    accepted: Vote | None = persistent(None)

    def __init__(self, learners: tuple[str, ...]) -> None:
        self.learners = learners
        self.last: Message | None = None

    @on(Prepare)
    def prepare(self, prepare: Prepare, sender: str) -> None:
        self.last = prepare
        if prepare.ballot > self.promised:
            self.promised = prepare.ballot
            self.send(sender, Promise(prepare.ballot, self.accepted))

    @on(Accept)
    def accept(self, accept: Accept, sender: str) -> None:
        self.last = accept
        if accept.ballot >= self.promised:
            if self.accepted is None or accept.ballot > self.accepted[0]:
                self.accepted = (accept.ballot, accept.value)
            self.broadcast(Accepted(accept.ballot, accept.value), to=self.learners)


class CredulousAcceptor(Acceptor):
    """Faulty: accepts every proposal, also one that it has promised not to accept."""

    @on(Accept)
    def accept(self, accept: Accept, sender: str) -> None:
        self.last = accept
        if self.accepted is None or accept.ballot > self.accepted[0]:
            self.accepted = (accept.ballot, accept.value)
        self.broadcast(Accepted(accept.ballot, accept.value), to=self.learners)


class ForgetfulAcceptor(Acceptor):
    """Faulty: remembers the proposal it accepted last, which need not be the highest-numbered."""

    @on(Accept)
    def accept(self, accept: Accept, sender: str) -> None:
        self.last = accept
        if accept.ballot >= self.promised:
            self.accepted = (accept.ballot, accept.value)
            self.broadcast(Accepted(accept.ballot, accept.value), to=self.learners)


class Learner(Process):
    def __init__(self, majority: int) -> None:
        self.majority = majority
        self.votes: frozenset[tuple[str, Vote]] = frozenset()
        self.learned: frozenset[int] = frozenset()
        self.last: Message | None = None

    @on(Accepted)
    def accepted(self, accepted: Accepted, sender: str) -> None:
        self.last = accepted
        vote = (accepted.ballot, accepted.value)
        self.votes |= {(sender, vote)}
        if len([1 for _, other in self.votes if other == vote]) >= self.majority:
            self.learned |= {accepted.value}


@invariant
def agreement(state: View) -> bool:
    """No two values are learned."""
    return all(len(learner.learned) <= 1 for learner in state.of(Learner))


PROPERTIES: tuple[Property, ...] = (agreement,)


def paxos(proposers: int = 2, acceptors: int = 3, faulty: type[Acceptor] | None = None) -> System:
    """Each proposer issues one proposal. `faulty` is the class of the last acceptor, if that is to be another one."""
    names = tuple(f"a{number}" for number in range(1, acceptors + 1))
    processes: dict[str, Process] = {}
    for number in range(1, proposers + 1):
        processes[f"p{number}"] = Proposer(number, number, names)
    for name in names:
        processes[name] = Acceptor(("l1",))
    processes["l1"] = Learner(acceptors // 2 + 1)
    size = len(processes)
    system = System(processes, PROPERTIES, symmetric=(names,), name=f"Paxos({size})")
    if faulty is None:
        return system
    system = system.substitute(names[-1], faulty(("l1",)))
    return replace(system, symmetric=(names[:-1],), name=f"{faulty.__name__} in Paxos({size})")
