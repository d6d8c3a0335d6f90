"""A program that was never written for a checker does the same thing twice, in its own time."""

from __future__ import annotations

import asyncio
import datetime
import os
import pickle
import random
import secrets
import time
import uuid
from collections.abc import Callable, Coroutine
from pathlib import Path
from time import monotonic as bound_before
from typing import Any

import pytest

from gristmill.controlled import Node, Settings, World, explore
from gristmill.controlled.run import Laboratory, Run
from gristmill.controlled.strategies import First, RandomWalk

Main = Callable[[Node], Coroutine[Any, Any, Any]]


def run_one(*mains: Main, settings: Settings | None = None, seed: int = 1, setup: Any = None) -> Run:
    def program(world: World) -> None:
        for number, main in enumerate(mains, 1):
            world.node(f"n{number}", main)
        if setup is not None:
            setup(world)

    lab = Laboratory()
    with lab.open():
        return lab.run(program, First(), settings or Settings(), seed)


def chance_and_time() -> list[str]:
    return [
        repr(random.random()),
        repr(random.Random().random()),
        repr(random.SystemRandom().random()),
        os.urandom(8).hex(),
        secrets.token_hex(4),
        str(uuid.uuid4()),
        str(uuid.uuid1()),
        repr(time.time()),
        repr(time.time_ns()),
        repr(bound_before()),
        repr(time.clock_gettime(time.CLOCK_MONOTONIC)),
        time.strftime("%H:%M:%S", time.gmtime()),
        str(datetime.datetime.now(datetime.UTC)),
        str(datetime.date.today()),
        str(os.getpid()),
    ]


def test_chance_and_time_are_those_of_the_seed() -> None:
    seen: list[list[str]] = []

    async def main(node: Node) -> None:
        await asyncio.sleep(1.5)
        seen.append(chance_and_time())

    for seed in (1, 1, 2):
        assert run_one(main, seed=seed).outcome == "finished"
    assert seen[0] == seen[1]
    differing = [first != second for first, second in zip(seen[0], seen[2], strict=True)]
    assert differing[:6] == [True] * 6
    outside = chance_and_time()
    assert outside[0] != seen[0][0]
    assert abs(time.time() - float(outside[7])) < 60
    assert float(seen[0][7]) == 1_700_000_001.5


def test_hours_pass_in_no_time_and_timers_fire_in_order() -> None:
    order: list[tuple[str, float]] = []

    async def main(node: Node) -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        for delay in (3600.0, 1.0, 60.0):
            loop.call_later(delay, lambda delay=delay: order.append((str(delay), loop.time() - start)))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(loop.create_future(), 7200)

    assert run_one(main, settings=Settings(seconds=10_000)).violation is None
    assert [name for name, _ in order] == ["1.0", "60.0", "3600.0"]
    assert [pytest.approx(float(name)) for name, _ in order] == [when for _, when in order]


def test_blocking_sleep_takes_virtual_time() -> None:
    times: list[float] = []

    async def main(node: Node) -> None:
        before = time.monotonic()
        time.sleep(30)
        times.append(time.monotonic() - before)

    assert run_one(main).violation is None
    assert times == [30]


def test_callbacks_that_are_ready_run_in_order_as_asyncio_promises() -> None:
    def program_of(orders: set[tuple[int, ...]]) -> Callable[[World], None]:
        def program(world: World) -> None:
            async def main(node: Node) -> None:
                seen: list[int] = []
                for number in range(3):
                    asyncio.get_running_loop().call_soon(seen.append, number)
                while len(seen) < 3:
                    await asyncio.sleep(0)
                orders.add(tuple(seen))

            world.node("n", main)

        return program

    in_order: set[tuple[int, ...]] = set()
    assert explore(program_of(in_order), runs=30).ok
    assert in_order == {(0, 1, 2)}
    any_order: set[tuple[int, ...]] = set()
    result = explore(
        program_of(any_order), runs=400, search="dfs", depth=4, settings=Settings(ready="any"), deviations=9
    )
    assert result.ok
    assert len(any_order) == 6


def test_sets_of_tasks_keep_their_order() -> None:
    orders: set[tuple[str, ...]] = set()

    async def main(node: Node) -> None:
        ballast = [object() for _ in range(random.randrange(50))]  # addresses differ from run to run
        tasks = {asyncio.create_task(asyncio.sleep(1, str(number)), name=str(number)) for number in range(20)}
        done, _ = await asyncio.wait(tasks)
        orders.add(tuple(task.get_name() for task in done))
        del ballast

    for seed in range(5):
        assert run_one(main, seed=seed).violation is None
    assert len(orders) == 1


def test_asynchronous_generators_task_groups_queues_and_locks() -> None:
    seen: list[str] = []

    async def numbers() -> Any:
        try:
            for number in range(10):
                yield number
                await asyncio.sleep(0.1)
        finally:
            seen.append("closed")

    async def main(node: Node) -> None:
        queue: asyncio.Queue[int] = asyncio.Queue(1)
        lock = asyncio.Lock()

        async def produce() -> None:
            async for number in numbers():
                async with lock:
                    await queue.put(number)
                if number == 3:
                    break

        async with asyncio.TaskGroup() as group:
            group.create_task(produce())
            for _ in range(4):
                seen.append(str(await queue.get()))
        await asyncio.sleep(1)

    assert run_one(main).outcome == "finished"
    assert seen == ["0", "1", "2", "3", "closed"]


def test_dates_can_be_pickled_and_are_dates() -> None:
    async def main(node: Node) -> None:
        now = datetime.datetime.now()
        assert pickle.loads(pickle.dumps(now)) == now
        assert isinstance(now, datetime.datetime)
        assert isinstance(datetime.datetime(2020, 1, 1), datetime.date)
        assert (now + datetime.timedelta(days=1)).date() > datetime.date.today()

    assert run_one(main).violation is None
    assert pickle.loads(pickle.dumps(datetime.datetime(2020, 1, 1))) == datetime.datetime(2020, 1, 1)


def test_files_are_the_nodes_own_and_survive_its_crash() -> None:
    seen: list[tuple[str, int, str]] = []

    def program(world: World) -> None:
        async def main(node: Node) -> None:
            file = Path("count")
            before = file.read_text() if file.exists() else "0"
            file.write_text(str(int(before) + 1))
            seen.append((node.name, node.incarnation, before))
            await asyncio.sleep(1)
            assert os.listdir() == ["count"]

        world.node("a", main)
        world.node("b", main)

    result = explore(program, runs=200, settings=Settings(crashes=1))
    assert result.ok, result.failures
    assert result.faults["restart"] > 10
    assert {entry for entry in seen if entry[1] == 0} == {("a", 0, "0"), ("b", 0, "0")}
    assert {before for _, incarnation, before in seen if incarnation == 1} == {"0", "1"}


def test_code_does_not_clean_up_when_its_process_is_killed() -> None:
    cleaned: list[str] = []

    def program(world: World) -> None:
        async def victim(node: Node) -> None:
            try:
                await asyncio.sleep(10)
            finally:
                cleaned.append(f"{world.running}")
                Path("cleaned").write_text("")

        async def other(node: Node) -> None:
            await asyncio.sleep(20)

        world.node("victim", victim)
        world.node("other", other, may_crash=False)

    lab = Laboratory()
    with lab.open():
        for seed in range(50):
            run = lab.run(program, RandomWalk(seed), Settings(crashes=1, restarts=0), seed)
            if run.faults.get("crash"):
                break
        assert run.faults == {"crash": 1}
        assert "True" not in cleaned
        assert not os.path.exists(os.path.join(lab.root, "victim", "cleaned"))


def test_an_exception_that_nobody_handles_is_a_failure_with_its_place() -> None:
    async def in_a_callback(node: Node) -> None:
        asyncio.get_running_loop().call_soon(lambda: 1 // 0)
        await asyncio.sleep(1)

    async def in_main(node: Node) -> None:
        raise KeyError("x")

    async def in_a_task(node: Node) -> None:
        async def fails() -> None:
            raise ValueError("y")

        node.keep = asyncio.create_task(fails())  # type: ignore[attr-defined]
        await asyncio.sleep(1)

    for main, error in ((in_a_callback, "ZeroDivisionError"), (in_main, "KeyError"), (in_a_task, "ValueError")):
        run = run_one(main)
        assert run.violation is not None
        assert run.violation.name == "exception"
        assert error in run.violation.message
        assert "test_controlled_loop.py:" in run.violation.message
        assert "(node n1)" in run.violation.message
    tolerated = run_one(in_main, setup=lambda world: world.tolerate(KeyError))
    assert tolerated.violation is None


def test_a_program_that_waits_for_ever_hangs() -> None:
    async def main(node: Node) -> None:
        await asyncio.get_running_loop().create_future()

    run = run_one(main)
    assert str(run.violation) == "hang: nothing can happen any more, and n1 still waits"
    assert run_one(main, settings=Settings(hang_fails=False)).outcome == "quiet"


def test_a_program_that_loops_for_ever_is_interrupted() -> None:
    async def main(node: Node) -> None:
        while True:
            pass

    run = run_one(main, settings=Settings(real_seconds=1.0))
    assert run.violation is not None
    assert run.violation.name == "no end"
    assert "test_controlled_loop.py:" in run.violation.message


def test_a_search_that_meets_an_endless_loop_ends() -> None:
    def program(world: World) -> None:
        async def main(node: Node) -> None:
            while True:
                pass

        world.node("main", main)

    result = explore(program, runs=10, settings=Settings(real_seconds=1.0))
    assert [failure.name for failure in result.failures.values()] == ["no end"]
    assert result.runs == 1


def test_a_coroutine_may_explore() -> None:
    def program(world: World) -> None:
        async def main(node: Node) -> None:
            await asyncio.sleep(1)

        world.node("main", main)

    async def outside() -> bool:
        ok = explore(program, runs=3).ok
        await asyncio.sleep(0)
        return ok and asyncio.get_running_loop() is not None

    assert asyncio.run(outside())


def test_system_exit_is_a_failure_of_the_program_not_of_ours() -> None:
    async def main(node: Node) -> None:
        raise SystemExit(3)

    run = run_one(main)
    assert run.violation is not None
    assert "SystemExit" in run.violation.message


def test_properties_are_checked_where_they_belong() -> None:
    async def main(node: Node) -> None:
        for _ in range(3):
            await asyncio.sleep(1)
            state.append(len(state))

    state: list[int] = []
    run = run_one(main, setup=lambda world: world.always("short", lambda: len(state) < 2))
    assert str(run.violation) == "short"
    state.clear()

    def end() -> None:
        assert state == [], "grown"

    run = run_one(main, setup=lambda world: world.at_end("empty", end))
    assert str(run.violation).startswith("empty: grown")
    state.clear()
    cut = run_one(main, settings=Settings(seconds=1.5), setup=lambda world: world.at_end("empty", end))
    assert (cut.outcome, cut.violation) == ("cut", None)
    cut = run_one(
        main, settings=Settings(seconds=1.5), setup=lambda world: world.at_end("empty", end, even_if_cut=True)
    )
    assert cut.violation is not None
