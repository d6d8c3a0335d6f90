"""A regular register in the style of Attiya, Bar-Noy and Dolev: one writer, readers, a majority of base objects.

Regularity: a read returns the value of the last write that was complete before it began, or of one that is concurrent
with it. What is complete before a read begins no process can know, unless it is told. So the writer tells the readers,
by messages besides the protocol. Nothing is lost by that: if a write is complete before a read begins in some run, then
in the same run with the message delivered in between the reader knows it.
"""

from __future__ import annotations

from gristmill.explore import Message, Process, Property, System, invariant, on, timer
from gristmill.explore.properties import View


class Write(Message):
    stamp: int


class Wrote(Message):
    stamp: int


class Read(Message):
    pass


class Value(Message):
    stamp: int


class Complete(Message):
    stamp: int


class BaseObject(Process):
    def __init__(self) -> None:
        self.stamp = 0  # stands for the value, too: no value is written twice
        self.last: Message | None = None

    @on(Write)
    def write(self, write: Write, sender: str) -> None:
        self.last = write
        if write.stamp > self.stamp:
            self.stamp = write.stamp
        self.send(sender, Wrote(write.stamp))

    @on(Read)
    def read(self, read: Read, sender: str) -> None:
        self.last = read
        self.send(sender, Value(self.stamp))


class Writer(Process):
    """Writes once, at any time."""

    def __init__(self, objects: tuple[str, ...], readers: tuple[str, ...]) -> None:
        self.objects, self.readers = objects, readers
        self.acknowledged: frozenset[str] = frozenset()
        self.last: Message | None = None

    def start(self) -> None:
        self.set_timer("write")

    @timer("write")
    def begin(self) -> None:
        self.broadcast(Write(1), to=self.objects)

    @on(Wrote)
    def wrote(self, wrote: Wrote, sender: str) -> None:
        self.last = wrote
        if len(self.acknowledged) > len(self.objects) // 2:
            return
        self.acknowledged |= {sender}
        if len(self.acknowledged) > len(self.objects) // 2:
            self.broadcast(Complete(wrote.stamp), to=self.readers)


class Reader(Process):
    """Reads once, at any time."""

    def __init__(self, objects: tuple[str, ...]) -> None:
        self.objects = objects
        self.replies: frozenset[str] = frozenset()
        self.highest = 0
        self.complete = 0  # the last write that is known to be complete
        self.complete_before = 0  # the same, when the read began
        self.result: tuple[int, int, int] | None = None  # read; complete before it began; complete before it ended
        self.last: Message | None = None

    def start(self) -> None:
        self.set_timer("read")

    @timer("read")
    def begin(self) -> None:
        self.complete_before = self.complete
        self.broadcast(Read(), to=self.objects)

    @on(Value)
    def value(self, value: Value, sender: str) -> None:
        self.last = value
        if len(self.replies) > len(self.objects) // 2:
            return
        self.replies |= {sender}
        self.highest = max(self.highest, value.stamp)
        if len(self.replies) > len(self.objects) // 2:
            self.result = (self.highest, self.complete_before, self.complete)

    @on(Complete)
    def completed(self, complete: Complete, sender: str) -> None:
        self.last = complete
        self.complete = max(self.complete, complete.stamp)


@invariant
def regularity(state: View) -> bool:
    """A read returns no older value than that of the last write complete before it began."""
    results = [reader.result for reader in state.of(Reader)]
    return all(result is None or result[0] >= result[1] for result in results)


@invariant(name="wrong regularity")
def wrong_regularity(state: View) -> bool:
    """Asks too much: that a read which ends after a write is complete returns what was written."""
    results = [reader.result for reader in state.of(Reader)]
    return all(result is None or result[0] >= result[2] for result in results)


def register(objects: int = 3, wanted: Property = regularity) -> System:
    names = tuple(f"o{number}" for number in range(1, objects + 1))
    processes: dict[str, Process] = {"w": Writer(names, ("r",)), "r": Reader(names)}
    processes.update((name, BaseObject()) for name in names)
    return System(processes, (wanted,), symmetric=(names,), name=f"Register({objects + 2})")
