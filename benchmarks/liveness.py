"""Are []<>Q and P ~> Q true of every weakly fair behaviour of a large graph? How long it takes to decide, and how much
memory.

    python benchmarks/liveness.py [--states 10000000] [--degree 5] [--property recurs|leads-to] [--python]

The graph is generated. Its edges lead forwards, by at most `REACH` states, and around: so every cycle that takes steps
comes through the first `REACH` states, which are those where Q is true; P is true in the `REACH` states after them.
With an edge that leads back, there is a cycle elsewhere, and a counterexample. Both are checked. Seconds are of the
processor: the machine may be busy. Memory is that of the whole process, with the graph. `--python` takes the search in
Python (try fewer states).
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from array import array

from gristmill.cc import build, load
from gristmill.search.liveness import core as liveness_core
from gristmill.search.liveness.emptiness import (
    Lasso,
    StateTruth,
    StepGraph,
    StepTruth,
    Truth,
    Valuation,
    find_behaviour,
)
from gristmill.search.liveness.formula import Always, And, Atom, Eventually, Formula, Not, leads_to, weakly_fair

REACH = 1000
P, Q, ENABLED, TAKEN = map(Atom, range(4))
PROPERTIES = {"recurs": Always(Eventually(Q)), "leads-to": leads_to(P, Q)}

GENERATOR = """
#include <stdint.h>
void generate(uint32_t states, uint32_t degree, uint32_t reach, uint64_t *first, uint32_t *targets) {
  uint64_t random = 88172645463325252u;
  for (uint32_t state = 0; state < states; state++) {
    first[state] = (uint64_t)state * degree;
    for (uint32_t i = 0; i < degree; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      targets[first[state] + i] = (uint32_t)((state + 1u + (i ? random % reach : 0)) % states);
    }
  }
  first[states] = (uint64_t)states * degree;
}
"""


def generated(states: int, degree: int) -> StepGraph:
    library = load(build({"generate.c": GENERATOR}, flags=("-O2",)))
    first, targets = array("Q", bytes(8 * (states + 1))), array("I", bytes(4 * states * degree))
    buffers = [(liveness_core.c_uint8 * (each.itemsize * len(each))).from_buffer(each) for each in (first, targets)]
    library.generate(states, degree, REACH, *buffers)
    return StepGraph(1, first, targets)


def check(graph: StepGraph, formula: Formula) -> tuple[Lasso | None, float]:
    """Every state has a step to another: the action is enabled everywhere, and taken by every edge."""
    few, ones = (1 << REACH) - 1, (1 << graph.edges) - 1
    atoms: list[Truth] = [
        StateTruth(few << REACH),
        StateTruth(few),
        StateTruth((1 << graph.states) - 1),
        StepTruth(ones, 0),
    ]
    started = time.process_time()
    violation = And((weakly_fair(ENABLED, TAKEN), Not(formula)))
    found = find_behaviour(graph, Valuation(graph, atoms), violation)
    return found, time.process_time() - started


def peak(edges: int) -> str:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return f"{most / (1 << 30):.2f} GB at most, {most / edges:.1f} bytes an edge"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=10_000_000)
    parser.add_argument("--degree", type=int, default=5)
    parser.add_argument("--property", choices=PROPERTIES, default="recurs")
    parser.add_argument("--python", action="store_true")
    options = parser.parse_args()
    if options.python:
        liveness_core.WORTH_LOADING = sys.maxsize
    graph, formula = generated(options.states, options.degree), PROPERTIES[options.property]
    print(f"{graph.states:,} states, {graph.edges:,} edges; {peak(graph.edges)} before the check")
    lasso, seconds = check(graph, formula)
    print(f"it {'holds' if lasso is None else 'is VIOLATED'}: {seconds:.1f} s, {peak(graph.edges)}")
    middle = graph.states // 2
    graph.targets[graph.first[middle] + 1] = middle - 1  # type: ignore[index]
    lasso, seconds = check(graph, formula)
    shape = (
        "HOLDS" if lasso is None else f"is violated, {lasso.loop} steps and a cycle of {len(lasso.steps) - lasso.loop}"
    )
    print(f"with an edge back it {shape}: {seconds:.1f} s, {peak(graph.edges)}")


if __name__ == "__main__":
    main()
