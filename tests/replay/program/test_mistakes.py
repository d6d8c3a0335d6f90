"""What is wrong with a mapping, or with a program, is told with its place and a remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gristmill.replay.driver import DriverError, Point
from gristmill.replay.program import ProgramDriver

MakeDriver = Callable[..., ProgramDriver]

PROGRAM = """
from gristmill.explore import Process, System

async def main(node):
    pass

def program(world, size=1):
    world.node("a", main, daemon=True)
    world.node("b", main, daemon=True)

def empty(world):
    pass

def broken(world):
    raise ValueError("no luck")

def nothing():
    return 3

def decode(data):
    return {"kind": "x"}

number = 3
system = System({"a": Process(), "b": Process()})
"""
MAPPING = """
[program]
file = "server.py:program"
decode = "server.py:decode"
options = { size = 2 }
[client.add]
python = "server.py:decode"
"""


def told(error: DriverError) -> str:
    line = 0 if error.span is None else error.span.line
    return f"{line}: {error.message}" + (f" ({error.help})" if error.help else "")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('file = "server.py:program"\n', "", "2: the mapping does not say which program (write [program] file"),
        ("server.py:program", "servr.py:program", "3: there is no file "),
        ("server.py:program", "server.py", "3: 'server.py' does not say what is meant in the file"),
        ("server.py:program", "server.py:progam", "3: server.py has no 'progam' (did you mean `program`?)"),
        ("server.py:program", "server.py:number", "3: server.py:number is of type int"),
        ("server.py:program", "server.py:{which}", "3: there is nothing called {which} to fill in"),
        ("server.py:program", "server.py:system", "3: a System takes no options"),
        ("server.py:decode", "server.py:number", "4: server.py:number is no function"),
        ("decode =", "decod =", "4: [program] has no key `decod` (did you mean `decode`?)"),
        ("{ size = 2 }", "{ sice = 2 }", "5: the program has no option `sice` (did you mean `size`?)"),
        ("{ size = 2 }", '"2"', "5: `options` must be of type dict"),
        ("python =", "pyton =", "7: [client.add] has no key `pyton`"),
        ('python = "server.py:decode"', "", "6: [client.add] does not say what is done"),
    ],
)
def test_tables(make: MakeDriver, old: str, new: str, expected: str) -> None:
    assert old in MAPPING
    with pytest.raises(DriverError) as error:
        make(PROGRAM, MAPPING.replace(old, new, 1))
    assert expected in told(error.value)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("empty", "has set up no node"),
        ("broken", "the program cannot be set up: ValueError: no luck at "),
    ],
)
def test_programs(make: MakeDriver, program: str, expected: str) -> None:
    driver = make(PROGRAM, f'[program]\nfile = "server.py:{program}"\n')
    with pytest.raises(DriverError) as error:
        driver.start()
    assert expected in told(error.value)


def test_a_function_that_makes_no_system(make: MakeDriver) -> None:
    with pytest.raises(DriverError, match="nothing makes is of type int"):
        make(PROGRAM, '[program]\nfile = "server.py:nothing"\n')


def test_a_file_with_a_mistake_in_it(make: MakeDriver) -> None:
    with pytest.raises(DriverError, match=r"server\.py:1: SyntaxError"):
        make("def program(world:\n", MAPPING)


@pytest.mark.parametrize("program", ["program", "system"])
def test_a_node_that_the_program_has_not(make: MakeDriver, program: str) -> None:
    with pytest.raises(DriverError, match=r"has no (node|process) c"):
        make(PROGRAM, f'[program]\nfile = "server.py:{program}"\n', nodes=("a", "c")).start()


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (Point("p", "massage"), "there is no 'massage' in a program (did you mean `message`?)"),
        (Point("p", "message", {"x": ".a"}), "'.a' is no path of parts"),
        (Point("p", "message", options={"whose": "from"}), "a point of a program has no key `whose`"),
    ],
)
def test_points(make: MakeDriver, point: Point, expected: str) -> None:
    driver = make(PROGRAM, MAPPING, points=[point])
    (resolved,) = driver.points()
    assert expected in f"{resolved.problem} ({resolved.help})"
    with pytest.raises(DriverError) as error:
        driver.start()
    assert expected in told(error.value)


def test_messages_that_nobody_understands(make: MakeDriver) -> None:
    (resolved,) = make(PROGRAM, '[program]\nfile = "server.py:program"\n', points=[Point("p", "message")]).points()
    assert resolved.problem == "nothing says what the bytes of messages mean"


def test_what_points_are(make: MakeDriver) -> None:
    driver = make(PROGRAM, MAPPING, points=[Point("p", "message x y"), Point("q", "timer tick"), Point("r", "timer")])
    assert [each.places for each in driver.points()] == [
        ("x or y, where it is to arrive next",),
        ("the next timer of a node, if it is tick",),
        ("the next timer of a node",),
    ]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({"pth": "x"}, "a reading of a program has no key `pth` (did you mean `path`?)"),
        ({"path": "x", "sent": True}, "the reading r does not say what is read"),
        ({}, "the reading r does not say what is read"),
        ({"path": "a..b"}, "is no path of parts"),
        ({"sent": False}, "`sent` can only be true"),
        ({"python": "server.py:redd"}, "server.py has no 'redd'"),
    ],
)
def test_readings(make: MakeDriver, how: Mapping[str, Any], expected: str) -> None:
    with pytest.raises(DriverError) as error:
        make(PROGRAM, MAPPING, readings={"r": how})
    assert expected in told(error.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return 1 / 0", "the reading r failed: ZeroDivisionError: division by zero at "),
        ("return object()", "stands for no value"),
    ],
)
def test_readings_that_fail(make: MakeDriver, text: str, expected: str) -> None:
    program = PROGRAM + f"\ndef look(world, node):\n    {text}\n"
    driver = make(program, MAPPING, readings={"r": {"python": "server.py:look"}})
    driver.start()
    driver.fault("start", "a")
    with pytest.raises(DriverError) as error:
        driver.observe("a", driver.setup.readings)
    assert expected in told(error.value)
