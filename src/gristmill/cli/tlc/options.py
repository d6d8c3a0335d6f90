"""The command line of TLC: what its options are called, what follows them, what they mean here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.cli.tlc.codes import TRACE_SPECIFICATION
from gristmill.cli.tlc.unused import UNUSED

SWITCHES = {
    "-deadlock": {"deadlock": False},
    "-continue": {"keep_going": True},
    "-difftrace": {"differences": True},
    "-tool": {"tool": True},
    "-nowarning": {"warnings": False},
    "-modelcheck": {},
    "-h": {"help": True},
    "-help": {"help": True},
    "-noGenerateSpecTE": {"trace_specification": False},
    "-noTE": {"trace_specification": False},
    "-noGenerateSpecTEBin": {},
    "-noTEBin": {},
    "--allow-exec": {"allow_exec": True},
}
TRACE_FORMATS = ("json", "tla", "tlc", "tlcplain", "tlcTESpec", "tlcaction", "dot")


class UsageError(Exception):
    """What is wrong with a command line."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A command line, read. `notes`: what is accepted and has no effect, in sentences."""

    spec: str | None = None
    config: str | None = None
    deadlock: bool = True
    keep_going: bool = False
    differences: bool = False
    tool: bool = False
    warnings: bool = True
    help: bool = False
    workers: int = 1
    coverage: bool = False
    simulate: bool = False
    generate: bool = False
    behaviours: int | None = None
    trace_file: str | None = None
    depth: int = 100
    seed: int | None = None
    aril: int = 0
    depth_first: int | None = None
    dump: tuple[tuple[str, ...], str] | None = None  # what is asked of it (`dot`, `colorize`), and the file
    dump_traces: tuple[tuple[str, str], ...] = ()
    load_traces: tuple[tuple[str, str], ...] = ()
    trace_specification: bool | None = None  # None: where TLC writes one without being asked
    trace_folder: str | None = None
    invariants: tuple[str, ...] = ()  # expressions
    levels: tuple[int, ...] = ()  # that no state may have
    postconditions: tuple[str, ...] = ()  # Module!Operator
    liveness: bool = True
    metadir: str | None = None
    checkpoint: int | None = None  # minutes
    recover: str | None = None
    user_file: str | None = None
    suppressed: frozenset[int] = frozenset()
    elevated: frozenset[int] = frozenset()
    allow_read: tuple[str, ...] = ()
    allow_write: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    allow_exec: bool = False
    notes: tuple[str, ...] = field(default=())

    @property
    def writes_trace_specification(self) -> bool:
        """Like TLC: unless a tool reads the output, the search goes on, or what is checked is such a specification."""
        if self.trace_specification is not None:
            return self.trace_specification
        is_one = "_TTrace_" in os.path.basename(self.spec or "")
        return not (self.tool or self.keep_going or is_one) and TRACE_SPECIFICATION not in self.suppressed


def read(args: Sequence[str]) -> Asked:
    """Raises `UsageError`."""
    return _Reader(args).read()


class _Reader:
    def __init__(self, args: Sequence[str]) -> None:
        self._args, self._at = list(args), 0
        self._asked: dict[str, Any] = {}
        self._notes: list[str] = []
        self._special: dict[str, Callable[[str], None]] = {
            "-simulate": self._simulate,
            "-generate": self._simulate,
            "-workers": self._workers,
            "-dump": self._dump,
            "-dumptrace": self._dump_trace,
            "-loadtrace": self._load_trace,
            "-generatespecte": self._generate_specification,
            "-debugger": self._debugger,
            "-lncheck": self._liveness,
            "-suppressmessages": self._codes,
            "-messagesaserrors": self._codes,
            "-postcondition": self._postcondition,
        }

    def read(self) -> Asked:
        while self._at < len(self._args):
            self._option(self._next())
        asked = Asked(**self._asked, notes=tuple(self._notes))
        if asked.help:
            return asked
        _refuse_contradictions(asked)
        if asked.spec is None:
            raise UsageError("Missing input TLA+ module.")
        return asked

    def _option(self, arg: str) -> None:
        if arg in SWITCHES:
            self._asked.update(SWITCHES[arg])
        elif arg.lower() in self._special:
            self._special[arg.lower()](arg)
        elif arg in _VALUES:
            name, convert = _VALUES[arg]
            self._asked[name] = convert(arg, self._value(arg))
        elif arg in _LISTS:
            name, convert = _LISTS[arg]
            self._add(name, convert(arg, self._value(arg)))
        elif arg in UNUSED:
            self._unused(arg)
        elif arg.startswith("-"):
            raise UsageError(f"unrecognized option: {arg}")
        elif "spec" in self._asked:
            raise UsageError(f"more than one input files: {self._asked['spec']} and {arg}")
        else:
            self._asked["spec"] = arg.removesuffix(".tla")

    # ------------------------------------------------------------------------------------------------- one by one

    def _next(self) -> str:
        self._at += 1
        return self._args[self._at - 1]

    def _value(self, option: str) -> str:
        if self._at >= len(self._args):
            raise UsageError(f"expect a value for {option} option.")
        return self._next()

    def _peek(self) -> str:
        return self._args[self._at] if self._at < len(self._args) else ""

    def _add(self, name: str, value: object) -> None:
        self._asked[name] = (*self._asked.get(name, ()), value)

    def _unused(self, option: str) -> None:
        convert, why = UNUSED[option]
        if convert is not None:
            convert(option, self._value(option))
        self._notes.append(f"{option} is accepted and has no effect: {why}")

    def _simulate(self, option: str) -> None:
        self._asked.update(simulate=True, generate=option == "-generate")
        if not re.search("num=|file=|stats=|sched", self._peek()):
            return
        for part in self._next().split(","):
            name, _, value = part.partition("=")
            if name == "num":
                self._asked["behaviours"] = whole(option, value)
            elif name == "file":
                self._asked["trace_file"] = value
            else:
                self._notes.append(f"{part} is accepted and has no effect: actions are chosen at random, and counted")
        if self._asked.get("trace_file") and self._asked.get("behaviours") is None:
            raise UsageError("You need to specify a 'num' argument when using the 'file' argument.")

    def _workers(self, option: str) -> None:
        value = self._value(option)
        number = (os.cpu_count() or 1) if value.strip().lower() == "auto" else whole(option, value)
        if number < 1:
            raise UsageError("at least one worker required.")
        self._asked["workers"] = number

    def _dump(self, option: str) -> None:
        first = self._value(option)
        if first.startswith("class,"):
            raise UsageError(f"{first}: a Java class cannot write the states here; use -dump or -dump dot.")
        if first.startswith("dot") and self._at < len(self._args):
            self._asked["dump"] = tuple(first.lower().split(",")), _with_suffix(self._next(), ".dot")
        else:
            self._asked["dump"] = (), _with_suffix(first, ".dump")

    def _dump_trace(self, option: str) -> None:
        form = self._value(option)
        known = next((each for each in TRACE_FORMATS if each.lower() == form.lower()), None)
        if known is None:
            raise UsageError(f"Unknown format {form} given to -dumpTrace.")
        self._add("dump_traces", (known, self._value(option)))

    def _load_trace(self, option: str) -> None:
        form = self._value(option).lower()
        if form != "json":
            raise UsageError(f"Unknown format {form} given to -loadTrace: json is what can be read here.")
        self._add("load_traces", (form, self._value(option)))

    def _generate_specification(self, option: str) -> None:
        self._asked["trace_specification"] = True
        if self._peek() == "nomonolith":
            self._next()

    def _debugger(self, option: str) -> None:
        if re.search("port=|suspend|halt", self._peek()):
            self._next()
        self._notes.append("-debugger is accepted and has no effect: `gristmill step` takes steps one by one")

    def _liveness(self, option: str) -> None:
        when = self._value(option).lower()
        self._asked["liveness"] = when != "off"
        if when != "off":
            why = "temporal properties are looked at during the search, and decided at its end"
            self._notes.append(f"{option} {when} is accepted and has no effect: {why}")

    def _codes(self, option: str) -> None:
        name = "suppressed" if option.lower() == "-suppressmessages" else "elevated"
        given = (whole(option, each.strip()) for each in self._value(option).split(","))
        self._asked[name] = frozenset(given) | self._asked.get(name, frozenset())

    def _postcondition(self, option: str) -> None:
        name = self._value(option)
        if not re.fullmatch(r"\w+!\w+", name):
            raise UsageError(f"Module!Operator for postCondition required. Encountered: {name}")
        self._add("postconditions", name)


def _refuse_contradictions(asked: Asked) -> None:
    if not asked.warnings and asked.suppressed:
        raise UsageError("-nowarning already suppresses all warnings, making -suppressMessages redundant.")
    if both := asked.suppressed & asked.elevated:
        raise UsageError(
            f"The following codes were set to both -suppressMessages and -messagesAsErrors: {sorted(both)}"
        )


def whole(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"An integer for {option} required. But encountered {text}") from None


def natural(option: str, text: str) -> int:
    number = whole(option, text)
    if number < 0:
        raise UsageError(f"expect a nonnegative integer for {option} option.")
    return number


def _text(option: str, text: str) -> str:
    return text


def _with_suffix(file: str, suffix: str) -> str:
    return file if file.endswith(suffix) else file + suffix


_VALUES: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "-config": ("config", _text),
    "-coverage": ("coverage", lambda option, text: natural(option, text) >= 0),
    "-depth": ("depth", natural),
    "-seed": ("seed", whole),
    "-aril": ("aril", natural),
    "-dfid": ("depth_first", natural),
    "-metadir": ("metadir", _text),
    "-checkpoint": ("checkpoint", natural),
    "-recover": ("recover", _text),
    "-userFile": ("user_file", _text),
    "-teSpecOutDir": ("trace_folder", _text),
}
_LISTS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "-inv": ("invariants", _text),
    "-invlevel": ("levels", natural),
    "--allow-read": ("allow_read", _text),
    "--allow-write": ("allow_write", _text),
    "--env": ("env", _text),
}


def every_option() -> list[str]:
    """For help, completion, and the tests that compare them with TLC's."""
    special = (
        "-simulate -generate -workers -dump -dumpTrace -loadTrace -generateSpecTE -debugger -lncheck"
        " -suppressMessages -messagesAsErrors -postCondition"
    )
    return sorted([*SWITCHES, *special.split(), *_VALUES, *_LISTS, *UNUSED], key=str.lower)
