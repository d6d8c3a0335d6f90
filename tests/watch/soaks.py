"""Systems under load and faults, watched for minutes while other tests run: they wait most of the time.

They are started when the tests have been collected, if somebody will ask for what came of them, by one of the processes
that run tests; each is a process of its own (`python soaks.py SYSTEM FOLDER PID`), which ends early if the tests do.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

SYSTEMS = ("etcd", "zookeeper")
_HERE = Path(__file__).parent
_SOAK = _HERE.parents[1] / "benchmarks" / "watch_soak.py"
_HOW = ["--minutes", "2.5", "--clients", "2", "--pause", "0.05", "--calm", "3"]
_SEEDS = {"etcd": "1", "zookeeper": "2"}
_PATIENCE = 500.0  # seconds that a test may wait for the end of a soak
_POLL = 0.5


class Soaks:
    """Of one run of the tests, by all processes that run them."""

    def __init__(self, config: pytest.Config) -> None:
        worker = getattr(config, "workerinput", {"workerid": "gw0", "testrunuid": f"pid-{os.getpid()}"})
        self.is_first = worker["workerid"] == "gw0"
        self.main = os.getppid() if hasattr(config, "workerinput") else os.getpid()
        self.folder = Path(tempfile.gettempdir()) / f"gristmill-soaks-{worker['testrunuid']}"

    def start(self, systems: set[str]) -> None:
        """By the first process, of all that there are."""
        if self.is_first and systems:
            self.folder.mkdir()
            for system in sorted(systems):
                with (self.folder / f"{system}.log").open("wb") as log:
                    command = [sys.executable, __file__, system, str(self.folder), str(self.main)]
                    subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def result(self, system: str) -> dict[str, Any]:
        """Once it is there; its files are gone then, but after an alarm."""
        until = time.monotonic() + _PATIENCE
        while not (self.folder / f"{system}.json").exists():
            log = self.folder / f"{system}.log"
            assert time.monotonic() < until, f"it does not end: {log.read_text()[-2000:]}"
            time.sleep(_POLL)
        found: dict[str, Any] = json.loads((self.folder / f"{system}.json").read_text())
        found["log"] = (self.folder / f"{system}.log").read_text()
        if not found.get("alarms"):
            for each in (f"{system}.json", f"{system}.log"):
                (self.folder / each).unlink()
            shutil.rmtree(self.folder / system, ignore_errors=True)
            if not any(self.folder.iterdir()):
                self.folder.rmdir()
        return found


# ---------------------------------------------------------------------------------------------- the process of a soak


def _program(system: str) -> Path:
    for name in ("etcd", "servers"):
        sys.path.insert(0, str(_HERE.parent / "replay" / name))
    from etcd_binary import etcd_program
    from zookeeper_jars import jars

    return etcd_program() if system == "etcd" else jars("3.9.3")


def _run(system: str, folder: Path, main: int) -> dict[str, Any]:
    try:
        program = _program(system)
    except pytest.skip.Exception as skipped:
        return {"skipped": str(skipped)}
    made = folder / f"{system}.part"
    options = [*_HOW, "--seed", _SEEDS[system], "--json", str(made), "--keep", str(folder / system)]
    soak = subprocess.Popen([sys.executable, str(_SOAK), system, str(program), *options])
    while soak.poll() is None:
        time.sleep(_POLL)
        if not Path(f"/proc/{main}").exists():  # nobody waits for it any more
            soak.terminate()
            soak.wait()
            shutil.rmtree(folder, ignore_errors=True)
            sys.exit(1)
    if not made.exists():
        return {"failed": f"it has ended with status {soak.returncode}"}
    found: dict[str, Any] = json.loads(made.read_text())
    made.unlink()
    return found


def _main(system: str, folder: Path, main: int) -> None:
    found = _run(system, folder, main)
    new = folder / f"{system}.new"
    new.write_text(json.dumps(found))
    new.rename(folder / f"{system}.json")


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
