"""A client that asks again when it hears nothing, and a server that answers each question once.

    gristmill explore examples/explore/ping.py
"""

from gristmill.explore import Message, Network, Process, System, invariant, on, persistent, timer


class Ping(Message):
    round: int


class Pong(Message):
    round: int


class Client(Process):
    def __init__(self, server: str, rounds: int) -> None:
        self.server, self.rounds = server, rounds
        self.done = 0
        self.log: list[str] = []  # for people; found to be auxiliary

    def start(self) -> None:
        self.ask()

    def ask(self) -> None:
        self.send(self.server, Ping(self.done + 1))
        self.set_timer("again", 0.5)

    @on(Pong)
    def pong(self, pong: Pong, sender: str) -> None:
        self.log.append(f"{sender} answered {pong.round}")
        if pong.round == self.done + 1:
            self.done += 1
            self.cancel_timer("again")
            if self.done < self.rounds:
                self.ask()

    @timer("again")
    def again(self) -> None:
        self.ask()


class Server(Process):
    answered = persistent(0)

    @on(Ping)
    def ping(self, ping: Ping, sender: str) -> None:
        self.answered = max(self.answered, ping.round)
        self.send(sender, Pong(ping.round))


@invariant
def no_answer_before_the_question(state):
    return state["client"].done <= state["server"].answered


system = System(
    {"client": Client("server", 2), "server": Server()},
    [no_answer_before_the_question],
    Network(loss=1),
    timeouts=2,
)
