"""Nodes that are killed, paused, started again; that fail by themselves; and what is left of them."""

import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from java_driving import Made, arrival, failure, started

from gristmill.replay.driver import Arrival, DriverError, Failure, Point, Reading
from gristmill.replay.jvm.tasks import Task
from gristmill.replay.jvm.throwing import _event_at as event_at

IN = Point("in", "Mill.grind entry", {"weight": "weight"})
CUT = "[[jvm.cut]]\nroot = 'Mill$Link'\nwhere = 'peer'\npath = 'close()'\n"
CLOSED = Reading("closed", {"root": "Mill", "path": "links[*].closed"})


def test_a_node_that_is_killed_while_a_thread_is_held(driver: Made) -> None:
    made = started(driver(IN), "in")
    held = arrival(made)
    made.fault("kill", "1")
    assert made.held() == []
    assert not made.running("1")
    with pytest.raises(DriverError, match="not held any more: node 1 has ended"):
        made.release(held)
    with pytest.raises(DriverError, match="node 1 is not running"):
        made.observe("1", [CLOSED])
    assert made.next(0.2) is None  # it was killed by us: no failure


def test_points_are_armed_again_after_a_restart(driver: Made) -> None:
    made = started(driver(IN), "in")
    before = made.processes.pid("1")
    arrival(made)
    made.fault("restart", "1")
    assert made.processes.pid("1") != before
    assert arrival(made).bindings == {"weight": 0}
    assert len(made.held()) == 1


def test_reset_forgets_everything(driver: Made) -> None:
    made = started(driver(IN), "in")
    arrival(made)
    made.reset()
    assert not made.running("1")
    assert made.held() == []
    made.fault("start", "1")
    assert not arrival(made).held  # points are open again
    assert arrival(made).number == 1


def test_a_paused_node_is_asked_nothing(driver: Made) -> None:
    made = started(driver(IN), "in")
    held = arrival(made)
    made.fault("pause", "1")
    with pytest.raises(DriverError, match="node 1 is paused"):
        made.release(held)
    with pytest.raises(DriverError, match="node 1 is paused"):
        made.observe("1", [CLOSED])
    assert made.doing() == ["1: paused"]
    made.fault("continue", "1")
    made.release(held)
    assert arrival(made).held


def test_links_are_cut(driver: Made) -> None:
    made = started(driver(IN, nodes=("1", "2"), more=CUT), "in")
    for _ in range(2):
        arrival(made)
    made.fault("cut", "1", {"to": "2"})
    assert made.observe("1", [CLOSED]) == {"closed": (False, True)}
    assert made.observe("2", [CLOSED]) == {"closed": (True, False)}
    made.fault("heal", "1", {"to": "2"})


def test_links_that_are_not_there(driver: Made) -> None:
    made = started(driver(IN, nodes=("1", "9"), more=CUT.replace("'peer'", "'peer'\nis = 'x{node}'")), "in")
    with pytest.raises(DriverError, match="there is no link between 1 and 9"):
        made.fault("cut", "1", {"to": "9"})
    bare = started(driver(IN), "in")
    with pytest.raises(DriverError, match="does not say how a link is cut"):
        bare.fault("cut", "1", {"to": "2"})


def test_methods_are_called(driver: Made) -> None:
    made = started(driver(IN), "in")
    held = arrival(made)
    made.fault("invoke", None, {"arrival": held, "path": "this.links[0]", "method": "close"})
    assert made.observe("1", [CLOSED]) == {"closed": (True, False)}
    made.fault("invoke", "1", {"root": "Mill", "path": "links[*].close()"})
    assert made.observe("1", [CLOSED]) == {"closed": (True, True)}
    with pytest.raises(DriverError, match=r"Mill.angry\(\) has thrown Mill.Fails: not now"):
        made.fault("invoke", "1", {"path": "Mill.it.angry()"})
    with pytest.raises(DriverError, match="does not say what is called"):
        made.fault("invoke", "1", {"path": "Mill.it.links"})


def test_points_inside_of_what_is_called_hold_nobody(driver: Made) -> None:
    made = driver(IN, Point("inside", "Mill.inside entry"))
    started(made, "in", "inside")
    held = arrival(made)
    made.fault("invoke", None, {"arrival": held, "path": "this.holdLock()"})
    assert made.held() == [held]
    made.release(held)
    assert arrival(made).point == "in"


def test_a_method_that_waits_for_a_held_thread(driver: Made) -> None:
    """The thread that is held has the lock; one of ours would wait for it, so the held one is taken."""
    made = started(driver(Point("locked", "Mill.inside entry"), mode="workers"), "locked")
    arrival(made, "locked")
    assert made.observe("1", [Reading("fast", {"root": "Mill", "path": "isFast()"})]) == {"fast": False}


def test_a_call_that_does_not_come_back(driver: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for a lock that another held thread has. When that goes on, so does the call, and then its thread."""
    monkeypatch.setattr("gristmill.replay.jvm.tasks.INVOKE_SECONDS", 0.2)
    made = started(driver(Point("locked", "Mill.inside entry"), IN, mode="workers"), "locked", "in")
    held: dict[str, Arrival] = {}
    while set(held) != {"locked", "in"}:
        found = arrival(made)
        held.setdefault(found.point, found)
    with pytest.raises(DriverError, match=r"Mill.isFast\(\) was called, and has not come back") as raised:
        made.fault("invoke", None, {"arrival": held["in"], "path": "this.isFast()"})
    assert "lock that a held thread has" in (raised.value.help or "")
    with pytest.raises(DriverError, match="has been made to call a method that has not come back"):
        made.release(held["in"])
    made.release(held["locked"])
    calls = made.session("1").machine.calls
    while calls.is_busy(made.gates.held()[0].thread):
        made.next(0.01)
    made.release(held["in"])
    assert arrival(made, "in").held


def test_an_exception_is_thrown_where_a_thread_is_held(driver: Made) -> None:
    made = started(driver(IN), "in")
    made.release(arrival(made), {"throw": "java.lang.NullPointerException"})
    assert failure(made).message == "java.lang.NullPointerException: nothing catches it, and thread worker ends"


def test_a_thread_with_an_exception_is_not_interrupted_as_well(driver: Made) -> None:
    """It catches the exception, and then sleeps."""
    made = started(driver(IN, Point("end", "Mill.worker exit")), "in", "end")
    made.release(arrival(made), {"throw": "java.lang.ArithmeticException"})
    assert arrival(made).point == "in"


def test_an_exception_that_the_machine_has_put_off(driver: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is thrown once more, and there is no trace of the first one."""
    asked = []

    def late(*arguments: Any) -> Task[int | None]:
        asked.append(arguments)
        return (yield from event_at(*arguments)) if len(asked) > 2 else None

    monkeypatch.setattr("gristmill.replay.jvm.throwing._event_at", late)
    made = started(driver(IN, Point("end", "Mill.worker exit")), "in", "end")
    made.release(arrival(made), {"throw": "java.lang.ArithmeticException"})
    assert len(asked) > 2
    assert arrival(made).point == "in"


def test_a_thread_that_sleeps_is_interrupted(driver: Made) -> None:
    made = started(driver(IN, Point("end", "Mill.worker exit")), "end")
    arrival(made, "in")
    made.fault("interrupt", "1", {"thread": "work"})
    assert arrival(made, "end").actor == "worker"
    with pytest.raises(DriverError, match="has no thread nobody"):
        made.fault("interrupt", "1", {"thread": "nobody"})


def test_unknown_faults(driver: Made) -> None:
    made = started(driver(IN))
    with pytest.raises(DriverError, match="no fault 'kil'") as raised:
        made.fault("kil", "1")
    assert raised.value.help == "did you mean kill?"
    with pytest.raises(DriverError, match="is one of a node"):
        made.fault("kill")
    with pytest.raises(DriverError, match="node 1 is running already"):
        made.fault("start", "1")


# ----------------------------------------------------------------------------------------------------------- failures


def test_an_exception_that_nothing_catches(driver: Made) -> None:
    found = failure(started(driver(IN, mode="uncaught")))
    assert found == Failure("1", "exception", found.message, found.log)
    assert found.message == "Mill$Fails: not now: nothing catches it, and thread temper ends"
    assert found.log.splitlines()[1].startswith("    at Mill.angry:")


def test_exceptions_that_the_mapping_names_are_failures_where_it_says(driver: Made) -> None:
    named = "exceptions = ['java.lang.NullPointerException']\nexceptions-in = ['M*']\n"
    found = failure(started(driver(IN, mode="catch", more=named)))
    assert "java.lang.NullPointerException" in found.message
    assert ", thrown at Mill.touch:" in found.message
    assert found.message.endswith("by thread main")
    assert [line.split(":")[0] for line in found.log.splitlines()[1:]][:3] == [
        "    at Mill.touch",
        "    at Mill.caught",
        "    at Mill.main",
    ]


@pytest.mark.parametrize("more", ["", "exceptions = ['java.lang.NullPointerException']\nexceptions-in = ['Other*']\n"])
def test_exceptions_that_are_caught_are_none_otherwise(driver: Made, more: str) -> None:
    made = started(driver(IN, Point("after", "Mill.caught exit"), mode="catch", more=more), "after")
    assert arrival(made).point == "after"


def test_a_node_that_ends_by_itself(driver: Made) -> None:
    made = started(driver(IN, mode="exit"))
    found = failure(made)
    assert (found.node, found.kind) == ("1", "exit")
    assert "exit status 3" in found.message
    assert "leaving" in found.log
    assert not made.running("1")
    made.fault("start", "1")  # and can be started again


def test_an_uncaught_exception_comes_before_the_end(driver: Made) -> None:
    made = started(driver(IN, mode="nonsense"))
    first, second = failure(made), failure(made)
    assert first.message.startswith("java.lang.IllegalArgumentException: nonsense: nothing catches it, and thread main")
    assert second.kind == "exit"


def test_a_node_that_has_died_is_noticed_by_whoever_asks_it(driver: Made) -> None:
    made = started(driver(IN), "in")
    held = arrival(made)
    pid = made.processes.pid("1")
    assert pid is not None
    os.kill(pid, 9)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(DriverError, match=r"cannot go on|not held any more"):
        made.release(held)


def test_a_node_that_dies_while_a_thread_is_held(driver: Made) -> None:
    made = started(driver(IN), "in")
    held = arrival(made)
    pid = made.processes.pid("1")
    assert pid is not None
    os.kill(pid, 9)
    assert failure(made).message == "node 1 has ended by itself (signal 9)"
    assert made.held() == []
    with pytest.raises(DriverError, match="not held any more: node 1 has ended"):
        made.release(held)


# ------------------------------------------------------------------------------------------------------- bad beginnings


def test_a_machine_that_ends_at_once_has_its_log_in_the_message(driver: Made) -> None:
    made = driver(IN, change=lambda text: text.replace('"-Xmx64m"', '"-Xmx64nonsense"'))
    with pytest.raises(DriverError, match="has ended before it listened on its debug port") as raised:
        started(made)
    assert "Invalid maximum heap size" in raised.value.log
    assert not made.running("1")


def test_a_debug_port_that_is_taken(driver: Made) -> None:
    made = driver(IN)
    made.start()
    port = made.processes.port("1", "debug")
    with socket.create_server(("127.0.0.1", port)), pytest.raises(DriverError, match=f"debug port {port} of node 1 is"):
        made.fault("start", "1")
    made.fault("start", "1")


def test_a_command_without_a_debug_port(driver: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.replay.jvm.attaching._SECONDS", 0.5)
    made = driver(IN, change=lambda text: text.replace('"-agentlib:jdwp=', '"-Dnothing='))
    with pytest.raises(DriverError, match="does not listen on its debug port") as raised:
        started(made)
    assert "-agentlib:jdwp=" in (raised.value.help or "")
    assert not made.running("1")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("clas-path = []", "has no key `clas-path`"),
        ("exceptions = 3", "`exceptions` must be a list of texts"),
        ("[[jvm.cut]]\npath = 'x.close()'", "a link is cut at objects of a class"),
        ("[[jvm.cut]]\nroot = 'X'\npath = 'x'", "does not say what is called"),
    ],
)
def test_mistakes_in_the_settings(driver: Made, more: str, message: str) -> None:
    with pytest.raises(DriverError, match=message):
        driver(IN, more=more)


def test_a_class_path_with_nothing_there(driver: Made) -> None:
    with pytest.raises(DriverError, match="there is nothing at") as raised:
        driver(IN, change=lambda text: text.replace('["{mapping}"]', '["{mapping}/lib/*.jar"]'))
    assert raised.value.span is not None


def test_nothing_is_left_behind(driver: Made) -> None:
    made = started(driver(IN, nodes=("1", "2"), mode="workers"), "in")
    arrival(made)
    pids = [made.processes.pid(node) for node in ("1", "2")]
    folder = made.folder("1")
    made.stop()
    made.stop()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert folder is not None
    assert not folder.exists()
    assert not any(thread.name.startswith(("jvm-", "jdwp-")) for thread in threading.enumerate())
