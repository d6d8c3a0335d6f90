"""The processes that judge: one decodes, one monitor a node. They are forked, and end when we do.

We only write to the first and read what all of them tell: whatever they do, and however long it takes them, what goes
by in the tap does not wait for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import select
import signal
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.process import BaseProcess

from gristmill.source.collector import rare_collector
from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.ear import Ear
from gristmill.watch.live.decoding import Decoding
from gristmill.watch.live.frames import Inbox, Outbox, frame
from gristmill.watch.live.monitoring import Monitoring
from gristmill.watch.live.reports import Failed, Report
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Reading

_PIPE = 1 << 20  # bytes
_END_SECONDS = 5.0


@dataclass(slots=True)
class _Child:
    what: str
    process: BaseProcess
    inbox: Inbox


class Judges:
    """Made before any thread is. `decoder` takes records as they come."""

    def __init__(self, mapping: WatchMap, nodes: Collection[Value]) -> None:
        self.mapping = mapping
        self._children: list[_Child] = []
        self._ours: list[int] = []  # descriptors that children must not keep open
        self._context = multiprocessing.get_context("fork")
        with mapping.specification.world.active():
            Actions(mapping.specification, mapping.monitor).prepare(nodes)  # once, for all of them
            Ear(Reading(mapping))  # what decodes is compiled, too
        try:
            self.decoder = self._begin(tuple(nodes))
        except BaseException:
            self.kill()
            raise

    def _begin(self, nodes: tuple[Value, ...]) -> Outbox:
        pipes = {node: _pipe() for node in nodes}
        records_out, records_in = _pipe()
        self._ours.append(records_in)
        for node, (reading, writing) in pipes.items():
            others = [each for other, pair in pipes.items() for each in pair if other != node]
            self._fork(f"the monitor of {node}", partial(self._judge, node, reading), [*others, writing, records_out])
        self._fork("what decodes messages", partial(self._decode, pipes, records_out), [])
        for descriptor in [*(each for pair in pipes.values() for each in pair), records_out]:
            os.close(descriptor)
        return Outbox(records_in)

    def _judge(self, node: Value, inbox: int, teller: Outbox) -> None:
        Monitoring(self.mapping, node, inbox, teller).run()

    def _decode(self, pipes: dict[Value, tuple[int, int]], records: int, teller: Outbox) -> None:
        for reading, _ in pipes.values():
            os.close(reading)
        outboxes = {node: Outbox(writing) for node, (_, writing) in pipes.items()}
        Decoding(self.mapping, records, outboxes, teller).run()

    def _fork(self, what: str, run: Callable[[Outbox], None], close: list[int]) -> None:
        """`close`: what the new process must not hold open, or who reads there would never see the end."""
        telling_out, telling_in = _pipe()
        close = [*close, *self._ours, telling_out]

        def main() -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the one who watches
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            for descriptor in close:
                os.close(descriptor)
            teller = Outbox(telling_in)
            try:
                with self.mapping.specification.world.active(), rare_collector():
                    run(teller)
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{os.path.basename(last.filename)}:{last.lineno}"
                teller.put(frame(Failed(f"a mistake of ours: {type(error).__name__}: {error} ({place})")))
                teller.drain()

        process = self._context.Process(target=main, daemon=True)
        process.start()
        os.close(telling_in)
        self._ours.append(telling_out)
        self._children.append(_Child(what, process, Inbox(telling_out)))

    # ---------------------------------------------------------------------------------------------------- what they say

    @property
    def is_done(self) -> bool:
        return all(child.inbox.ended for child in self._children)

    @property
    def decodes(self) -> bool:
        """Whether records are still taken."""
        return bool(self._children) and not self._children[-1].inbox.ended and not self.decoder.broken

    def reports(self, seconds: float) -> Iterator[tuple[str, Report | None]]:
        """What comes within that time, with who says it; None where one has ended."""
        open_children = {child.inbox.descriptor: child for child in self._children if not child.inbox.ended}
        waiting = [self.decoder.descriptor] if self.decoder.bytes and not self.decoder.broken else []
        ready, writable, _ = select.select([*open_children], waiting, [], seconds)
        if writable:
            self.decoder.flush()
        for descriptor in ready:
            child = open_children[descriptor]
            for report in child.inbox.read():
                yield child.what, report
            if child.inbox.ended:
                yield child.what, None

    # -------------------------------------------------------------------------------------------------------------- end

    def no_more(self) -> None:
        """Nothing will come: they judge what they have, and end."""
        self.decoder.close()

    def kill(self) -> None:
        """They are gone after this. May be called more than once."""
        for child in self._children:
            with contextlib.suppress(ValueError):
                child.process.kill()
                child.process.join(_END_SECONDS)
                child.process.close()
            child.inbox.close()
            child.inbox.ended = True
        self._children = []


def _pipe() -> tuple[int, int]:
    """Where to read, where to write."""
    reading, writing = os.pipe()
    with contextlib.suppress(OSError):
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE)
    return reading, writing
