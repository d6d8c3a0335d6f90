"""A process ends without taking its objects apart, after all that is to be done at its end."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gristmill.cli import leaving

SCRIPT = """
import atexit, sys, threading, time
from gristmill.cli import leaving

class Late:
    def __del__(self):
        print("taken apart")

sys.argv = ["gristmill", VERB]
leaving.expect()
atexit.register(print, "registered later")
threading.Thread(target=lambda: (time.sleep(0.3), print("thread"))).start()
late = Late()
leaving.tell(STATUS)
sys.exit(STATUS)
"""


@pytest.mark.parametrize(
    ("verb", "status", "lines"),
    [
        ("check", 12, ["thread", "registered later"]),
        ("check", 0, ["thread", "registered later"]),
        ("watch", 12, ["thread", "registered later", "taken apart"]),
        ("check", "in words", ["thread", "registered later", "taken apart"]),
    ],
)
def test_what_is_done_at_the_end(verb: str, status: object, lines: list[str]) -> None:
    script = SCRIPT.replace("VERB", repr(verb)).replace("STATUS", repr(status))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:-1] == lines
    assert done.returncode == (status if isinstance(status, int) else 1)


def test_a_process_that_runs_commands_is_none_of_them() -> None:
    """`main` may be called by others, whose process goes on: nothing is registered then."""
    script = "import sys; sys.argv = ['gristmill', 'check', '--help']\nfrom gristmill.cli.main import main\n"
    script += "try: main()\nexcept SystemExit: pass\nsys.exit(5)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert not leaving._told
