"""Compare our verdicts on specifications with recorded ones of SANY, on local checkouts of public collections.

    python tests/conformance/sany.py --truth FILE --root COLLECTION=DIR … [--only TEXT] [--round-trip]

FILE is a list of {"collection", "file", "accepted"}: `accepted` null means that SANY lacked a module that we have, so
it must be accepted. With --round-trip every accepted module is also printed and parsed again, and respelled in Unicode
and back, and must stay the same module. Exit status: 0 if nothing differs but what docs/conformance.md explains.
"""

import argparse
import collections
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from gristmill.modules import load_specification
from gristmill.source import SourceFile, read_source
from gristmill.source.stack import with_deep_stack
from gristmill.syntax.parser import parse_module
from gristmill.syntax.print_module import print_module
from gristmill.syntax.respell import respell

# Explained in docs/conformance.md: files that need a module which exists nowhere, or are not in the collection.
EXPLAINED = {
    "specifications/DieHard/MCDieHarder_TTrace_1794768079.tla",
    "test-model/Bug156/TE.tla",
    "test-model/TESpecTest/TESpecDependencyTest.tla",
    "test-model/UserModuleOverrideBase.tla",
    "test-model/pcal/DetlefTest.tla",
    "test-model/suite/test218.tla",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True)
    parser.add_argument("--root", action="append", required=True, metavar="COLLECTION=DIR")
    parser.add_argument("--only", default="")
    parser.add_argument("--round-trip", action="store_true")
    arguments = parser.parse_args()
    roots = dict(root.split("=", 1) for root in arguments.root)
    records = [r for r in json.loads(Path(arguments.truth).read_text()) if r["collection"] in roots]
    records = [r for r in records if arguments.only in r["file"]]
    tally: collections.Counter[str] = collections.Counter()
    for record in records:
        path = Path(roots[record["collection"]]) / record["file"]
        outcome, why = compare(path, record["accepted"])
        if outcome == "same" and arguments.round_trip and record["accepted"] is not False:
            outcome, why = round_trip(path)
        if outcome != "same" and record["file"] in EXPLAINED:
            outcome = "explained"
        tally[outcome] += 1
        if outcome not in ("same", "explained"):
            print(f"{outcome:9} {record['file']}: {why}", flush=True)
    rest = ", ".join(f"{n} {s}" for s, n in tally.items() if s != "same")
    print(f"{tally['same']} of {len(records)} the same; {rest}")
    sys.exit(0 if tally["same"] + tally["explained"] == len(records) else 1)


def compare(path: Path, accepted: bool | None) -> tuple[str, str]:
    loaded = load_specification(path)
    if loaded.ok == (accepted is not False):
        return "same", ""
    if loaded.ok:
        return "accepted", "SANY rejects it"
    return "rejected", str(loaded.diagnostics[0])


def round_trip(path: Path) -> tuple[str, str]:
    for form, text in forms(path):
        module, again = parse_module(read_source(path)).module, parse_module(SourceFile(str(path), text))
        if again.diagnostics:
            return "changed", f"{form}: {again.diagnostics[0]}"
        if not with_deep_stack(lambda left=module, right=again.module: left == right):
            return "changed", f"{form}: another module"
    return "same", ""


def forms(path: Path) -> Iterator[tuple[str, str]]:
    parsed = parse_module(read_source(path))
    assert parsed.module is not None
    yield "printed", print_module(parsed.module)
    yield "printed in Unicode", print_module(parsed.module, unicode=True)
    unicode = respell(parsed.module, parsed.tokens, unicode=True)
    yield "respelled in Unicode", unicode
    again = parse_module(SourceFile(str(path), unicode))
    assert again.module is not None
    yield "respelled in ASCII", respell(again.module, again.tokens, unicode=False)


if __name__ == "__main__":
    main()
