"""One model with one checker, measured from outside: from the start of the process to its verdict."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measurement:
    """`seconds` from the start to the verdict, `search` from the first state to the last.

    `message`: what is wrong, if there was nothing to measure.
    """

    checker: str
    workers: int
    verdict: str
    distinct: int = 0
    generated: int = 0
    seconds: float = 0.0
    search: float = 0.0
    message: str = ""

    @property
    def measured(self) -> bool:
        return self.verdict not in ("failed", "error")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is checked: a module, its configuration, and options of both checkers."""

    module: Path
    config: Path
    deadlock: bool = True


def by_gristmill(subject: Subject, engine: str, workers: int, limit: float, cache: Path | None = None) -> Measurement:
    """`cache`: a folder for compiled C; with a fresh one, everything is compiled."""
    command = [sys.executable, "-m", "gristmill.cli", "check", str(subject.module), "--config", str(subject.config)]
    command += ["--format", "json", "--engine", engine, "--workers", str(workers)]
    if not subject.deadlock:
        command.append("--no-deadlock")
    environment = dict(os.environ)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return Measurement(engine, workers, "timeout", seconds=limit, search=limit)
    seconds = time.monotonic() - started
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return Measurement(engine, workers, "failed", seconds=seconds, message=done.stderr.strip())
    verdict, used = found["verdict"], found["engine"]
    message = found["message"] if verdict == "error" else ""
    return Measurement(
        used, workers, verdict, found["distinct"], found["generated"], seconds, found["search_seconds"], message
    )


_COUNTS = re.compile(r"([\d,]+) states generated, ([\d,]+) distinct states found")
_BEGINS = "Computing initial states"
_ENDS = re.compile(r"Model checking completed|is violated|Deadlock reached|Error:")


def by_tlc(subject: Subject, class_path: str, workers: int, limit: float, java: Sequence[str] = ()) -> Measurement:
    """TLC's search begins with its line about initial states, and ends with its line about the end."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["java", "-XX:+UseParallelGC", *java, "-cp", class_path, "tlc2.TLC", "-workers", str(workers)]
        command += ["-metadir", folder, "-config", str(subject.config.resolve())]
        if not subject.deadlock:
            command.append("-deadlock")
        command.append(str(subject.module.resolve()))
        started = time.monotonic()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=subject.module.parent
        )
        try:
            return _read_tlc(process, workers, started, limit)
        finally:
            process.kill()
            process.wait()


def _read_tlc(process: subprocess.Popen[str], workers: int, started: float, limit: float) -> Measurement:
    assert process.stdout is not None
    begun = ended = started
    verdict, generated, distinct = "failed", 0, 0
    for line in process.stdout:
        now = time.monotonic()
        if _BEGINS in line:
            begun = now
        if found := _COUNTS.search(line):
            generated, distinct = (int(text.replace(",", "")) for text in found.groups())
            ended = now
        if "No error has been found" in line:
            verdict = "ok"
        elif _ENDS.search(line) and "completed" not in line and verdict == "failed":
            verdict = "violation"
        if now - started > limit:
            return Measurement("TLC", workers, "timeout", distinct, generated, limit, limit)
    return Measurement("TLC", workers, verdict, distinct, generated, time.monotonic() - started, ended - begun)
