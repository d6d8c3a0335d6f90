"""Which examples there are, what each of their configurations shows, and what is expected of it.

A configuration says so itself, in its first lines:

    \\* Without fairness the clock may stop.
    \\* Expected: liveness Midnight
    \\* Run: simulate --num 100 --seed 1

`Name-variant.cfg` belongs to `Name.tla`; `Run` is left out where all there is to say is `check`.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

BOOK = Path(__file__).parent / "book"

# Folder -> title. The folders are in the order of the book's chapters.
TITLES = {
    "02-clock": "A digital clock",
    "03-dining": "Dining philosophers",
    "04-components": "Strongly connected components",
    "05-scheduler": "A scheduler with a lock",
    "06-gossip": "A gossip protocol",
    "07-retransmit": "Selective retransmission",
    "08-bittorrent": "BitTorrent",
    "09-raft": "Raft's leader election, and how to make a model small",
    "10-spsc": "A lockless queue, one reader (PlusCal)",
    "11-spmc": "A lockless queue, many readers (PlusCal)",
    "12-cache": "A key-value store with an LRU cache",
    "13-dropbox": "A file synchronisation service",
    "14-ring": "A decentralised database",
    "15-fairness": "Fairness: an elevator",
    "16-liveness": "Liveness: a counter",
    "17-guideline": "Dumps, deadlock, livelock",
    "18-data": "Sets, tuples, functions",
}


@dataclass(frozen=True, slots=True)
class Expected:
    """`verdict` and `property` as a result has them; the number of distinct states, where it is said."""

    verdict: str
    property: str | None = None
    states: int | None = None

    def __str__(self) -> str:
        states = f"{self.states:,} states" if self.states is not None else ""
        return ", ".join(filter(None, (" ".join(filter(None, (self.verdict, self.property))), states)))


@dataclass(frozen=True, slots=True)
class Run:
    """One configuration: a verb, a module, options, and the expected result."""

    module: Path
    config: Path
    shows: str
    expected: Expected
    verb: str = "check"
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.config.stem

    def settings(self) -> dict[str, int | bool]:
        """The options as arguments of the Python interface: `--depth 5` is depth=5."""
        found: dict[str, int | bool] = {}
        for word in self.options:
            if word.startswith("--"):
                name = word.removeprefix("--").replace("-", "_")
                found[name] = True
            else:
                found[name] = int(word)
        return found


@dataclass(frozen=True, slots=True)
class Example:
    folder: Path
    title: str

    @property
    def number(self) -> int:
        return int(self.folder.name.partition("-")[0])

    @property
    def name(self) -> str:
        return self.folder.name.partition("-")[2]

    @property
    def files(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.is_file())

    def runs(self) -> list[Run]:
        """The plain configuration of each module first."""
        configs = [path for path in self.files if path.suffix == ".cfg"]
        return [read_run(path) for path in sorted(configs, key=lambda path: path.stem)]


@cache
def examples() -> tuple[Example, ...]:
    return tuple(Example(BOOK / folder, title) for folder, title in TITLES.items())


def find(wanted: str) -> Example | None:
    """By the name, the number of the chapter, or both as the folder has them."""
    for example in examples():
        if wanted in (example.name, str(example.number), example.folder.name):
            return example
    return None


def read_run(config: Path) -> Run:
    comment = re.match(r"(?:\\\*.*\n)*", config.read_text(encoding="utf-8"))
    lines = [line.removeprefix("\\*").strip() for line in comment[0].splitlines()] if comment else []
    said = {key: value.strip() for line in lines for key, colon, value in [line.partition(":")] if colon}
    shows = " ".join(line for line in lines if not re.match("(Expected|Run):", line))
    if "Expected" not in said:
        raise ValueError(f"{config} does not say what is expected of it")
    verb, *options = shlex.split(said.get("Run", "check"))
    module = config.with_name(config.stem.partition("-")[0] + ".tla")
    return Run(module, config, shows, read_expected(said["Expected"]), verb, tuple(options))


def read_expected(text: str) -> Expected:
    """`ok, 1,440 states`, `liveness Midnight`, `deadlock`."""
    outcome, _, states = text.partition(",")
    verdict, _, name = outcome.strip().partition(" ")
    number = re.match(r"\s*([\d,]+) states?", states)
    return Expected(verdict, name or None, int(number[1].replace(",", "")) if number else None)
