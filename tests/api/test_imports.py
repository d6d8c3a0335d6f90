"""What is loaded: who asks for Python gets no C."""

import subprocess
import sys

PROGRAM = """
import sys, gristmill
text = "---- MODULE M ----\\nEXTENDS Integers\\nVARIABLE x\\nInit == x = 0\\nNext == x' = 1 - x\\nSmall == x < 2\\n===="
assert gristmill.check(text, invariants=["Small"], engine={engine!r}).ok
print([name for name in sys.modules if name.startswith(("gristmill.native", "gristmill.cc"))])
"""


def loaded(engine: str) -> str:
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(engine=engine)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_python_engine_loads_nothing_of_the_native_one() -> None:
    assert loaded("python") == "[]"


def test_what_compiles_is_loaded_when_something_is_compiled() -> None:
    """The reference evaluator is done with a small model before that."""
    heavy = ("gristmill.native.run.engine", "gristmill.native.emit.generate", "gristmill.cc.building")
    assert not any(name in loaded("auto") for name in heavy)
    assert all(name in loaded("native") for name in heavy)
