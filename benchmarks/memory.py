"""How much memory the reference evaluator takes a state, on a specification with a million states.

    python benchmarks/memory.py [--managers 8] [--states 1000000]

Two-phase commit with eight resource managers has 1,745,408 states; the search is ended when it has found so many.
Prints what the process has grown by, divided by the number of states.
"""

import argparse
from pathlib import Path

import gristmill
from gristmill.search import Progress
from gristmill.search.budget.memory import resident_bytes

SPECIFICATION = Path(__file__).parent.parent / "examples" / "TwoPhase.tla"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--managers", type=int, default=8)
    parser.add_argument("--states", type=int, default=1_000_000)
    arguments = parser.parse_args()
    before, most = resident_bytes(), 0

    def watch(progress: Progress) -> None:
        nonlocal most
        most = max(most, progress.memory)
        if progress.distinct >= arguments.states:
            raise KeyboardInterrupt  # the search then tells what is known

    managers = {gristmill.ModelValue(f"r{i + 1}") for i in range(arguments.managers)}
    result = gristmill.check(SPECIFICATION, constants={"RM": managers}, deadlock=False, on_progress=watch)
    print(f"{result.distinct:,} states in {result.seconds:,.0f} s, {(most - before) / 2**20:,.0f} MiB:", end=" ")
    print(f"{(most - before) / result.distinct:,.0f} bytes a state")


if __name__ == "__main__":
    main()
