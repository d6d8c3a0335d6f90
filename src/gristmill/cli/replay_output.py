"""What `gristmill replay` prints and writes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gristmill.replay.mapping import Mapping
from gristmill.replay.outcome import Outcome, Replayed
from gristmill.replay.record import Request, write_record
from gristmill.replay.report.document import outcome_document
from gristmill.replay.report.terminal import render
from gristmill.replay.result import StepRun
from gristmill.source.render import dumped


def printed(options: dict[str, Any]) -> Callable[[str], None]:
    """What a specification prints. Standard output is the document's, if there is one."""
    return lambda text: click.echo(text, err=options["output"] == "json")


def shown_step(options: dict[str, Any]) -> Callable[[StepRun], None] | None:
    if options["output"] == "json" or not sys.stderr.isatty():
        return None
    return lambda step: click.echo(f"{step.number:4}  {step.action}  {step.run_seconds * 1000:.0f} ms", err=True)


def shown_run(options: dict[str, Any]) -> Callable[[Replayed], None] | None:
    if options["output"] == "json":
        return None

    def show(replayed: Replayed) -> None:
        run = replayed.run
        said = "agrees" if run.discrepancy is None else f"{run.discrepancy.kind}: {run.discrepancy.message}"
        click.echo(f"{run.name}: {len(run.steps)} steps, {run.seconds:.1f} s, {said}"[:200], err=True)

    return show


def finished(request: Request, mapping: Mapping, outcome: Outcome, options: dict[str, Any]) -> int:
    """Prints the outcome, and writes what was asked for. Gives the exit status."""
    if options["output"] == "json":
        click.echo(dumped(outcome_document(outcome)))
    else:
        click.echo(render(outcome), nl=False)
    if outcome.replayed and options["record"] is not None:
        failing = [each for each in outcome.replayed if not each.run.conforms]
        trace, run = (failing or outcome.replayed)[0].shown
        path = Path(options["record"])
        _written(path, lambda: write_record(path, request, mapping.specification, trace, run))
    if options["html"] is not None:
        from gristmill.replay.report.page import write_page

        path = Path(options["html"])
        _written(path, lambda: write_page(path, mapping, outcome))
    return outcome.exit_code


def _written(path: Path, write: Callable[[], None]) -> None:
    try:
        write()
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None
