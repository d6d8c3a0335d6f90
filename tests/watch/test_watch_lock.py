"""The ticket lock, from bytes to a verdict: recordings in a protocol of JSON lines."""

from pathlib import Path

import pytest
from lock_recordings import ASSIGNED, HERE, ask, record, reply

from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.recording import Chunk, write_chunk
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import watch_recordings


def watched(path: Path, *messages: dict[str, object]) -> Watched:
    mapping = read_watch_map(HERE / "lock.map.toml")
    with mapping.specification:
        return watch_recordings(mapping, [record(path / "run.trace", *messages)])


def test_what_the_lock_does(tmp_path: Path) -> None:
    acquired = (ask("Acquire", 1), reply("Acquired", 1), ask("Release", 1), reply("Released", 1))
    found = watched(tmp_path, *ASSIGNED, *acquired)
    assert (found.verdict, found.messages) == ("ok", 8)


def test_a_request_that_waits_has_its_effect_later(tmp_path: Path) -> None:
    """§3.4.1: acquire(2) has no effect when it arrives, but has one after release."""
    waits = (ask("Acquire", 1), reply("Acquired", 1), ask("Acquire", 2), ask("Release", 1), reply("Acquired", 2))
    assert watched(tmp_path, *ASSIGNED, *waits).verdict == "ok"


def test_what_was_answered_late_is_no_mistake(tmp_path: Path) -> None:
    """Both requests have had their effect when the answers come, in another order."""
    answers = (ask("Acquire", 1), ask("Release", 1), reply("Released", 1), reply("Acquired", 1))
    assert watched(tmp_path, *ASSIGNED, *answers).verdict == "ok"


@pytest.mark.parametrize(
    ("wrong", "lack"),
    [
        ((reply("Acquired", 2),), "no Acquire from client has come that was not answered"),
        ((ask("Acquire", 2), reply("Acquired", 2)), "current[s] = m.ticket is false: current[s] = 1, m.ticket = 2"),
        ((ask("Assign", number=3), reply("Assigned", 2 + 5)), "ticket would be 3, not 7"),
        ((ask("Acquire", 1), reply("Acquired", 1), reply("Released", 1)), "no Release from client"),
    ],
)
def test_what_the_lock_must_not_do(tmp_path: Path, wrong: tuple[dict[str, object], ...], lack: str) -> None:
    found = watched(tmp_path, *ASSIGNED, *wrong)
    assert found.verdict == "alarm"
    (alarm,) = found.alarms
    assert isinstance(alarm, Alarm)
    assert alarm.message.number == len(ASSIGNED) + len(wrong)
    assert any(lack in each for candidate in alarm.candidates for each in candidate.lacks)


def test_a_message_that_nobody_has_described(tmp_path: Path) -> None:
    found = watched(tmp_path, *ASSIGNED, ask("Steal"))
    assert found.verdict == "incomplete"
    assert found.trouble == ("messages Steal are not described in the mapping, and not judged",)


def test_bytes_that_are_none_of_the_protocol(tmp_path: Path) -> None:
    path = record(tmp_path / "run.trace", *ASSIGNED)
    with path.open("ab") as file:
        write_chunk(file, Chunk(99, 99, 7, 0, b"no JSON\n"))
    mapping = read_watch_map(HERE / "lock.map.toml")
    found = watch_recordings(mapping, [path])
    assert found.verdict == "incomplete"
    assert "connection 7 from record 99 on cannot be decoded" in found.trouble[0]


def test_fields_of_other_names(tmp_path: Path) -> None:
    """A specification and a protocol that call kind, sender and receiver otherwise."""
    lock = (HERE / "Lock.tla").read_text().replace("from |->", "sender |->").replace("m.from", "m.sender")
    lock = lock.replace("to |->", "receiver |->").replace("m.to", "m.receiver")
    lock = lock.replace("kind |->", "sort |->").replace("m.kind", "m.sort")
    (tmp_path / "Lock.tla").write_text(lock)
    (tmp_path / "Lock.cfg").write_text((HERE / "Lock.cfg").read_text())
    names = '[watch]\nkind = "sort"\nfrom = "sender"\nto = "receiver"\n'
    (tmp_path / "lock.map.toml").write_text((HERE / "lock.map.toml").read_text().replace("[watch]\n", names, 1))
    mapping = read_watch_map(tmp_path / "lock.map.toml")

    def judged(*messages: dict[str, object]) -> Watched:
        named = [{**each, "sender": each["from"], "receiver": each["to"]} for each in messages]
        return watch_recordings(mapping, [record(tmp_path / "run.trace", *named)])

    assert judged(*ASSIGNED).verdict == "ok"
    assert judged(*ASSIGNED, reply("Acquired", 2)).verdict == "alarm"
