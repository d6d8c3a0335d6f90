"""Nodes and links: started, killed, paused, cut off; what can be seen of them; what is left of them."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from cluster import BY_LINKS, BY_TAPS, NODES, STATE, deliver, heard, held, running, setup, tell
from gristmill.replay.driver import DriverError, Failure, Point, Reading
from gristmill.replay.network import NetworkDriver
from gristmill.systems.running.ports import is_free

TOLD = Point("told", "message Tell")
IDLE = BY_LINKS.replace("[network]", "[network]\npause-idle = true")


def test_a_link_that_is_cut_loses_messages():
    with running(BY_LINKS) as driver:
        driver.fault("cut", "a", {"to": "b"})
        tell(driver, "a", 1)
        tell(driver, "b", 2)
        assert (heard(driver, "a"), heard(driver, "b")) == ([], [])
        assert heard(driver, "c") == [("a", 1), ("b", 2)]
        driver.fault("heal", "a", {"to": "b"})
        tell(driver, "a", 3)
        assert heard(driver, "b") == [("a", 3)]


def test_a_node_is_cut_off_from_all_others_and_in_one_direction():
    with running(BY_LINKS) as driver:
        driver.fault("cut", "a", {"oneway": True})
        for node in NODES:
            tell(driver, node, 1)
        assert heard(driver, "a") == [("b", 1), ("c", 1)]
        assert (heard(driver, "b"), heard(driver, "c")) == ([("c", 1)], [("b", 1)])


def test_what_is_on_its_way_over_a_link_that_is_cut_is_lost():
    with running(BY_LINKS, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        driver.fault("cut", "a", {"to": "b"})
        assert held(driver) == [("a", "c", "Tell", 1)]


def test_a_killed_node_is_gone_and_comes_back_with_its_data():
    with running(BY_TAPS, [TOLD]) as driver:
        tell(driver, "a", 1)
        driver.hold(["told"])
        tell(driver, "a", 2)
        driver.fault("kill", "b")
        assert not driver.running("b")
        assert held(driver) == [("a", "c", "Tell", 2)]
        with pytest.raises(DriverError, match="b is not running"):
            driver.observe("b", [STATE])
        driver.fault("start", "b")
        assert heard(driver, "b") == [("a", 1)]
        driver.open(["told"])
        tell(driver, "a", 3)
        assert heard(driver, "b") == [("a", 1), ("a", 3)]
        driver.fault("restart", "b")
        assert heard(driver, "b") == [("a", 1), ("a", 3)]


def test_what_a_killed_node_has_sent_arrives_unless_it_is_lost():
    for lose, arrives in (("to", [("a", 1)]), ("both", [])):
        with running(BY_LINKS, [TOLD]) as driver:
            driver.hold(["told"])
            tell(driver, "a", 1)
            driver.fault("kill", "a", {"lose": lose})
            driver.settle(10)
            driver.open(["told"])
            driver.settle(10)
            assert heard(driver, "b") == arrives


def test_a_message_for_a_dead_node_cannot_be_delivered():
    with running(BY_LINKS, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        arrival = next(each for each in driver.held() if each.node == "b")
        driver.fault("kill", "b")
        with pytest.raises(DriverError, match="not held any more"):
            driver.release(arrival)


def test_a_paused_node_does_nothing_until_it_is_continued():
    with running(BY_LINKS) as driver:
        driver.fault("pause", "b")
        tell(driver, "a", 1)
        assert (driver.processes.folder("b") / "state.json").exists() is False
        driver.fault("continue", "b")
        driver.settle(10)
        assert heard(driver, "b") == [("a", 1)]


def test_idle_nodes_are_paused_and_wake_up_for_what_they_have_to_do():
    with running(IDLE, [TOLD]) as driver:
        driver.settle(10)
        assert [_state(driver, node) for node in NODES] == ["T", "T", "T"]
        driver.hold(["told"])
        tell(driver, "a", 1)
        assert held(driver) == [("a", "b", "Tell", 1), ("a", "c", "Tell", 1)]
        deliver(driver, "a", "b")
        assert heard(driver, "b") == [("a", 1)]
        assert [_state(driver, node) for node in NODES] == ["T", "T", "T"]


def _state(driver: NetworkDriver, node: str) -> str:
    pid = driver.processes.pid(node)
    assert pid is not None
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_clocks_run_only_if_a_node_is_let_run():
    """While one node runs for a tick of its clock, those of the others stand still."""
    text = IDLE.replace("[network]", "environment = { TICK = '0.2' }\n[network]")
    ticks = [Reading("ticks", {"message": "number", "kind": "Tick", "null": 0})]
    with running(text, [Point("tick", "message Tick")]) as driver:
        driver.hold(["tick"])
        assert driver.settle(10)
        before = [driver.observe(node, ticks)["ticks"] for node in NODES]
        driver.fault("run", "a", {"kind": "Tick"})
        assert driver.settle(10)
        after = [driver.observe(node, ticks)["ticks"] for node in NODES]
        assert after[0] > (before[0] or 0)
        assert after[1:] == before[1:]
        with pytest.raises(DriverError, match="has sent no Tell within 0 s"):
            driver.fault("run", "a", {"kind": "Tell", "seconds": 0})


def test_what_clients_are_answered():
    with running(BY_LINKS) as driver:
        name = Reading("name", {"answer": "tell", "path": "body.name"})
        status = Reading("status", {"answer": "tell", "path": "status"})
        assert driver.observe("a", [name, status]) == {"name": None, "status": None}
        tell(driver, "a", 1)
        assert driver.observe("a", [name, status]) == {"name": "a", "status": 200}


def test_clients_may_be_functions(tmp_path):
    own = "def double(node, ports, number):\n    return [2 * number, ports['client'], node]\n"
    (tmp_path / "own.py").write_text(own)
    text = BY_LINKS + '[client.double]\nfunction = "own.py:double"\n'
    doubled = Reading("doubled", {"answer": "double", "path": "body"})
    driver = NetworkDriver(replace(setup(text), folder=tmp_path))
    try:
        driver.start()
        driver.fault("start", "a")
        assert driver.observe("a", [doubled]) == {"doubled": None}
        driver.call("double", "a", {"number": 4})
        while driver.observe("a", [doubled]) == {"doubled": None}:
            driver.next(0.01)
        assert driver.observe("a", [doubled]) == {"doubled": (8, driver.processes.port("a", "client"), "a")}
    finally:
        driver.stop()


def test_nothing_is_left_of_the_trace_before():
    with running(BY_TAPS, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        driver.fault("cut", "a")
        driver.fault("pause", "b")
        driver.reset()
        assert (driver.held(), driver.next(0)) == ([], None)
        assert not any(driver.running(node) for node in NODES)
        for node in NODES:
            driver.fault("start", node)
        tell(driver, "a", 2)
        assert [heard(driver, node) for node in NODES] == [[], [("a", 2)], [("a", 2)]]


def test_files_can_be_read_also_of_a_dead_node():
    with running(BY_LINKS) as driver:
        tell(driver, "a", 1)
        driver.fault("kill", "b")
        heard = Reading("heard", {"file": "state.json", "decoder": "json", "path": "heard[*][1]"})
        log = Reading("log", {"file": "node.log"})
        assert driver.observe("b", [heard, log]) == {"heard": (1,), "log": ""}
        with pytest.raises(DriverError, match=r"`none` of b.*No such file"):
            driver.observe("b", [Reading("none", {"file": "nothing.json", "decoder": "json"})])


def test_an_answer_that_is_no_success():
    with running(BY_LINKS) as driver, pytest.raises(DriverError, match="has answered /nothing with status 404"):
        driver.observe("a", [Reading("nothing", {"http": "/nothing"})])


def test_a_node_that_fails_tells_of_it():
    with running(BY_LINKS) as driver:
        driver.call("crash", "b", {})
        failures = [driver.next(5), driver.next(5)]
        assert all(isinstance(each, Failure) for each in failures)
        assert [(each.node, each.kind) for each in failures] == [("b", "log"), ("b", "exit")]
        assert "PANIC: told to crash" in failures[0].message
        assert not driver.running("b")
        tell(driver, "a", 1)
        assert heard(driver, "c") == [("a", 1)]


def test_what_everything_is_doing():
    with running(BY_LINKS, [TOLD]) as driver:
        driver.hold(["told"])
        tell(driver, "a", 1)
        driver.fault("kill", "c")
        driver.fault("cut", "b", {"to": "c"})
        assert driver.doing() == [
            "node a is running",
            "node b is running",
            "node c is down",
            "a -> b: 1 on their way (Tell)",
            "b -> c: nothing on its way, cut",
            "c -> b: nothing on its way, cut",
        ]


def test_nothing_is_left_behind():
    driver = NetworkDriver(setup(BY_TAPS, [TOLD]))
    driver.start()
    for node in NODES:
        driver.fault("start", node)
    driver.hold(["told"])
    tell(driver, "a", 1)
    driver.fault("pause", "c")
    pids = [driver.processes.pid(node) for node in NODES]
    ports = [driver.processes.port(node, port) for node in NODES for port in ("peer", "tap", "client")]
    folder = driver.processes.folder("a").parent
    driver.stop()
    driver.stop()
    assert all(is_free(port) for port in ports)
    assert not folder.exists()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert not driver.background.thread.is_alive()


def test_a_driver_that_was_never_started_can_be_stopped():
    driver = NetworkDriver(setup(BY_LINKS))
    driver.stop()
    assert not driver.background.thread.is_alive()
