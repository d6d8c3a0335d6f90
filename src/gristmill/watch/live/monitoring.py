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
from gristmill.watch.telling import node_progress
from gristmill.watch.watching import look, see, troubles, verdict_of

_TELL_EVERY = 0.25  # seconds
_QUIET = 1.0  # seconds without a message, after which what is suspected is decided


class Monitoring:
    def __init__(self, mapping: WatchMap, node: Value, inbox: int, teller: Outbox) -> None:
        actions = Actions(mapping.specification, mapping.monitor)
        self.monitor = FollowedMonitor(mapping, actions, node)
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

    def _judge(self, batch: list[Message | Unseen | Regained]) -> None:
        self._is_news = True
        for each in batch:
            if not isinstance(each, Message):
                look(self.monitor, each)
                continue
            see(self.monitor, each)
            self.messages += 1
            self._lag = time.time() - each.time / 1e9
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
