"""Programs have the verdicts and exit codes of specifications."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import get_args

import pytest
from explore_protocols import One

from gristmill import controlled
from gristmill.controlled import Node, World
from gristmill.controlled.report import to_json as controlled_json
from gristmill.explore import Message, Process, Property, System, end_state, eventually, explore, invariant, on
from gristmill.explore.properties import View
from gristmill.explore.result import VERDICTS
from gristmill.explore.text import to_json
from gristmill.search.verdict import EXIT_CODES, Verdict
from gristmill.trace.schedule import FailureKind


class Asker(Process):
    def start(self) -> None:
        self.send("answerer", One(1))


class Answerer(Process):
    def __init__(self, error: type[Exception] | None = None) -> None:
        self.error = "" if error is None else error.__name__

    @on(One)
    def one(self, one: Message, sender: str) -> None:
        if self.error == "AssertionError":
            raise AssertionError
        if self.error:
            raise KeyError


def never(state: View) -> bool:
    return False


@pytest.mark.parametrize(
    ("error", "properties", "verdict", "code"),
    [
        (None, (), "ok", 0),
        (None, (invariant(never),), "invariant", 12),
        (None, (end_state(never),), "invariant", 12),
        (None, (eventually(never),), "liveness", 13),
        (AssertionError, (), "assert", 14),
        (KeyError, (), "error", 75),
    ],
)
def test_systems(error: type[Exception] | None, properties: tuple[Property, ...], verdict: Verdict, code: int) -> None:
    system = System({"asker": Asker(), "answerer": Answerer(error)}, properties)
    result = explore(system)
    document = json.loads(to_json(system, result))
    assert (result.verdict, result.exit_code) == (verdict, code)
    assert (document["verdict"], document["exit_code"], len(document["violations"])) == (verdict, code, int(code > 0))


def node_that(main: Callable[[], object]) -> Callable[[World], None]:
    def program(world: World) -> None:
        async def run(node: Node) -> None:
            found = main()
            if asyncio.iscoroutine(found):
                await found

        world.node("node", run)

    return program


def fails() -> None:
    raise AssertionError


def property_fails(world: World) -> None:
    node_that(lambda: None)(world)
    world.at_end("never", lambda: False)


@pytest.mark.parametrize(
    ("program", "verdict", "code"),
    [
        (node_that(lambda: None), "ok", 0),
        (property_fails, "invariant", 12),
        (node_that(lambda: asyncio.Event().wait()), "deadlock", 11),
        (node_that(fails), "assert", 14),
        (node_that(lambda: {}["missing"]), "error", 75),
        (node_that(lambda: asyncio.get_running_loop().run_in_executor(None, len, "")), "error", 75),
    ],
)
def test_asyncio_programs(program: Callable[[World], None], verdict: Verdict, code: int) -> None:
    result = controlled.explore(program, runs=5)
    paths = ["schedule.json"] * len(result.failures)
    document = json.loads(controlled_json(result, paths))
    assert (result.verdict, result.exit_code) == (verdict, code), result
    assert (document["verdict"], document["exit_code"]) == (verdict, code)


def test_every_kind_of_failure_has_a_verdict() -> None:
    assert set(get_args(FailureKind)) == set(VERDICTS)
    assert set(VERDICTS.values()) <= set(EXIT_CODES)
