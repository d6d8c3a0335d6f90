"""Pages of documentation whose commands are run: what they print is what the page shows.

A ```console block holds commands behind `$ `, each followed by its output. A line `…` stands for any number of lines.
Only `gristmill` can be called; standard error is shown where the command ends in `2>&1`. What stands behind the prompts
of `gristmill repl` is typed. Times differ from run to run, and are not compared. Which of several shortest
counterexamples the native engine finds first may differ, too, so states are explored by the reference evaluator.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

from gristmill.cli import examples
from gristmill.cli.main import main
from gristmill.examples.catalogue import Run
from gristmill.examples.running import run
from gristmill.repl.loop import MORE, PROMPT
from gristmill.search import Result

ELLIPSIS = "…"
COLUMNS = 100
ADDED = {"repl": ["--echo"], "check": ["--engine", "python"], "examples": ["--engine", "python"]}
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIME = r"\b\d+\.\d\d s\b|\b\d+ min \d+ s\b|\b\d+\.\d\d$"


@dataclass(frozen=True)
class Command:
    text: str
    output: str


def blocks(page: str) -> list[list[Command]]:
    return [_commands(found[1]) for found in _BLOCK.finditer(page)]


def _commands(block: str) -> list[Command]:
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert parts[0] == "", f"output without a command: {parts[0]}"
    return [Command(*part.split("\n", 1)) for part in parts[1:]]


def rewritten(page: str, run: dict[Command, str]) -> str:
    """The page with the output of each command replaced, unless what it shows is right."""

    def block(found: re.Match[str]) -> str:
        commands = _commands(found[1])
        texts = [c.output if matches(run[c], c.output) else abridged(run[c]) for c in commands]
        return "```console\n" + "".join(f"$ {c.text}\n{t}" for c, t in zip(commands, texts, strict=True)) + "```"

    return _BLOCK.sub(block, page)


def abridged(output: str) -> str:
    """Of a long counterexample, the first two states and the last three."""
    head, *states = re.split(r"^(?= {0,3}\d+  \S)", output, flags=re.MULTILINE)
    if len(states) <= 7 or "Initial state" not in states[0]:
        return output
    return head + "".join(states[:2]) + f"  {ELLIPSIS}\n" + "".join(states[-3:])


@cache
def result_of(each: Run) -> Result:
    """Of a configuration as it comes: tests of verdicts, of counterexamples and of pages look at the same one."""
    return run(each, engine="python")


def once(command: str, transcript: str) -> str:
    """The output of a command of a page. Pages check the same copies of the same files: once is enough."""
    if not command.startswith("gristmill check") or "--dump" in command:
        return call(command, transcript)
    if command not in _known:
        _known[command] = call(command)
    return _known[command]


_known: dict[str, str] = {}


def call(command: str, transcript: str = "") -> str:
    """What a command prints, as a shell would show it; runs in this process."""
    words = shlex.split(command)
    everything = words[-1] == "2>&1"
    assert words[0] == "gristmill", command
    words[2:2] = ADDED.get(words[1], [])
    output, errors = io.StringIO(), io.StringIO()
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = words[:-1] if everything else words, io.StringIO(typed(transcript))
    try:
        wide = mock.patch.dict(os.environ, {"COLUMNS": str(COLUMNS)})
        stderr = contextlib.redirect_stderr(output if everything else errors)
        with wide, contextlib.redirect_stdout(output), stderr:
            _main()
    finally:
        sys.argv, sys.stdin = before
    text = output.getvalue()
    return text if not text or text.endswith("\n") else text + "\n"


def typed(transcript: str) -> str:
    lines = [line for line in transcript.splitlines() if line.startswith((PROMPT, MORE.rstrip()))]
    return "".join(line[len(PROMPT) :] + "\n" for line in lines)


def _main() -> None:
    with contextlib.suppress(SystemExit), mock.patch.object(examples, "run", lambda each, engine: result_of(each)):
        main()


def matches(actual: str, shown: str) -> bool:
    """Whether a page shows what was printed, up to times and what it leaves out."""
    parts = re.split(rf"^ *{ELLIPSIS}\n", timeless(shown), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, timeless(actual)) is not None


def timeless(text: str) -> str:
    """Without times, and without the blanks that line them up."""
    return "\n".join(line.rstrip() for line in re.sub(rf" *(?:{_TIME})", " T", text, flags=re.MULTILINE).split("\n"))


def pages() -> list[Path]:
    docs = Path(__file__).parents[2] / "docs"
    return [docs / "tutorial.md", *sorted((docs / "book").glob("*.md"))]
