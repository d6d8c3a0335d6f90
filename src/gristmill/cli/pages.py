"""`--html FILE`: a result as one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from gristmill.api import Result, run
from gristmill.building import Built
from gristmill.checking.options import Options
from gristmill.cli.output import print_note
from gristmill.explain.formulas import is_repeatable
from gristmill.ir.walk import SEARCHED, bodies
from gristmill.search.result import Simulation


def check_writable(path: str | None) -> None:
    """Before anything is searched: afterwards it is a pity."""
    if path is None:
        return
    parent = Path(path).absolute().parent
    if Path(path).is_dir() or not parent.is_dir():
        why = "it is a folder" if Path(path).is_dir() else f"there is no folder {parent}"
        raise click.BadParameter(f"{path} cannot be written: {why}", param_hint="--html")


def write_page(result: Result, source: str, path: str | None, verb: str, simulation: Simulation | None = None) -> None:
    """If it was asked for."""
    if path is not None:
        from gristmill.report.page.result import result_page  # who wants no page need not wait for it

        write_text(path, result_page(result, Path(source).stem, verb, simulation))


def write_text(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None
    print_note(f"{path} is written")


def with_small_graph(result: Result, build: Callable[[], Built], options: Options) -> Result:
    """The result, with the graph of what was explored if that is small enough to draw.

    It is searched a second time for that, which takes no time to speak of: to keep every graph, in case it stays small,
    would cost those that do not. What cannot be evaluated twice, as it writes files or runs programs, has none here.
    """
    from gristmill.report.page.graph import MOST_STATES

    if result.graph is not None or not 0 < result.distinct <= MOST_STATES or result.status is not None:
        return result
    built = build()
    if not all(map(is_repeatable, bodies(built.model, SEARCHED))):
        return result
    again = run(lambda: built, _again(options))
    same = (again.verdict, again.distinct, again.property) == (result.verdict, result.distinct, result.property)
    return replace(result, graph=again.graph) if same else result


def _again(options: Options) -> Options:
    return replace(
        options,
        keep_graph=True,
        engine="python",
        workers=1,
        on_progress=None,
        output=lambda text: None,
        checkpoint=None,
        resume=False,
        fingerprint=False,
        emit_c=None,
        observers=(),
    )
