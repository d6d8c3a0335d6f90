"""`--start`: the nodes run as the mapping says, with the tap between them, and are gone afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from live_servers import SECONDS, until
from test_live_capture import may_capture

HERE = Path(__file__).parent

NODES = """
[values]
python = "python-that-is-not-there"
[node]
command = ["{python}", "HERE/lock_node.py", "{node}", "{port.peer}", "{link.peer.lock}"]
ports = ["peer"]
[network]
links = ["peer"]
"""


def mapping(folder: Path, nodes: str = NODES) -> Path:
    text = (HERE / "lock.map.toml").read_text().replace('"Lock.tla"', f'"{HERE}/Lock.tla"')
    text = text.replace("[watch]", '[system.constants]\nTicket = "<- Nat"\n[watch]', 1)
    path = folder / "start.map.toml"
    path.write_text(text + nodes.replace("HERE", str(HERE)))
    return path


def command(path: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "gristmill.cli", "watch", str(path), "--start", "--format", "json", *options]


@pytest.mark.parametrize("how", ["tap", "capture"])
def test_nodes_are_started_watched_and_ended(tmp_path: Path, how: str) -> None:
    if how == "capture" and not may_capture():
        pytest.skip("packets cannot be captured here: no CAP_NET_RAW")
    capture = ["--capture"] if how == "capture" else []
    started = command(mapping(tmp_path), "--set", f"python={sys.executable}", "--for", "4s", *capture)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(started, capture_output=True, text=True, env=environment, timeout=SECONDS)
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"]) == (0, "ok"), found
    assert found["messages"] > 10
    assert nodes_that_run(tmp_path) == []
    assert [each.name for each in tmp_path.iterdir()] == ["start.map.toml"]


def nodes_that_run(folder: Path) -> list[str]:
    """Nodes have their folders there."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder) in os.readlink(each / "cwd"):
                found.append(each.name)
        except OSError:
            continue
    return found


def test_nothing_is_left_if_the_watcher_is_killed(tmp_path: Path) -> None:
    started = command(mapping(tmp_path), "--set", f"python={sys.executable}")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as watch:
        assert watch.stderr is not None
        assert any("Watching" in line for line in watch.stderr)
        until(lambda: len(nodes_that_run(tmp_path)) == 2)
        watch.send_signal(signal.SIGKILL)
        watch.wait(SECONDS)
        until(lambda: nodes_that_run(tmp_path) == [])
        until(lambda: [each.name for each in tmp_path.iterdir()] == ["start.map.toml"])


@pytest.mark.parametrize(
    ("nodes", "options", "message"),
    [
        (NODES, (), "node client cannot be started: No such file or directory"),
        (NODES.partition("[network]")[0], (), "does not say which ports of its nodes are to be watched"),
        (NODES.replace('links = ["peer"]', 'links = ["pear"]'), (), "does not say which ports"),
        (NODES.replace("{node}", "{knot}"), ("--set", f"python={sys.executable}"), "nothing called {knot}"),
    ],
)
def test_mistakes(tmp_path: Path, nodes: str, options: tuple[str, ...], message: str) -> None:
    started = command(mapping(tmp_path, nodes), *options)
    done = subprocess.run(started, capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, message in done.stderr) == (150, True), done.stderr
