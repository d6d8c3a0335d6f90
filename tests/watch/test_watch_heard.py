"""Messages heard by native code: the same as the decoders in Python say, however the bytes are cut, and if they are
broken."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from followed_twin import compared_packed
from heard_twin import compared, tried

from gristmill.cc import NoCompilerError, find_compiler
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Reading
from gristmill.watch.recording import ANSWERED, Chunk, read_blocks, read_recording, records_in, write_chunk
from gristmill.watch.watching import judged, watch_recordings

FOLDER = Path(__file__).parent
MAPPING = FOLDER.parents[1] / "examples" / "etcd" / "watch.map.toml"
RECORDINGS = [FOLDER / "recordings" / f"etcd-{each}.trace.xz" for each in ("3.4", "3.5", "3.6-clients", "3.6-stalled")]
SHARED = sorted((FOLDER.parents[2] / "shared" / "traces").glob("e*.trace.xz"))  # longer ones, where they are


@pytest.fixture(scope="module")
def mapping() -> WatchMap:
    return read_watch_map(MAPPING)


@pytest.mark.parametrize("file", [*RECORDINGS, *SHARED], ids=lambda file: file.name)
def test_recordings(mapping: WatchMap, file: Path) -> None:
    with mapping.specification.world.active():
        messages, heard = compared(mapping, list(read_recording(file)))
    assert heard > messages / 2


@pytest.mark.parametrize("file", RECORDINGS[::2], ids=lambda file: file.name)
def test_other_records(mapping: WatchMap, file: Path) -> None:
    """Cut at any byte, put together, broken off, changed."""
    with mapping.specification.world.active():
        messages, heard = tried(mapping, list(read_recording(file)), range(12), 1_500)
    assert heard > messages / 2


def test_routes_that_are_numbered_anew(mapping: WatchMap, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when clients come and go for hours."""
    monkeypatch.setattr("gristmill.watch.ear._MOST_ROUTES", 3)
    chunks = list(read_recording(RECORDINGS[2]))
    with mapping.specification.world.active():
        messages, heard = compared(mapping, chunks)
        followed = compared_packed(mapping, chunks, mapping.nodes[0], seed=3)
    assert heard > messages / 2
    assert followed > 100


def test_a_record_that_the_mapping_makes_otherwise(tmp_path: Path) -> None:
    """What native code cannot find is left to Python, and nothing else."""
    text = MAPPING.read_text().replace('prev = "index"', 'prev = "entries[-1].index"')
    changed = tmp_path / "watch.map.toml"
    changed.write_text(text.replace('"../raft/', f'"{MAPPING.parents[1]}/raft/').replace('"RaftMessages.cfg"', "'CFG'"))
    changed.write_text(changed.read_text().replace("'CFG'", f'"{MAPPING.parent}/RaftMessages.cfg"'))
    other = read_watch_map(changed)
    with other.specification.world.active():
        messages, heard = compared(other, list(read_recording(RECORDINGS[0])))
    assert 0 < heard < messages


def with_commit_beyond(chunks: list[Chunk]) -> list[Chunk]:
    """Late in the recording, entries are sent with a commit index that nobody has reached."""
    for at in range(len(chunks) * 2 // 3, len(chunks)):
        start = chunks[at].data.find(b"\r\n") + 2
        content = chunks[at].data[start:-2]
        if chunks[at].direction == ANSWERED and content[:9] == b"\x01" + (1).to_bytes(8, "big") and len(content) > 30:
            commit = int.from_bytes(content[-8:], "big") + 50
            changed = chunks[at].data[:start] + content[:-8] + commit.to_bytes(8, "big") + b"\r\n"
            return [*chunks[:at], chunks[at]._replace(data=changed), *chunks[at + 1 :]]
    raise AssertionError("there are no such entries")


def test_an_alarm_is_the_same(mapping: WatchMap, tmp_path: Path) -> None:
    """The message, those before it, and the reasons."""
    chunks = with_commit_beyond(list(read_recording(RECORDINGS[2])))
    file = tmp_path / "changed.trace"
    with file.open("wb") as stream:
        for each in chunks:
            write_chunk(stream, each)
    found = watch_recordings(mapping, [file])
    with mapping.specification.world.active():
        reading = Reading(mapping)
        expected = judged(mapping, reading, reading.messages(chunks))
    assert found.verdict == "alarm"
    assert replace(found, seconds=0.0) == replace(expected, seconds=0.0)
    for one, other in zip(found.nodes, expected.nodes, strict=True):
        assert [each.message.raw for each in one.alarms] == [each.message.raw for each in other.alarms]
        assert [each.raw for each in one.last] == [each.raw for each in other.last]


def test_blocks_are_the_records(tmp_path: Path) -> None:
    chunks = list(read_recording(RECORDINGS[0]))
    assert [each for block in read_blocks(RECORDINGS[0]) for each in records_in(block)] == chunks
    broken: list[int] = []
    whole = b"".join(read_blocks(RECORDINGS[0]))
    file = tmp_path / "broken.trace"
    file.write_bytes(whole[:-1])
    found: list[Chunk] = [each for block in read_blocks(file, broken.append) for each in records_in(block)]
    assert found == chunks[:-1]
    assert broken == [len(chunks) - 1]


def test_under_sanitizers(tmp_path: Path) -> None:
    try:
        compiler = find_compiler()
    except NoCompilerError:
        pytest.skip("there is no C compiler")
    asked = [*compiler.command, "-print-file-name=libasan.so"]
    library = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not os.path.isabs(library) or sys.platform != "linux":
        pytest.skip("the compiler has no AddressSanitizer")
    environment = {
        **os.environ,
        "GRISTMILL_CFLAGS": "-g -fsanitize=address,undefined -fno-sanitize-recover=undefined",
        "XDG_CACHE_HOME": str(tmp_path),
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
        "PYTHONMALLOC": "malloc",  # so that reading beyond the bytes of a record is noticed
    }
    command = [sys.executable, str(FOLDER / "heard_twin.py"), str(MAPPING), str(RECORDINGS[2])]
    command += ["--seeds", "8", "--records", "1500"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "8 times changed" in done.stdout
