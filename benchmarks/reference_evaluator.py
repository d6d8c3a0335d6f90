"""How fast the reference evaluator explores: two-phase commit with five resource managers, in one process.

    python benchmarks/reference_evaluator.py [--managers 5] [--runs 3]

Prints distinct states a second, start to verdict, for each run, and the memory taken a state.
"""

import argparse
import resource
from pathlib import Path

import gristmill

SPECIFICATION = Path(__file__).parent.parent / "examples" / "TwoPhase.tla"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--managers", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    managers = {gristmill.ModelValue(f"r{i + 1}") for i in range(arguments.managers)}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(arguments.runs):
        result = gristmill.check(SPECIFICATION, constants={"RM": managers}, deadlock=False)
        distinct, generated, seconds = result.distinct, result.generated, result.seconds
        print(f"{result.verdict}: {distinct:,} distinct, {generated:,} generated in {seconds:.2f} s:", end=" ")
        print(f"{distinct / seconds:,.0f} distinct/s, {generated / seconds:,.0f} generated/s")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"memory: {grown * 1024 / max(result.distinct, 1):,.0f} bytes a state")


if __name__ == "__main__":
    main()
