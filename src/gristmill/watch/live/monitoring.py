"""The process of one node's monitor: it is given this node's messages, and shares nothing with others."""

from __future__ import annotations

import time

from gristmill.source import SourceError
from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.following import FollowedMonitor
from gristmill.watch.live.frames import Inbox, Outbox, frame
from gristmill.watch.live.reports import Failed, Judged
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message, Regained, Unseen
from gristmill.watch.packed import Packed, Route, Share, Unpacking
from gristmill.watch.telling import node_progress
from gristmill.watch.watching import look, see, troubles, verdict_of

_TELL_EVERY = 0.25  # seconds
_QUIET = 1.0  # seconds without a message, after which what is suspected is decided


class Monitoring:
    def __init__(self, mapping: WatchMap, node: Value, inbox: int, teller: Outbox) -> None:
        actions = Actions(mapping.specification, mapping.monitor)
        listens = mapping.new_decoder().listening() is not None
        self.unpacking = Unpacking(mapping) if listens else None
        self.monitor = FollowedMonitor(mapping, actions, node, self.unpacking)
        self._routes: list[Route] = []
        self.inbox, self.teller = Inbox(inbox), teller
        self.messages = 0
        self._lag = 0.0
        self._told = 0.0
        self._told_ends = 0
        self._is_news = False

    def run(self) -> None:
        done = False
        try:
            while not self.inbox.ended:
                while self._is_news and not self.inbox.has_come(_TELL_EVERY):
                    self._tell()  # or nobody would know of the last messages before a pause
                if self.monitor.suspicion is not None and not self.inbox.has_come(_QUIET):
                    self.monitor.decide()
                    self._tell()
                for batch in self.inbox.read():
                    self._judge(batch)
                    if time.monotonic() - self._told > _TELL_EVERY:
                        self._tell()
            self.monitor.decide()
            done = True
        except SourceError as error:
            first = error.diagnostics[0]
            self.teller.put(frame(Failed(first.message, first.help)))
        self._tell(done)
        self.teller.drain()

    def _judge(self, batch: list[Message | Share | Unseen | Regained]) -> None:
        self._is_news = True
        for each in batch:
            match each:
                case Message():
                    see(self.monitor, each)
                    self.messages += 1
                    self._lag = time.time() - each.time / 1e9
                    self._tell_ends()
                case Share():
                    self._judge_share(each)
                case _:
                    look(self.monitor, each)

    def _judge_share(self, share: Share) -> None:
        assert self.unpacking is not None
        if share.anew:
            self._routes = []
        self._routes += share.new
        if not share.count:
            return
        packed = Packed(share.data, share.count, self._routes)
        for _ in self.monitor.see_packed(packed):
            self._tell_ends()
        self.messages += packed.count
        self._lag = time.time() - self.unpacking.last_time(packed) / 1e9

    def _tell_ends(self) -> None:
        if len(self.monitor.ends) > self._told_ends:
            self._tell()

    def _tell(self, done: bool = False) -> None:
        self._told = time.monotonic()
        monitor = self.monitor
        news = tuple(monitor.ends[self._told_ends :])
        self._told_ends += len(news)
        verdict = verdict_of(monitor, None) if done or news else None
        progress, seconds = node_progress(monitor, None), time.process_time()
        numbers, times = (self.messages, progress, monitor.counts), (self._lag, seconds)
        told = Judged(monitor.name, *numbers, news, verdict, *times, troubles([monitor]), done)
        self.teller.put(frame(told))
        self._is_news = False
