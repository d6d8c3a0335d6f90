"""Java virtual machines with a thread that is held: nothing is left of them, also if they die, or we do."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from leaving import Replay

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc"),
    pytest.mark.skipif(shutil.which("javac") is None, reason="there is no JDK (java, javac)"),
]

# A thread that counts, and one that ends it all as soon as there is a file.
CLOCK = """
import java.nio.file.*;

public class Clock {
    static volatile int now;

    static void tick() { now++; }

    public static void main(String[] arguments) throws Exception {
        Thread end = new Thread(() -> {
            try {
                while (!Files.exists(Paths.get("end"))) Thread.sleep(10);
            } catch (InterruptedException ignored) { }
            System.err.println("out of luck");
            Runtime.getRuntime().halt(3);
        }, "end");
        end.setDaemon(true);
        end.start();
        while (true) { Thread.sleep(5); tick(); }
    }
}
"""
SPECIFICATION = """
---- MODULE Clock ----
EXTENDS Naturals
VARIABLE now
Init == now = 0
Tick == now < 5 /\\ now' = now + 1
Next == Tick
====
"""
MAPPING = """
[system]
driver = "jvm"
specification = "Clock.tla"
nodes = "{1}"
seconds = 5

[jvm]
classpath = ["{mapping}"]
[node]
command = [
  "java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
  "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{port.debug}",
  "-cp", "{classpath}", "Clock",
]
ports = ["debug"]

[client.end]
command = ["touch", "end"]

[start]
tries = 1
do = [{ hold = ["tick"] }, { fault = "start", on = "1" }, { await = "tick", on = "1" }]

[point.tick]
at = "Clock.tick entry"

[action.Tick]
early = true  # when the model has come to its end
on = "1"
from = "tick"
to = "tick"

[read.time]
path = "Clock.now"

[variable.now]
per = "n"
value = "time"
model = "now"
"""
# In its second step it is told to end, and nobody lets its thread go on.
DYING = MAPPING.replace(
    'on = "1"\nfrom = "tick"\nto = "tick"\n',
    """do = [
  { on = "1", call = "end", if = "now = 1" },
  { on = "1", await = "never", if = "now = 1" },
  { on = "1", from = "tick", to = "tick" },
]
[point.never]
at = "Clock.main exit"
optional = true
""",
)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    (folder / "Clock.java").write_text(CLOCK)
    subprocess.run(["javac", "-g", "-d", folder, folder / "Clock.java"], check=True)
    return folder


@pytest.fixture
def replay(classes: Path) -> Iterator[Callable[..., Replay]]:
    made: list[Replay] = []

    def run(mapping: str, *arguments: str) -> Replay:
        (classes / "Clock.tla").write_text(SPECIFICATION)
        (classes / "Clock.cfg").write_text("INIT Init\nNEXT Next\n")
        (classes / "clock.map.toml").write_text(mapping)
        made.append(Replay(classes, ["clock.map.toml", "--random", "600s", "--shrink", "0s", *arguments]))
        return made[-1]

    yield run
    for each in made:
        each.give_up()


def test_after_success(replay: Callable[..., Replay]) -> None:
    run = replay(MAPPING, "--num", "1")
    status = run.ended()
    assert (status, "1 trace, 5 steps" in run.text) == (0, True), run.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_after_a_signal_while_a_thread_is_held(replay: Callable[..., Replay], number: signal.Signals) -> None:
    run = replay(MAPPING)
    run.has_said("agrees")
    run.process.send_signal(number)
    status = run.ended(killed=number == signal.SIGKILL)  # whoever is killed leaves the cleaning to another process
    assert status == {signal.SIGINT: 3, signal.SIGTERM: 143, signal.SIGKILL: -9}[number]


def test_a_node_that_dies_while_its_thread_is_held(replay: Callable[..., Replay]) -> None:
    """With one message, which has the end of its log."""
    run = replay(DYING, "--num", "1")
    status = run.ended()
    assert status == 13, run.text
    assert len(re.findall("^Discrepancy", run.text, re.MULTILINE)) == 1
    assert "node 1 has ended by itself (exit status 3)" in run.text
    assert "out of luck" in run.text
    assert "Traceback" not in run.text
