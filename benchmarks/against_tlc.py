"""The native engine and TLC on the same models, one run after the other, as a table for docs/performance.md.

    python benchmarks/against_tlc.py --truth TRUTH.json --root CHECKOUT --tlc CLASS_PATH [--at-least 10] [--workers 1,2]
        [--only-kind safety|temporal] [--runs 5] [--more NAME,…]
    python benchmarks/against_tlc.py --protocols CHECKOUTS --tlc CLASS_PATH [--workers 1,2] [--runs 5]

TRUTH.json lists models below CHECKOUT with the time that TLC needed (`reference_cpu_seconds`); those that it needed at
least so long for are measured, with `--only-kind` those without or with temporal properties. Ours is cold: an empty
cache of compiled C, but for the runtime, which is compiled once on a machine, and with byte code for Python, as an
installation has it. It is run several times, before and after TLC, and the median counts: what takes less than a second
differs by a third from run to run, while TLC's long runs even that out. With temporal properties (*) TLC's search
includes their check, and ours does not: compare from start to verdict. `--more`: these modules, too, which TLC needs
longer for than is noted. The second form measures specifications of protocols: see `protocols.py`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from protocols import laid_out

from gristmill.bench.compare import Measurement, Subject, by_gristmill, by_tlc
from gristmill.building import build


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--protocols", type=Path)
    parser.add_argument("--more", default="")
    parser.add_argument("--tlc", required=True)
    parser.add_argument("--library", help="a folder with modules that TLC does not bring along, such as TLAPS")
    parser.add_argument("--at-least", type=float, default=10.0)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--only-kind", choices=["safety", "temporal"])
    arguments = parser.parse_args()
    workers = [int(each) for each in arguments.workers.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        models = chosen(arguments, Path(folder))
        keep_byte_code(Path(folder))
        compile_runtime(Path(folder), models[0], arguments)
        columns = "model, distinct, workers, TLC: search, native: search, ratio, TLC: start to verdict, native, ratio"
        print("|", columns.replace(", ", " | "), "|")
        print("|---" * 9 + "|")
        ratios: dict[tuple[str, int], list[tuple[float, float]]] = {}
        for model in sorted(models, key=lambda each: each.get("reference_cpu_seconds") or 0.0):
            for count in workers:
                pair = measured(model, count, Path(folder), arguments)
                if pair is not None:
                    kind = kind_of(model, arguments)
                    ratios.setdefault((kind, count), []).append(pair)
        for (kind, count), pairs in ratios.items():
            search, whole = (math.exp(sum(map(math.log, column)) / len(column)) for column in zip(*pairs, strict=True))
            print(f"\nGeometric mean, {kind}, {count} worker(s): search {search:.1f}x, start to verdict {whole:.1f}x")


def chosen(arguments: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    if arguments.protocols is not None:
        found = laid_out(arguments.protocols, folder / "protocols")
        return [each for each in found if arguments.only in each["name"]]
    if arguments.truth is None:
        raise SystemExit("--truth and --root, or --protocols")
    return [each for each in json.loads(arguments.truth.read_text()) if wanted(each, arguments)]


def wanted(model: dict[str, object], arguments: argparse.Namespace) -> bool:
    seconds = model.get("reference_cpu_seconds") or 0
    assert isinstance(seconds, int | float)
    is_named = str(model["tla"]).removesuffix(".tla") in arguments.more.split(",")
    if (seconds < arguments.at_least and not is_named) or arguments.only not in str(model["tla"]):
        return False
    return arguments.only_kind in (None, kind_of(model, arguments))


def kind_of(model: dict[str, Any], arguments: argparse.Namespace) -> str:
    subject = subject_of(model, arguments)
    return "temporal" if build(subject.module, config=subject.config).model.temporal else "safety"


def subject_of(model: dict[str, str], arguments: argparse.Namespace) -> Subject:
    folder = arguments.root / model["dir"]
    return Subject(folder / model["tla"], folder / model["cfg"], not model.get("no_deadlock"))


def keep_byte_code(folder: Path) -> None:
    """Of what is run here: it may be a checkout that must stay as it is."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "byte-code")


def compile_runtime(folder: Path, model: dict[str, str], arguments: argparse.Namespace) -> None:
    by_gristmill(subject_of(model, arguments), "native", 1, arguments.limit, folder / "runtime")


def measured(
    model: dict[str, str], workers: int, folder: Path, arguments: argparse.Namespace
) -> tuple[float, float] | None:
    subject = subject_of(model, arguments)
    java = [f"-DTLA-Library={arguments.library}"] if arguments.library else []
    before = [cold(subject, workers, folder, arguments) for _ in range((arguments.runs + 1) // 2)]
    theirs = by_tlc(subject, arguments.tlc, workers, arguments.limit, java)
    after = [cold(subject, workers, folder, arguments) for _ in range(arguments.runs // 2)]
    ours = middle([*before, *after])
    search, whole = theirs.search / max(ours.search, 1e-3), theirs.seconds / ours.seconds
    same = (ours.distinct, ours.generated) == (theirs.distinct, theirs.generated) and ours.verdict == theirs.verdict
    note = "" if same else f" ({counts(ours)}, TLC {counts(theirs)})"
    mark = "*" if kind_of(model, arguments) == "temporal" else ""
    name = model.get("name", model["tla"].removesuffix(".tla")) + mark
    print(row(name + note, workers, ours, theirs, search, whole), flush=True)
    return (search, whole) if same else None


def cold(subject: Subject, workers: int, folder: Path, arguments: argparse.Namespace) -> Measurement:
    cache = folder / "cold"
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(folder / "runtime", cache)
    return by_gristmill(subject, "native", workers, arguments.limit, cache)


def middle(runs: list[Measurement]) -> Measurement:
    """Of runs that have found the same; else one that has not."""
    other = [each for each in runs if counts(each) != counts(runs[0])]
    if other:
        return other[0]
    seconds, search = (median(getattr(each, name) for each in runs) for name in ("seconds", "search"))
    return replace(runs[0], seconds=seconds, search=search)


def counts(found: Measurement) -> str:
    return f"{found.verdict} {found.distinct:,}/{found.generated:,}"


def row(name: str, workers: int, ours: Measurement, theirs: Measurement, search: float, whole: float) -> str:
    return (
        f"| {name} | {theirs.distinct:,} | {workers} | {theirs.search:.1f} s | {ours.search:.2f} s | {search:.1f}x"
        f" | {theirs.seconds:.1f} s | {ours.seconds:.2f} s | {whole:.1f}x |"
    )


if __name__ == "__main__":
    main()
