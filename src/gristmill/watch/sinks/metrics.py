"""An endpoint for Prometheus: `GET /metrics` answers with numbers, `/healthz` with whether everything is judged."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from threading import Lock, Thread

from gristmill import __version__
from gristmill.source import Diagnostic, SourceError
from gristmill.values import Value
from gristmill.watch.events import Events, NodeProgress, Progress, Started
from gristmill.watch.judging import Alarm, Lost
from gristmill.watch.report.words import name_of
from gristmill.watch.sinks.exposition import CONTENT_TYPE, Family, Kind, Sample, exposition

_LOOPBACK = "127.0.0.1"
_PREFIX = "gristmill_watch_"


def parsed_address(text: str) -> tuple[str, int]:
    """Of `PORT`, `:PORT`, `HOST:PORT` or `[HOST]:PORT`; without a host, this machine alone. Raises `ValueError`."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or _LOOPBACK
    if not port.isascii() or not port.isdecimal() or not 0 <= int(port) <= 65_535:
        raise ValueError(f"{text!r} has no port: write ADDRESS:PORT, such as {_LOOPBACK}:9464")
    return host, int(port)


class Metrics(Events):
    """Listens as soon as it is made; raises `SourceError` if it cannot. Port 0 is any that is free."""

    def __init__(self, host: str, port: int) -> None:
        self._lock = Lock()
        self._info: dict[str, str] = {}
        self._nodes: dict[str, NodeProgress] = {}
        self._alarms, self._lost = Counter[str](), Counter[str]()
        self._messages = self._ignored = self._troubles = 0
        self._lag: float | None = None
        self._server = _listening(host, port, self)
        self.address = f"{host}:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.1,), name="metrics", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------------------------------------------ what happens

    def started(self, started: Started) -> None:
        with self._lock:
            self._info = {
                "system": started.system,
                "specification": started.specification,
                "source": started.source,
                "version": __version__,
            }
            for each in map(name_of, started.nodes):
                self._alarms[each] = self._lost[each] = 0

    def progress(self, progress: Progress) -> None:
        nodes = {name_of(each.node): each for each in progress.nodes}
        with self._lock:
            self._messages, self._ignored, self._lag = progress.messages, progress.ignored, progress.lag
            self._nodes = nodes

    def alarm(self, node: Value, called: str | None, alarm: Alarm) -> None:
        with self._lock:
            self._alarms[name_of(node)] += 1

    def lost(self, node: Value, called: str | None, lost: Lost) -> None:
        with self._lock:
            self._lost[name_of(node)] += 1

    def trouble(self, what: str, why: str) -> None:
        with self._lock:
            self._troubles += 1

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # ------------------------------------------------------------------------------------------------- what is told

    def page(self) -> str:
        with self._lock:
            return exposition(list(self._families()))

    def is_healthy(self) -> bool:
        with self._lock:
            return not (self._troubles or self._alarms.total() or self._lost.total())

    def _families(self) -> Iterator[Family]:
        if self._info:
            yield Family(f"{_PREFIX}info", "gauge", "What is watched.", (Sample(self._info, 1),))
        yield _one("messages_total", "counter", "Messages that were judged, each once.", self._messages)
        yield _one("ignored_messages_total", "counter", "Messages of kinds that are not looked at.", self._ignored)
        yield _one("troubles_total", "counter", "Links and kinds of messages that are not judged.", self._troubles)
        yield self._directions()
        for name, kind, help, of in _PER_NODE:
            samples = tuple(Sample({"node": node}, of(each)) for node, each in self._nodes.items())
            yield Family(f"{_PREFIX}{name}", kind, help, samples)
        yield _counted("alarms_total", "Messages that the specification does not allow.", self._alarms)
        yield _counted("lost_track_total", "How often track of the node was lost.", self._lost)
        if self._lag is not None:
            yield _one("lag_seconds", "gauge", "From a message on the wire to its judgement.", self._lag)
        yield from _of_process()

    def _directions(self) -> Family:
        samples = tuple(
            Sample({"node": node, "direction": direction}, count)
            for node, each in self._nodes.items()
            for direction, count in (("sent", each.sent), ("received", each.received))
        )
        return Family(f"{_PREFIX}node_messages_total", "counter", "Messages of the node that were judged.", samples)


_PER_NODE: tuple[tuple[str, Kind, str, Callable[[NodeProgress], float]], ...] = (
    ("simulation_states", "gauge", "States that the node may be in.", lambda each: each.states),
    ("simulation_states_most", "gauge", "The most there have been.", lambda each: each.most_states),
    ("searches_total", "counter", "Searches for what happened unseen.", lambda each: each.searches),
    ("exact_searches_total", "counter", "Searches through all schedules.", lambda each: each.exact),
    ("judged", "gauge", "1 while the node is judged, 0 while its state is not known.", lambda each: int(each.judged)),
)


def _one(name: str, kind: Kind, help: str, value: float) -> Family:
    return Family(f"{_PREFIX}{name}", kind, help, (Sample({}, value),))


def _counted(name: str, help: str, counts: Counter[str]) -> Family:
    samples = tuple(Sample({"node": node}, count) for node, count in counts.items())
    return Family(f"{_PREFIX}{name}", "counter", help, samples)


def _of_process() -> Iterator[Family]:
    """By the names that Prometheus has for them."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    yield Family(
        "process_cpu_seconds_total", "counter", "Processor time.", (Sample({}, round(time.process_time(), 3)),)
    )
    yield Family(f"{_PREFIX}most_memory_bytes", "gauge", "Memory, at most.", (Sample({}, used.ru_maxrss * 1024),))


# ----------------------------------------------------------------------------------------------------------- HTTP


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    metrics: Metrics


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10.0  # seconds: whoever asks must not take longer to do so

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/metrics":
            self._answer(200, CONTENT_TYPE, self.server.metrics.page())
        elif path == "/healthz":
            healthy = self.server.metrics.is_healthy()
            text = "all that was seen was judged, without an alarm\n" if healthy else "there was an alarm or trouble\n"
            self._answer(200 if healthy else 503, "text/plain; charset=utf-8", text)
        else:
            self._answer(404, "text/plain; charset=utf-8", "there are /metrics and /healthz\n")

    do_HEAD = do_GET

    def _answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody wants a line for each time that it is asked."""


def _listening(host: str, port: int, metrics: Metrics) -> _Server:
    class Listening(_Server):
        address_family = AF_INET6 if ":" in host else AF_INET

    try:
        server = Listening((host, port), _Handler)
    except OSError as error:
        message = f"the metrics cannot be offered at {host}:{port}: {error.strerror or error}"
        help = "choose another port, or 0 for any that is free"
        raise SourceError(Diagnostic("cannot-listen", message, None, help=help)) from None
    server.metrics = metrics
    return server
