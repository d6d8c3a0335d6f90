"""The program etcd, built from its published modules: once, and kept in the user's cache."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

VERSION = "v3.6.5"
_MAIN = """package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
"""
_SECONDS = 900


def etcd_program(version: str = VERSION) -> Path:
    """Its path: of 3.5 and later. Skips the test, with a reason, where it cannot be built."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gristmill" / f"etcd-{version}"
    cache.mkdir(parents=True, exist_ok=True)
    program = cache / "etcd"
    with (cache / "lock").open("w") as lock:  # tests run side by side
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            _build(cache, version)
    return program


def _build(folder: Path, version: str) -> None:
    if shutil.which("go") is None:
        pytest.skip("there is no go to build etcd with")
    (folder / "main.go").write_text(_MAIN)
    (folder / "go.mod").write_text("module etcd\n\ngo 1.24\n")
    get = ("go", "get", f"go.etcd.io/etcd/server/v3@{version}")
    for command in (get, ("go", "mod", "tidy"), ("go", "build", "-o", "etcd.new", ".")):
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            pytest.skip(f"etcd could not be built: {' '.join(command)} takes too long")
        if done.returncode != 0:
            pytest.skip(f"etcd could not be built: {' '.join(command)}: {done.stderr.strip()[-300:]}")
    (folder / "etcd.new").rename(folder / "etcd")
