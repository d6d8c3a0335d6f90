"""A server that lends a lock for a while, and its clients; and one that does not look which lease it is given back.

`lease.map.toml` replays traces of `Lease.tla` on them.
"""

from __future__ import annotations

from gristmill.explore import Message, Process, System, on, timer


class Acquire(Message):
    pass


class Granted(Message):
    lease: int


class Release(Message):
    lease: int


class Server(Process):
    def __init__(self) -> None:
        self.holder: str | None = None
        self.lease = 0
        self.waiting: list[str] = []

    @on(Acquire)
    def acquire(self, message: Acquire, sender: str) -> None:
        if self.holder is None:
            self.grant(sender)
        else:
            self.waiting.append(sender)

    @on(Release)
    def release(self, message: Release, sender: str) -> None:
        if message.lease == self.lease and sender == self.holder:
            self.pass_on()

    @timer("expired")
    def expired(self) -> None:
        self.pass_on()

    def pass_on(self) -> None:
        self.holder = None
        self.cancel_timer("expired")
        if self.waiting:
            self.grant(self.waiting.pop(0))

    def grant(self, client: str) -> None:
        self.holder = client
        self.lease += 1
        self.send(client, Granted(self.lease))
        self.set_timer("expired", 30.0)


class ForgetfulServer(Server):
    """Whoever gives back a lease that was taken away frees the lock of somebody else."""

    @on(Release)
    def release(self, message: Release, sender: str) -> None:
        if self.holder is not None:
            self.pass_on()


class Client(Process):
    def __init__(self) -> None:
        self.asking = False
        self.owned = 0

    def ask(self) -> None:
        self.asking = True
        self.send("server", Acquire())

    @on(Granted)
    def granted(self, message: Granted, sender: str) -> None:
        self.asking, self.owned = False, message.lease

    def give_back(self) -> None:
        self.send("server", Release(self.owned))
        self.owned = 0


def lending(server: Server) -> System:
    return System({"server": server, "c1": Client(), "c2": Client(), "c3": Client()})


careful = lending(Server())
forgetful = lending(ForgetfulServer())
