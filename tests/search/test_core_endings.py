"""How a search of the core ends, and how it goes on: limits, interrupts, checkpoints, memory, other searches."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
from mixing import Mixing

from gristmill.search import Progress
from gristmill.search.core.errors import CheckpointError
from gristmill.search.core.search import CoreLimits, CoreReport, Limit, NativeSearch, Outcome

pytestmark = pytest.mark.skipif(
    all(shutil.which(name) is None for name in ("cc", "gcc", "clang")), reason="no C compiler on this machine"
)

NODES = 60_000
ALONE = CoreLimits()


def finished(limits: CoreLimits, nodes: int = NODES) -> tuple[CoreReport, list[tuple[int, ...]], list[int], list[int]]:
    """The report, some states, and the counters of a whole search."""
    with Mixing(nodes).search(limits) as search:
        return everything(search, search.run())


def everything(
    search: NativeSearch, report: CoreReport
) -> tuple[CoreReport, list[tuple[int, ...]], list[int], list[int]]:
    states = [search.state(number) for number in range(0, report.distinct, 97)]
    return report, states, list(search.taken), list(search.found)


def test_time_and_interrupts_leave_a_search_that_can_go_on() -> None:
    wanted = finished(ALONE)
    for workers in (1, 3):
        with Mixing(NODES, delay=3000).search(CoreLimits(workers=workers, seconds=0.01)) as search:
            report = search.run()
            rounds = 1
            while report.outcome == Outcome.LIMIT:
                assert report.limit == Limit.SECONDS
                report = search.run()
                rounds += 1
            assert rounds > 2
            assert everything(search, report) == wanted


def test_an_interrupt_stops_it() -> None:
    with Mixing(3_000_000, delay=100_000).search(CoreLimits(workers=2)) as search:
        timer = threading.Timer(0.2, search.interrupt)
        timer.start()
        report = search.run()
        timer.join()
    assert report.outcome == Outcome.INTERRUPTED
    assert 0 < report.expanded < 3_000_000


def test_control_c_stops_it() -> None:
    with Mixing(3_000_000, delay=100_000).search(ALONE) as search:
        timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        report = search.run()
        timer.join()
    assert report.outcome == Outcome.INTERRUPTED


def test_progress_is_told() -> None:
    seen: list[Progress] = []
    with Mixing(300_000, delay=20_000).search(CoreLimits(workers=2)) as search:
        report = search.run(seen.append)
    assert len(seen) > 1
    assert [each.distinct for each in seen] == sorted(each.distinct for each in seen)
    assert seen[-1].distinct <= report.distinct
    assert seen[-1].depth <= report.depth


def test_an_error_of_who_watches_ends_the_search() -> None:
    def fail(progress: Progress) -> None:
        raise ZeroDivisionError

    with Mixing(3_000_000, delay=100_000).search(ALONE) as search, pytest.raises(ZeroDivisionError):
        search.run(fail)


@pytest.mark.parametrize("workers", [1, 3])
def test_within_a_budget_of_memory(tmp_path: Path, workers: int) -> None:
    nodes = 600_000  # 6 MB of states and origins, and a table of 3 MB
    wanted = finished(ALONE, nodes)
    limits = CoreLimits(workers=workers, memory=5 << 20, spill_directory=tmp_path)
    assert finished(limits, nodes) == wanted
    assert list(tmp_path.iterdir()) == []


def test_a_budget_that_is_too_small_is_said(tmp_path: Path) -> None:
    with Mixing(600_000).search(CoreLimits(memory=2 << 20, spill_directory=tmp_path)) as search:
        report = search.run()
    assert (report.outcome, report.limit) == (Outcome.LIMIT, Limit.MEMORY)
    with Mixing(600_000).search(CoreLimits(memory=5 << 20, spill_directory=tmp_path / "absent")) as search:
        report = search.run()
    assert (report.outcome, report.limit) == (Outcome.LIMIT, Limit.DISK)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="files without a name cannot be looked at here")
def test_spilled_states_are_in_private_files_without_a_name(tmp_path: Path) -> None:
    with Mixing(600_000).search(CoreLimits(memory=5 << 20, spill_directory=tmp_path)) as search:
        search.run()
        assert list(tmp_path.iterdir()) == []
        opened = {number: os.readlink(f"/proc/self/fd/{number}") for number in range(256) if is_open(number)}
        own = [number for number, name in opened.items() if str(tmp_path) in name]
        assert own
        assert all(opened[number].endswith("(deleted)") for number in own)
        assert {os.fstat(number).st_mode & 0o777 for number in own} == {0o600}


def is_open(number: int) -> bool:
    return Path(f"/proc/self/fd/{number}").is_symlink()


@pytest.mark.parametrize("fingerprints", [False, True])
def test_checkpoints_with_other_numbers_of_workers(tmp_path: Path, fingerprints: bool) -> None:
    wanted, *_ = finished(ALONE)
    workers = cycle([1, 2, 4])
    limits = CoreLimits(seconds=0.01, checkpoint_directory=tmp_path, fingerprints_only=fingerprints)
    for rounds in range(1000):
        mixing = Mixing(NODES, delay=3000)
        with mixing.search(dataclasses.replace(limits, workers=next(workers)), start=False) as search:
            if not search.resume():
                assert rounds == 0
                search.add_initial([0, 0xFFFFFFFF, 0, 7])
            assert mixing.data.loaded == (rounds > 0)
            report = search.run()
            if report.outcome == Outcome.DONE:
                break
            assert mixing.data.saved > 0
    assert rounds > 2
    assert dataclasses.replace(report, limit=Limit.NONE) == wanted


def test_killed_again_and_again(tmp_path: Path) -> None:
    nodes = 300_000
    wanted, *_ = finished(ALONE, nodes)
    random, workers = Random(1), cycle("213")
    output, kills = "", 0
    for _ in range(100):
        command = [sys.executable, Path(__file__).with_name("mixing.py"), tmp_path, str(nodes), next(workers)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        if kills < 6:
            time.sleep(random.uniform(0.0, 0.15))
            process.kill()
        output = process.stdout.read()
        process.wait()
        process.stdout.close()
        if output.startswith("done"):
            break
        kills += 1
    assert kills >= 1  # how many depends on the machine
    assert output.split() == ["done", str(wanted.distinct), str(wanted.generated), str(wanted.depth)]


def test_damaged_and_foreign_checkpoints_are_refused(tmp_path: Path) -> None:
    limits = CoreLimits(depth=8, checkpoint_directory=tmp_path)
    with Mixing(NODES).search(limits) as search:
        assert search.run().outcome == Outcome.LIMIT
    with Mixing(NODES, seed=2).search(limits, start=False) as search, pytest.raises(CheckpointError, match="another"):
        search.resume()
    for name in ("checkpoint", "states", "parents", "actions", "jumps"):
        path = tmp_path / name
        whole = path.read_bytes()
        for damage in (whole[: len(whole) // 2], whole[:100] + bytes([whole[100] ^ 4]) + whole[101:], b""):
            path.write_bytes(damage)
            with Mixing(NODES).search(limits, start=False) as search, pytest.raises(CheckpointError):
                search.resume()
        path.write_bytes(whole)
    with Mixing(NODES).search(limits, start=False) as search:
        assert search.resume()


def test_it_goes_on_where_another_search_was() -> None:
    wanted = finished(ALONE)
    with Mixing(NODES, delay=3000).search(CoreLimits(seconds=0.02)) as first:
        before = first.run()
        assert before.outcome == Outcome.LIMIT
        for workers in (1, 3):
            with Mixing(NODES).search(CoreLimits(workers=workers), start=False) as second:
                level = 0
                for number in range(before.distinct):
                    while number >= first.level_start(level + 1):
                        level += 1
                    assert second.add_known(first.state(number), first.parent(number), first.action(number), level)
                second.continue_at(before.expanded, before.generated, before.cut, first.taken, first.found)
                assert everything(second, second.run()) == wanted


@pytest.mark.parametrize("workers", [1, 3])
def test_fingerprints_only(workers: int) -> None:
    wanted, *_ = finished(ALONE)
    with Mixing(NODES).search(CoreLimits(workers=workers, fingerprints_only=True)) as search:
        assert search.run() == wanted
        with pytest.raises(IndexError):
            search.state(wanted.distinct // 2)
        odds = search.collision_odds()
        assert odds is not None
        assert odds[0] == pytest.approx(wanted.distinct * (wanted.generated - wanted.distinct) / 2**64)
        assert 0 < odds[1] < 1e-6


def test_the_same_counterexample_with_fingerprints_only() -> None:
    def path(limits: CoreLimits) -> list[int]:
        with Mixing(NODES, forbidden=777).search(limits) as search:
            report = search.run()
            assert report.outcome == Outcome.BAD_STATE
            assert report.state is not None
            return [words[0] for _, words in search.path(report.state)]

    wanted = path(ALONE)
    assert len(wanted) > 4
    assert wanted[-1] == 777
    assert path(CoreLimits(fingerprints_only=True)) == wanted
    assert path(CoreLimits(workers=3, fingerprints_only=True)) == wanted


def test_no_leftovers_of_threads() -> None:
    before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else None
    finished(CoreLimits(workers=4))
    if before is not None:
        deadline = time.monotonic() + 10  # one that has ended takes a moment to go
        while len(os.listdir("/proc/self/task")) > before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(os.listdir("/proc/self/task")) <= before
