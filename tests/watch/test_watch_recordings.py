"""Recordings of etcd (the beginnings of two runs), as they are and mutated."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from forking import cases, judged_cases
from watch_mutations import MUTATIONS, REASONS, Mutation

from gristmill.cli.watch import watch
from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import judged, watch_recordings

RECORDINGS = Path(__file__).parent / "recordings"
MAPPING = Path(__file__).parents[2] / "examples" / "etcd" / "watch.map.toml"
VERSIONS = ("etcd-3.4", "etcd-3.5")
_LATER = ("deposed_leader_appends",)  # where there has been a second election
IN_THE_BEGINNING = [each for each in MUTATIONS if each.__name__ not in _LATER]


@pytest.fixture(scope="module")
def mapping() -> WatchMap:
    return read_watch_map(MAPPING)


def recording(version: str) -> Path:
    return RECORDINGS / f"{version}.trace.xz"


def messages(mapping: WatchMap, version: str) -> list[Message]:
    return list(Reading(mapping).messages(read_recording(recording(version))))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_healthy_run(mapping: WatchMap, version: str) -> None:
    found = watch_recordings(mapping, [recording(version)])
    assert found.verdict == "ok"
    assert found.messages > 500
    assert [each.end for each in found.nodes] == [None] * 3
    assert all(each.counts.sent > 50 for each in found.nodes)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("mutation", IN_THE_BEGINNING, ids=lambda each: each.__name__)
def test_a_mutated_run(mapping: WatchMap, version: str, mutation: Mutation) -> None:
    """Found at the message that is wrong, with the right reason."""
    with mapping.specification.world.active():
        run = messages(mapping, version)
        case = [*cases([mutation], run, (0, 120))][-1]
        (found,) = judged_cases(mapping, run, [case])
    assert isinstance(found.end, Alarm)
    assert found.end.message.number == case.wrong.number
    nearest = found.end.candidates[0].lacks
    assert any(reason in lack for reason in REASONS[mutation.__name__] for lack in nearest), nearest


def test_nodes_are_judged_by_their_own_messages(mapping: WatchMap) -> None:
    """What others have said to each other changes nothing."""
    with mapping.specification.world.active():
        every = messages(mapping, "etcd-3.4")
        own = [each for each in every if "s2" in (each.source, each.target)]
        alone = judged(mapping, Reading(mapping), own, ["s2"])
        among = judged(mapping, Reading(mapping), every, ["s2"])
    assert (alone.nodes[0].counts, alone.nodes[0].end) == (among.nodes[0].counts, None)


def test_a_recording_that_is_broken_off(mapping: WatchMap, tmp_path: Path) -> None:
    chunks = list(read_recording(recording("etcd-3.4")))
    cut = tmp_path / "cut.trace.xz"
    cut.write_bytes(recording("etcd-3.4").read_bytes()[:-2_000])
    read = list(read_recording(cut))
    assert 100 < len(read) < len(chunks)
    assert read == chunks[: len(read)]


def invoked(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(watch, arguments)
    return result.exit_code, result.output


def test_the_command_line() -> None:
    status, output = invoked(str(MAPPING), "--from", str(recording("etcd-3.5")), "--node", "s2", "--format", "json")
    assert status == 0
    assert '"verdict": "ok"' in output
    status, output = invoked(str(MAPPING), "--derive")
    assert status == 0
    assert "reveals to = j, term = newer, prev = prev, prevTerm = prevTerm, entries = entries, commit" in output


def test_mistakes_on_the_command_line(tmp_path: Path) -> None:
    assert invoked(str(MAPPING))[0] == 150  # it does not say which links to tap
    no_recording = tmp_path / "text.trace"
    no_recording.write_text("this is no recording, but long enough to be one\n" * 3)
    assert invoked(str(MAPPING), "--from", str(no_recording))[0] == 150
    assert invoked(str(MAPPING), "--from", str(tmp_path / "none.trace"))[0] == 150
    assert invoked(str(MAPPING), "--from", str(recording("etcd-3.4")), "--node", "s10")[0] == 150
    empty = tmp_path / "empty.trace"
    empty.write_bytes(b"")
    assert invoked(str(MAPPING), "--from", str(empty))[0] == 3


def test_more_nodes_than_the_specification_has() -> None:
    status, _ = invoked(str(MAPPING), "--from", str(recording("etcd-3.4")), "--constant", 'Server={"s1", "s2"}')
    assert status == 150


def test_an_alarm_is_told(mapping: WatchMap) -> None:
    from gristmill.watch.report.document import document
    from gristmill.watch.report.terminal import render

    with mapping.specification.world.active():
        mutation = next(each for each in MUTATIONS if each.__name__ == "commit_beyond_acknowledged")
        found = mutation(messages(mapping, "etcd-3.4"), 120)
        assert found is not None
        result: Watched = judged(mapping, Reading(mapping), found[0][: found[1].number], [str(found[1].source)])
        text, told = render(result), document(result)
    assert "it is needed that a quorum has what it says to be committed" in text
    assert "committed <= known is false: known = " in text
    assert told["exit_code"] == 13
    assert told["nodes"][0]["alarm"]["candidates"][0]["action"] == "SendAppend"
