"""The next system is started while a trace is replayed: it is used only if it is new, and in the initial state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from posting import changed, trace, write_post
from talking import MAPPING, write_talking

from gristmill.replay.coordinator import Coordinator
from gristmill.replay.driver import Driver, DriverError
from gristmill.replay.drivers import driver_of, spare_of
from gristmill.replay.ensemble import Ensemble
from gristmill.replay.mapping import read_mapping
from gristmill.replay.network.driver import NetworkDriver
from gristmill.replay.outcome import Outcome, Replayed
from gristmill.replay.spare import MakeDriver
from gristmill.replay.steps import ModelStep
from gristmill.source import SourceError

AHEAD = MAPPING.replace("[start]\n", "[start]\nahead = true\n")


def pids(ensemble: Ensemble) -> list[int | None]:
    assert isinstance(ensemble.driver, NetworkDriver)
    return [ensemble.driver.processes.pid(node) for node in ensemble.mapping.nodes]


def spare(coordinator: Coordinator) -> Ensemble:
    """The one that is being prepared, when it is ready."""
    waiting = coordinator._spare
    assert waiting is not None
    assert waiting._thread is not None
    waiting._thread.join()
    assert waiting._ensemble is not None
    return waiting._ensemble


@contextmanager
def talking(folder: Path, make: MakeDriver | None = None) -> Iterator[tuple[Coordinator, list[ModelStep]]]:
    write_talking(folder, AHEAD)
    mapping = read_mapping(folder / "talk.map.toml")
    with Coordinator(mapping, driver_of(mapping), make or partial(driver_of, mapping)) as coordinator:
        yield coordinator, trace(mapping, "Tell", "Hear", "Tell", "Hear")


def test_each_trace_has_processes_of_its_own(tmp_path: Path) -> None:
    seen: list[int | None] = []
    with talking(tmp_path) as (coordinator, steps):
        for _ in range(4):
            assert coordinator.run("again", steps, more=True).conforms
            own, waiting = coordinator.ensemble, spare(coordinator)
            assert waiting is not own
            seen += pids(own)
        expected = pids(waiting)
        assert coordinator.run("last", steps).conforms
        assert pids(coordinator.ensemble) == expected  # it was waiting, and was not started again
    assert None not in seen
    assert len(set(seen)) == len(seen)
    assert pids(own) == pids(waiting) == [None, None]


def test_one_that_is_not_in_the_initial_state_any_more_is_not_used(tmp_path: Path) -> None:
    with talking(tmp_path) as (coordinator, steps):
        assert coordinator.run("first", steps, more=True).conforms
        waiting = spare(coordinator)
        waiting.driver.call("tell", "a", {"told": 1})  # somebody meddles
        waiting.driver.settle(10)
        assert not waiting.is_still(steps[0])
        assert coordinator.run("second", steps).conforms
        assert coordinator.ensemble is not waiting


def test_one_that_has_failed_meanwhile_is_not_used(tmp_path: Path) -> None:
    with talking(tmp_path) as (coordinator, steps):
        assert coordinator.run("first", steps, more=True).conforms
        waiting = spare(coordinator)
        waiting.driver.fault("kill", "b")
        assert coordinator.run("second", steps, more=True).conforms
        assert coordinator.ensemble is not waiting


def test_one_that_cannot_be_started_is_done_without(tmp_path: Path) -> None:
    def cannot() -> Driver:
        raise DriverError("no room for another")

    with talking(tmp_path, cannot) as (coordinator, steps):
        own = coordinator.ensemble
        for _ in range(2):
            assert coordinator.run("again", steps, more=True).conforms
        assert coordinator.ensemble is own


def test_it_is_given_up_in_the_middle_of_its_start(tmp_path: Path) -> None:
    with talking(tmp_path) as (coordinator, steps):
        assert coordinator.run("first", steps[:1], more=True).conforms
    waiting = coordinator._spare
    assert waiting is not None
    assert waiting._thread is None or not waiting._thread.is_alive()
    assert waiting._ensemble is None or pids(waiting._ensemble) in ([None, None], [])


def test_the_mapping_says_whether(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    write_talking(tmp_path, MAPPING)
    assert spare_of(read_mapping(tmp_path / "talk.map.toml")) is None
    write_talking(tmp_path, AHEAD)
    mapping = read_mapping(tmp_path / "talk.map.toml")
    assert spare_of(mapping) is not None
    assert spare_of(mapping, workers=2) is None  # each processor has a system of its own


def test_two_systems_cannot_have_the_same_ports(tmp_path: Path) -> None:
    write_talking(tmp_path, AHEAD.replace('["peer", "client"]', "{ peer = 2181, client = 2182 }"))
    with pytest.raises(SourceError) as raised:
        read_mapping(tmp_path / "talk.map.toml")
    (found,) = raised.value.diagnostics
    assert found.id == "ports-twice"
    assert found.span is not None
    assert AHEAD.splitlines()[found.span.line - 1] == "ahead = true"


# -------------------------------------------------------------------------------------------------------------- resets

RESET = """[reset]
do = [{ call = "clear", on = '"office"' }, { for = 'b \\in Box', call = "clear", on = "b" }]
[start]
"""
UNSEEN = """
class Weary(Office):
    '''Has enough of it at the third order, whether it was cleared in between or not, which nobody can see.'''

    def answer(self, sender):
        if self.total < 3:
            super().answer(sender)
"""


def test_a_discrepancy_that_a_reset_has_left_is_none(tmp_path: Path) -> None:
    """It is not seen on a new system; that it was seen is told, and resets are not relied on any more."""
    write_post(tmp_path, changed(("[start]\n", RESET)))
    (tmp_path / "post.py").write_text((tmp_path / "post.py").read_text() + UNSEEN)
    mapping = read_mapping(tmp_path / "post.map.toml", values={"office": "Weary"})
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        steps = trace(mapping, ("Order", "b1"), ("Take", "b1"), ("Finish", "b1"), ("Order", "b1"), ("Take", "b1"))
        assert coordinator.run("first", steps).conforms
        second = coordinator.run("second", steps)
        assert second.conforms
        assert second.only_after_reset.startswith("answers of office is ")
        assert coordinator.run("third", steps).only_after_reset == ""
        real = coordinator.run("longer", trace(mapping, *[("Order", "b1"), ("Take", "b1")] * 3))
        assert real.discrepancy is not None
    outcome = Outcome("Post", "Post", "random")
    outcome.add(Replayed(tuple(steps), second))
    (caveat,) = outcome.caveats
    assert caveat.startswith("[reset] does not restore everything: second showed a discrepancy")
