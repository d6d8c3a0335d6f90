"""How fast the search core is, and how much memory it takes, on synthetic models in C with states of 32 bytes.

    python benchmarks/search_core.py --states 1e6 1e7 5e7 --workers 1 2 --model grid random
    python benchmarks/search_core.py --states 5e7 --memory 2e9 --spill /var/tmp

`grid`: counters that go up, out-degree 8. Duplicates are of the level that is being built. `random`: every state has 6
successors anywhere, so every look-up and every comparison misses the caches; nothing a checker meets is worse.
"""

from __future__ import annotations

import argparse
import ctypes
import resource
import sys
import time
from pathlib import Path

from gristmill.cc import build, load
from gristmill.search.core.search import CORE_SOURCES, CoreLimits, GmModel, NativeSearch

MODELS = r"""
#include <stddef.h>
#include "core.h"

static uint32_t base = 10;   /* grid: each of 8 counters is below this; not all of them count up */
static uint32_t counters = 6;
static uint64_t nodes = 1000000;

static enum gm_status grid(void *own, const uint32_t *state, gm_sink *sink) {
  (void)own;
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t *next = gm_place(sink), c = i % counters;
    for (uint32_t j = 0; j < 8; j++) next[j] = state[j];
    next[c] = state[c] + 1 < base ? state[c] + 1 : 0;
    gm_emit_placed(sink, i, 0);
  }
  return GM_STATUS_OK;
}

static enum gm_status anywhere(void *own, const uint32_t *state, gm_sink *sink) {
  (void)own;
  uint64_t node = state[0] | (uint64_t)state[1] << 32;
  for (uint32_t i = 0; i < 6; i++) {
    uint64_t hash = (node * 8 + i + 1) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    hash ^= hash >> 32;
    uint64_t next = i == 0 ? (node + 1) % nodes : (uint64_t)(((unsigned __int128)hash * nodes) >> 64);
    uint32_t *words = gm_place(sink);
    words[0] = (uint32_t)next, words[1] = (uint32_t)(next >> 32);
    for (uint32_t j = 2; j < 8; j++) words[j] = (uint32_t)next + j;
    gm_emit_placed(sink, i, 0);
  }
  return GM_STATUS_OK;
}

static enum gm_status check(void *own, const uint32_t *state, const uint32_t *parent) {
  (void)parent;
  (void)own;
  return state[7] == 0xffffffffu ? GM_STATUS_STOP : GM_STATUS_OK;
}

void fill_model(gm_model *out, uint32_t which, uint64_t states) {
  if (which == 0)
    while (base < 200) {
      uint64_t size = 1;
      for (uint32_t i = 0; i < counters; i++) size *= base;
      if (size >= states) break;
      base++;
    }
  nodes = states;
  *out = (gm_model){.words = 8, .actions = 8, .check = check, .context = out};
  out->expand = which == 0 ? grid : anywhere;
}
"""


def run(kind: str, states: int, limits: CoreLimits, optimize: str) -> None:
    library = load(build({"models.c": MODELS}, CORE_SOURCES, flags=[optimize]))
    model = GmModel()
    library.fill_model(ctypes.byref(model), ("grid", "random").index(kind), ctypes.c_uint64(states))
    with NativeSearch(library, model, limits) as search:
        first = [0] * 8 if kind == "grid" else [0, 0, *range(2, 8)]
        search.add_initial(first)
        started, busy = time.perf_counter(), time.process_time()
        report = search.run()
        seconds, busy = time.perf_counter() - started, time.process_time() - busy
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{kind:7} {limits.workers} workers  {report.distinct:>11,} states  {report.generated:>13,} generated  "
            f"depth {report.depth:>4}  {seconds:7.2f} s  {report.distinct / seconds / 1e6:6.2f} M states/s  "
            f"{report.generated / seconds / 1e6:6.2f} M inserts/s  {1e9 * busy / report.generated:6.1f} ns cpu/insert  "
            f"peak {resident:,.0f} MB  {report.outcome.name}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=float, nargs="+", default=[1e6, 1e7])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--model", nargs="+", choices=["grid", "random"], default=["grid", "random"])
    parser.add_argument("--memory", type=float, help="budget in bytes")
    parser.add_argument("--spill", type=Path, help="directory for what is beyond the budget")
    parser.add_argument("--fingerprints", action="store_true")
    parser.add_argument("--optimize", default="-O1")
    options = parser.parse_args()
    for kind in options.model:
        for states in options.states:
            for workers in options.workers:
                limits = CoreLimits(
                    workers=workers,
                    memory=int(options.memory) if options.memory else None,
                    spill_directory=options.spill,
                    fingerprints_only=options.fingerprints,
                )
                if sys.platform != "linux" or not _forked(kind, int(states), limits, options.optimize):
                    run(kind, int(states), limits, options.optimize)


def _forked(kind: str, states: int, limits: CoreLimits, optimize: str) -> bool:
    """In a process of its own, so that the peak of memory is that of this run."""
    import os

    child = os.fork()
    if child == 0:
        run(kind, states, limits, optimize)
        os._exit(0)
    os.waitpid(child, 0)
    return True


if __name__ == "__main__":
    main()
