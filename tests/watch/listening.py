"""A server on this machine that is posted to, and answers as a test wants it to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Posted:
    """What came; `answers`: the statuses to answer with, one after the other, the last one from then on."""

    answers: Sequence[int]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    hold: Event | None = None  # nothing is answered before it is set


@contextmanager
def listening(*answers: int, hold: Event | None = None) -> Iterator[Posted]:
    posted = Posted(answers or (204,), hold=hold)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            posted.bodies.append(json.loads(body))
            posted.types.append(self.headers["Content-Type"])
            if posted.hold is not None:
                posted.hold.wait()
            status = posted.answers[min(len(posted.bodies), len(posted.answers)) - 1]
            self.send_response(status)
            if status in (301, 302):
                self.send_header("Location", posted.url)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    posted.url = f"http://127.0.0.1:{server.server_address[1]}/alarms?secret=x"
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield posted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
