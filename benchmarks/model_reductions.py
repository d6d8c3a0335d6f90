"""What each reduction of chapter 9 saves: the table in docs/book/09-raft.md.

    python benchmarks/model_reductions.py [--seconds 120] [--engine python]

One row adds one reduction to those above it. What has no end by itself is explored up to the same term, and with up to
two copies of a message where they are counted.
"""

from __future__ import annotations

import argparse
from typing import Any

import gristmill
from gristmill import ModelValue
from gristmill.examples.catalogue import find

MAX_TERM = 2
UNREDUCED = {"Copies": 2, "Spread": MAX_TERM, "Normalise": "no", "Batch": False, "Prune": False}
REDUCTIONS: list[tuple[str, dict[str, Any]]] = [
    ("none", {}),
    ("messages are a set", {"Copies": 1}),
    ("terms differ by one at most", {"Spread": 1}),
    ("terms are normalised", {"Normalise": "clear"}),
    ("requests are sent as a batch", {"Batch": True}),
    ("stale messages are pruned", {"Prune": True}),
    ("symmetry", {"symmetry": "Symmetry"}),
]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=120.0, help="for each model")
    options.add_argument("--engine", default="auto", choices=["auto", "native", "python"])
    options.add_argument("--servers", type=int, nargs="+", default=[2, 3])
    asked = options.parse_args()
    print("| reduction added | " + " | ".join(f"{n} servers: states | seconds" for n in asked.servers) + " |")
    print("|---|" + "---:|---:|" * len(asked.servers))
    constants: dict[str, Any] = dict(UNREDUCED)
    for name, change in REDUCTIONS:
        constants.update(change)
        cells = [cell for count in asked.servers for cell in measured(count, constants, asked)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def measured(count: int, constants: dict[str, Any], asked: argparse.Namespace) -> tuple[str, str]:
    example = find("raft")
    assert example is not None
    values = {name: value for name, value in constants.items() if name != "symmetry"}
    servers = {ModelValue(f"s{number + 1}") for number in range(count)}
    result = gristmill.check(
        example.folder / "Election.tla",
        config="INIT Init\nNEXT Next\nINVARIANT LeaderUniqueTerm\nCONSTRAINT Bounded",
        constants={"Servers": servers, "MaxTerm": MAX_TERM, "VoteTwice": False, **values},
        symmetry=constants.get("symmetry"),
        seconds=asked.seconds,
        engine=asked.engine,
    )
    assert result.verdict in ("ok", "incomplete"), result
    more = "more than " if result.verdict == "incomplete" else ""
    return f"{more}{result.distinct:,}", f"{result.seconds:.1f}"


if __name__ == "__main__":
    main()
