"""Every way to ask a verb and to be answered: its text and exit status, its JSON, the API, the pytest plugin.

A way says whether its answer is that all is well. `WAYS` names them by verb and output; tests require one for every
verb, for every verb that writes JSON, and for every function of the API.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from failures import BEGUN, Content, Failure

import gristmill
import gristmill.explore as explore_api
from gristmill.cli.main import main
from gristmill.examples import catalogue
from gristmill.report.page.result import result_page
from gristmill.source import SourceError
from gristmill.specification import Specification, State, Transition

sys.path.insert(0, str(Path(__file__).parents[1] / "lsp"))

from scripted_client import Client

Options = Mapping[str, object]
HERE = Path(__file__).parent
PATIENCE = 30.0  # seconds, after which something does not react to Ctrl-C
WORK = 120.0  # seconds, after which something has hung: to fill an address space takes long on a busy machine


@dataclass(frozen=True)
class Ended:
    """`all_well`: what the exit status says, or what stands in its place. `out` and `err`: what was printed."""

    all_well: bool
    out: str = ""
    err: str = ""

    @property
    def text(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class Way:
    """`words`: the command line, for verbs; `call`: the function, for the API. `stdin`: what the verb reads."""

    words: tuple[str, ...] = ()
    call: Callable[[Options], bool] | None = None
    stdin: str = ""
    can: Callable[[Failure, Options], bool] = lambda failure, options: True

    def arguments(self, options: Options) -> list[str]:
        given = [(f"--{name}",) if value is True else (f"--{name}", str(value)) for name, value in options.items()]
        return [*self.words, *(word for words in given for word in words)]

    def __call__(self, folder: Path, failure: Failure, options: Options) -> Ended:
        if failure.from_outside:
            room = None if self.call else failure.address_space
            return from_outside(folder, self.command(failure, options), self.stdin, failure.interrupt, room)
        return called(self.call, options) if self.call else in_process(self.arguments(options), self.stdin)

    def command(self, failure: Failure, options: Options) -> list[str]:
        if self.call is None:
            return [sys.executable, "-m", "gristmill.cli", *self.arguments(options)]
        call = f"ways.as_program({self.call.__name__!r}, {dict(options)!r}, {failure.address_space!r})"
        return [sys.executable, "-u", "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); import ways; {call}"]


def write(folder: Path, files: Mapping[str, Content]) -> None:
    for name, content in files.items():
        if content is not None:
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


# ---------------------------------------------------------------------------------------------------- in this process


def in_process(arguments: Sequence[str], stdin: str = "") -> Ended:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        patch.object(sys, "argv", ["gristmill", *arguments]),
        patch.object(sys, "stdin", io.StringIO(stdin)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code: object = 0
        except SystemExit as ending:
            code = ending.code
    return Ended(code in (0, None), *(each.buffer.getvalue().decode() for each in (out, err)))  # type: ignore[attr-defined]


def called(function: Callable[[Options], bool], options: Options) -> Ended:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        return Ended(function(options), out.getvalue())


# ------------------------------------------------------------------------------------------------- in another process


def ended(folder: Path, arguments: Sequence[str]) -> Ended:
    """A verb in a process of its own."""
    return from_outside(folder, [sys.executable, "-m", "gristmill.cli", *arguments])


def from_outside(
    folder: Path, command: Sequence[str], stdin: str = "", interrupt: bool = False, address_space: int | None = None
) -> Ended:
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=(lambda: limit(address_space)) if address_space else None,
    )
    readers = [Reader(process.stdout), Reader(process.stderr)]
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.close()
    if interrupt:
        wait_for(lambda: any(BEGUN in each.text for each in readers) or process.poll() is not None, PATIENCE)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    patience = PATIENCE if interrupt else WORK
    try:
        code = process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"{' '.join(command)} has not ended in {patience:g} s")
    out, err = (each.whole() for each in readers)
    return Ended(code == 0, out, err)


def limit(address_space: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)


class Reader:
    """What a process prints, as far as it has."""

    def __init__(self, stream: Any) -> None:
        self.text = ""
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: Any) -> None:
        for line in stream:
            self.text += line

    def whole(self) -> str:
        self._thread.join(5)
        return self.text


def as_program(name: str, options: Options, address_space: int | None) -> None:
    """What the gate itself has to import is no part of the question: limits come after it."""
    if address_space:
        limit(address_space)
    sys.exit(0 if globals()[name](options) else 1)


# ----------------------------------------------------------------------------------------------------------- the API


def by_keywords(options: Options) -> dict[str, Any]:
    return {name.replace("-", "_"): value for name, value in options.items()}


def api_check(options: Options) -> bool:
    return gristmill.check(Path("Spec.tla"), **by_keywords(options)).ok


def page_check(options: Options) -> bool:
    """What `check --html` writes: a page is green, or it is not."""
    page = result_page(gristmill.check(Path("Spec.tla"), **by_keywords(options)), "Spec")
    return 'class="verdict good"' in page


def api_simulate(options: Options) -> bool:
    return gristmill.simulate(Path("Spec.tla"), **by_keywords(options)).result.ok


def api_explore(options: Options) -> bool:
    """As a test of a user does it; mistakes are raised."""
    bounds = explore_api.Bounds(**{name: options[name] for name in ("depth", "states", "seconds") if name in options})
    try:
        from gristmill.explore.target import find_target

        explore_api.check(find_target("system.py", None), explore_api.Options(bounds=bounds))  # type: ignore[arg-type]
    except (SourceError, explore_api.Violated, KeyboardInterrupt):
        return False
    return True


def question_of_opened(question: Callable[[Specification], bool], **how: Any) -> bool:
    """What a program that opens the specification learns; what is wrong with it is raised."""
    try:
        with gristmill.open(Path("Spec.tla"), **how) as opened:
            return question(opened)
    except (SourceError, KeyboardInterrupt, MemoryError):
        return False


def opened_check(options: Options) -> bool:
    return question_of_opened(lambda opened: opened.check(**by_keywords(options)).ok)


def opened_simulate(options: Options) -> bool:
    return question_of_opened(lambda opened: opened.simulate(**by_keywords(options)).result.ok)


def opened_evaluate(options: Options) -> bool:
    return question_of_opened(lambda opened: all(opened.evaluate("Inv", state) is True for state in opened.initial()))


def opened_expression(options: Options) -> bool:
    def holds(opened: Specification) -> bool:
        return all(opened.expression("Inv").value(state) is True for state in opened.initial())

    return question_of_opened(holds)


def opened_expressions(options: Options) -> bool:
    def hold(opened: Specification) -> bool:
        found = opened.expressions({"a": "Inv", "b": "~Inv"})
        return all((found["a"].value(each), found["b"].value(each)) == (True, False) for each in opened.initial())

    return question_of_opened(hold)


Steps = Callable[[Specification, State], Iterable[Transition]]


def walked(opened: Specification, steps: Steps) -> bool:
    """Whether every step from every state can be taken, and there are some."""
    waiting = opened.initial()
    seen = set(waiting)
    while waiting:
        new = {step.state for step in steps(opened, waiting.pop())} - seen
        seen |= new
        waiting += new
    return len(seen) > 1


def opened_steps(options: Options) -> bool:
    return question_of_opened(lambda opened: walked(opened, Specification.steps))


def opened_native(options: Options) -> bool:
    return question_of_opened(lambda opened: walked(opened, Specification.steps), engine="native")


def opened_steps_from(options: Options) -> bool:
    return question_of_opened(lambda opened: walked(opened, lambda spec, state: spec.steps_from([state])[0]))


def opened_take(options: Options) -> bool:
    def taken(opened: Specification, state: State) -> list[Transition]:
        return [step for action in opened.actions for step in opened.take(state, action.name)]

    return question_of_opened(lambda opened: walked(opened, taken))


_ONCE_AROUND = [{"x": x} for x in (0, 1, 2, 0)]  # a behaviour of the base


def opened_follow(options: Options) -> bool:
    return question_of_opened(lambda opened: opened.follow(_ONCE_AROUND).ok)


def opened_frontier(options: Options) -> bool:
    def advanced(opened: Specification) -> bool:
        frontier = opened.frontier()
        return all(frontier.advance(each) for each in _ONCE_AROUND[1:]) and frontier.verdict == "matched"

    return question_of_opened(advanced)


def accepts(function: Callable[..., Any]) -> Callable[[Failure, Options], bool]:
    """Whether a function has arguments of these names."""
    names = inspect.signature(function).parameters
    return lambda failure, options: all(name.replace("-", "_") in names for name in options)


# ------------------------------------------------------------------------------------------------- examples, the plugin


@contextlib.contextmanager
def as_an_example(folder: Path) -> Iterator[None]:
    """The folder is the book: its configuration is expected to be in order."""
    book = folder / "book" / "01-gate"
    book.mkdir(parents=True)
    for name in ("Spec.tla", "Spec.cfg"):
        if (folder / name).exists():
            (book / name).write_bytes((folder / name).read_bytes())
    with patch.object(catalogue, "BOOK", book.parent), patch.dict(catalogue.TITLES, {"01-gate": "A gate"}, clear=True):
        catalogue.examples.cache_clear()
        yield
    catalogue.examples.cache_clear()


def run_example(options: Options) -> bool:
    with as_an_example(Path.cwd()):
        found = in_process(["examples", "gate", *Way().arguments(options)])
    print(found.text)
    return found.all_well


def plugin(options: Options) -> bool:
    """A pytest inside this one, in this folder, with none of its other plugins."""
    seconds = ["-o", f"gristmill_seconds={options['seconds']}"] if "seconds" in options else []
    without = [f"-pno:{name}" for name in ("cacheprovider", "xdist", "hypothesispytest")]
    return pytest.main(["--gristmill", "-c", os.devnull, "--rootdir", ".", *without, *seconds, "."]) == 0


def json_of(text: str) -> dict[str, Any]:
    """Of lines, the last one, which tells how it ended."""
    lines = text.splitlines()
    if lines and lines[-1].startswith('{"event": "ended"'):
        text = lines[-1]
    found = json.loads(text)
    return found[0] if isinstance(found, list) else found  # type: ignore[no-any-return]


_CHECK, _SIMULATE = ("check", "Spec.tla"), ("simulate", "Spec.tla", "--seed", "1")
_COMPOSE = ("compose", "check", "system.toml")
_REPLAY = ("replay", "system.map.toml")
_RANDOM = (*_REPLAY, "--random", "3s", "--num", "2", "--seed", "1")
_WATCH = ("watch", "ping.map.toml", "--from", "run.trace")
_FINISHES = lambda failure, options: "engine" not in options  # noqa: E731
_ENDS = lambda failure, options: not failure.interrupt  # noqa: E731
_AT_ONCE = lambda failure, options: not failure.from_outside  # noqa: E731
_CHECKS_NOTHING = lambda failure, options: "seconds" not in options  # noqa: E731


# Verb, or function that is none -> output -> how to ask for it. "opened": a method of what `gristmill.open` gives.
def language_server(options: Options) -> bool:
    """An editor opens the module; all is well if nothing is said about it."""
    path = Path("Spec.tla").resolve()
    with Client() as client:
        text = path.read_bytes().decode("utf-8", "replace") if path.exists() else ""
        client.open(path, text)
        return not any(said["severity"] == 1 for each in client.published.values() for said in each)


WAYS: dict[str, dict[str, Way]] = {
    "check": {
        "text": Way(_CHECK),
        "native": Way((*_CHECK, "--engine", "native"), can=_FINISHES),
        "json": Way((*_CHECK, "--format", "json")),
        "sweep": Way((*_CHECK, "--sweep", "N=3,4"), can=lambda failure, options: "resume" not in options),
        "api": Way(call=api_check, can=accepts(gristmill.check)),
        "page": Way(call=page_check, can=accepts(gristmill.check)),
        "opened": Way(call=opened_check, can=accepts(gristmill.check)),
        "plugin": Way(call=plugin, can=lambda failure, options: set(options) <= {"seconds"} and not failure.interrupt),
    },
    "tlc": {
        "text": Way(("tlc", "-noTE", "Spec")),
        "tool": Way(("tlc", "-tool", "-workers", "auto", "Spec.tla")),
    },
    "simulate": {
        "text": Way(_SIMULATE),
        "json": Way((*_SIMULATE, "--format", "json")),
        "api": Way(call=api_simulate, can=accepts(gristmill.simulate)),
        "opened": Way(call=opened_simulate, can=accepts(gristmill.simulate)),
    },
    "compose": {
        "text": Way(_COMPOSE),
        "native": Way((*_COMPOSE, "--engine", "native"), can=_FINISHES),
        "json": Way((*_COMPOSE, "--format", "json")),
        "sweep": Way((*_COMPOSE, "--sweep", "N=3,4")),
        "each": Way(
            (*_COMPOSE, "--each", "--budget", "0", "--engine", "python"),
            can=lambda failure, options: not failure.from_outside,
        ),
    },
    "explore": {
        "text": Way(("explore", "system.py")),
        "dfs": Way(("explore", "system.py", "--search", "dfs")),
        "bfs": Way(("explore", "system.py", "--search", "bfs")),
        "python": Way(("explore", "system.py", "--engine", "python")),
        "json": Way(("explore", "system.py", "--format", "json")),
        "api": Way(call=api_explore, can=lambda failure, options: "replay" not in options),
    },
    "replay": {
        "text": Way(_RANDOM, can=_CHECKS_NOTHING),
        "json": Way((*_RANDOM, "--format", "json"), can=_CHECKS_NOTHING),
        "confirm": Way((*_REPLAY, "--confirm", "--format", "json")),
        "trace": Way((*_REPLAY, "--trace", "trace.itf.json", "--format", "json"), can=_AT_ONCE),
        "from": Way(("replay", "--from", "run.json", "--format", "json"), can=_AT_ONCE),
        "log": Way((*_REPLAY, "--log", "events.ndjson", "--format", "json"), can=_AT_ONCE),
        "explain": Way((*_REPLAY, "--explain"), can=_AT_ONCE),
    },
    "watch": {
        "text": Way(_WATCH),
        "json": Way((*_WATCH, "--format", "json")),
        "lines": Way((*_WATCH, "--format", "jsonl")),
        "page": Way((*_WATCH, "--html", "watched.html")),
    },
    "step": {"text": Way(("step", "Spec.tla", "--print"))},
    "parse": {"text": Way(("parse", "Spec.tla")), "json": Way(("parse", "Spec.tla", "--format", "json"))},
    "fmt": {
        "text": Way(("fmt", "Spec.tla", "--ascii", "--stdout")),
        "check": Way(("fmt", "Spec.tla", "--ascii", "--check")),
    },
    "translate": {
        "text": Way(("translate", "Spec.tla", "--stdout")),
        "check": Way(("translate", "Spec.tla", "--check")),
    },
    "eval": {
        "text": Way(("eval", "Inv", "--spec", "Spec.tla")),
        "opened": Way(call=opened_evaluate),
        "expression": Way(call=opened_expression),
        "expressions": Way(call=opened_expressions),
    },
    "repl": {"text": Way(("repl", "Spec.tla"), stdin="Inv\n")},
    "plot": {"text": Way(("plot", "data.csv"))},
    "lsp": {"text": Way(call=language_server)},
    "bench": {"text": Way(("bench", "Spec.tla", "--no-python"))},
    "completion": {"text": Way(("completion", "bash"))},
    "examples": {"text": Way(call=run_example)},
    "open": {
        "api": Way(call=opened_steps),
        "native": Way(call=opened_native),
        "steps_from": Way(call=opened_steps_from),
        "take": Way(call=opened_take),
        "follow": Way(call=opened_follow, can=_ENDS),
        "frontier": Way(call=opened_frontier, can=_ENDS),
    },
}
