"""What a cluster says is what one machine says; also when an actor dies."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from models import (
    ASSERT_CONFIG,
    BAD_STEP,
    SAFE,
    STUCK,
    STUCK_CONFIG,
    SURPRISE,
    SURPRISE_CONFIG,
    SYMMETRIC,
    TOKENS,
    VIOLATED,
    checked,
)

from gristmill.cluster import explorer
from gristmill.search import Progress

pytestmark = pytest.mark.usefixtures("ray")


def counts(result: Any) -> tuple[Any, ...]:
    return result.verdict, result.message, result.distinct, result.generated, result.depth


@pytest.mark.parametrize(("config", "actors"), [(SAFE, 2), (SAFE, 3), (SYMMETRIC, 2)])
def test_counts_are_those_of_one_machine(config: str, actors: int) -> None:
    alone, together = checked(TOKENS, config), checked(TOKENS, config, f"local:{actors}")
    assert counts(together) == counts(alone)
    assert together.verdict == "ok"
    assert alone.distinct > 500
    taken = {row.name: row.generated for row in alone.coverage}
    assert {row.name: row.generated for row in together.coverage} == taken
    assert sum(row.distinct for row in together.coverage) == together.distinct


@pytest.mark.parametrize(
    ("text", "config"), [(TOKENS, VIOLATED), (TOKENS, BAD_STEP), (STUCK, STUCK_CONFIG), (STUCK, ASSERT_CONFIG)]
)
def test_counterexamples_are_as_short_as_on_one_machine(text: str, config: str) -> None:
    alone, together = checked(text, config), checked(text, config, "local:2")
    assert alone.verdict != "ok"
    assert (together.verdict, together.property) == (alone.verdict, alone.property)
    assert together.trace is not None
    assert alone.trace is not None
    assert len(together.trace) == len(alone.trace)
    assert together.exit_code == alone.exit_code


def test_a_layout_that_does_not_fit_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "_SAMPLES", 1)
    assert counts(checked(SURPRISE, SURPRISE_CONFIG, "local:2")) == counts(checked(SURPRISE, SURPRISE_CONFIG))


class Killer:
    """Ends an actor, without a warning, when so many states have been generated."""

    def __init__(self, states: int) -> None:
        self.states, self.killed = states, 0

    def __call__(self, progress: Progress) -> None:
        if progress.generated >= self.states and not self.killed:
            self.killed = partitions()[-1]
            os.kill(self.killed, signal.SIGKILL)


def partitions() -> list[int]:
    """Processes of actors that descend from this one."""
    parents, found = {}, []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if (folder / "cmdline").read_bytes().startswith(b"ray::Partition"):
                    found.append(int(folder.name))
            except (OSError, ValueError):
                continue
    return [each for each in found if os.getpid() in ancestors(each, parents)]


def ancestors(process: int, parents: dict[int, int]) -> set[int]:
    found: set[int] = set()
    while process in parents and process not in found:
        found.add(process)
        process = parents[process]
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the processes of actors in /proc")
@pytest.mark.parametrize(("config", "verdict"), [(SAFE, "ok"), (VIOLATED, "invariant")])
def test_an_actor_that_dies_costs_time_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, config: str, verdict: str
) -> None:
    monkeypatch.setattr(explorer, "AT_ONCE", 40)  # many rounds, so that it dies within a level
    killer = Killer(150)
    alone, together = checked(TOKENS, config), checked(TOKENS, config, "local:3", on_progress=killer)
    assert killer.killed
    assert any("An actor was lost" in each for each in together.caveats)
    assert together.verdict == alone.verdict == verdict
    if verdict == "ok":
        assert counts(together) == counts(alone)


def test_an_interrupt_gives_no_verdict() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.distinct:
            raise KeyboardInterrupt

    result = checked(TOKENS, SAFE, "local:2", on_progress=interrupt)
    assert (result.verdict, result.message) == ("incomplete", "Interrupted")
