"""A webhook: alarms, and track that was lost, are posted to an address as JSON.

That happens in a thread of its own. What cannot be delivered is tried again, then reported; watching goes on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from gristmill import __version__
from gristmill.values import Value
from gristmill.watch.events import Events, Started
from gristmill.watch.judging import Alarm, Lost
from gristmill.watch.report.document import lost_json
from gristmill.watch.report.words import name_of
from gristmill.watch.sinks.lines import alarm_event, now
from gristmill.watch.verdicts import Watched


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that an answer may take; pauses between the tries; seconds that the end waits for what is under way."""

    answer: float = 10.0
    pauses: tuple[float, ...] = (1.0, 5.0)
    end: float = 30.0


def checked_url(url: str) -> str:
    """Raises `ValueError` if nothing can be posted there."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no address to post to: write http://HOST/PATH or https://HOST/PATH")
    return url


class Webhook(Events):
    """`report`: told what could not be delivered, from the thread that tries."""

    def __init__(self, url: str, report: Callable[[str], None], patience: Patience | None = None) -> None:
        self.url, self.report, self.patience = checked_url(url), report, patience or Patience()
        self.system = ""
        self._is_closed = False
        self._queue: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._closing = Event()
        self._opener = build_opener(_NoRedirect())
        self._thread = Thread(target=self._deliver, name="webhook", daemon=True)
        self._thread.start()

    def started(self, started: Started) -> None:
        self.system = started.system

    def alarm(self, node: Value, called: str | None, alarm: Alarm) -> None:
        self._post("alarm", alarm_event(node, called, alarm))

    def lost(self, node: Value, called: str | None, lost: Lost) -> None:
        self._post("lost", {"node": name_of(node), "called": called, **lost_json(lost)})

    def ended(self, watched: Watched) -> None:
        self.close()

    def close(self) -> None:
        """What is under way is still delivered, for a while."""
        if self._is_closed:
            return
        self._is_closed = True
        self._queue.put(None)
        self._thread.join(self.patience.end)
        if self._thread.is_alive():
            self._closing.set()
            self.report(f"the webhook at {self._place} has not answered: not everything was delivered")

    # --------------------------------------------------------------------------------------------------- delivery

    def _post(self, event: str, fields: dict[str, Any]) -> None:
        self._queue.put({"event": event, "at": now(), "system": self.system, **fields})

    def _deliver(self) -> None:
        while (body := self._queue.get()) is not None:
            failure = self._try(json.dumps(body, ensure_ascii=False).encode())
            if failure is not None:
                tries = len(self.patience.pauses) + 1
                what = f"the {body['event']} of {body['node']}"
                self.report(f"the webhook at {self._place} did not take {what}, in {tries} tries: {failure}")

    def _try(self, body: bytes) -> str | None:
        """Why it could not be delivered; None if it was."""
        failure = self._once(body)
        for pause in self.patience.pauses:
            if failure is None or self._closing.wait(pause):
                break
            failure = self._once(body)
        return failure

    def _once(self, body: bytes) -> str | None:
        headers = {"Content-Type": "application/json", "User-Agent": f"gristmill/{__version__}"}
        request = Request(self.url, data=body, headers=headers, method="POST")
        began = time.monotonic()
        try:
            with self._opener.open(request, timeout=self.patience.answer) as answer:
                answer.read(1)
            return None
        except HTTPError as error:
            error.close()
            return f"it answered {error.code} {error.reason}"
        except TimeoutError:
            return f"no answer in {time.monotonic() - began:.0f} s"
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            return str(getattr(reason, "strerror", None) or reason or type(error).__name__)

    @property
    def _place(self) -> str:
        """Without what may be a secret: names, passwords, paths, tokens."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


class _NoRedirect(HTTPRedirectHandler):
    """A redirection would turn the post into a question: it is a failure, and said."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None
