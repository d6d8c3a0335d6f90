"""`gristmill explore` of an asyncio program: its schedules are run one by one."""

from __future__ import annotations

import os
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import click

from gristmill.cli.hashes import steady_hashes
from gristmill.cli.output import terminal_width
from gristmill.cluster.errors import ClusterError
from gristmill.controlled.failure import Failure, load
from gristmill.controlled.plan import SearchKind
from gristmill.controlled.report import failure_text, result_text, to_json
from gristmill.controlled.run import Program, Run
from gristmill.controlled.search import Result, explore, replay
from gristmill.controlled.settings import Settings
from gristmill.controlled.strategies import Diverged
from gristmill.explore.target import fail, loader
from gristmill.report.progress import ProgressLine
from gristmill.search.verdict import EXIT_CODES
from gristmill.trace.chart import render_svg

SAVED = "failing-schedule.json"


def explore_asyncio(program: Program, file: str, options: dict[str, Any]) -> None:
    """Search, or follow a schedule; tell, and exit."""
    if options["replay_from"]:
        follow(program, options)
    steady_hashes()
    result = searched(program, file, options)
    paths = [_numbered(options["save_to"] or SAVED, number) for number in range(1, len(result.failures) + 1)]
    saved = list(zip(result.failures.values(), paths, strict=True))
    if options["output"] == "json":
        click.echo(to_json(result, paths), nl=False)
    else:
        click.echo(result_text(result))
        for failure, path in saved:
            click.echo(failure_text(failure, f"gristmill explore {file} --replay {path}", terminal_width()))
    for number, (failure, path) in enumerate(saved, 1):  # after what was found is told, as this may fail
        write(path, failure.to_json() + "\n")
        if options["svg"]:
            write(_numbered(options["svg"], number), drawing(failure))
    if options["html"]:
        from gristmill.report.explored import asyncio_page  # most runs write none

        write(options["html"], asyncio_page(result, list(result.failures.values())))
    sys.exit(result.exit_code)


def searched(program: Program, file: str, options: dict[str, Any]) -> Result:
    search: SearchKind = options["search"] or "random"
    if search not in get_args(SearchKind):
        known = ", ".join(get_args(SearchKind))
        fail("explore-search", f"{search} needs states that can be stored, as those of processes", f"there are {known}")
    depth = options["pct_depth"] if search == "pct" else options["vary"]
    deviations = options["deviations"]
    progress = ProgressLine(sys.stderr) if options["output"] == "text" else None
    try:
        return explore(
            program,
            runs=options["runs"],
            search=search,
            seed=options["seed"],
            settings=settings_of(options),
            depth=depth,
            deviations="usual" if deviations is None else deviations,
            keep_going=options["keep_going"],
            seconds=options["seconds"],
            workers=options["workers"],
            on_progress=progress,
            cluster=options["cluster"],
            load=loader(file),
        )
    except ValueError as error:
        fail("explore-scenario", str(error))
    except ClusterError as error:
        fail("cluster", str(error), error.help)
    finally:
        if progress is not None:
            progress.close()


def settings_of(options: dict[str, Any]) -> Settings:
    names = {field.name for field in fields(Settings)} & options.keys() - {"seconds"}
    given = {name: options[name] for name in names}
    given["sides"] = tuple(tuple(name.strip() for name in side.split(",")) for side in options["sides"])
    if given["sides"] and not options["partitions"]:
        fail("explore-options", "--side says how the network falls apart, and it never does", "add --partitions 1")
    steps = {"steps": options["depth"]} if options["depth"] else {}
    return Settings(**given, **steps, seconds=options["virtual_seconds"])


def follow(program: Program, options: dict[str, Any]) -> None:
    """Run a program under a schedule that was kept."""
    try:
        failure = load(options["replay_from"])
    except ValueError as error:
        fail("explore-schedule-file", str(error), "it is what --save writes")
    steady_hashes(failure.hash_seed)
    try:
        run = replay(program, failure, quiet=not options["show_output"])
    except Diverged as error:
        help_ = "has it changed, or does it depend on hash() or id()?"
        fail("explore-schedule", f"the program does not do what it did: {error}", help_)
    shown = as_replayed(failure, run)
    click.echo(failure_text(shown, width=terminal_width()))
    if options["svg"]:
        write(options["svg"], drawing(shown))
    if options["html"]:
        from gristmill.report.explored import followed_page

        write(options["html"], followed_page(shown, run.violation is not None))
    if run.violation is None:
        fail("explore-schedule", "the schedule does not fail any more", "the program has changed since it was saved")
    sys.exit(EXIT_CODES[run.violation.verdict])


def as_replayed(failure: Failure, run: Run) -> Failure:
    name, message = (run.violation.name, run.violation.message) if run.violation else ("no failure", "")
    return Failure(name, message, failure.kind, run.events, failure.program, failure.seed, failure.settings, run.story)


def drawing(failure: Failure) -> str:
    assert failure.story is not None
    return render_svg(failure.story.chart(str(failure)))


def write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        fail("explore-output-file", f"{path} cannot be written: {error.strerror}", "name another file")


def _numbered(path: str, number: int) -> str:
    stem, extension = os.path.splitext(path)
    return path if number == 1 else f"{stem}-{number}{extension}"
