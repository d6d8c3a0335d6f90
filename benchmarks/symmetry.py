"""Representatives under symmetry: found by sorting, against trying every permutation.

    python benchmarks/symmetry.py [--workers 4,5,6] [--seconds 120]

The model is models/Handover.tla, whose states mention pairs of interchangeable workers. Counts of both must be equal.
What takes longer than --seconds is cut off, and compared by states a second.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

import gristmill
from gristmill.native import engine

MODEL = Path(__file__).with_name("models") / "Handover.tla"


def measured(workers: int, by_sorting: bool, seconds: float) -> Any:
    """One search; how it finds representatives is decided in the engine."""
    chosen = engine.permuted_sets
    if not by_sorting:
        engine.permuted_sets = lambda group: None
    try:
        return gristmill.check(
            MODEL,
            constants={
                "Worker": {gristmill.ModelValue(f"w{number}") for number in range(workers)},
                "Nobody": gristmill.ModelValue("nobody"),
                "MaxLeases": 2,
            },
            specification="Spec",
            invariants=["TypeOK", "SomebodyHolds"],
            symmetry="Alike",
            engine="native",
            seconds=seconds,
        )
    finally:
        engine.permuted_sets = chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="4,5,6")
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    print("| workers | permutations | states | by sorting | by trying all | ratio |\n|---|---|---|---|---|---|")
    for workers in map(int, options.workers.split(",")):
        sorting, trying = (measured(workers, each, options.seconds) for each in (True, False))
        if sorting.ok and trying.ok:
            assert (sorting.distinct, sorting.generated) == (trying.distinct, trying.generated)
        ratio = f"{speed(sorting) / speed(trying):.1f}x"
        row = (workers, math.factorial(workers), f"{sorting.distinct:,}", shown(sorting), shown(trying), ratio)
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def speed(result: Any) -> float:
    return float(result.generated / result.search_seconds)


def shown(result: Any) -> str:
    return f"{speed(result):,.0f} generated/s" + ("" if result.ok else " (cut off)")


if __name__ == "__main__":
    main()
