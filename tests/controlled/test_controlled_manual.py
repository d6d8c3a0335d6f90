"""A world that is stepped by hand: what happens in it, and that nothing of it is seen outside."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator

import pytest

from gristmill.controlled import Node, Settings, World
from gristmill.controlled.errors import WrongScenario
from gristmill.controlled.manual import Manual
from gristmill.controlled.run import Laboratory


async def clock(node: Node) -> None:
    node.app = {"ticks": [], "began": time.monotonic(), "chance": random.random()}
    while True:
        await asyncio.sleep(1.5)
        node.app["ticks"].append(time.monotonic() - node.app["began"])


def clocks(world: World) -> None:
    world.node("a", clock)
    world.node("b", clock)


@pytest.fixture
def lab() -> Iterator[Laboratory]:
    made = Laboratory()
    with made.prepared():
        yield made


def test_nothing_happens_but_what_is_asked_for(lab: Laboratory) -> None:
    run = Manual(lab, clocks, Settings())
    a, b = run.world.nodes
    with run.inside():
        assert not run.stir()
        a.start()
        assert run.stir()
        assert not run.stir()
    assert a.app["ticks"] == []
    assert b.app is None
    run.close()


def test_time_passes_for_one_node_alone(lab: Laboratory) -> None:
    run = Manual(lab, clocks, Settings())
    a, b = run.world.nodes
    with run.inside():
        a.start()
        b.start()
        run.stir()
        assert a.pass_time(lambda: len(a.app["ticks"]) == 2)
        assert not b.pass_time(lambda: len(b.app["ticks"]) == 2, seconds=2)
        assert not a.pass_time(lambda: False, seconds=0.1)
    assert a.app["ticks"] == pytest.approx([1.5, 3.0])
    assert b.app["ticks"] == pytest.approx([1.5])
    assert (a.now, b.now, run.world.now) == (pytest.approx(3.0), pytest.approx(1.5), 0.0)
    run.close()


def test_chance_is_the_runs_own(lab: Laboratory) -> None:
    drawn = []
    for _ in range(2):
        run = Manual(lab, clocks, Settings(), seed=5)
        random.seed()
        with run.inside():
            run.world.nodes[0].start()
            run.stir()
        random.random()
        with run.inside():
            run.world.nodes[1].start()
            run.stir()
        drawn.append([node.app["chance"] for node in run.world.nodes])
        run.close()
    assert drawn[0] == drawn[1]


def test_a_node_that_never_rests(lab: Laboratory) -> None:
    async def restless(node: Node) -> None:
        while True:
            await asyncio.sleep(0)

    run = Manual(lab, lambda world: (world.node("a", restless), None)[1], Settings(steps=50))
    with run.inside():
        run.world.nodes[0].start()
        run.stir()
    assert run.world.violation is not None
    assert "a does not come to rest" in run.world.violation.message
    assert run.world.violation.node == "a"
    run.close()


def test_a_program_without_nodes(lab: Laboratory) -> None:
    with pytest.raises(WrongScenario, match="no node"):
        Manual(lab, lambda world: None, Settings())
