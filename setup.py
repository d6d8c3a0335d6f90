"""The build: as pyproject.toml says, and with the runtime of the native engine compiled, where there is a C compiler.

A wheel that is built on the machine where it is installed (`pip install .`, `pip install -e .`) so brings the runtime
along, and the first check need not compile it. Such a wheel is of one platform. In the environment:

- GRISTMILL_PREBUILT=0: none of this; the wheel is pure, for every platform.
- GRISTMILL_PREBUILT=1: it fails if the runtime cannot be compiled.
- GRISTMILL_PLATFORM=manylinux_2_28_x86_64: the platform that the wheel is said to be for, if it was built there.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

WANTED = os.environ.get("GRISTMILL_PREBUILT", "")
PLATFORM = os.environ.get("GRISTMILL_PLATFORM", "")
COMPILERS = os.environ.get("CC", "").split()[:1] or ["cc", "gcc", "clang"]
IS_PREBUILT = WANTED == "1" or (WANTED != "0" and any(map(shutil.which, COMPILERS)))
SOURCES = Path(__file__).resolve().parent / "src"


def prebuild(folder: Path) -> None:
    """Compile the runtime into a folder, by the package itself, if that is possible."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            **os.environ,
            "PYTHONPATH": str(SOURCES),
            "XDG_CACHE_HOME": cache,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-m", "gristmill.native.run.shipping", str(folder)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = f"The runtime is not compiled, so this is done when it is first needed: {done.stderr.strip()[-500:]}"
        if WANTED == "1":
            raise SystemExit(said)
        print(said, file=sys.stderr)


class BuildWithRuntime(build_py):
    def run(self) -> None:
        super().run()
        if not IS_PREBUILT:
            return
        beside = SOURCES if getattr(self, "editable_mode", False) else Path(self.build_lib)
        prebuild(beside / "gristmill" / "prebuilt")


class PlatformDistribution(Distribution):
    """Its wheel is of one platform, if something in it is compiled."""

    def has_ext_modules(self) -> bool:
        return IS_PREBUILT


commands: dict[str, type] = {"build_py": BuildWithRuntime}
try:
    from setuptools.command.bdist_wheel import bdist_wheel

    class OnePlatform(bdist_wheel):
        """Of one platform, but of any Python: what is compiled does not know Python."""

        def get_tag(self) -> tuple[str, str, str]:
            *_, platform = super().get_tag()
            return ("py3", "none", PLATFORM or platform) if IS_PREBUILT else ("py3", "none", "any")

    commands["bdist_wheel"] = OnePlatform
except ImportError:  # an older setuptools
    pass

setup(cmdclass=commands, distclass=PlatformDistribution)
