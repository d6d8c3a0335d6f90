"""JSON lines: one object a line for each thing that happens, written when it happens."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from gristmill.values import Value
from gristmill.watch.events import Events, NodeProgress, Progress, Started
from gristmill.watch.judging import Alarm, Lost
from gristmill.watch.report.document import alarm_json, document, lost_json
from gristmill.watch.report.words import name_of
from gristmill.watch.verdicts import Watched


class JsonLines(Events):
    """`write` gets whole lines, one at a time, also from other threads."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write, self._lock = write, Lock()

    def started(self, started: Started) -> None:
        nodes = [name_of(each) for each in started.nodes]
        self._line(
            "started",
            format=1,
            system=started.system,
            specification=started.specification,
            source=started.source,
            inputs=list(started.inputs),
            nodes=nodes,
        )

    def progress(self, progress: Progress) -> None:
        self._line(
            "heartbeat",
            messages=progress.messages,
            ignored=progress.ignored,
            lag_seconds=progress.lag,
            nodes=[_node(each) for each in progress.nodes],
        )

    def alarm(self, node: Value, called: str | None, alarm: Alarm) -> None:
        self._line("alarm", **alarm_event(node, called, alarm))

    def lost(self, node: Value, called: str | None, lost: Lost) -> None:
        self._line("lost", node=name_of(node), called=called, **lost_json(lost))

    def trouble(self, what: str, why: str) -> None:
        self._line("trouble", what=what, why=why)

    def ended(self, watched: Watched) -> None:
        found = document(watched)
        for each in found["nodes"]:  # these have had lines of their own
            each["alarm"] = each["alarm"] is not None
            each["lost"] = each["lost"] is not None
        self._line("ended", **found)

    def _line(self, event: str, **fields: Any) -> None:
        line = json.dumps({"event": event, "at": now(), **fields}, ensure_ascii=False)
        with self._lock:
            self._write(line)


def alarm_event(node: Value, called: str | None, alarm: Alarm) -> dict[str, Any]:
    return {"node": name_of(node), "called": called, **alarm_json(node, alarm)}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _node(progress: NodeProgress) -> dict[str, Any]:
    return {
        "node": name_of(progress.node),
        "called": progress.called,
        "sent": progress.sent,
        "received": progress.received,
        "states": progress.states,
        "states_most": progress.most_states,
        "searches": progress.searches,
        "exact_searches": progress.exact,
        "judged": progress.judged,
    }
