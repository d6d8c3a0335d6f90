"""Protocols of `Process` classes, driven by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gristmill.replay.driver import DriverError, Failure, Point
from gristmill.replay.program import ProgramDriver

MakeDriver = Callable[..., ProgramDriver]

PROGRAM = """
from gristmill.explore import Message, Network, Process, System, on, persistent, quorum, timer

class Ask(Message):
    number: int

class Yes(Message):
    number: int

class Asker(Process):
    def __init__(self):
        self.agreed = ()

    def ask(self, number, again=0):
        self.broadcast(Ask(number))
        self.set_timer("impatient")

    @quorum(Yes, size=2, by=lambda yes: yes.number)
    def decide(self, messages):
        self.agreed = tuple(sorted(messages))

    @timer("impatient")
    def impatient(self):
        self.agreed = ("nobody",)

    def choose_one(self):
        self.choose([1, 2])

class Voter(Process):
    promised = persistent(0)

    def __init__(self):
        self.asked = []

    @on(Ask, guard=lambda self, ask: ask.number >= self.promised)
    def asked_for(self, ask, sender):
        assert ask.number < 100, "too much"
        self.promised = ask.number
        self.asked.append(ask.number)
        self.send(sender, Yes(ask.number))

def ordered():
    return system(Network(ordered=True))

def system(network=Network()):
    return System({"p": Asker(), "v1": Voter(), "v2": Voter()}, network=network)
"""
MAPPING = '[program]\nfile = "server.py:system"\n[client.ask]\nmethod = "ask"\n[client.choose]\nmethod = "choose_one"\n'
POINTS = (
    Point("asked", "message Ask", {"number": "number"}),
    Point("answered", "message Yes"),
    Point("impatient", "timer"),
)
NODES = ("p", "v1", "v2")
READINGS = {
    "agreed": {"path": "agreed"},
    "asked": {"path": "asked[*]"},
    "promised": {"path": "promised"},
    "sent": {"sent": True},
    "double": {"python": "server.py:double"},
}


@pytest.fixture
def driver(make: MakeDriver) -> ProgramDriver:
    program = PROGRAM + "\ndef double(process):\n    return 2 * process.promised\n"
    made = make(program, MAPPING, NODES, POINTS, READINGS)
    started(made)
    return made


def started(driver: ProgramDriver) -> None:
    driver.start()
    for node in NODES:
        driver.fault("start", node)
    driver.hold([each.name for each in POINTS])


def read(driver: ProgramDriver, node: str, name: str) -> object:
    (reading,) = (each for each in driver.setup.readings if each.name == name)
    return driver.observe(node, [reading])[name]


def held(driver: ProgramDriver) -> dict[str, str]:
    return {each.actor: each.point for each in driver.held()}


def release(driver: ProgramDriver, actor: str) -> None:
    driver.release(next(each for each in driver.held() if each.actor == actor))


def test_messages_are_held_and_released_in_any_order(driver: ProgramDriver) -> None:
    driver.call("ask", "p", {"number": 3})
    assert held(driver) == {
        "p -> v1: Ask(3)": "asked",
        "p -> v2: Ask(3)": "asked",
        "timer impatient of p": "impatient",
    }
    first = next(each for each in driver.held() if each.node == "v2")
    assert dict(first.bindings) == {
        "from": "p",
        "to": "v2",
        "kind": "Ask",
        "message": {"kind": "Ask", "number": 3},
        "handler": "asked_for",
        "choices": (),
        "number": 3,
    }
    driver.release(first)
    assert (read(driver, "v2", "asked"), read(driver, "v1", "asked")) == ((3,), ())
    assert read(driver, "v2", "sent") == {"p": ({"kind": "Yes", "number": 3},), "v1": (), "v2": ()}
    assert read(driver, "v2", "double") == 6


def test_a_quorum_is_one_actor(driver: ProgramDriver) -> None:
    driver.call("ask", "p", {"number": 3})
    release(driver, "p -> v1: Ask(3)")
    assert "v1, v2 -> p: Yes(3)" not in held(driver)
    release(driver, "p -> v2: Ask(3)")
    arrival = next(each for each in driver.held() if each.point == "answered")
    assert arrival.bindings["from"] == frozenset({"v1", "v2"})
    driver.release(arrival)
    assert read(driver, "p", "agreed") == ("v1", "v2")


def test_timers_fire_when_they_are_released(driver: ProgramDriver) -> None:
    driver.call("ask", "p", {"number": 3})
    release(driver, "timer impatient of p")
    assert read(driver, "p", "agreed") == ("nobody",)
    assert "timer impatient of p" not in held(driver)


def test_what_no_point_holds_goes_on_but_timers(make: MakeDriver) -> None:
    made = make(PROGRAM, MAPPING, NODES, (), {"agreed": {"path": "agreed"}})
    started(made)
    made.call("ask", "p", {"number": 3})
    assert made.settle(1)
    assert read(made, "p", "agreed") == ("v1", "v2")


def test_a_message_whose_guard_is_false_waits(driver: ProgramDriver) -> None:
    driver.call("ask", "p", {"number": 3})
    driver.call("ask", "p", {"number": 2})
    release(driver, "p -> v1: Ask(3)")
    assert "p -> v1: Ask(2)" not in held(driver)
    assert any("Ask(2)" in line for line in driver.doing())


def test_channels_that_are_ordered_hold_the_first_message(make: MakeDriver) -> None:
    made = make(PROGRAM, MAPPING.replace(":system", ":ordered"), NODES, POINTS)
    started(made)
    made.call("ask", "p", {"number": 3})
    made.call("ask", "p", {"number": 4})
    assert [each.bindings.get("number") for each in made.held() if each.node == "v1"] == [3]
    release(made, "p -> v1: Ask(3)")
    assert [each.bindings.get("number") for each in made.held() if each.node == "v1"] == [4]


@pytest.mark.parametrize(("lose", "left"), [("to", 0), ("none", 1)])
def test_what_survives_when_a_process_is_killed(driver: ProgramDriver, lose: str, left: int) -> None:
    driver.call("ask", "p", {"number": 3})
    release(driver, "p -> v1: Ask(3)")
    driver.call("ask", "p", {"number": 4})
    driver.fault("kill", "v1", {"lose": lose})
    assert not driver.running("v1")
    with pytest.raises(DriverError, match="v1 is down"):
        read(driver, "v1", "asked")
    driver.fault("start", "v1")
    assert (read(driver, "v1", "promised"), read(driver, "v1", "asked")) == (3, ())
    assert sum("v1: Ask" in each for each in held(driver)) == left


def test_messages_are_lost_doubled_and_cut_off(driver: ProgramDriver) -> None:
    driver.call("ask", "p", {"number": 3})
    first, second = (each for each in driver.held() if each.point == "asked")
    driver.fault("drop", None, {"arrival": first})
    driver.fault("duplicate", None, {"arrival": second})
    release(driver, "p -> v2: Ask(3)")
    release(driver, "p -> v2: Ask(3)")
    assert (read(driver, "v1", "asked"), read(driver, "v2", "asked")) == ((), (3, 3))
    driver.call("ask", "p", {"number": 4})
    driver.fault("cut", "p", {"to": "v2"})
    assert "p -> v2: Ask(4)" not in held(driver)
    assert "p and v2 do not reach each other" in driver.doing()
    driver.fault("heal", "v2", {"to": "p"})
    assert "p -> v2: Ask(4)" in held(driver)


def test_a_failed_assertion_is_a_failure_of_its_process(driver: ProgramDriver) -> None:
    driver.call("ask", "p", {"number": 100})
    release(driver, "p -> v1: Ask(100)")
    found = []
    while (each := driver.next(0)) is not None:
        found.append(each)
    (failure,) = (each for each in found if isinstance(each, Failure))
    assert failure.node == "v1"
    assert "too much" in failure.message


def test_every_run_begins_anew(driver: ProgramDriver) -> None:
    driver.call("ask", "p", {"number": 3})
    release(driver, "p -> v1: Ask(3)")
    driver.reset()
    assert [driver.running(node) for node in NODES] == [False, False, False]
    for node in NODES:
        driver.fault("start", node)
    assert (read(driver, "v1", "asked"), read(driver, "v1", "promised")) == ((), 0)


@pytest.mark.parametrize(
    ("operation", "arguments", "told"),
    [
        ("aks", {}, "no operation 'aks'"),
        ("ask", {}, "missing a required argument: 'number'"),
        ("ask", {"number": 1, "loud": True}, "unexpected keyword argument 'loud'"),
        ("choose", {}, "makes choices"),
    ],
)
def test_an_operation_that_there_is_not(
    driver: ProgramDriver, operation: str, arguments: dict[str, object], told: str
) -> None:
    with pytest.raises(DriverError, match=told):
        driver.call(operation, "p", arguments)


def test_a_method_that_the_process_has_not(driver: ProgramDriver) -> None:
    with pytest.raises(DriverError, match="v1 has no method 'ask'"):
        driver.call("ask", "v1", {"number": 1})
