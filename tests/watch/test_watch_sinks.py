"""Whoever is told while nodes are watched: JSON lines, metrics, a webhook."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from listening import listening
from lock_recordings import HEALTHY, MAPPING, OUT_OF_TURN, record
from prometheus_client.parser import text_string_to_metric_families

from gristmill.source import SourceError
from gristmill.watch.events import Events, NodeProgress, Progress, Several, Started
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.sinks.lines import JsonLines
from gristmill.watch.sinks.metrics import Metrics, parsed_address
from gristmill.watch.sinks.webhook import Patience, Webhook, checked_url
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import watch_recordings


def watched_by(events: Events, path: Path, *messages: dict[str, object], broken: bytes = b"") -> Watched:
    mapping = read_watch_map(MAPPING)
    file = record(path / "run.trace", *messages)
    with mapping.specification:
        return watch_recordings(mapping, [file], events=events)


# ---------------------------------------------------------------------------------------------------- JSON lines


def lines_of(path: Path, *messages: dict[str, object]) -> list[dict[str, Any]]:
    lines: list[str] = []
    watched_by(JsonLines(lines.append), path, *messages)
    assert not any("\n" in line for line in lines)
    return [json.loads(line) for line in lines]


def test_lines_of_an_alarm(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, *OUT_OF_TURN)
    assert [each["event"] for each in lines] == ["started", "alarm", "heartbeat", "ended"]
    started, alarm, heartbeat, ended = lines
    assert (started["system"], started["source"], started["nodes"]) == ("lock", "recording", ["client", "lock"])
    assert (alarm["node"], alarm["called"], alarm["message"]["kind"]) == ("lock", "lock", "Acquired")
    assert alarm["candidates"][0]["needs"][0]["words"] == "it is the turn of this ticket"
    assert heartbeat["messages"] == 6
    assert [each["judged"] for each in heartbeat["nodes"]] == [True, True]  # it goes on from where it may be
    assert (ended["verdict"], ended["exit_code"]) == ("alarm", 13)
    assert [each["alarm"] for each in ended["nodes"]] == [False, True]
    assert all(each["at"].endswith("Z") for each in lines)


def test_lines_of_trouble(tmp_path: Path) -> None:
    steal: dict[str, object] = {"kind": "Steal", "from": "client", "to": "lock"}
    lines = lines_of(tmp_path, *HEALTHY, steal)
    assert [each["event"] for each in lines] == ["started", "trouble", "heartbeat", "ended"]
    assert lines[1]["what"] == "messages Steal"
    assert lines[-1]["verdict"] == "incomplete"


def test_everybody_is_told(tmp_path: Path) -> None:
    first: list[str] = []
    second: list[str] = []
    watched_by(Several([JsonLines(first.append), JsonLines(second.append)]), tmp_path, *HEALTHY)
    assert [json.loads(each)["event"] for each in first] == ["started", "heartbeat", "ended"]
    assert len(first) == len(second)


# ---------------------------------------------------------------------------------------------------- metrics


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    found = Metrics("127.0.0.1", 0)
    yield found
    found.close()


def asked(metrics: Metrics, path: str = "/metrics") -> tuple[str, str]:
    with urlopen(f"http://{metrics.address}{path}", timeout=10) as answer:
        return answer.read().decode(), answer.headers["Content-Type"]


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """As the parser of Prometheus' own client library reads them."""
    return {
        (each.name, tuple(sorted(each.labels.items()))): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def test_metrics_of_an_alarm(metrics: Metrics, tmp_path: Path) -> None:
    watched_by(metrics, tmp_path, *OUT_OF_TURN)
    text, kind = asked(metrics)
    assert kind.startswith("text/plain; version=0.0.4")
    found = samples(text)
    lock = (("node", "lock"),)
    assert found["gristmill_watch_messages_total", ()] == 6
    assert found["gristmill_watch_alarms_total", lock] == 1
    assert found["gristmill_watch_alarms_total", (("node", "client"),)] == 0
    assert found["gristmill_watch_lost_track_total", lock] == 0
    assert found["gristmill_watch_judged", lock] == 1
    assert found["gristmill_watch_simulation_states", lock] >= 1
    assert found["gristmill_watch_node_messages_total", (("direction", "sent"), ("node", "lock"))] == 3
    assert found["process_cpu_seconds_total", ()] > 0
    with pytest.raises(HTTPError, match="503"):
        asked(metrics, "/healthz")


def test_metrics_before_and_after_nothing_has_happened(metrics: Metrics, tmp_path: Path) -> None:
    assert samples(asked(metrics)[0])["gristmill_watch_messages_total", ()] == 0
    watched_by(metrics, tmp_path, *HEALTHY)
    assert samples(asked(metrics)[0])["gristmill_watch_messages_total", ()] == 8
    assert "without an alarm" in asked(metrics, "/healthz")[0]
    with pytest.raises(HTTPError, match="404"):
        asked(metrics, "/")


def test_names_that_must_be_escaped_and_a_lag(metrics: Metrics) -> None:
    strange = 'a"b\\c\nd'
    metrics.started(Started(strange, "Spec", (strange,), "tap", ()))
    metrics.progress(Progress(1, 0, (NodeProgress(strange, None, 1, 0, 1, 1, 0, 0, True),), lag=0.25))
    found = samples(asked(metrics)[0])
    assert found["gristmill_watch_judged", (("node", strange),)] == 1
    assert found["gristmill_watch_lag_seconds", ()] == 0.25


def test_a_port_that_is_taken_and_one_that_is_given_back(metrics: Metrics) -> None:
    port = int(metrics.address.rpartition(":")[2])
    with pytest.raises(SourceError, match="cannot be offered"):
        Metrics("127.0.0.1", port)
    other = Metrics("127.0.0.1", 0)
    other.close()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(other.address.rpartition(":")[2]))) != 0


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("9464", ("127.0.0.1", 9464)),
        (":9464", ("127.0.0.1", 9464)),
        ("[::1]:1", ("::1", 1)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parsed_address(text) == address


@pytest.mark.parametrize("text", ["", "host", "host:", "host:http", "host:70000", "host:-1", "host:²"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="has no port"):
        parsed_address(text)


# ---------------------------------------------------------------------------------------------------- webhook

SOON = Patience(answer=5.0, pauses=(0.0, 0.0), end=10.0)


def posted_by(url: str, path: Path, patience: Patience = SOON) -> list[str]:
    """What was reported of it. The verdict does not depend on whether anybody listens."""
    reported: list[str] = []
    hook = Webhook(url, reported.append, patience)
    try:
        assert watched_by(hook, path, *OUT_OF_TURN).verdict == "alarm"
    finally:
        hook.close()
    return reported


def test_an_alarm_is_posted(tmp_path: Path) -> None:
    with listening(204) as server:
        assert posted_by(server.url, tmp_path) == []
    (body,) = server.bodies
    assert server.types == ["application/json"]
    assert (body["event"], body["system"], body["node"], body["message"]["kind"]) == (
        "alarm",
        "lock",
        "lock",
        "Acquired",
    )
    assert body["summary"].startswith("lock sent Acquired to client")


def test_it_is_tried_again(tmp_path: Path) -> None:
    with listening(500, 503, 200) as server:
        assert posted_by(server.url, tmp_path) == []
    assert len(server.bodies) == 3


@pytest.mark.parametrize("status", [500, 404, 302])
def test_what_is_not_taken_is_reported(tmp_path: Path, status: int) -> None:
    with listening(status) as server:
        (reported,) = posted_by(server.url, tmp_path)
    assert len(server.bodies) == 3
    assert "did not take the alarm of lock, in 3 tries" in reported
    assert f"it answered {status}" in reported
    assert "secret" not in reported


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody accepts
        (reported,) = posted_by(f"http://127.0.0.1:{taken.getsockname()[1]}/", tmp_path)
    assert "refused" in reported


def test_who_never_answers_does_not_stop_anything(tmp_path: Path) -> None:
    hold = Event()
    with listening(200, hold=hold) as server:
        try:
            reported = posted_by(server.url, tmp_path, Patience(answer=0.2, pauses=(), end=10.0))
        finally:
            hold.set()
    assert len(reported) == 1
    assert "no answer in" in reported[0] or "timed out" in reported[0]


@pytest.mark.parametrize("url", ["ftp://host/x", "host/x", "http://", "file:///etc/passwd"])
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(ValueError, match="is no address to post to"):
        checked_url(url)
