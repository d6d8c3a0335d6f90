"""`gristmill watch` and what it writes, from the command line: files, lines, metrics, a webhook; and mistakes."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from listening import listening
from lock_recordings import HEALTHY, MAPPING, OUT_OF_TURN, record

from gristmill.cli.watch import watch
from gristmill.trace.itf import load_itf
from gristmill.watch.recording import Chunk, write_chunk


def invoked(*arguments: object) -> Result:
    return CliRunner().invoke(watch, [str(MAPPING), *map(str, arguments)])


@pytest.fixture
def healthy(tmp_path: Path) -> Path:
    return record(tmp_path / "healthy.trace", *HEALTHY)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    return record(tmp_path / "wrong.trace", *OUT_OF_TURN)


def test_files_of_an_alarm(wrong: Path, tmp_path: Path) -> None:
    page, trace, chart = tmp_path / "a.html", tmp_path / "a.itf.json", tmp_path / "a.svg"
    result = invoked("--from", wrong, "--html", page, "--itf", trace, "--chart", chart)
    assert result.exit_code == 13
    assert "it is needed that it is the turn of this ticket" in result.stdout
    assert "<h2>Alarm: lock at message 6</h2>" in page.read_text()
    assert len(load_itf(trace)) == 4
    assert chart.read_text().startswith("<svg")
    assert result.stderr.count("is written") == 3


def test_files_without_an_alarm(healthy: Path, tmp_path: Path) -> None:
    page, trace = tmp_path / "a.html", tmp_path / "a.itf.json"
    result = invoked("--from", healthy, "--html", page, "--itf", trace)
    assert result.exit_code == 0
    assert "No alarm" in page.read_text()
    assert not trace.exists()
    assert "is not written, as there was no alarm" in result.stderr


def test_several_alarms_have_files_of_their_own(tmp_path: Path) -> None:
    """Both ends do what they must not."""
    stolen: dict[str, object] = {"kind": "Acquired", "from": "client", "to": "lock", "ticket": 1}
    file = record(tmp_path / "both.trace", *OUT_OF_TURN, stolen)
    trace = tmp_path / "alarm.itf.json"
    assert invoked("--from", file, "--itf", trace).exit_code == 13
    documents = [json.loads(each.read_text()) for each in (trace, tmp_path / "alarm-2.itf.json")]
    assert sorted(each["#meta"]["node"] for each in documents) == ["client", "lock"]


def test_an_alarm_counts_more_than_a_file_that_cannot_be_written(wrong: Path, healthy: Path) -> None:
    result = invoked("--from", wrong, "--html", "/dev/full")
    assert result.exit_code == 13
    assert "/dev/full cannot be written" in result.stderr
    assert invoked("--from", healthy, "--html", "/dev/full").exit_code == 1


def test_lines(wrong: Path) -> None:
    result = invoked("--from", wrong, "--format", "jsonl")
    assert result.exit_code == 13
    lines: list[dict[str, Any]] = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["event"] for each in lines] == ["started", "alarm", "heartbeat", "ended"]


def test_the_end_is_the_last_line_also_if_nobody_takes_the_alarm(wrong: Path) -> None:
    with listening(200) as server:
        pass  # it is gone
    result = invoked("--from", wrong, "--format", "jsonl", "--webhook", server.url)
    lines = [json.loads(line)["event"] for line in result.stdout.splitlines()]
    assert lines[-2:] == ["trouble", "ended"]
    assert result.exit_code == 13


def test_a_webhook_and_metrics(wrong: Path) -> None:
    with listening(200) as server:
        result = invoked("--from", wrong, "--webhook", server.url, "--metrics", "127.0.0.1:0")
    assert result.exit_code == 13
    assert [each["event"] for each in server.bodies] == ["alarm"]
    assert "metrics are at http://127.0.0.1:" in result.stderr


def test_a_recording_that_is_broken_off_is_told(healthy: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.trace"
    for missing in (1, 30):  # in the last record, and in its head
        cut.write_bytes(healthy.read_bytes()[:-missing])
        result = invoked("--from", cut)
        assert result.exit_code == 0
        assert "is broken off after" in result.stdout
    assert "broken off" not in invoked("--from", healthy).stdout
    whole = json.loads(invoked("--from", cut, "--format", "json").stdout)
    assert len(whole["notes"]) == 1


def test_many_connections_that_are_none_of_the_protocol_are_not_all_listed(tmp_path: Path) -> None:
    file = tmp_path / "other.trace"
    with file.open("wb") as stream:
        for number in range(30):
            write_chunk(stream, Chunk(number, number, number, 0, b"GET / HTTP/1.1\r\n\r\n"))
    result = invoked("--from", file)
    assert result.exit_code == 3
    assert result.stdout.count("not judged: connection") == 8
    assert "22 more" in result.stdout
    assert "is the decoder of the mapping the right one?" in result.stdout


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--html", "."), 2, "it is a folder"),
        (("--itf", "no/such/folder/a.json"), 2, "there is no folder"),
        (("--metrics", "here"), 2, "has no port"),
        (("--webhook", "here"), 2, "is no address to post to"),
        (("--metrics", "192.0.2.1:9464"), 150, "cannot be offered at 192.0.2.1:9464"),
        (("--node", "s9"), 150, "there is no node s9"),
        (("--format", "xml"), 2, "'jsonl'"),
    ],
)
def test_mistakes(healthy: Path, options: tuple[str, ...], status: int, said: str) -> None:
    result = invoked("--from", healthy, *options)
    assert result.exit_code == status
    assert said in result.stderr


def test_a_file_that_is_given_twice(healthy: Path) -> None:
    result = invoked("--from", healthy, "--from", healthy)
    assert (result.exit_code, "is given twice" in result.stderr) == (2, True)


def test_what_is_no_xz(tmp_path: Path) -> None:
    file = tmp_path / "text.trace.xz"
    file.write_text("no recording")
    result = invoked("--from", file)
    assert result.exit_code == 150
    assert "must be packed so" in result.stderr
