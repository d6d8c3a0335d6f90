"""`gristmill watch` on links that are in use: verdicts, alarms at once, and what goes wrong around it."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from live_servers import until
from live_watch import ask, assign, watching

from gristmill.source import SourceError
from gristmill.watch.live.links import tapped
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.recording import read_recording

HERE = Path(__file__).parent
HELLO = bytes.fromhex("16030100610100005d0303") + bytes(90)


def judged_again(folder: Path, recording: Path) -> dict[str, object]:
    command = [sys.executable, "-m", "gristmill.cli", "watch", str(folder / "live.map.toml"), "--format", "json"]
    done = subprocess.run([*command, "--from", str(recording)], capture_output=True, text=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_system_that_does_what_it_should(tmp_path: Path) -> None:
    with watching(tmp_path, "--record", str(tmp_path / "run.trace")) as watch:
        with watch.client() as client:
            assign(client, 1, 50)
            for ticket in range(1, 51):
                assert ask(client, "Acquire", ticket)["kind"] == "Acquired"
                assert ask(client, "Release", ticket)["kind"] == "Released"
        status, found = watch.end()
    assert (status, found["verdict"], found["messages"], found["not_judged"]) == (0, "ok", 300, [])
    again = judged_again(tmp_path, tmp_path / "run.trace")
    assert [again[key] for key in ("verdict", "messages", "ignored")] == ["ok", 300, 0]
    assert again["nodes"] == found["nodes"]


def test_an_alarm_is_told_while_the_system_runs(tmp_path: Path) -> None:
    with watching(tmp_path, "--format", "text") as watch, watch.client() as client:
        assign(client, 1, 5)
        assert ask(client, "Assign", number=666)["ticket"] == 11
        watch.wait_for("Alarm: lock has sent what the specification does not allow")
        assert ask(client, "Assign", number=7)["ticket"] == 7  # the service goes on
        watch.process.send_signal(signal.SIGTERM)
        assert watch.process.wait(60) == 13


def test_json_lines_tell_of_it_at_once(tmp_path: Path) -> None:
    with watching(tmp_path, "--format", "jsonl") as watch, watch.client() as client:
        assert watch.process.stdout is not None
        assert ask(client, "Assign", number=666)["ticket"] == 6
        events = iter(watch.process.stdout)
        assert next(json.loads(line) for line in events if '"alarm"' in line)["event"] == "alarm"


def test_the_time_is_over(tmp_path: Path) -> None:
    with watching(tmp_path, "--for", "2s") as watch:
        with watch.client() as client:
            assign(client, 1, 3)
        assert watch.process.wait(60) == 0


def test_nothing_has_gone_by(tmp_path: Path) -> None:
    with watching(tmp_path) as watch:
        status, found = watch.end(signal.SIGTERM)
    assert (status, found["verdict"]) == (3, "incomplete")


# --------------------------------------------------------------------------------------------------- what is not judged


def test_what_is_no_message_is_said_and_passed_on(tmp_path: Path) -> None:
    with watching(tmp_path) as watch:
        with watch.client() as client:
            assign(client, 1, 3)
            client.sendall(b"\x00\xff not at all JSON\n")
            watch.wait_for("of link lock from record")
            assert client.recv(1) == b""  # as the server has it without us
        with watch.client() as client:
            client.sendall(b'{"kind": "Assign", "fro')  # broken off
        status, found = watch.end()
    assert (status, found["verdict"]) == (3, "incomplete")
    assert any("cannot be decoded" in each for each in found["not_judged"])


def test_a_stream_that_breaks_off(tmp_path: Path) -> None:
    """What has not come whole is no message, to the server as to us."""
    with watching(tmp_path) as watch:
        for number in (1, 2):
            with watch.client() as client:
                assign(client, number, 1)
                client.sendall(b'{"kind": "Assign", "fro')
        status, found = watch.end()
    assert (status, found["verdict"], found["messages"], found["not_judged"]) == (0, "ok", 4, [])


def test_after_it_nothing_is_said_of_its_nodes(tmp_path: Path) -> None:
    """Messages that were not seen may explain what follows: that is no alarm, but lost track."""
    with watching(tmp_path) as watch:
        with watch.client() as client:
            assign(client, 1, 3)
            client.sendall(b"not at all JSON\n")
            assert client.recv(1) == b""
        with watch.client() as client:
            assert ask(client, "Assign", number=666)["ticket"] == 9
        status, found = watch.end()
    assert (status, found["verdict"]) == (3, "incomplete")
    assert [each["alarm"] for each in found["nodes"]] == [None, None]
    assert "cannot be decoded" in found["not_judged"][0]


def test_a_link_with_tls(tmp_path: Path) -> None:
    def serve(connection: object) -> None:
        connection.recv(1 << 16)  # type: ignore[attr-defined]
        connection.sendall(b"\x15\x03\x01\x00\x02\x02\x28")  # type: ignore[attr-defined]

    with watching(tmp_path, serve=serve) as watch:
        with watch.client() as client:
            client.sendall(HELLO)
            assert client.recv(100) == b"\x15\x03\x01\x00\x02\x02\x28"
        watch.wait_for("is encrypted (TLS)")
        status, found = watch.end()
    assert status == 3
    assert any("TLS" in each for each in found["not_judged"])


def test_a_kind_of_messages_that_nobody_knows(tmp_path: Path) -> None:
    with watching(tmp_path) as watch:
        with watch.client() as client:
            client.sendall(b'{"kind": "Surprise", "from": "client", "to": "lock", "ticket": 1}\n')
            assign(client, 1, 3)
        status, found = watch.end()
    assert (status, found["verdict"], found["messages"]) == (3, "incomplete", 6)
    assert found["not_judged"] == ["messages Surprise are not described in the mapping, and not judged"]


# ------------------------------------------------------------------------------------------ when things break around it


def test_the_disk_is_full(tmp_path: Path) -> None:
    """The recording ends with a whole record; the service and the watching go on."""
    with watching(tmp_path, "--record", str(tmp_path / "run.trace")) as watch:
        resource.prlimit(watch.process.pid, resource.RLIMIT_FSIZE, (8192, 8192))
        with watch.client() as client:
            assign(client, 1, 200)
        watch.wait_for("run.trace has ended")
        status, found = watch.end()
    assert (status, found["messages"]) == (3, 400)
    assert all(each["alarm"] is None and each["lost"] is None for each in found["nodes"])
    assert any("File too large" in each for each in found["not_judged"])
    assert len([*read_recording(tmp_path / "run.trace")]) > 10
    assert judged_again(tmp_path, tmp_path / "run.trace")["verdict"] == "ok"


def test_the_disk_is_slow(tmp_path: Path) -> None:
    """Nobody waits for it: all is answered and judged. What is missing in the recording is said, and stands there."""
    recording = tmp_path / "run.trace"
    with watching(tmp_path, "--record", str(recording), program=[str(HERE / "on_slow_disk.py")]) as watch:
        with watch.client() as client:
            assign(client, 1, 300)
            watch.wait_for("too slow")
            recording.with_suffix(".goes-on").touch()
            until(lambda: has_settled(recording))
            assign(client, 301, 20)
        status, found = watch.end()
    assert (status, found["messages"]) == (3, 640)
    assert all(each["alarm"] is None and each["lost"] is None for each in found["nodes"])
    assert any("too slow" in each for each in found["not_judged"])
    again = judged_again(tmp_path, recording)
    assert 10 < again["messages"] < 640  # type: ignore[operator]
    assert (again["verdict"], [each["alarm"] for each in again["nodes"]]) == ("incomplete", [None, None])  # type: ignore[attr-defined]


def has_settled(file: Path) -> bool:
    """Something is in it, and no more has come for a while. How much depends on how much came at once."""
    size = file.stat().st_size
    time.sleep(0.5)
    return 0 < size == file.stat().st_size


def test_the_tap_is_killed(tmp_path: Path) -> None:
    with watching(tmp_path, "--record", str(tmp_path / "run.trace")) as watch:
        with watch.client() as client:
            assign(client, 1, 5)
            tap = next(each for each in watch.children() if is_tap(each))
            os.kill(tap, signal.SIGKILL)
            with pytest.raises((ConnectionError, AssertionError)):
                ask(client, "Acquire", 1)
        watch.wait_for("the tap has ended (signal 9); it is started again")
        with watch.client() as client:
            assert ask(client, "Acquire", 1)["kind"] == "Acquired"
        status, found = watch.end()
    assert (status, found["verdict"], found["not_judged"]) == (0, "ok", [])
    assert judged_again(tmp_path, tmp_path / "run.trace")["verdict"] == "ok"


def is_tap(pid: int) -> bool:
    """Of those that are there."""
    try:
        return b"python" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


def test_a_monitor_is_killed(tmp_path: Path) -> None:
    """That is said, is no "no alarm", and the service goes on."""
    with watching(tmp_path) as watch:
        with watch.client() as client:
            assign(client, 1, 5)
            for each in watch.children():
                if not is_tap(each):
                    os.kill(each, signal.SIGKILL)
            watch.wait_for("has ended by itself")
            assign(client, 6, 5)
        status, found = watch.end()
    assert (status, found["verdict"]) == (3, "incomplete")


def test_a_monitor_that_does_not_come_to_an_end(tmp_path: Path) -> None:
    """Whoever does not want to wait says so once more."""
    with watching(tmp_path) as watch:
        with watch.client() as client:
            assign(client, 1, 5)
            stopped = [each for each in watch.children() if not is_tap(each)]
            for each in stopped:
                os.kill(each, signal.SIGSTOP)
            assign(client, 6, 100)
        watch.process.send_signal(signal.SIGINT)
        until(lambda: all(not is_tap(each) for each in watch.children()))
        status, found = watch.end()
    assert (status, found["verdict"]) == (3, "incomplete")
    assert any("broken off" in each for each in found["not_judged"])


def test_too_much_waits_to_be_judged(tmp_path: Path) -> None:
    """The checker stands still: what does not fit is counted, and afterwards track is lost, not found again."""
    with watching(tmp_path, "--spool", "1") as watch:
        with watch.client() as client:
            assign(client, 1, 5)
            stopped = [each for each in watch.children() if not is_tap(each)]
            for each in stopped:
                os.kill(each, signal.SIGSTOP)
            blank = b'{"kind": "Surprise", "from": "client", "to": "lock", "ticket": 0, "x": "%s"}\n' % (b"x" * 60_000)
            for _ in range(120):
                client.sendall(blank)
            watch.wait_for("more than 1 MB wait to be judged")
            for each in stopped:
                os.kill(each, signal.SIGCONT)
            for number in range(6, 400):
                assert ask(client, "Assign", number=number)["ticket"] == number
        status, found = watch.end()
    assert (status, found["verdict"]) == (3, "incomplete")
    assert any("records are missing" in each for each in found["not_judged"])


# ------------------------------------------------------------------------------------------------------------- mistakes


def links_of(mapping: Path) -> None:
    read = read_watch_map(mapping)
    with read.specification:
        tapped(read.links, read.span)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("", "the mapping does not say which links to tap"),
        ('[watch.links.a]\ntap = "127.0.0.1:1"', "link `a` does not say where the node listens"),
        ('[watch.links.a]\nat = "127.0.0.1"', "must be an address with a port"),
        ('[watch.links.a]\nat = "127.0.0.1:70000"', "must be an address with a port"),
        ('[watch.links.a]\nat = "127.0.0.1:1"\ntapp = "x"', "tapp"),
        ('[watch.links.a]\nat = "127.0.0.1:1"\ntap = "127.0.0.1:1"', "is where the node listens"),
        (
            '[watch.links.a]\nat = "[::1]:1"\ntap = "[::1]:3"\n[watch.links.b]\nat = "[::1]:2"\ntap = "[::1]:3"',
            "links `a` and `b` have the same tap",
        ),
    ],
)
def test_mistakes_of_a_mapping(tmp_path: Path, links: str, message: str) -> None:
    here = Path(__file__).parent
    text = (here / "lock.map.toml").read_text().replace('"Lock.tla"', f'"{here}/Lock.tla"')
    (tmp_path / "x.map.toml").write_text(f"{text}\n{links}\n")
    with pytest.raises(SourceError) as caught:
        links_of(tmp_path / "x.map.toml")
    assert message in caught.value.diagnostics[0].message
    assert caught.value.diagnostics[0].span is not None


def test_a_recording_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "old.trace").write_bytes(b"precious")
    with watching(tmp_path) as watch:
        command = [sys.executable, "-m", "gristmill.cli", "watch", str(tmp_path / "live.map.toml")]
        taken = subprocess.run(command, capture_output=True, text=True)
        assert (taken.returncode, "cannot listen at" in taken.stderr) == (150, True)
        watch.end()
    done = subprocess.run([*command, "--record", str(tmp_path / "old.trace")], capture_output=True, text=True)
    assert (done.returncode, "old.trace exists already" in done.stderr) == (150, True)
    assert (tmp_path / "old.trace").read_bytes() == b"precious"


@pytest.mark.parametrize("options", [("--record", "x"), ("--capture",), ("--for", "1s")])
def test_what_is_for_links_in_use(tmp_path: Path, options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "gristmill.cli", "watch", "x.toml", "--from", "y", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "links that are in use" in done.stderr) == (2, True)
