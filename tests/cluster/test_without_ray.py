"""What needs no Ray: refusals, files of levels, and a partition by itself."""

import subprocess
import sys
from pathlib import Path

import pytest
from models import SAFE, STRINGS, SYMMETRIC, TOKENS, VIOLATED

from gristmill.building import build
from gristmill.checking.options import Options
from gristmill.cluster.connection import parse_address
from gristmill.cluster.errors import ClusterError
from gristmill.cluster.levels import LevelError, Levels
from gristmill.cluster.partition import Inserted, Partition
from gristmill.cluster.refusals import refuse
from gristmill.cluster.task import History, Learnt, Task, pickled
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Model
from gristmill.native.codec import encode_several
from gristmill.native.errors import LeaveToReferenceError
from gristmill.native.run.partition import record_of_initial
from gristmill.reference.model import SpecificationModel


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (f"{STRINGS}PROPERTY Always\n", "temporal"),
        (f"{STRINGS}VIEW Seen\n", "VIEW Seen"),
        ('INIT Init\nNEXT Loud\nCONSTANTS Node = {"a"} Most = 1\n', "effects"),
    ],
)
def test_what_a_cluster_cannot_check_is_refused_with_a_remedy(config: str, message: str) -> None:
    model = build(TOKENS, config=config).model
    with model.world.active(), pytest.raises(ClusterError, match=message) as refusal:
        refuse(model, Options(cluster="local:2"))
    assert "without --cluster" in str(refusal.value.help)


def test_options_that_need_one_machine_are_refused() -> None:
    model = build(TOKENS, config=SAFE).model
    with model.world.active(), pytest.raises(ClusterError, match="--fingerprint"):
        refuse(model, Options(cluster="local:2", fingerprint=True))


@pytest.mark.parametrize("address", ["local", "local:0", "local:many", "nowhere", ":1", ""])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ClusterError):
        parse_address(address, 1)


def test_without_ray_there_is_one_message_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "Tokens.tla").write_text(TOKENS)
    (tmp_path / "Tokens.cfg").write_text(SAFE)
    program = "import sys; sys.modules['ray'] = None; from gristmill.cli.main import main; main()"
    command = [sys.executable, "-c", program, "check", str(tmp_path / "Tokens.tla"), "--cluster", "local:2"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 151
    assert "pip install 'gristmill[cluster]'" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_check_does_not_import_ray() -> None:
    program = "import sys, gristmill, gristmill.cli.check, gristmill.cluster.run; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# ------------------------------------------------------------------------------------------------------------- levels


def test_levels_come_back_as_they_were_written(tmp_path: Path) -> None:
    levels = Levels(tmp_path, 3)
    levels.save(2, 5, [b"one", b"", b"three" * 1000])
    assert list(levels.load(2)) == [b"one", b"", b"three" * 1000]
    with pytest.raises(LevelError, match="--checkpoint"):
        list(levels.load(3))


@pytest.mark.parametrize("damage", ["flip", "cut", "more"])
def test_a_damaged_level_is_not_believed(tmp_path: Path, damage: str) -> None:
    levels = Levels(tmp_path, 0)
    levels.save(1, 5, [b"states" * 100, b"and more"])
    data = bytearray(levels.path(1).read_bytes())
    if damage == "flip":
        data[40] ^= 1
    levels.path(1).write_bytes(data[:-20] if damage == "cut" else data + b"x" * (damage == "more"))
    with pytest.raises(LevelError, match="damaged"):
        list(levels.load(1))


# --------------------------------------------------------------------------------------------------------- partitions


def initial(model: Model) -> bytes:
    with model.world.active():
        evaluator = Evaluator(model.variables, Context(model.variables))
        return b"".join(
            record_of_initial(encode_several(state)) for state in SpecificationModel(model, evaluator).initial_states()
        )


def partitions(config: str, owners: int, folder: Path, least: int = 4) -> tuple[list[Partition], bytes]:
    model = build(TOKENS, config=config).model
    states = initial(model)
    task = Task(pickled(model), len(model.world.positions), owners, "SYMMETRY" in config, str(folder))
    return [Partition(task, number, learnt(states, least)) for number in range(owners)], states


def learnt(states: bytes, least: int) -> Learnt:
    return Learnt((states[3:],), least=least)


def level(parts: list[Partition], number: int, again: bool = False) -> list[tuple[bytes, ...]]:
    """Expand a level to its end, perhaps once more; the batches of each partition."""
    found = []
    for part in parts:
        report, *batches = part.expand(number, 1 << 30, True, again)
        assert report.misfit is None
        assert report.left == 0
        assert report.generated == report.cut + report.repeated + report.unknown + sum(report.sent)
        found.append(tuple(batches))
    return found


def grown(parts: list[Partition], states: bytes, levels: int) -> None:
    for part in parts:
        part.initial(states)
        part.save(1)
    for number in range(1, levels + 1):
        deliver(parts, level(parts, number))
        for part in parts:
            part.save(number + 1)


def deliver(parts: list[Partition], batches: list[tuple[bytes, ...]]) -> list[Inserted]:
    """Those that have something in them, each with its sender."""
    found = []
    for owner, part in enumerate(parts):
        senders = [sender for sender in range(len(parts)) if batches[sender][owner]]
        found.append(part.insert(tuple(senders), *(batches[sender][owner] for sender in senders)))
    return found


def stored(parts: list[Partition]) -> list[int]:
    return [part.ends[-1] for part in parts]


def test_a_level_that_is_done_again_changes_nothing(tmp_path: Path) -> None:
    parts, states = partitions(SAFE, 3, tmp_path)
    grown(parts, states, 3)
    before = stored(parts)
    for _ in range(2):
        deliver(parts, level(parts, 3, again=True))
        for part in parts:
            part.save(4)
        assert stored(parts) == before


@pytest.mark.parametrize("least", [4, 1])
def test_a_partition_is_made_again_from_its_files(tmp_path: Path, least: int) -> None:
    """Also with another layout than the one that the files were written with."""
    parts, states = partitions(SAFE, 2, tmp_path)
    grown(parts, states, 2)
    level(parts, 2, again=True)  # from here on, files begin anew with what they define
    for part in parts:
        part.save(3)
    deliver(parts, level(parts, 3, again=True))
    for part in parts:
        part.save(4)
    counts = tuple(b - a for a, b in zip(parts[1].ends, parts[1].ends[1:], strict=False))
    again, _ = partitions(SAFE, 2, tmp_path, least)
    history = History(counts, (0,) * len(counts), (learnt(states, 4),))
    assert again[1].restore(learnt(states, least), True, history) is None
    assert again[1].ends == parts[1].ends
    for number in range(parts[1].ends[-1]):
        assert again[1].state(number) == parts[1].state(number)


@pytest.mark.parametrize("config", [SAFE, SYMMETRIC])
def test_all_states_are_there_once_and_all_owners_have_some(tmp_path: Path, config: str) -> None:
    parts, states = partitions(config, 5, tmp_path)
    grown(parts, states, 6)
    alone, _ = partitions(config, 1, tmp_path / "alone")
    grown(alone, states, 6)
    assert sum(stored(parts)) == stored(alone)[0]
    assert min(stored(parts)) > 0


def test_a_batch_that_is_missing_is_noticed(tmp_path: Path) -> None:
    parts, states = partitions(SAFE, 2, tmp_path)
    grown(parts, states, 1)
    level(parts, 2)
    for part in parts:
        part.save(3)
    assert any(each.gap for each in deliver(parts, level(parts, 3)))
    assert not any(each.gap for each in deliver(parts, level(parts, 3, again=True)))


def test_what_is_wrong_is_told_also_if_the_level_is_done_again(tmp_path: Path) -> None:
    """A state is checked when it is stored; the second time it is known."""
    parts, states = partitions(VIOLATED, 2, tmp_path)
    grown(parts, states, 7)
    number = 8
    while not any(part.wrong for part in parts):
        deliver(parts, level(parts, number))
        if any(part.wrong for part in parts):
            break
        for part in parts:
            part.save(number + 1)
        number += 1
    deliver(parts, level(parts, number, again=True))  # as after a loss
    assert any(part.save(number + 1).events for part in parts)


def test_a_batch_that_was_damaged_is_refused(tmp_path: Path) -> None:
    parts, states = partitions(SAFE, 2, tmp_path)
    grown(parts, states, 2)
    batch = bytearray(next(each[1] for each in level(parts, 3) if each[1]))
    with pytest.raises(LeaveToReferenceError):
        parts[1].insert((0,), bytes(batch[:-1]))
    for at in range(0, len(batch), 7):
        batch[at] ^= 1
        with pytest.raises(LeaveToReferenceError):
            parts[1].insert((0,), bytes(batch))
        batch[at] ^= 1
