"""The C search under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import gristmill.explore.native.library as library

plain = library.build
flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
library.build = lambda paths, **_: plain(paths=paths, flags=flags)

import gristmill.explore.native.search as search
search.WORTH_SHARING = 1

from random_protocols import random_system
from gristmill.bench.dbss.paxos import paxos
from gristmill.explore import Bounds, Network, Options, explore

for seed in range(6):
    system = random_system(seed, Network(loss=seed % 2, ordered=seed % 3 == 0))
    for options in (
        Options("dfs"), Options("dbss"), Options("dfs", por="static"), Options("dbss", por="static"), Options("bfs"),
        Options("stateless", bounds=Bounds(depth=6, states=500)),
    ):
        explore(system, options)
    for options in (Options("bfs", workers=3), Options("dbss", workers=2)):
        explore(system, options)
explore(paxos(1), Options("dbss", por="static", symmetry=True))
explore(paxos(), Options("dbss", symmetry=True, workers=3, bounds=Bounds(states=20_000)))
explore(paxos(), Options("dfs", bounds=Bounds(states=100_000)))
print("clean")
"""


def sanitizers() -> list[str]:
    gcc = shutil.which("gcc")
    if gcc is None:
        return []
    names = ("libasan.so", "libubsan.so")
    found = [subprocess.run([gcc, f"-print-file-name={name}"], capture_output=True, text=True).stdout for name in names]
    return [path.strip() for path in found if Path(path.strip()).is_absolute()]


@pytest.mark.skipif(sys.platform != "linux" or os.environ.get("CC", "gcc") != "gcc", reason="needs gcc's sanitizers")
def test_the_search_in_c_is_clean() -> None:
    libraries = sanitizers()
    if len(libraries) < 2:
        pytest.skip("gcc has no sanitizers here")
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself leaks
        "CC": "gcc",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True)
    assert done.stdout == "clean\n", done.stderr[-3000:]
