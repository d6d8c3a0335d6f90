"""`gristmill explore`: every schedule and fault of a message-passing program in Python."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, get_args

import click

from gristmill.explore.api import explore as explore_system
from gristmill.explore.chart import render_svg
from gristmill.explore.options import Engine, Options, Por
from gristmill.explore.replay import replay_saved
from gristmill.explore.result import Bounds, Counts, Result, SearchName
from gristmill.explore.schedule import SavedSchedule, save
from gristmill.explore.system import System
from gristmill.explore.text import drawn, render, to_json
from gristmill.source import Diagnostic, SourceError

EXIT_INCOMPLETE, EXIT_VIOLATED, EXIT_NEVER_AGAIN, EXIT_ASSERTION, EXIT_HANDLER = 3, 12, 13, 14, 75


@click.command()
@click.argument("file", metavar="FILE.py", type=click.Path(dir_okay=False))
@click.option("--system", "name", metavar="NAME", help="A System in the file, or a function that makes one.")
@click.option(
    "--search", type=click.Choice(get_args(SearchName)), default="dbss", show_default=True, help="The search."
)
@click.option("--por", type=click.Choice(get_args(Por)), default="none", show_default=True,
              help="Partial-order reduction.")  # fmt: skip
@click.option("--symmetry", is_flag=True, help="Exchange the processes that the system declares symmetric.")
@click.option("--verify-decomposition", is_flag=True, help="Test that auxiliary fields are auxiliary.")
@click.option("--engine", type=click.Choice(get_args(Engine)), default="auto", show_default=True,
              help="Explore in C (native) or in Python (naive).")  # fmt: skip
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Steps of a run, at most.")
@click.option("--states", type=click.IntRange(1), metavar="N", help="Stop after so many states.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after so long.")
@click.option("--runs", type=click.IntRange(1), default=1000, show_default=True, help="Of random and pct.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of random and pct.")
@click.option("--pct-depth", type=click.IntRange(1), default=3, show_default=True, help="Of pct: depth of the bug.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Of bfs, random and pct.")
@click.option("--save", "save_to", type=click.Path(dir_okay=False), help="Keep the schedule of a failure in a file.")
@click.option("--replay", "replay_from", type=click.Path(dir_okay=False), help="Follow a schedule that was kept.")
@click.option("--svg", type=click.Path(dir_okay=False), help="Draw the run of a failure into a file.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def explore(file: str, name: str | None, **options: Any) -> None:
    """Explore every schedule and every fault of a protocol written as Process classes.

    FILE.py holds a System, called `system` unless --system names another one. The exit status is 0 if nothing was
    found, 12 if a property does not hold (13: one that should hold again and again), 14 if an assertion failed, 75 if a
    handler failed otherwise, 3 if not all was explored, 1 if the file has a mistake.
    """
    system = find_system(load(file), file, name)
    result = replayed(system, options["replay_from"]) if options["replay_from"] else searched(system, options)
    click.echo(to_json(system, result) if options["output"] == "json" else render(system, result), nl=False)
    if result.failure is not None:
        if options["save_to"]:
            write(options["save_to"], save(result.failure.schedule, system.name).to_json())
        if options["svg"]:
            write(options["svg"], render_svg(drawn(system, result.failure)))
    sys.exit(exit_code(result))


def searched(system: System, options: dict[str, Any]) -> Result:
    names = "search por symmetry engine runs seed pct_depth workers verify_decomposition".split()
    bounds = Bounds(options["depth"], options["states"], options["seconds"])
    return explore_system(system, Options(bounds=bounds, **{name: options[name] for name in names}))


def replayed(system: System, path: str) -> Result:
    try:
        saved = SavedSchedule.from_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        fail("explore-schedule-file", f"{path} cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        fail("explore-schedule-file", f"{path} is not a schedule", "it is what --save writes")
    run = replay_saved(system, saved)
    counts = Counts(states=len(run.steps), transitions=len(run.steps) - 1, depth=len(run.steps))
    return Result("violated" if run.failure else "ok", "dfs", counts, run.failure)


def exit_code(result: Result) -> int:
    if result.failure is None:
        return EXIT_INCOMPLETE if result.verdict == "incomplete" else 0
    codes = {"eventually": EXIT_NEVER_AGAIN, "assertion": EXIT_ASSERTION, "exception": EXIT_HANDLER}
    return codes.get(result.failure.kind, EXIT_VIOLATED)


def write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        fail("explore-output-file", f"{path} cannot be written: {error.strerror}")


# The file


def load(path: str) -> ModuleType:
    """Import a file by its path. What goes wrong in it is reported with its line."""
    if not Path(path).is_file():
        fail("explore-file", f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"explored_{Path(path).stem}", path)
    if spec is None or spec.loader is None:
        fail("explore-file", f"{path} is no Python file", "its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # classes in it are looked up there
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        spec.loader.exec_module(module)
    except SourceError:
        raise
    except (Exception, SystemExit) as error:
        fail("explore-file", f"{_where(error, path)}: {type(error).__name__}: {error}")
    return module


def _where(error: BaseException, path: str) -> str:
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{error.filename}:{error.lineno}"
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == Path(path).name]
    return f"{path}:{own[-1].lineno}" if own else path


def find_system(module: ModuleType, path: str, name: str | None) -> System:
    systems = {key: value for key, value in vars(module).items() if isinstance(value, System)}
    if name is None and "system" not in vars(module) and len(systems) == 1:
        return next(iter(systems.values()))
    wanted = name or "system"
    found = vars(module).get(wanted)
    if callable(found) and not isinstance(found, System):
        try:
            found = found()
        except SourceError:
            raise
        except Exception as error:
            fail("explore-system", f"{_where(error, path)}: {wanted}() raised {type(error).__name__}: {error}")
    if isinstance(found, System):
        return found
    known = ", ".join(sorted(systems)) or "none"
    what = "there is none of that name" if found is None else f"it is a {type(found).__name__}"
    fail(
        "explore-system", f"{path} has no System called {wanted}: {what}", f"name one with --system; there are: {known}"
    )


def fail(id_: str, message: str, help_: str | None = None) -> NoReturn:
    raise SourceError(Diagnostic(id_, message, help=help_))
