"""How long it takes to follow the logs of a real run with its specification.

    python benchmarks/log_validation.py [--events 10000] [--logs FOLDER] [--engine native]

Three processes of examples/log-validation run on this machine until they have logged about so many events; then these
logs are followed as they are and with one event removed, one altered, two reordered, with and without clocks, by both
engines. `--logs` takes those of an earlier run. Processor time, without the time to compile native code.
"""

from __future__ import annotations

import argparse
import copy
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gristmill
from gristmill.replay.logs import validate
from gristmill.source import read_source
from gristmill.source.toml_places import places_of
from gristmill.source.toml_reader import parsed_document

EXAMPLE = Path(__file__).parents[1] / "examples" / "log-validation"
Lines = list[dict[str, Any]]


def recorded(folder: Path, events: int) -> dict[str, Lines]:
    """A write is five or six events: written, stored by two, acknowledged by two, some of it ignored."""
    if not list(folder.glob("*.ndjson")):
        command = [sys.executable, str(EXAMPLE / "cell.py"), "run", str(folder), "--pause", "0.002"]
        subprocess.run([*command, "--writes", str(2 * events // 6)], check=True)
    return {file.stem: list(map(json.loads, file.read_text().splitlines())) for file in sorted(folder.glob("*.ndjson"))}


def removed(lines: Lines, at: int) -> Lines:
    return [*lines[:at], *lines[at + 1 :]]


def altered(lines: Lines, at: int) -> Lines:
    line = lines[at]
    other = {**line, "cell": {**line["cell"], "version": line["cell"]["version"] + 1}}
    return [*lines[:at], other, *lines[at + 1 :]]


def reordered(lines: Lines, at: int) -> Lines:
    """The clocks stay where they are."""
    first, second = lines[at], lines[at + 1]
    swapped = [{**second, "ts": first["ts"]}, {**first, "ts": second["ts"]}]
    return [*lines[:at], *swapped, *lines[at + 2 :]]


CHANGES: dict[str, Callable[[Lines, int], Lines]] = {
    "as it is": lambda lines, at: lines,
    "one removed": removed,
    "one altered": altered,
    "two reordered": reordered,
}


def measured(logs: dict[str, Lines], engine: Any, clocks: bool) -> Iterator[str]:
    file = read_source(EXAMPLE / "cell.map.toml")
    document, places = copy.deepcopy(parsed_document(file)), places_of(file)
    if not clocks:
        del document["log"]["clock"], document["log"]["skew"]
    name = max(logs, key=lambda each: sum(line["event"] == "write" for line in logs[each]))
    at = next(n for n, line in enumerate(logs[name]) if line["event"] == "write" and n > 0.6 * len(logs[name]))
    with gristmill.open(EXAMPLE / "Cell.tla", engine=engine) as specification:
        specification.search(lambda model: model.steps_from(list(model.initial_states())))  # compiles
        for what, change in CHANGES.items():
            with tempfile.TemporaryDirectory() as folder:
                files = [Path(folder) / f"{each}.ndjson" for each in logs]
                for path, lines in zip(files, ({**logs, name: change(logs[name], at)}).values(), strict=True):
                    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
                started = time.process_time()
                result = validate(specification, document, places, files)
                seconds = time.process_time() - started
            order = "clocks" if clocks else "no clocks"
            yield (
                f"{engine:7} {order:10} {what:14} {result.status:8} {result.matched:>7,} of {result.events:,} events "
                f"{result.pairs:>8,} pairs {seconds:6.1f} s"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--engine", choices=("python", "native"), help="one of them only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        logs = recorded(arguments.logs or Path(folder), arguments.events)
    print(f"{sum(map(len, logs.values())):,} events of {len(logs)} nodes")
    for engine in (arguments.engine,) if arguments.engine else ("python", "native"):
        for clocks in (True, False):
            for line in measured(logs, engine, clocks):
                print(line, flush=True)


if __name__ == "__main__":
    main()
