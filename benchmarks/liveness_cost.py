"""What checking temporal properties adds to a check, in time and memory, as a table for docs/performance.md.

    python benchmarks/liveness_cost.py --truth TRUTH.json --root CHECKOUT [--at-least 1] [--only NAME] [--times 3]
    python benchmarks/liveness_cost.py --module FILE.tla --config FILE.cfg [--times 3]

TRUTH.json lists models below CHECKOUT. Of each with temporal properties there are runs in processes of their own,
natively, on what was compiled before: with these properties and without, in turns, so many times. Seconds are of the
processor, the least of each, from the text of the specification to the verdict: the machine may be busy. Models that
take less than so many with their properties are left out. Bytes an edge: by how much more memory it takes at most,
divided by the number of steps between different states; small graphs, where that says nothing, have none.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.native.run import search as native_search
from gristmill.native.run.graph import NativeRows

MANY_EDGES = 1_000_000


@dataclass(frozen=True)
class Model:
    module: Path
    config: Path
    path: tuple[str, ...] = ()
    check_deadlock: bool = True

    @property
    def name(self) -> str:
        return self.module.stem


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--module", type=Path)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--at-least", type=float, default=1.0)
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--path", action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--no-deadlock", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--run", choices=("with", "without"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.module is not None:
        models = [
            Model(
                arguments.module.resolve(), arguments.config.resolve(), tuple(arguments.path), not arguments.no_deadlock
            )
        ]
    else:
        models = listed(arguments)
    if arguments.run is not None:
        print(json.dumps(measured(models[0], temporal=arguments.run == "with")))
        return
    print("| model | states | edges | safety | with liveness | added | bytes an edge |")
    print("|---" * 7 + "|")
    for model in models:
        row = compared(model, arguments.at_least, arguments.limit, arguments.times)
        if row is not None:
            print(row, flush=True)


def listed(arguments: argparse.Namespace) -> list[Model]:
    found = []
    for each in json.loads(arguments.truth.read_text()):
        folder = arguments.root / each["dir"]
        path = tuple(str(arguments.root / folder) for folder in each.get("path", ()))
        if each.get("cfg") and arguments.only in each["tla"]:
            found.append(Model(folder / each["tla"], folder / each["cfg"], path, not each.get("no_deadlock")))
    return found


# ------------------------------------------------------------------------------------------------------- one run


def measured(model: Model, temporal: bool) -> dict[str, Any]:
    """In this process. `memory` is the most there was."""
    edges = [0]

    class Counted(NativeRows):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            edges.append(len(self.targets))

    started = time.process_time()
    built = build(model.module, config=model.config, search_path=model.path).model
    if not built.temporal:
        return {}
    wanted = built if temporal else replace(built, temporal=())
    wanted = replace(wanted, check_deadlock=built.check_deadlock and model.check_deadlock)
    with patch.object(native_search, "NativeRows", Counted):
        result = check(wanted, Options(engine="native", output=lambda text: None))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    counts = {"verdict": result.verdict, "states": result.distinct, "edges": edges[-1], "engine": result.engine}
    return counts | {"seconds": time.process_time() - started, "memory": memory}


def run(model: Model, which: str, limit: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--module", str(model.module), "--config", str(model.config), "--run", which]
    command += [word for folder in model.path for word in ("--path", folder)]
    command += [] if model.check_deadlock else ["--no-deadlock"]
    try:
        done = subprocess.run(
            command, cwd=model.module.parent, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {}
    lines = done.stdout.splitlines()
    return dict(json.loads(lines[-1])) if done.returncode == 0 and lines else {}


def compared(model: Model, at_least: float, limit: float, times: int) -> str | None:
    first = run(model, "with", limit)
    if not first or first["engine"] != "native" or first["verdict"] != "ok" or first["seconds"] < at_least:
        return None
    run(model, "without", limit)  # both are compiled now
    pairs = [(run(model, "without", limit), run(model, "with", limit)) for _ in range(times)]
    without, having = (min(each, key=lambda one: one["seconds"]) for each in zip(*pairs, strict=True))
    added = having["seconds"] - without["seconds"]
    edges = having["edges"]
    memory = f"{(having['memory'] - without['memory']) / edges:.1f}" if edges >= MANY_EDGES else ""
    return (
        f"| {model.name} | {having['states']:,} | {edges:,} | {without['seconds']:.2f} s | {having['seconds']:.2f} s"
        f" | {added / without['seconds']:+.2f}x | {memory} |"
    )


if __name__ == "__main__":
    main()
