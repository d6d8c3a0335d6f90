"""Direct against compositional checking: the tables in docs/raft.md and docs/parallelraft.md.

    python benchmarks/compositional.py [--family raft] [--bounds 1,1 1,2 2,1 2,2] [--seconds 500] [--direct-seconds 500]

For each bound (term, cmd): the whole system S with every module fine, and each C_i, with one module fine and the others
coarse. Seconds are processor time without the C compiler. What was not finished is shown with ">": a
lower bound, and so is a ratio that rests on it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import gristmill
from gristmill.compose.build.composer import composition
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import System

EXAMPLES = Path(__file__).parents[1] / "examples"
Bounds = tuple[int, int]


@dataclass(frozen=True)
class Family:
    manifest: Path
    constants: Callable[[int, int], dict[str, int]]


FAMILIES = {
    "raft": Family(
        EXAMPLES / "raft" / "Raft.toml",
        lambda term, cmd: {"MaxTerm": term, "MaxTimeout": 2, "MaxCommand": cmd},
    ),
    "parallelraft": Family(
        EXAMPLES / "parallelraft" / "ParallelRaft.toml",
        lambda term, cmd: {"MaxTerm": term, "MaxCommand": cmd},
    ),
}


@dataclass(frozen=True)
class Cost:
    """Of one check, or of several together. `finished`: whether it is all, or only a lower bound."""

    states: int
    seconds: float
    finished: bool

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.states + other.states, self.seconds + other.seconds, self.finished and other.finished)

    def __str__(self) -> str:
        more = "" if self.finished else "> "
        return f"{more}{self.states:,} | {more}{self.seconds:.1f}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--family", choices=FAMILIES, action="append")
    options.add_argument("--bounds", nargs="+", type=bounds, default=[(1, 1), (1, 2), (2, 1), (2, 2)])
    options.add_argument("--seconds", type=float, default=500.0, help="for each C_i")
    options.add_argument("--direct-seconds", type=float, default=500.0, help="for S; 0: leave it out")
    options.add_argument("--memory", type=int, default=8 * 2**30, help="bytes")
    asked = options.parse_args()
    for name in asked.family or FAMILIES:
        table(name, asked)


def bounds(text: str) -> Bounds:
    term, cmd = text.split(",")
    return int(term), int(cmd)


def table(name: str, asked: argparse.Namespace) -> None:
    system = read_manifest(FAMILIES[name].manifest)
    columns = [f"C_{module}" for module in system.modules]
    heads = "".join(f"{column}: states | s | " for column in [*columns, "all C", "S"])
    print(f"\n| (term, cmd) | {heads}S / all C: states | s |")
    print("|---|" + "---:|" * (2 * len(columns) + 6))
    for each in asked.bounds:
        row(system, FAMILIES[name].constants(*each), each, columns, asked)


def row(
    system: System, constants: dict[str, int], label: Bounds, columns: list[str], asked: argparse.Namespace
) -> None:
    bounded = replace(system, constants={**system.constants, **{k: str(v) for k, v in constants.items()}})
    costs = [cost(bounded, column, asked.seconds, asked.memory) for column in columns]
    together = sum(costs[1:], costs[0])
    cells = [str(each) for each in [*costs, together]]
    if asked.direct_seconds:
        direct = cost(bounded, "S", asked.direct_seconds, asked.memory)
        cells += [str(direct), ratios(direct, together)]
    print(f"| ({label[0]}, {label[1]}) | " + " | ".join(cells) + " |", flush=True)


def ratios(direct: Cost, together: Cost) -> str:
    if not together.finished:
        return "? | ?"
    more = "" if direct.finished else "> "
    return f"{more}{direct.states / together.states:.1f} | {more}{direct.seconds / together.seconds:.1f}"


def cost(system: System, mix: str, seconds: float, memory: int) -> Cost:
    before = processor_time()
    composed = composition(system, system.mixes[mix])
    result = gristmill.check(
        composed.text, config=composed.config, path=composed.search_path, seconds=seconds, memory=memory
    )
    assert result.verdict in ("ok", "incomplete"), result
    return Cost(result.distinct, processor_time() - before, result.verdict == "ok")


def processor_time() -> float:
    return sum(os.times()[:2])


if __name__ == "__main__":
    main()
