"""The jars of a ZooKeeper server, installed by Maven into the user's cache the first time they are asked for."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples/zookeeper"
_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"


@cache
def jars(version: str) -> Path:
    """The folder of a version's jars. Skips the test, with the reason, where they cannot be had."""
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gristmill" / "servers"
    cached.mkdir(parents=True, exist_ok=True)
    folder = cached / f"zookeeper-{version}"
    with (cached / "lock").open("w") as lock:  # tests run side by side
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _install(version, folder)
    return folder


def _install(version: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        shutil.copy(EXAMPLE / "pom.xml", made)
        target = Path(made) / "jars"
        command = ["mvn", "-q", "-B", _GOAL, f"-Dzookeeper={version}", f"-DoutputDirectory={target}"]
        try:
            done = subprocess.run(command, cwd=made, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            pytest.skip("Maven has no answer from its registry")
        if done.returncode != 0:
            pytest.skip(f"Maven cannot install ZooKeeper {version}: {done.stdout.strip().splitlines()[:1]}")
        target.rename(folder)
