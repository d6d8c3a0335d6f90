"""What an exploration can be asked to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from gristmill.explore.result import Bounds, SearchName
from gristmill.explore.system import System
from gristmill.search.progress import OnProgress
from gristmill.source import Diagnostic, SourceError

Engine = Literal["auto", "python", "native"]
Por = Literal["none", "static", "dynamic"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to search.

    - `search`: `dbss` (depth-first on relevant parts), `dfs` (stateful depth-first), `bfs`, `stateless`, `deepening`;
      `random` and `pct` sample runs.
    - `por`: partial-order reduction, for `dbss` and `dfs` (`dynamic` also for `stateless`).
    - `symmetry`: store states up to exchanging the processes that the system declares symmetric.
    - `selective_push`: of `dbss`; without it, only hashing is selective.
    - `shrink`: leave out of a counterexample what it does not need.
    - `workers`: share the work. `bfs`, `dfs` and `dbss` then go level by level, in C, by threads; `random` and `pct`
      (and `bfs` in Python) have processes. What is found does not depend on how many there are.
    - `cluster`: the address of one, whose actors sample the runs of `random` and `pct`; each gets the system by calling
      `load`, which is pickled. There are as many as `workers` says, or one for each core.
    - `on_progress`: is told now and then how far the search is.
    - `engine`: `native` explores on integers in C, `python` on values in Python; `auto` takes C where it can.
    """

    search: SearchName = "dbss"
    por: Por = "none"
    symmetry: bool = False
    selective_push: bool = True
    engine: Engine = "auto"
    bounds: Bounds = field(default_factory=Bounds)
    runs: int = 1000
    seed: int = 0
    pct_depth: int = 3
    workers: int = 1
    verify_decomposition: bool = False
    shrink: bool = True
    on_progress: OnProgress | None = field(default=None, compare=False)
    cluster: str | None = None
    load: Callable[[], System] | None = field(default=None, compare=False)


def reject(options: Options) -> None:
    """Raise if these do not go together."""
    if options.search not in get_args(SearchName):
        raise SourceError(
            Diagnostic("explore-search", f"there is no search {options.search!r}", help=", ".join(get_args(SearchName)))
        )
    wanted = []
    if options.por != "none" and options.search not in ("dbss", "dfs", "stateless"):
        wanted.append("partial-order reduction")
    if options.por == "static" and options.search == "stateless":
        wanted.append("static partial-order reduction")
    if options.symmetry and options.search not in ("dbss", "dfs"):
        wanted.append("symmetry")
    if options.symmetry and options.por == "dynamic":
        raise SourceError(Diagnostic("explore-options", "symmetry does not go with dynamic partial-order reduction"))
    if options.cluster is not None and options.search not in ("random", "pct"):
        text = f"--cluster distributes whole runs, and the search {options.search} is one"
        help = "sample runs with --search random or --search pct, or leave out --cluster"
        raise SourceError(Diagnostic("explore-options", text, help=help))
    if options.workers > 1 and options.por != "none":
        text = "partial-order reduction is for one worker: what may be left out depends on the order of the search"
        raise SourceError(Diagnostic("explore-options", text, help="leave out --workers or --por"))
    if options.workers > 1 and options.search in ("stateless", "deepening"):
        text = f"the search {options.search} is for one worker, as it remembers too little to share"
        raise SourceError(Diagnostic("explore-options", text, help="dbss, dfs, bfs, random and pct are for several"))
    for what in wanted:
        raise SourceError(Diagnostic("explore-options", f"{what} does not go with the search {options.search}"))
