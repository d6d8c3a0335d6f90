"""Small protocols that several tests use."""

from __future__ import annotations

from gristmill.explore import (
    Byzantine,
    Faults,
    Message,
    Network,
    Process,
    System,
    end_state,
    invariant,
    on,
    persistent,
    timer,
)
from gristmill.explore import quorum as quorum_of
from gristmill.explore.properties import View


class One(Message):
    value: int


class Ack(Message):
    pass


class Source(Process):
    """The example of the paper's section II: sends two messages, and hears of them once."""

    def __init__(self) -> None:
        self.heard = False

    def start(self) -> None:
        self.send("sink", One(1))
        self.send("sink", One(2))

    @on(Ack)
    def ack(self, ack: Ack, sender: str) -> None:
        self.heard = True


class Sink(Process):
    def __init__(self) -> None:
        self.got = 0
        self.messages: list[int] = []

    @on(One)
    def one(self, one: One, sender: str) -> None:
        self.messages.append(one.value)
        self.got += 1
        if self.got == 2:
            self.send(sender, Ack())


@invariant
def heard_after_both(state: View) -> bool:
    return not state["source"].heard or state["sink"].got == 2


def two_messages() -> System:
    return System({"source": Source(), "sink": Sink()}, (heard_after_both,))


class Store(Process):
    """Keeps a number over crashes, and another one only while it is up."""

    kept = persistent(0)

    def __init__(self) -> None:
        self.cached = 0
        self.restarts = 0

    @on(One)
    def one(self, one: One, sender: str) -> None:
        self.kept = self.cached = one.value

    def restart(self) -> None:
        self.restarts += 1


class Sender(Process):
    def start(self) -> None:
        self.send("store", One(7))


def store(faults: Faults, network: Network | None = None) -> System:
    return System({"store": Store(), "sender": Sender()}, (), network or Network(), faults)


class Vote(Message):
    choice: str


class Voter(Process):
    def __init__(self, choice: str) -> None:
        self.choice = choice

    def start(self) -> None:
        self.send("teller", Vote(self.choice))


class Liar(Byzantine):
    """Votes under every name, one way or the other."""

    def start(self) -> None:
        for name in ("v1", "v2", "v3"):
            self.forge(name, "teller", Vote(self.choose(["yes", "no"])))


class Teller(Process):
    def __init__(self) -> None:
        self.results: frozenset[str] = frozenset()

    @quorum_of(Vote, size=2, by=lambda vote: vote.choice)
    def count(self, votes: dict[str, Vote]) -> None:
        self.results |= {next(iter(votes.values())).choice}


@invariant
def one_result(state: View) -> bool:
    return len(state["teller"].results) <= 1


def election() -> System:
    voters = {f"v{number}": Voter("yes" if number < 3 else "no") for number in (1, 2, 3)}
    return System({**voters, "teller": Teller()}, (one_result,))


class Clock(Process):
    """Ticks for ever, round and round."""

    def __init__(self) -> None:
        self.hour = 0

    def start(self) -> None:
        self.set_timer("tick")

    @timer("tick")
    def tick(self) -> None:
        self.hour = (self.hour + 1) % 3
        self.set_timer("tick")


@end_state
def never(state: View) -> bool:
    return False


def clocks(number: int = 2) -> System:
    return System({f"c{index}": Clock() for index in range(number)}, (never,))
