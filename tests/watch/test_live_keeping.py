"""What waits to be judged, and what waits for the disk: nothing is out of order, and limits are said."""

from __future__ import annotations

import os
import resource
import threading
from pathlib import Path

import pytest
from live_servers import until

from gristmill.watch.live.backlog import Backlog, BacklogFullError
from gristmill.watch.live.recorder import Recorder, new_recording
from gristmill.watch.recording import DIALED, HEAD, NOTE, facts, read_recording, records_in


def record(number: int, size: int = 1000) -> bytes:
    return HEAD.pack(number, number, 1, DIALED, size) + bytes([number % 251]) * size


def test_a_backlog_keeps_the_order_in_memory_and_on_disk() -> None:
    backlog = Backlog(most=80 << 20, in_memory=1 << 20)
    pieces = [bytes([number % 251]) * (300_000 + number) for number in range(200)]
    for piece in pieces[:150]:
        backlog.put(piece)
    assert [backlog.take() for _ in range(100)] == pieces[:100]
    for piece in pieces[150:]:
        backlog.put(piece)
    assert [backlog.take() for _ in range(101)] == [*pieces[100:], None]
    assert backlog.bytes == 0
    backlog.close()


def test_a_backlog_that_is_full() -> None:
    backlog = Backlog(most=1 << 20, in_memory=1 << 18)
    for _ in range(10):
        backlog.put(bytes(100_000))
    with pytest.raises(BacklogFullError, match="1 MB"):
        backlog.put(bytes(100_000))
    assert backlog.bytes == 1_000_000
    backlog.close()


def test_a_backlog_without_a_disk() -> None:
    """What was put before stays, and stays whole."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, 250_000))
        backlog = Backlog(in_memory=100_000)
        kept = 0
        try:
            for _ in range(10):
                backlog.put(b"x" * 60_000)
                kept += 1
        except BacklogFullError as error:
            found = [backlog.take() for _ in range(kept)]
            os.write(writing, f"{kept} {found == [b'x' * 60_000] * kept} {error}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    said = os.read(reading, 4096).decode()
    os.close(reading)
    os.close(writing)
    assert said == "5 True what waits to be judged cannot be kept: File too large"


def test_a_disk_that_is_too_slow_holds_up_nobody(tmp_path: Path) -> None:
    """A pipe that nobody reads is the slowest of disks."""
    reading, writing = os.pipe()
    recorder = Recorder(tmp_path / "x", writing, most=1 << 20)
    for number in range(3000):
        recorder.put(record(number))
    assert "too slow" in recorder.trouble[f"the recording {tmp_path / 'x'}"]
    found = bytearray()

    def read() -> None:
        while data := os.read(reading, 1 << 16):
            found.extend(data)

    thread = threading.Thread(target=read)
    thread.start()
    until(lambda: len(found) > 1 << 19)  # about as much as was kept for it
    for number in range(3000, 3100):
        recorder.put(record(number))
    recorder.close()
    thread.join()
    os.close(reading)
    chunks = [*records_in(bytes(found))]
    notes = [index for index, each in enumerate(chunks) if each.direction == NOTE]
    assert notes
    for at in notes:
        assert chunks[at + 1].sequence - chunks[at - 1].sequence - 1 == facts(chunks[at])["records"] > 0
    assert len(chunks) - len(notes) + sum(facts(chunks[at])["records"] for at in notes) == 3100
    assert chunks[-1].sequence == 3099


def test_a_recording_is_what_was_put(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "x", new_recording(tmp_path / "x"))
    for number in range(0, 1000, 2):
        recorder.put(record(number) + record(number + 1, 0))
    recorder.close()
    assert [each.sequence for each in read_recording(tmp_path / "x")] == list(range(1000))
    assert recorder.trouble == {}
