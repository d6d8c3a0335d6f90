"""Whoever is told while links are in use: metrics that are asked for meanwhile, a webhook, and files at the end."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from listening import listening
from live_servers import until
from live_watch import LiveWatch, ask, assign, watching
from prometheus_client.parser import text_string_to_metric_families

from gristmill.trace.itf import load_itf

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="links are watched on Linux only")


def metrics(watch: LiveWatch) -> dict[str, float]:
    """Of the lock, and of no node."""
    (address,) = [found[0] for line in watch.said if (found := re.findall(r"http://127\.0\.0\.1:\d+/metrics", line))]
    with urlopen(address, timeout=30) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        return {
            each.name: each.value
            for family in families
            for each in family.samples
            if each.labels.get("node", "lock") == "lock" and each.labels.get("direction", "sent") == "sent"
        }


def test_metrics_a_webhook_and_files(tmp_path: Path) -> None:
    page, trace = tmp_path / "watched.html", tmp_path / "alarm.itf.json"
    files = ("--html", str(page), "--itf", str(trace))
    with (
        listening(200) as server,
        watching(tmp_path, "--metrics", "127.0.0.1:0", "--webhook", server.url, *files) as watch,
        watch.client() as client,
    ):
        assign(client, 1, 10)
        until(lambda: metrics(watch).get("gristmill_watch_node_messages_total") == 10)
        found = metrics(watch)
        assert found["gristmill_watch_messages_total"] == 20
        assert found["gristmill_watch_alarms_total"] == 0
        assert found["gristmill_watch_lag_seconds"] < 60
        assert ask(client, "Assign", number=666)["ticket"] == 16
        until(lambda: metrics(watch)["gristmill_watch_alarms_total"] == 1)
        until(lambda: len(server.bodies) == 1)
        status, document = watch.end()
    assert (status, document["verdict"]) == (13, "alarm")
    (posted,) = server.bodies
    assert (posted["node"], posted["message"]["kind"]) == ("lock", "Assigned")
    assert posted["summary"] == "lock sent Assigned to client, but ticket would be 11, not 16"
    assert "ticket would be 11, not 16" in page.read_text()
    assert len(load_itf(trace)) == 13
