"""The model of mixing_model.c. As a program: search it with checkpoints until it is killed or done.

python mixing.py DIRECTORY NODES WORKERS
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import Structure, c_uint32, c_void_p
from functools import cache
from pathlib import Path

from gristmill.cc import build, load
from gristmill.search.core.search import CORE_SOURCES, CoreLimits, GmModel, NativeSearch, declare


class _Mixing(Structure):
    _fields_ = tuple((name, c_uint32) for name in ("nodes", "seed", "forbidden", "delay", "saved", "loaded"))


@cache
def library() -> ctypes.CDLL:
    own = declare(load(build({}, [*CORE_SOURCES, Path(__file__).with_name("mixing_model.c")])))
    own.mixing_model.argtypes, own.mixing_model.restype = (c_void_p, c_void_p), None
    return own


class Mixing:
    def __init__(self, nodes: int, *, seed: int = 1, forbidden: int | None = None, delay: int = 0) -> None:
        self.data = _Mixing(nodes, seed, nodes if forbidden is None else forbidden, delay)
        self.model = GmModel()
        library().mixing_model(ctypes.byref(self.data), ctypes.byref(self.model))

    def search(self, limits: CoreLimits, *, start: bool = True) -> NativeSearch:
        search = NativeSearch(library(), self.model, limits, owner=self)
        if start:
            search.add_initial([0, 0xFFFFFFFF, 0, 7])
        return search


def main(directory: str, nodes: str, workers: str) -> None:
    limits = CoreLimits(workers=int(workers), checkpoint_directory=Path(directory), checkpoint_seconds=0.01)
    mixing = Mixing(int(nodes), delay=2000)
    search = mixing.search(limits, start=False)
    if not search.resume():
        search.add_initial([0, 0xFFFFFFFF, 0, 7])
    print("running", flush=True)
    report = search.run()
    print("done", report.distinct, report.generated, report.depth, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
