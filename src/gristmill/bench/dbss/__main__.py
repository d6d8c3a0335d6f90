"""`python -m gristmill.bench.dbss`: Table I of the paper, on our implementations of its protocols, as Markdown.

Times are those of the processor, so that what else the machine does matters little. A search is cut off after
`--states` states; then these are followed by "…".
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gristmill.bench.dbss.paxos import CredulousAcceptor, ForgetfulAcceptor, paxos
from gristmill.bench.dbss.register import register, wrong_regularity
from gristmill.bench.dbss.zab import zab
from gristmill.explore import Bounds, Options, Result, System, explore

PROTOCOLS: dict[str, System] = {
    "Paxos(6)": paxos(),
    "Faulty-Paxos(6)": paxos(faulty=CredulousAcceptor),
    "Faulty-Paxos2(7)": paxos(3, faulty=ForgetfulAcceptor),
    "Register(5)": register(3),
    "Register(5), wrong": register(3, wrong_regularity),
    "Register(6)": register(4),
    "Register(6), wrong": register(4, wrong_regularity),
    "Register(7)": register(5),
    "Register(7), wrong": register(5, wrong_regularity),
    "Zab(6)": zab(3),
    "Zab(7)": zab(4),
}
SEARCHES: dict[str, Options] = {
    "stateless": Options("stateless"),
    "stateful": Options("dfs"),
    "DBSS without SPoS": Options("dbss", selective_push=False),
    "DBSS": Options("dbss"),
    "POR": Options("dfs", por="static"),
    "DBSS + POR": Options("dbss", por="static"),
    "DBSS + POR + symmetry": Options("dbss", por="static", symmetry=True),
}
# What a search is compared with.
BASES = {
    "DBSS without SPoS": "stateful",
    "DBSS": "stateful",
    "POR": "stateful",
    "DBSS + POR": "POR",
    "DBSS + POR + symmetry": "DBSS + POR",
}
VERDICTS = {"ok": "OK", "incomplete": "–"}


@dataclass(frozen=True, slots=True)
class Row:
    search: str
    result: Result
    seconds: float

    @property
    def states(self) -> str:
        return f"{self.result.counts.distinct:,}" + (" …" if self.result.verdict == "incomplete" else "")


def measure(name: str, system: System, options: Options, bounds: Bounds) -> Row:
    began = time.process_time()
    result = explore(system, replace(options, bounds=bounds, shrink=False))
    return Row(name, result, time.process_time() - began)


def rows(system: System, bounds: Bounds) -> Iterator[Row]:
    for name, options in SEARCHES.items():
        if not options.symmetry or system.symmetric:
            yield measure(name, system, options, bounds)


def line(protocol: str, row: Row, others: dict[str, Row]) -> str:
    counts = row.result.counts
    rate = f"{counts.distinct / row.seconds:,.0f}" if row.seconds > 0.5 else ""
    size = f"{counts.bytes_per_state:.0f}" if counts.bytes_per_state and counts.distinct > 50_000 else ""
    cells = [
        protocol,
        VERDICTS.get(row.result.verdict, "CE"),
        row.search,
        row.states,
        f"{counts.transitions:,}",
        f"{row.seconds:.2f} s",
        rate,
        size,
        fewer(row, others),
    ]
    return f"| {' | '.join(cells)} |"


def fewer(row: Row, others: dict[str, Row]) -> str:
    """How many states fewer than its base; only where both searches came to their end."""
    base = others.get(BASES.get(row.search, ""))
    if base is None or "incomplete" in (base.result.verdict, row.result.verdict):
        return ""
    less = 1 - row.result.counts.distinct / base.result.counts.distinct
    return f"{less:.0%} fewer than {base.search}"


def machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [text.partition(":")[2].strip() for text in cpuinfo.read_text().splitlines() if "model name" in text]
        model = names[0] if names else model
    return f"{model}, one core; {platform.system()}, Python {platform.python_version()}"


HEADER = """| protocol | result | search | states | transitions | time | states/s | bytes/state | |
|---|---|---|--:|--:|--:|--:|--:|---|"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gristmill.bench.dbss", description=__doc__)
    parser.add_argument("--states", type=int, default=20_000_000, help="where a search is cut off (default: 20000000)")
    parser.add_argument("--only", action="append", choices=list(PROTOCOLS), help="only this protocol")
    arguments = parser.parse_args()
    measure("", paxos(1), Options(), Bounds())  # the C compiler is not to be timed
    print(f"Machine: {machine()}\n\n{HEADER}", flush=True)
    for protocol in arguments.only or PROTOCOLS:
        done: dict[str, Row] = {}
        for row in rows(PROTOCOLS[protocol], Bounds(states=arguments.states)):
            done[row.search] = row
            print(line(protocol, row, done), flush=True)


if __name__ == "__main__":
    main()
