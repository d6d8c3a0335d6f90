"""`gristmill explore`: every schedule and fault of a message-passing program in Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from gristmill.cli.explore_asyncio import explore_asyncio, write
from gristmill.cli.explore_options import Sectioned, options_of_explore, reject_options
from gristmill.cli.output import terminal_width
from gristmill.cluster.errors import ClusterError
from gristmill.explore.api import explore as explore_system
from gristmill.explore.options import Options
from gristmill.explore.result import Bounds, Counts, Result, SearchName, verdict_of
from gristmill.explore.schedules import replay_saved
from gristmill.explore.system import System
from gristmill.explore.target import fail, find_target, loader
from gristmill.explore.text import drawn, render, to_json
from gristmill.report.progress import ProgressLine
from gristmill.trace.chart import render_svg
from gristmill.trace.schedule import SavedSchedule, save


@click.command(cls=Sectioned)
@click.argument("file", metavar="FILE.py[:NAME]")
@options_of_explore
def explore(file: str, name: str | None, **options: Any) -> None:
    """Explore the schedules and faults of a message-passing program.

    FILE.py holds a protocol written as Process classes, put together as a System (called `system` unless NAME or
    --system says otherwise), of which every schedule and every fault is explored. Or it holds a scenario of an asyncio
    program, a function of the world (called `program`), of which many schedules are run.

    The exit status is 0 if nothing was found, 12 if a property does not hold (13: one that should hold again and
    again), 11 if an asyncio program hangs, 14 if an assertion failed, 75 if a handler or a program failed otherwise or
    does what cannot be controlled, 3 if not all was explored, 1 if there is a mistake in the file or on the command
    line.
    """
    target, shown = find_target(file, name), f"{file}:{name}" if name else file
    if isinstance(target, System):
        reject_options("For asyncio programs", "a system of processes")
        explore_processes(target, shown, options)
    else:
        reject_options("For systems of processes", "an asyncio program")
        explore_asyncio(target, shown, options)


def explore_processes(system: System, file: str, options: dict[str, Any]) -> None:
    result = replayed(system, options["replay_from"]) if options["replay_from"] else searched(system, file, options)
    text = to_json(system, result) if options["output"] == "json" else render(system, result, terminal_width())
    click.echo(text, nl=False)
    if options["html"]:
        from gristmill.report.explored import processes_page  # most runs write none

        write(options["html"], processes_page(system, result))
    if result.failure is not None:
        if options["save_to"]:
            write(options["save_to"], save(result.failure.schedule, system.name).to_json())
            if options["output"] == "text":
                click.echo(f"replay it with: gristmill explore {file} --replay {options['save_to']}")
        if options["svg"]:
            write(options["svg"], render_svg(drawn(system, result.failure)))
    sys.exit(result.exit_code)


def searched(system: System, file: str, options: dict[str, Any]) -> Result:
    search: SearchName = options["search"] or "dbss"
    names = "por symmetry engine runs seed pct_depth workers verify_decomposition cluster".split()
    bounds = Bounds(options["depth"], options["states"], options["seconds"])
    progress = ProgressLine(sys.stderr) if options["output"] == "text" else None
    given = {name: options[name] for name in names}
    try:
        return explore_system(system, Options(search, bounds=bounds, on_progress=progress, load=loader(file), **given))
    except ClusterError as error:
        fail("cluster", str(error), error.help)
    finally:
        if progress is not None:
            progress.close()


def replayed(system: System, path: str) -> Result:
    try:
        saved = SavedSchedule.from_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        fail("explore-schedule-file", f"{path} cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        fail("explore-schedule-file", f"{path} is not a schedule", "it is what --save writes")
    run = replay_saved(system, saved)
    counts = Counts(distinct=len(run.steps), transitions=len(run.steps) - 1, depth=len(run.steps))
    return Result(verdict_of(run.failure), "dfs", counts, run.failure)
