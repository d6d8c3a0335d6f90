"""The search core under the sanitizers, as a program of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gristmill.cc import CompilerError, NoCompilerError, build
from gristmill.search.core.search import CORE_SOURCES

FOLDER = Path(__file__).parent
FLAGS = ("-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fno-omit-frame-pointer")
SHARED = ("-DGM_FEW=0", "-DGM_CHUNK=1", "-DGM_UNPACKED=9")  # rounds are shared among workers also when they are tiny
CROWDED = ("-DGM_FEW=0", "-DGM_CHUNK=64", "-DGM_QUOTA=1", "-DGM_FIRST_BITS=8", "-DGM_UNPACKED=1")
WIDE = ("-DGM_FEW=0", "-DGM_CHUNK=2", "-DGM_NARROW_BITS=9", "-DGM_FIRST_BITS=7", "-DGM_UNPACKED=3", "-DGM_PLAIN_BITS")


def program(sizes: tuple[str, ...], *sanitizers: str) -> Path:
    try:
        build({"empty.c": "int main(void) { return 0; }\n"}, flags=sanitizers, kind="program")
    except NoCompilerError:
        pytest.skip("no C compiler on this machine")
    except CompilerError:
        pytest.skip(f"the compiler has no {' '.join(sanitizers)}")
    return build({}, [*CORE_SOURCES, FOLDER / "core_stress.c"], flags=[*FLAGS, *sizes, *sanitizers], kind="program")


def run(path: Path, seed: int, graphs: int) -> None:
    environment = {**os.environ, "UBSAN_OPTIONS": "halt_on_error=1", "TSAN_OPTIONS": "halt_on_error=1"}
    done = subprocess.run(
        [path, str(seed), str(graphs)], capture_output=True, text=True, timeout=300, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("sizes", [SHARED, CROWDED, WIDE], ids=["shared", "crowded", "wide"])
def test_addresses_and_undefined_behaviour(sizes: tuple[str, ...]) -> None:
    run(program(sizes, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"), seed=1, graphs=40)


@pytest.mark.parametrize("sizes", [SHARED, CROWDED], ids=["shared", "crowded"])
def test_data_races(sizes: tuple[str, ...]) -> None:
    run(program(sizes, "-fsanitize=thread"), seed=2, graphs=20)


@pytest.mark.parametrize("sizes", [CROWDED, WIDE], ids=["crowded", "wide"])
def test_without_sanitizers(sizes: tuple[str, ...]) -> None:
    run(program(sizes), seed=3, graphs=120)
