"""`python -m gristmill.explore.controlled run PROGRAM`, and `… replay SCHEDULE`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from gristmill.explore.chart import render_svg
from gristmill.explore.controlled.errors import Uncontrolled
from gristmill.explore.controlled.failure import Failure, find_program, load
from gristmill.explore.controlled.report import failure_text, result_text
from gristmill.explore.controlled.run import Program, Run, hash_seed
from gristmill.explore.controlled.search import explore, replay
from gristmill.explore.controlled.settings import Settings
from gristmill.explore.controlled.strategies import Diverged

FAILED, WRONG_INPUT = 12, 1

_COUNTS = {
    "drops": "Datagrams that are lost, in a run.",
    "duplicates": "Datagrams that arrive twice.",
    "resets": "Connections that break.",
    "splits": "Pieces of a stream that arrive in two parts.",
    "crashes": "Nodes that crash, and may restart.",
}
_TIMES = {
    "seconds": "Virtual time after which a run ends.",
    "delay": "Virtual time within which a packet arrives or is lost.",
    "lateness": "Virtual time by which timers and callbacks may be late.",
}


def settings_options(command: Callable[..., None]) -> Callable[..., None]:
    defaults = Settings()
    for name, text in reversed(_COUNTS.items()):
        command = click.option(f"--{name}", type=click.IntRange(0), default=0, show_default=True, help=text)(command)
    command = click.option(
        "--restarts", type=click.IntRange(0), default=None, help="Nodes that restart: as many as crash, unless told."
    )(command)
    command = click.option(
        "--steps", type=click.IntRange(1), default=defaults.steps, show_default=True, help="Events of a run, at most."
    )(command)
    for name in ("seconds", "delay", "lateness"):
        default = getattr(defaults, name)
        command = click.option(f"--{name}", type=float, default=default, show_default=True, help="Virtual time.")(
            command
        )
    return click.option("--allow", multiple=True, metavar="WORD", help="Let through what is not controlled.")(command)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def controlled() -> None:
    """Run asyncio programs under many schedules, and replay the ones that fail."""


@controlled.command()
@click.argument("program", metavar="FILE.py[:FUNCTION]")
@click.option("--runs", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--search", type=click.Choice(["random", "pct", "dfs"]), default="random", show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--depth", type=click.IntRange(1), default=None, help="Of PCT (3), or choices varied by dfs (20).")
@click.option("--deviations", type=click.IntRange(0), default=2, show_default=True, help="Unusual choices of dfs.")
@click.option("--keep-going", is_flag=True, help="Look for failures of other kinds after the first.")
@click.option("--save", metavar="FILE.json", default="failing-schedule.json", show_default=True)
@click.option("--svg", metavar="FILE.svg", help="Draw the failing run.")
@settings_options
def run(program: str, **options: Any) -> None:
    """Explore a program. The exit status is 0 if nothing failed, 12 if something did, 1 if it cannot be explored."""
    steady_hashes()
    found = _program(program)
    names = {field.name for field in fields(Settings)}
    settings = Settings(**{name: value for name, value in options.items() if name in names})
    depth = options["depth"] or (20 if options["search"] == "dfs" else 3)
    result = explore(
        found,
        runs=options["runs"],
        search=options["search"],
        seed=options["seed"],
        settings=settings,
        depth=depth,
        deviations=options["deviations"],
        keep_going=options["keep_going"],
    )
    click.echo(result_text(result))
    for number, failure in enumerate(result.failures.values(), 1):
        path = _numbered(options["save"], number)
        click.echo(failure_text(failure, _written(failure.save, path)))
        if options["svg"]:
            _draw(failure, _numbered(options["svg"], number))
    sys.exit(0 if result.ok else FAILED if result.failures else WRONG_INPUT)


@controlled.command(name="replay")
@click.argument("schedule", metavar="SCHEDULE.json")
@click.option("--program", metavar="FILE.py[:FUNCTION]", help="If it is not where it was.")
@click.option("--svg", metavar="FILE.svg", help="Draw the run.")
@click.option("--output", is_flag=True, help="Show what the program prints and logs.")
def replay_command(schedule: str, program: str | None, svg: str | None, output: bool) -> None:
    """Run a program under a saved schedule. The exit status is 12 if it fails as it did."""
    failure = _or_exit(load, schedule)
    steady_hashes(failure.hash_seed)
    try:
        run = replay(_program(program or failure.program), failure, quiet=not output)
    except Diverged as error:
        _exit(f"the program does not do what it did: {error}", "has it changed, or does it depend on hash() or id()?")
    shown = _as_replayed(failure, run)
    click.echo(failure_text(shown))
    if svg:
        _draw(shown, svg)
    if run.violation is None:
        _exit("the schedule does not fail any more", "the program has changed since it was saved")
    sys.exit(FAILED)


def _as_replayed(failure: Failure, run: Run) -> Failure:
    name, message = (run.violation.name, run.violation.message) if run.violation else ("no failure", "")
    return Failure(name, message, failure.kind, run.events, failure.program, failure.seed, failure.settings, run.story)


def _draw(failure: Failure, path: str) -> None:
    assert failure.story is not None
    drawing = render_svg(failure.story.chart(str(failure)))
    _written(lambda path: Path(path).write_text(drawing, encoding="utf-8"), path)
    click.echo(f"drawn in {path}")


def _written(write: Callable[[str], Any], path: str) -> str:
    try:
        write(path)
    except OSError as error:
        _exit(f"{path} cannot be written: {error.strerror}", "name another file")
    return path


def _numbered(path: str, number: int) -> str:
    stem, extension = os.path.splitext(path)
    return path if number == 1 else f"{stem}-{number}{extension}"


def _program(text: str) -> Program:
    found: Program = _or_exit(find_program, text)
    return found


def _or_exit(find: Callable[[str], Any], text: str) -> Any:
    try:
        return find(text)
    except (ValueError, Uncontrolled) as error:
        _exit(str(error), "")


def _exit(message: str, help: str) -> None:
    click.echo(f"error: {message}" + (f"\n  help: {help}" if help else ""), err=True)
    sys.exit(WRONG_INPUT)


def steady_hashes(wanted: str = "0") -> None:
    """Sets of strings have the same order in every process only if hashes have the same seed: start over with it."""
    if not wanted.isdigit():
        wanted = "0"
    if hash_seed() != wanted:
        os.environ["PYTHONHASHSEED"] = wanted
        module = "gristmill.explore.controlled"
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])


if __name__ == "__main__":
    controlled(prog_name="python -m gristmill.explore.controlled")
