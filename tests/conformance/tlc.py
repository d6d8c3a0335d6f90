"""TLC: run on a model, its answer read, and compared with ours."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_COUNTS = re.compile(r"([\d,]+) states? generated, ([\d,]+) distinct states? found, ([\d,]+) states? left")
_DEPTH = re.compile(r"The depth of the complete state graph search is ([\d,]+)")
# What TLC says when something is wrong, in the order in which it matters, with our name for it.
_SAID = [
    ("refused", re.compile(r"Parsing or semantic analysis failed")),
    ("assert", re.compile(r"The first argument of Assert evaluated to FALSE")),
    ("invariant", re.compile(r"Invariant (?P<name>\S+) is violated|The invariant of (?P<other>\S+) is equal to FALSE")),
    ("property", re.compile(r"Action property (?P<name>\S+) is violated|Property (?P<other>\S+) is violated by the")),
    ("deadlock", re.compile(r"Deadlock reached")),
    ("liveness", re.compile(r"Temporal propert(?:ies were|y (?P<name>\S+) (?:was|is)) violated")),
    ("error", re.compile(r"Evaluating assumption .* failed")),
    ("assumption", re.compile(r"Assumption .* is false")),
    ("postcondition", re.compile(r"[Pp]ostcondition .* (?:is|was) (?:violated|false)")),
]
_MISSING = r"^(?:Unknown operator: .*|Cannot find source file for module .*| *Precedence conflict .*)"
_EXITS = {0: "ok", 10: "assumption", 11: "deadlock", 12: "invariant", 13: "liveness", 14: "assert"}
REFUSED = (150, 151)
# What one checker may call the other: whether it is too late to refuse a model is a matter of taste.
_ALIKE = {"liveness": "property", "postcondition": "assumption", "refused": "error"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a checker says of a model. `verdict`: ours, or `refused` before it began, `timeout`, `hang`, `crash`."""

    verdict: str
    property: str | None = None
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    seconds: float = 0.0
    note: str = ""


def by_tlc(module: Path, config: Path, limit: float, class_path: str, *options: str) -> Answer:
    with tempfile.TemporaryDirectory() as states:
        command = ["java", "-XX:+UseParallelGC", "-Xmx2g", "-cp", class_path, "tlc2.TLC", "-workers", "1", "-noTE"]
        command += ["-metadir", states, "-config", str(config), *options, str(module)]
        code, out, err, seconds = ended(command, module.parent, limit)
    return Answer("timeout", seconds=seconds) if code is None else theirs(code, out + err, seconds)


def theirs(code: int, out: str, seconds: float) -> Answer:
    generated, distinct, _ = counts(_COUNTS, out) or (0, 0, 0)
    (depth,) = counts(_DEPTH, out) or (0,)
    for verdict, form in _SAID:
        if said := form.search(out):
            name = next((text for text in said.groupdict().values() if text), None)
            note = "\n".join(re.findall(_MISSING, out, re.MULTILINE)) if verdict == "refused" else ""
            return Answer(verdict, name, distinct, generated, depth, seconds, note)
    verdict = "refused" if code in REFUSED else _EXITS.get(code, "error")
    note = "" if verdict == "ok" else "\n".join(re.findall(r"^Error: .*(?:\n.+){0,8}", out, re.MULTILINE)[:2])
    return Answer(verdict, None, distinct, generated, depth, seconds, note)


def counts(form: re.Pattern[str], text: str) -> tuple[int, ...] | None:
    """The numbers in the last line of a form."""
    found = list(form.finditer(text))
    return tuple(int(number.replace(",", "")) for number in found[-1].groups()) if found else None


def ended(command: Sequence[str], folder: Path, limit: float) -> tuple[int | None, str, str, float]:
    """The exit status (None: it had to be stopped), what was printed, and how long that took."""
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, "", "", time.monotonic() - started
    return process.returncode, out, err, time.monotonic() - started


def compared(tlc: Answer, own: Answer) -> str:
    """`same`, or in what they differ. Without an answer of TLC there is nothing to compare."""
    if own.verdict in ("crash", "hang"):
        return own.verdict
    if tlc.verdict == "refused" and "Cannot find" in tlc.note and own.verdict != "refused":
        return "TLC lacks a module"
    if tlc.verdict == "timeout" or own.verdict == "timeout":
        both = tlc.verdict == own.verdict
        return "neither finishes" if both else f"{'TLC' if own.verdict == 'timeout' else 'gristmill'} alone finishes"
    if _ALIKE.get(tlc.verdict, tlc.verdict) != _ALIKE.get(own.verdict, own.verdict):
        return "FALSE OK" if own.verdict == "ok" else "verdict"
    if own.verdict == "ok":
        same = (tlc.distinct, tlc.generated, tlc.depth) == (own.distinct, own.generated, own.depth)
        return "same" if same else "counts"
    named = tlc.property is not None and own.property is not None
    return "property" if named and tlc.property != own.property else "same"
