"""`gristmill tlc` on a collection of models with recorded answers of TLC: are the exit codes the same?

    python tests/conformance/tlc_command.py --truth tlc-tests.json --root DIR --start 0 --count 100 --report parts.json

The file of recorded answers is a list of objects: `dir` and `tla` (and `cfg`, if it is not the one beside the module),
`no_deadlock`, `verdict` and `exit` (0 if missing). Models whose verdicts differ are listed, but say nothing about exit
codes. The report has a row a model; rows of several parts can stand in one file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tlc import ended

_ENDED_WITH = re.compile(r"@!@!@STARTMSG (\d+):1 @!@!@")
_INCOMPLETE = 3
# What TLC's exit codes mean, so that a difference in the verdict can be told from one in the code alone.
_MEANING = {0: "ok", 10: "assumption", 11: "deadlock", 12: "safety", 13: "liveness", 14: "assert"}


def exit_of(model: dict[str, Any], root: Path, limit: float) -> tuple[int | None, list[int]]:
    """The exit status (None: it took too long), and the codes of the errors that were told."""
    folder = root / model["dir"]
    command = [sys.executable, "-m", "gristmill.cli", "tlc", "-tool", "-lncheck", "final"]
    if model.get("no_deadlock"):
        command.append("-deadlock")
    with tempfile.TemporaryDirectory() as own:
        command += ["-config", str(configuration(model, folder, Path(own)))]
        code, out, err, _ = ended([*command, model["tla"]], folder, limit)
    if "Traceback" in err or "internal error" in err:
        print(err, file=sys.stderr)
    return code, [int(each) for each in _ENDED_WITH.findall(out)]


def configuration(model: dict[str, Any], folder: Path, own: Path) -> Path:
    """The one that is named or stands beside the module; else what PlusCal's translator would write."""
    if model.get("cfg"):
        return folder / model["cfg"]
    beside = (folder / model["tla"]).with_suffix(".cfg")
    if beside.exists():
        return beside
    made = own / "Made.cfg"
    made.write_text("SPECIFICATION Spec\n")
    return made


def compared(expected: int, got: int | None) -> str:
    if got is None or got == _INCOMPLETE:
        return "not finished"
    if expected == got:
        return "same"
    alike = _MEANING.get(expected, "error") == _MEANING.get(got, "error")
    return "OTHER EXIT CODE" if alike else "other verdict"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for one model")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--again", action="store_true", help="only models that the report does not call the same")
    options = parser.parse_args()
    models = json.loads(options.truth.read_text())
    end = len(models) if options.count is None else options.start + options.count
    rows = json.loads(options.report.read_text()) if options.report and options.report.exists() else {}
    tally: Counter[str] = Counter()
    for number, model in list(enumerate(models))[options.start : end]:
        if options.again and rows.get(str(number), {}).get("is") == "same":
            continue
        expected = model.get("exit", 0)
        got, told = exit_of(model, options.root, options.limit)
        found = compared(expected, got)
        tally[found] += 1
        rows[str(number)] = {
            "tla": model["tla"],
            "cfg": model.get("cfg"),
            "expected": expected,
            "got": got,
            "is": found,
        }
        if found != "same":
            print(f"{number} {model['tla']} {model.get('cfg') or ''}: TLC {expected}, here {got} {told}: {found}")
    if options.report:
        options.report.write_text(json.dumps(rows, indent=1))
    print(dict(tally), "of all so far:", dict(Counter(row["is"] for row in rows.values())))


if __name__ == "__main__":
    main()
