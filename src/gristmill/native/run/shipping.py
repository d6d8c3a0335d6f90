"""Compile what does not depend on a model, for a wheel to bring along (`cc/prebuilt`).

python -m gristmill.native.run.shipping FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from gristmill.cc import CompilerError
from gristmill.native.run.compiled import runtime_program
from gristmill.search.inclusion.core import program as inclusion_program
from gristmill.search.liveness.core import program as liveness_program


def ship(folder: Path) -> list[Path]:
    programs = (runtime_program(), liveness_program(), inclusion_program())
    return [program.ship(folder) for program in programs]


def main() -> None:
    try:
        ship(Path(sys.argv[1]))
    except CompilerError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
