"""Where there is nothing to decide, a controlled loop does what asyncio's own does: callback by callback."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.controlled import Node, Settings, World
from gristmill.controlled.run import Laboratory
from gristmill.controlled.strategies import First

ROUNDS = 40

simple = st.one_of(
    st.tuples(st.just("yield")),
    st.tuples(st.just("log"), st.integers(0, 99)),
    st.tuples(st.just("put"), st.integers(0, 1), st.integers(0, 9)),
    st.tuples(st.just("get"), st.integers(0, 1)),
    st.tuples(st.just("set"), st.integers(0, 1)),
    st.tuples(st.just("wait"), st.integers(0, 1)),
    st.tuples(st.just("locked"), st.integers(0, 9)),
    st.tuples(st.just("soon"), st.integers(0, 9)),
    st.tuples(st.just("cancel")),
    st.tuples(st.just("impatient")),
)
scripts = st.recursive(
    st.lists(simple, min_size=1, max_size=4),
    lambda inner: st.lists(
        st.one_of(
            simple,
            st.tuples(st.just("spawn"), inner),
            st.tuples(st.just("gather"), st.lists(inner, min_size=1, max_size=3)),
            st.tuples(st.just("first"), st.lists(inner, min_size=1, max_size=3)),
        ),
        min_size=1,
        max_size=5,
    ),
    max_leaves=12,
)


class Play:
    """Performs a script, and notes what happens in which order."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.queues = [asyncio.Queue[int](1), asyncio.Queue[int]()]
        self.events = [asyncio.Event(), asyncio.Event()]
        self.lock = asyncio.Lock()
        self.tasks: list[asyncio.Task[None]] = []
        self.names = 0

    async def perform(self, script: list[Any], name: str) -> None:
        try:
            for instruction in script:
                await self.step(instruction, name)
        except asyncio.CancelledError:
            self.seen.append((name, "cancelled"))
            raise
        self.seen.append((name, "ended"))

    async def step(self, instruction: tuple[Any, ...], name: str) -> None:
        match instruction:
            case ("yield",):
                await asyncio.sleep(0)
            case ("log", value):
                self.seen.append((name, value))
            case ("put", index, value):
                await self.queues[index].put(value)
                self.seen.append((name, "put", value))
            case ("get", index):
                self.seen.append((name, "got", await self.queues[index].get()))
            case ("set", index):
                self.events[index].set()
            case ("wait", index):
                await self.events[index].wait()
                self.seen.append((name, "woken"))
            case ("locked", value):
                async with self.lock:
                    await asyncio.sleep(0)
                    self.seen.append((name, "locked", value))
            case ("soon", value):
                asyncio.get_running_loop().call_soon(self.seen.append, (name, "soon", value))
            case ("cancel",):
                if self.tasks:
                    self.tasks.pop().cancel()
            case ("impatient",):
                try:
                    await asyncio.wait_for(asyncio.sleep(0, "x"), 1000)
                finally:
                    self.seen.append((name, "waited"))
            case ("spawn", script):
                self.tasks.append(self.start(script))
            case ("gather", scripts):
                await asyncio.gather(*(self.start(script) for script in scripts), return_exceptions=True)
                self.seen.append((name, "gathered"))
            case ("first", scripts):
                children = [self.start(script) for script in scripts]
                await asyncio.wait(children, return_when=asyncio.FIRST_COMPLETED)
                self.seen.append((name, "first", [child.done() for child in children]))

    def start(self, script: list[Any]) -> asyncio.Task[None]:
        self.names += 1
        return asyncio.get_running_loop().create_task(self.perform(script, f"t{self.names}"))


async def play(script: list[Any]) -> list[Any]:
    """For a fixed number of turns of the loop: what waits for ever does not matter."""
    playing = Play()
    task = playing.start(script)
    for _ in range(ROUNDS):
        await asyncio.sleep(0)
    seen = list(playing.seen)
    del task
    return seen


@settings(max_examples=150)
@given(scripts)
def test_callbacks_run_in_the_same_order(script: list[Any]) -> None:
    expected = asyncio.run(play(script))
    seen: list[Any] = []

    def program(world: World) -> None:
        async def main(node: Node) -> None:
            seen.extend(await play(script))

        world.node("main", main)

    lab = Laboratory()
    with lab.open():
        run = lab.run(program, First(), Settings(), 1)
    assert run.violation is None
    assert seen == expected
