"""More random specifications than the tests have time for, against the same twin.

    python tests/evaluate/temporal_sweep.py [--cases 1000] [--seed WORD] [--engine native]

Looks at the behaviours known so far after every level of the search. Ends with the first disagreement.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "search")]

from test_temporal_twin import verdict_of

from gristmill.search import on_the_fly as interim


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", default="sweep")
    parser.add_argument("--engine", choices=("python", "native"), default="python")
    arguments = parser.parse_args()
    interim.FIRST = interim.GROWTH = 1
    print(Counter(verdict_of(f"{arguments.seed}:{case}", arguments.engine) for case in range(arguments.cases)))


if __name__ == "__main__":
    main()
