"""The runtime under the compiler's sanitizers: memory, undefined behaviour, data races."""

from __future__ import annotations

import subprocess
from random import Random

import pytest
from random_values import Values, register_names
from runtime_library import HERE, KEPT, MIXED, RUNTIME, SCRATCH, Runtime, library, paths
from test_runtime_differential import DRAW

from gristmill.cc import CompilerError, build
from gristmill.native.codec import encode
from gristmill.native.errors import NoNativeFormError
from gristmill.values import EvaluationError

CASES = 40  # of each operation
_CANNOT_RUN = ("unexpected memory mapping", "Shadow memory range interleaves", "failed to map", "ASLR")


def _run(flags: tuple[str, ...], source: str, data: bytes = b"") -> str:
    try:
        program = build(
            paths=[*paths(), HERE / "harness.c", HERE / source], include=[RUNTIME], flags=flags, kind="program"
        )
    except CompilerError as error:
        pytest.skip(f"no such sanitizer: {error}")
    done = subprocess.run([str(program)], input=data, capture_output=True, timeout=120, check=False)
    said = done.stderr.decode(errors="replace")
    if any(reason in said for reason in _CANNOT_RUN):
        pytest.skip(f"the sanitizer cannot run here: {said[:200]}")
    assert done.returncode == 0, said[-4000:]
    return done.stdout.decode()


def _recorded() -> list[tuple[str, int, bytes]]:
    rng = Random("recorded operations")
    register_names(rng)
    values = Values(rng)
    found = []
    for name in sorted(DRAW):
        for _ in range(CASES):
            values.new_shape(rng.randint(0, 3))
            try:
                data = b"".join(map(encode, DRAW[name](values)))
            except (EvaluationError, NoNativeFormError):
                continue
            found.append((name, rng.choice([SCRATCH, KEPT, MIXED]), data))
            found.append((name, SCRATCH, bytes(_damaged(rng, data))))
    return found


def _damaged(rng: Random, data: bytes) -> bytearray:
    """Bytes as a broken file may hold them."""
    result = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        if result:
            result[rng.randrange(len(result))] = rng.choice([0, 1, 5, 8, 11, 127, 128, 255, rng.randrange(256)])
    return result[: rng.randint(0, len(result))]


def test_memory_and_undefined_behaviour() -> None:
    records = _recorded()
    data = b"".join(
        bytes((how, len(name))) + name.encode() + len(each).to_bytes(4, "little") + each for name, how, each in records
    )
    flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
    lines = _run(flags, "replay.c", data).splitlines()
    assert len(lines) == len(records)
    plain = Runtime(library())
    for line, (name, how, each) in zip(lines, records, strict=True):
        size = plain.lib.harness_run(plain.worker, name.encode(), each, len(each), how, plain.out, plain.room)
        assert int(line.split()[0]) == size, name
    plain.close()


@pytest.mark.parametrize("flags", [("-O2",), ("-O1", "-g", "-fsanitize=thread")], ids=["plain", "thread sanitizer"])
def test_threads_keep_the_same_values(flags: tuple[str, ...]) -> None:
    said = _run(flags, "threads.c")
    assert said.startswith("0 differing"), said
