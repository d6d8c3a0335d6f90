"""What the runtime's operations on values cost: `python benchmarks/native_values.py [flags of the compiler]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gristmill.native
from gristmill.cc import build

RUNTIME = Path(gristmill.native.__file__).parent / "runtime"
SOURCES = [
    *sorted((RUNTIME / "values").glob("*.c")),
    *sorted((RUNTIME / "collections").glob("*.c")),
    RUNTIME / "symmetry" / "permute.c",
]


def main() -> None:
    paths = [*SOURCES, Path(__file__).with_suffix(".c")]
    program = build(paths=paths, include=[RUNTIME], flags=sys.argv[1:] or ["-O2"], kind="program")
    subprocess.run([str(program)], check=True)


if __name__ == "__main__":
    main()
