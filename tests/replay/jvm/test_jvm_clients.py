"""Operations of clients: begun, and not waited for."""

from pathlib import Path

import pytest
from java_driving import Made, started

from gristmill.replay.driver import DriverError, Point

FUNCTION = """
import time
from pathlib import Path

def note(node, ports, text):
    Path(__file__).with_name("noted.txt").write_text(f"{node} {sorted(ports)} {text}")

def wait(node, ports):
    time.sleep(600)

def fail(node, ports):
    raise ConnectionError
"""
CLIENTS = """
[client.note]
function = "clients.py:note"
[client.wait]
function = "clients.py:wait"
[client.fail]
function = "clients.py:fail"
[client.write]
command = ["/bin/sh", "-c", "echo {text} from {node} >written.txt"]
[client.sleep]
command = ["/bin/sh", "-c", "echo $$ >pid.txt; sleep 600"]
[client.wrong]
commnd = []
[client.missing]
command = ["no-such-program"]
"""


def text_of(file: Path) -> str:
    """What a client has written, once it has."""
    for _ in range(10_000):
        if file.exists() and file.read_text():
            return file.read_text()
    raise AssertionError(f"nothing is in {file}")


@pytest.fixture
def functions(classes: Path) -> Path:
    (classes / "clients.py").write_text(FUNCTION, encoding="utf-8")
    return classes


def test_functions(driver: Made, functions: Path) -> None:
    made = started(driver(Point("in", "Mill.grind entry"), more=CLIENTS))
    made.call("note", "1", {"text": "rye"})
    assert text_of(functions / "noted.txt") == "1 ['debug'] rye"
    made.call("wait", "1", {})
    assert "a client waits for the end of wait on 1" in made.doing()
    made.call("fail", "1", {})


def test_commands(driver: Made) -> None:
    made = started(driver(Point("in", "Mill.grind entry"), more=CLIENTS))
    folder = made.folder("1")
    assert folder is not None
    made.call("write", "1", {"text": "rye"})
    assert text_of(folder / "written.txt") == "rye from 1\n"
    made.call("sleep", "1", {})
    pid = text_of(folder / "pid.txt").strip()
    assert Path(f"/proc/{pid}").exists()
    made.stop()
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("nte", "there is no operation 'nte' of clients"),
        ("wrong", r"\[client.wrong\] does not say what is done"),
        ("missing", "a client cannot be started"),
    ],
)
def test_mistakes(driver: Made, operation: str, message: str) -> None:
    made = started(driver(Point("in", "Mill.grind entry"), more=CLIENTS))
    with pytest.raises(DriverError, match=message):
        made.call(operation, "1", {})
