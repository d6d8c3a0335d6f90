"""Checks that are started in an editor, and how the server ends, whatever it is doing."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counter_module import COUNTER
from scripted_client import Client


def test_check_from_the_editor(client: Client, counter: Path) -> None:
    client.open(counter)
    (lens,) = client.about("codeLens", counter)
    assert lens["command"]["title"] == "check Counter.cfg"
    found = client.request(
        "workspace/executeCommand", command=lens["command"]["command"], arguments=lens["command"]["arguments"]
    )
    assert (found["verdict"], found["property"]) == ("invariant", "Small")
    assert "Invariant Small is violated" in client.shown[-1]["message"]
    assert client.logged[0] == "1. Initial state: count = 0"
    (told,) = client.published[counter.as_uri()]
    assert (told["code"], told["range"]["start"]["line"]) == ("check", 9)
    assert client.change(counter, {"text": COUNTER + " "}) == []


def test_no_lens_without_a_configuration(client: Client, counter: Path) -> None:
    counter.with_suffix(".cfg").unlink()
    client.open(counter)
    assert client.about("codeLens", counter) == []


def test_without_pygls_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['pygls'] = None; sys.argv = ['gristmill', 'lsp']\n"
    code += "from gristmill.cli.main import main; main()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "pip install 'gristmill[lsp]'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_server_ends_when_the_editor_goes_away(counter: Path) -> None:
    client = Client()
    client.open(counter)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(30) is not None
    client.__exit__()


UNBOUNDED = COUNTER.replace("count < Limit /\\ ", "").replace("count < 3", "count >= 0")


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
@pytest.mark.parametrize("how", ["shutdown", "terminate", "hang up"])
def test_a_check_ends_with_the_server(counter: Path, how: str) -> None:
    counter.write_text(UNBOUNDED)
    with Client() as client:
        client.open(counter)
        arguments = {"command": "gristmill.check", "arguments": [counter.as_uri()]}
        client.send_request("workspace/executeCommand", **arguments)
        started = wait_until(lambda: children(client.process.pid))
        if how == "terminate":
            client.process.terminate()
        elif how == "hang up":
            assert client.process.stdin is not None
            client.process.stdin.close()
        if how != "shutdown":
            client.process.wait(30)
    assert wait_until(lambda: not [each for each in started if Path(f"/proc/{each}/cmdline").exists()])


def wait_until(what: Callable[[], Any]) -> Any:
    for _ in range(600):
        found = what()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")
