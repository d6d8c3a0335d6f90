"""How fast trace inclusion is decided, in product steps a second, as a table.

    python benchmarks/trace_inclusion.py [--states 200000] [--naive]

Each case is a pair of graphs with so many states or so, the first included in the second:
- copies: a random graph with each state doubled, in the graph itself; every step is visible, sets are small.
- hidden: every visible state of the second has a chain of hidden ones behind it; sets are as large as the chains.
- choices: the second guesses early what the first decides late; sets of states, and the antichains of them, grow.
- counters: processes that count to 3 and hide one of three bits, in any order, against themselves.
- different: `copies`, with one edge more in the first; the time until the difference is told.
Seconds are of the processor. `--naive`: beside the explicit subset construction in Python.
"""

from __future__ import annotations

import argparse
import random
import time
from array import array
from collections.abc import Callable, Iterable
from itertools import product

from gristmill.search.inclusion import ObservedGraph, decide

Pair = tuple[ObservedGraph, ObservedGraph]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=200_000)
    parser.add_argument("--naive", action="store_true")
    options = parser.parse_args()
    decide(*copies(10))  # compiled, and loaded
    print("| case | states | edges | verdict | nodes | sets | product steps | seconds | steps/s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for case in (copies, hidden, choices, counters, different):
        show(case, options.states, naive=False)
        if options.naive:
            show(case, options.states, naive=True)


def show(case: Callable[[int], Pair], states: int, naive: bool) -> None:
    first, second = case(states)
    started = time.process_time()
    found = decide(first, second, engine="python" if naive else "native")
    seconds = time.process_time() - started
    name = case.__name__ + (" (Python)" if naive else "")
    counts = f"{first.states:,} / {second.states:,} | {first.edges:,} / {second.edges:,}"
    work = f"{found.nodes:,} | {found.subsets:,} | {found.product_steps:,}"
    print(f"| {name} | {counts} | {found.verdict} | {work} | {seconds:.2f} | {found.product_steps / seconds:,.0f} |")


def graph(initial: Iterable[int], rows: Iterable[Iterable[int]], observations: Iterable[int]) -> ObservedGraph:
    first, targets = array("Q", [0]), array("I")
    for row in rows:
        targets.extend(row)
        first.append(len(targets))
    return ObservedGraph(array("I", initial), first, targets, array("I", observations))


def copies(states: int) -> Pair:
    rng = random.Random(1)
    count = states // 2
    rows = [[rng.randrange(count) for _ in range(4)] for _ in range(count)]
    seen = [rng.randrange(max(2, count // 8)) for _ in range(count)]
    doubled = [[2 * each + rng.randrange(2) for each in row] for row in rows for _ in range(2)]
    return graph([0], doubled, [each for each in seen for _ in range(2)]), graph([0], rows, seen)


def different(states: int) -> Pair:
    first, second = copies(states)
    targets = array("I", first.targets)
    targets[len(targets) // 2] = (targets[len(targets) // 2] + 2) % first.states
    return ObservedGraph(first.initial, first.first, targets, first.observations), second


def hidden(states: int) -> Pair:
    rng = random.Random(2)
    chain = 20
    count = states // chain
    rows: list[list[int]] = []
    for state in range(count):
        steps = [chain * rng.randrange(count) for _ in range(2)]
        for link in range(chain):
            onward = [chain * state + link + 1] if link + 1 < chain else [chain * state]
            rows.append([*onward, *(steps if link == chain - 1 else [])])
    seen = [each for each in range(count) for _ in range(chain)]
    second = graph([0], rows, seen)
    return second, second


def choices(states: int) -> Pair:
    """A word of letters; the second knows at each letter which of three kinds the next but one will be of."""
    rng = random.Random(3)
    count = states // 9
    kinds = [[rng.randrange(count) for _ in range(3)] for _ in range(count)]
    late = graph([0], [[*kinds[state]] for state in range(count)], [state % 50 for state in range(count)])
    early: list[list[int]] = []
    for state in range(count):
        for own in range(3):
            early.append([3 * kinds[state][own] + guess for guess in range(3)])
    return late, graph(range(3), early, [state % 50 for state in range(count) for _ in range(3)])


def counters(states: int) -> Pair:
    size = 8
    processes = max(2, len(f"{states:o}") - 1)
    rows = []
    seen: dict[tuple[int, ...], int] = {}
    observations = []
    for values in product(range(size), repeat=processes):
        number = 0
        for value in values:
            number = size * number + value
        rows.append([number + size ** (processes - 1 - at) for at, value in enumerate(values) if value + 1 < size])
        observations.append(seen.setdefault(tuple(value // 2 for value in values), len(seen)))
    found = graph([0], rows, observations)
    return found, found


if __name__ == "__main__":
    main()
