"""Whether mutations of recordings are found, how soon, and whether the reason is right: the table of docs/watch.md.

    python benchmarks/watch_mutated.py MAPPING RECORDING… [--places 6] [--only NAME…] [--constant NAME=VALUE]

Each mutation of tests/watch/watch_mutations.py is made at so many places of each recording, spread from its beginning
to its end. Only the node that sends the wrong message is judged, as it would be judged alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

from forking import Judged, cases, judged_cases
from watch_mutations import MUTATIONS, REASONS, Mutation

from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Reading
from gristmill.watch.recording import read_recording


@dataclass
class Row:
    """Of one kind of mutations, over all places."""

    places: int = 0
    delays: list[int] = field(default_factory=list)
    right: int = 0
    others: list[str] = field(default_factory=list)  # what came where there was no alarm, or for another reason


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mapping")
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--places", type=int, default=6)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--constant", action="append", default=[])
    options = parser.parse_args()
    mapping = read_watch_map(options.mapping, dict(each.split("=", 1) for each in options.constant))
    chosen = [each for each in MUTATIONS if not options.only or each.__name__ in options.only]
    rows = {each.__name__: Row() for each in chosen}
    began = time.process_time()
    with mapping.specification.world.active():
        for file in options.recordings:
            measured(mapping, Path(file), options.places, chosen, rows)
    print_table(rows)
    print(f"\n{time.process_time() - began:.0f} s of processor time")


def measured(mapping: WatchMap, file: Path, count: int, chosen: Sequence[Mutation], rows: dict[str, Row]) -> None:
    run = list(Reading(mapping).messages(read_recording(file)))
    places = [round(len(run) * number / count) for number in range(count)]
    found = list(cases(chosen, run, places))
    print(f"{file.name}: {len(run):,} messages, {len(found)} mutations", file=sys.stderr)
    before = time.process_time()
    for judged in judged_cases(mapping, run, found):
        name, took = judged.case.mutation.__name__, time.process_time() - before
        told = "none" if judged.delay is None else f"{judged.delay} later"
        print(f"  {name} at {judged.case.wrong.number}: {told}, {took:.1f} s", file=sys.stderr)
        note(rows[name], judged, file.name)
        before = time.process_time()


def note(row: Row, judged: Judged, name: str) -> None:
    row.places += 1
    where = f"{name}, message {judged.case.wrong.number}"
    if judged.delay is None:
        row.others.append(f"{where}: {judged.end or 'no alarm'}")
        return
    assert isinstance(judged.end, Alarm)
    row.delays.append(judged.delay)
    nearest = judged.end.candidates[0].lacks if judged.end.candidates else ()
    if any(reason in lack for reason in REASONS[judged.case.mutation.__name__] for lack in nearest):
        row.right += 1
    else:
        row.others.append(f"{where}: {'; '.join(nearest) or 'no reason'}")


def print_table(rows: dict[str, Row]) -> None:
    print("| mutation | places | found | at once | latest, messages | right reason |\n|---|---|---|---|---|---|")
    for name, row in rows.items():
        at_once = sum(each == 0 for each in row.delays)
        latest = max(row.delays, default="")
        title = name.replace("_", " ")
        print(f"| {title} | {row.places} | {len(row.delays)} | {at_once} | {latest} | {row.right} |")
    for name, row in rows.items():
        for other in row.others:
            print(f"{name}: {other[:300]}")


if __name__ == "__main__":
    main()
