"""Which C compiler there is."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from gristmill.cc.errors import CompilerError, NoCompilerError
from gristmill.cc.stop import Stop, end
from gristmill.source.quick_dataclass import dataclass

_REMEDY = (
    "install one (`apt install gcc`, `dnf install gcc`, `xcode-select --install`), name one in $CC, "
    "or `pip install ziglang`, which brings a compiler with it"
)
_PATIENT = 5  # of nice(1)
_TIME_LIMIT = 600.0  # seconds; no file of ours takes a tenth of this


@dataclass(frozen=True, slots=True)
class Compiler:
    """`command`: what to run, before any arguments. `identity`: changes when the compiler does.

    `is_patient`: it leaves the processor to whoever wants it, as what it makes is not waited for.
    """

    command: tuple[str, ...]
    identity: str
    is_patient: bool = False

    @property
    def always(self) -> tuple[str, ...]:
        """The arguments that every call has."""
        own = ("-fno-sanitize=undefined",) if self.is_zig else ()  # it traps by default, at a cost
        return ("-std=gnu11", "-fPIC", "-pthread", *own)

    @property
    def shared(self) -> tuple[str, ...]:
        """The arguments that make a shared library. Calls within it go straight to their target."""
        return ("-shared",) if sys.platform == "darwin" else ("-shared", "-Wl,-Bsymbolic")

    @property
    def complete(self) -> tuple[str, ...]:
        """The arguments with which a library that lacks something is refused."""
        return () if sys.platform == "darwin" else ("-Wl,-z,defs",)

    @property
    def is_zig(self) -> bool:
        return Path(self.command[0]).stem == "zig"

    def run(self, arguments: Sequence[str], directory: Path, what: str, stop: Stop | None = None) -> None:
        """Compile or link in a directory. Its path is left out of messages."""
        command = [*self.command, *self.always, *arguments]
        environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(directory)}
        try:
            process = subprocess.Popen(
                command, cwd=directory, env=environment, text=True, errors="replace", start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        except OSError as error:
            raise CompilerError(f"The C compiler {self.command[0]} cannot be run: {error.strerror}") from error
        if self.is_patient:
            make_patient(process)
        output, errors = self._wait(process, what, stop or Stop())
        if process.returncode != 0:
            said = (errors + output).replace(f"{directory}{os.sep}", "")
            raise CompilerError(f"The C compiler ({shlex.join(self.command)}) rejects {what}:", said)

    def _wait(self, process: subprocess.Popen[str], what: str, stop: Stop) -> tuple[str, str]:
        stop.begin(process)
        try:
            return process.communicate(timeout=_TIME_LIMIT)
        except subprocess.TimeoutExpired as error:
            raise CompilerError(f"The C compiler took more than {_TIME_LIMIT:g} s for {what}") from error
        finally:
            if process.poll() is None:  # also when Ctrl-C ends us
                end(process)
                process.communicate()
            stop.finished(process)


def make_patient(process: subprocess.Popen[str]) -> None:
    """With all that it starts. Where that is not possible, it is in a hurry."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PGRP, process.pid, _PATIENT)


def find_compiler() -> Compiler:
    """$CC if it is set, else `cc`, `gcc`, `clang`, or the one in the package `ziglang`."""
    wanted = os.environ.get("CC", "").strip()
    if wanted:
        command = _words(wanted)
        if shutil.which(command[0]) is None:
            raise NoCompilerError(f"$CC is {wanted!r}, and there is no such program: unset it, or {_REMEDY}")
        return _compiler(command)
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name) is not None:
            return _compiler([name])
    zig = _zig()
    if zig is None:
        raise NoCompilerError(f"There is no C compiler here: {_REMEDY}")
    return _compiler([str(zig), "cc"])


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise NoCompilerError(f"$CC is {command!r}, which is no command: {error}") from error


def _zig() -> Path | None:
    spec = find_spec("ziglang")
    folders = (spec.submodule_search_locations if spec is not None else None) or ()
    programs = (Path(folder) / ("zig.exe" if os.name == "nt" else "zig") for folder in folders)
    return next((program for program in programs if program.is_file()), None)


def _compiler(command: Sequence[str]) -> Compiler:
    """Of what it consists in: any word of `ccache gcc` may be replaced by another version.

    Files, and not what `--version` says: asking takes longer than loading what was built.
    """
    parts = [platform.system(), platform.machine(), *command]
    for word in command:
        program = shutil.which(word)
        if program is not None:
            real = os.path.realpath(program)
            status = os.stat(real)
            parts.append(f"{real} {status.st_size} {status.st_mtime_ns}")
    return Compiler((shutil.which(command[0]) or command[0], *command[1:]), "\n".join(parts))
