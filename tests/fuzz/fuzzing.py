"""Damaged input for every verb, each in a process of its own: no traceback, no hang, no more than 2 GB.

    python tests/fuzz/fuzzing.py [--corpus DIR …] [--seed 0] [--first 0] [--count 100000] [--keep DIR]

Input number N of a seed is always the same, as long as the corpus is: `--first N --count 1 --show` repeats one. The
corpus is our own examples, and every .tla file (with the .cfg of its name) in the folders given. What fails is told
once for each place it fails at, and kept in a folder.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import pkgutil
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

from damage import damaged

from gristmill.cli.main import main as run_gristmill

HERE = Path(__file__).parent
OWN = (HERE.parents[1] / "examples", HERE.parents[1] / "src" / "gristmill" / "examples")
PROGRAMS = HERE.parents[1] / "examples" / "explore"
LIMIT = 1.0  # what --seconds is given
PROCESSOR_SECONDS = 2 * LIMIT + 2  # twice that, and the start
WALL_SECONDS = 60.0  # for what waits without working; the machine may be busy
MEMORY = 2 * 2**30
_INTERNAL = re.compile(r"internal error: .*|Traceback \(most recent call last\)[\s\S]*|Exception ignored |Fatal Python")


@dataclass(frozen=True)
class Input:
    """Files, a command line, and what is read from standard input."""

    arguments: Sequence[str]
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: str = ""
    never_ok: bool = False  # whatever the damage, there is something to be found

    def __str__(self) -> str:
        return f"gristmill {' '.join(self.arguments)}"


# ---------------------------------------------------------------------------------------------------------- the inputs


class Corpus:
    def __init__(self, folders: Sequence[Path]) -> None:
        found = {path for folder in folders for path in folder.rglob("*.tla") if path.stat().st_size < 60_000}
        self.modules = sorted(found)
        self.programs = sorted(PROGRAMS.glob("*.py"))

    def input(self, seed: int, number: int) -> Input:
        rng = Random(f"{seed} {number}")
        return rng.choices([form for form, _ in FORMS], [weight for _, weight in FORMS])[0](self, rng)

    def module(self, rng: Random) -> Path:
        return rng.choice(self.modules)

    def text(self, rng: Random) -> tuple[Path, bytes]:
        """A module that is not what it was."""
        path = self.module(rng)
        return path, damaged(path.read_bytes(), rng, self.module(rng).read_bytes)


def front_end(*words: str) -> Callable[[Corpus, Random], Input]:
    def make(corpus: Corpus, rng: Random) -> Input:
        path, text = corpus.text(rng)
        return Input((words[0], path.name, *words[1:]), {path.name: text})

    return make


def parse(corpus: Corpus, rng: Random) -> Input:
    path, text = corpus.text(rng)
    words = ("parse", path.name, "--path", str(path.parent), "--format", rng.choice(("text", "json")))
    return Input(words, {path.name: text})


def running(*words: str) -> Callable[[Corpus, Random], Input]:
    """A verb that evaluates: the module, its configuration, or both are damaged."""

    def make(corpus: Corpus, rng: Random) -> Input:
        path, text = corpus.text(rng)
        config = path.with_suffix(".cfg")
        files = {path.name: text}
        if config.exists():
            files[config.name] = config.read_bytes()
            if rng.random() < 0.4:
                files[config.name] = damaged(config.read_bytes(), rng, config.read_bytes)
                files[path.name] = path.read_bytes()
        given = [word.replace("FILE", path.name) for word in words]
        return Input((*given, "--path", str(path.parent)), files)

    return make


def repl(corpus: Corpus, rng: Random) -> Input:
    """Lines of a module, as somebody might paste them."""
    _, text = corpus.text(rng)
    lines = text.decode("utf-8", "replace").splitlines()
    start = rng.randrange(len(lines) or 1)
    return Input(("repl",), stdin="\n".join(lines[start : start + 12]) + "\n")


def expression(corpus: Corpus, rng: Random) -> Input:
    text = corpus.text(rng)[1].decode("utf-8", "replace").replace("\0", "")
    body = text.split("==")[-1 - rng.randrange(3) :][0]
    return Input(("eval", "--", body[:2000] or "1"))


def explore(corpus: Corpus, rng: Random) -> Input:
    path = rng.choice(corpus.programs)
    text = damaged(path.read_bytes(), rng, rng.choice(corpus.programs).read_bytes)
    return Input(("explore", path.name, "--seconds", str(LIMIT), "--runs", "20", "--states", "500"), {path.name: text})


GRID = b"""---- MODULE Grid ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x' = (x + 1) % 30 /\\ y' = y
        \\/ y' = (y + 1) % 30 /\\ x' = x
Live == []<>(x = 0 \\/ y = 0)
Seen == x
====
"""


def resume(corpus: Corpus, rng: Random) -> Input:
    """A checkpoint of which one file is damaged."""
    del corpus
    kind = rng.choice(((), ("--fingerprint",), ("--property", "Live"), ("--view", "Seen")))
    saved = checkpoint(kind)
    name = rng.choice(sorted(saved))
    files = {**saved, name: damaged(saved[name], rng, lambda: saved[name])}
    words = ("check", "Grid.tla", "--init", "Init", "--next", "Next", "--seconds", str(LIMIT), *kind)
    words += ("--checkpoint", "saved", "--resume")
    return Input(words, {"Grid.tla": GRID, **files}, never_ok="Live" in kind)


_CHECKPOINTS: dict[tuple[str, ...], dict[str, bytes]] = {}


def checkpoint(kind: tuple[str, ...]) -> dict[str, bytes]:
    """The files of a search that was cut off."""
    if kind not in _CHECKPOINTS:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Grid.tla").write_bytes(GRID)
            command = ("check", "Grid.tla", "--init", "Init", "--next", "Next", "--engine", "native", "--depth", "20")
            ended(Input((*command, "--checkpoint", "saved", *kind), {"Grid.tla": GRID}), Path(folder), 60.0)
            saved = sorted(Path(folder, "saved").glob("*"))
            _CHECKPOINTS[kind] = {f"saved/{path.name}": path.read_bytes() for path in saved}
    return _CHECKPOINTS[kind]


_SECONDS = ("--seconds", str(LIMIT))
FORMS: list[tuple[Callable[[Corpus, Random], Input], float]] = [
    (parse, 30),
    (front_end("translate", "--stdout"), 12),
    (front_end("fmt", "--unicode", "--stdout"), 12),
    (front_end("fmt", "--ascii", "--stdout"), 4),
    (running("check", "FILE", "--engine", "python", *_SECONDS), 16),
    (running("check", "FILE", "--engine", "native", *_SECONDS), 1),
    (running("simulate", "FILE", "--num", "10", "--seed", "1", *_SECONDS), 5),
    (running("eval", "1 + 1", "--spec", "FILE"), 6),
    (expression, 6),
    (repl, 8),
    (explore, 3),
    (resume, 3),
]


# --------------------------------------------------------------------------------------------------------- one of them


def ended(given: Input, folder: Path, processor_seconds: float = PROCESSOR_SECONDS) -> tuple[str, str]:
    """What went wrong ("" if nothing), and what was printed."""
    for name, content in given.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    printed = folder / ".printed"
    inherited = _resident(os.getpid())  # of tests that ran in this process before: none of it is the child's
    child = os.fork()
    if child == 0:
        _child(given, folder, printed, processor_seconds)
    status = _waited(child, MEMORY + inherited)
    text = printed.read_text(errors="replace") if printed.exists() else ""
    wrong = _wrong(status, text)
    return wrong or ("false ok" if given.never_ok and status == 0 else ""), text


def _child(given: Input, folder: Path, printed: Path, processor_seconds: float) -> None:
    """Does not return."""
    code = 70
    try:
        os.chdir(folder)
        output = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = sys.stderr = os.fdopen(1, "w", encoding="utf-8", errors="replace", closefd=False)
        sys.stdin = io.StringIO(given.stdin)
        sys.argv = ["gristmill", *given.arguments]
        whole = int(processor_seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.environ["GRISTMILL_DEBUG"] = "1"
        code = _exit_status()
        sys.stdout.flush()
    finally:
        os._exit(code)


def _exit_status() -> int:
    try:
        run_gristmill()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc(file=sys.stdout)
        return 70
    return 0


def _waited(child: int, memory: int) -> int | None:
    """Its status; None if it had to be killed."""
    deadline = time.monotonic() + WALL_SECONDS
    pause = 0.001
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        if _resident(child) > memory:
            break
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _resident(process: int) -> int:
    """Bytes of memory that it has; address space is another matter, as deep stacks are reserved and hardly used."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _wrong(status: int | None, text: str) -> str:
    """In a few words, the same for the same mistake."""
    if status is None:
        return f"hang: no end in {WALL_SECONDS:g} s, or more than {MEMORY >> 30} GB"
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return f"hang: {PROCESSOR_SECONDS:g} s of processor time" if name == "SIGXCPU" else f"killed by {name}"
    if found := _INTERNAL.search(text):
        places = re.findall(r'File ".*/([^/]+)", line (\d+)', text)
        line = [each for each in text.splitlines() if each.startswith("internal error")] or [found[0].splitlines()[-1]]
        return f"{line[0][:100]} ({':'.join(places[-1]) if places else ''})"
    return "exit status 70" if os.WEXITSTATUS(status) == 70 else ""


# ------------------------------------------------------------------------------------------------------------- the run


def run(corpus: Corpus, seed: int, numbers: range, seen: Counter[str]) -> Iterator[tuple[int, Input, str, str]]:
    """What goes wrong."""
    for number in numbers:
        given = corpus.input(seed, number)
        with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
            wrong, text = ended(given, Path(folder))
        seen[given.arguments[0]] += 1
        seen["inputs"] += 1
        if seen["inputs"] % 1000 == 0:
            print(f"{seen['inputs']:,} inputs", flush=True)
        if wrong:
            yield number, given, wrong, text


def preload() -> None:
    """Import everything once, so that no input has to."""
    import gristmill

    for each in pkgutil.walk_packages(gristmill.__path__, "gristmill."):
        if not each.name.endswith(("__main__", "pytest_plugin")):
            importlib.import_module(each.name)


def keep(folder: Path, number: int, given: Input, wrong: str, text: str) -> None:
    target = folder / str(number)
    shutil.rmtree(target, ignore_errors=True)
    for name, content in given.files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    target.mkdir(parents=True, exist_ok=True)
    (target / "what.txt").write_text(f"{given}\n\n{given.stdin}\n{wrong}\n\n{text}", encoding="utf-8", errors="replace")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="DIR", help="a folder of modules")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to keep what fails")
    parser.add_argument("--show", action="store_true", help="print what was printed")
    asked = parser.parse_args()
    seen: Counter[str] = Counter()
    places: Counter[str] = Counter()
    preload()
    corpus = Corpus((*OWN, *asked.corpus))
    print(f"{len(corpus.modules)} modules, seed {asked.seed}", flush=True)
    for number, given, wrong, text in run(corpus, asked.seed, range(asked.first, asked.first + asked.count), seen):
        places[wrong] += 1
        if places[wrong] <= 3:
            print(f"input {number}: {wrong}\n    {str(given)[:200]}", flush=True)
            if asked.keep:
                keep(asked.keep, number, given, wrong, text)
        if asked.show:
            print(text)
    print(", ".join(f"{count:,} {name}" for name, count in seen.most_common()))
    print("\n".join(f"{count:6} {wrong}" for wrong, count in places.most_common()) or "nothing went wrong")
    sys.exit(1 if places else 0)


if __name__ == "__main__":
    main()
