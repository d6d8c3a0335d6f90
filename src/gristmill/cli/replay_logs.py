"""`gristmill replay SYSTEM.map.toml --log FILE…`: runs that the system has logged itself, followed by the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gristmill.cli.output import wants_color
from gristmill.cli.replay_output import printed
from gristmill.replay.logs import log_document, render, validate
from gristmill.replay.mapping import document_of, specification_of
from gristmill.replay.record import Request
from gristmill.report.terminal import Options
from gristmill.source import Diagnostic, SourceError
from gristmill.source.render import dumped


def run_logs(request: Request, options: dict[str, Any]) -> int:
    """Prints what was found; gives the exit status. Raises `SourceError`."""
    document, places = document_of(request.mapping)
    if "log" not in document:
        help = "[log] says what its lines are: see docs/how-to/validate-logs.md"
        raise SourceError(Diagnostic("no-log", "the mapping does not speak of logs", places.key("system"), help=help))
    with specification_of(
        request.mapping,
        specification=request.specification,
        mix=request.mix,
        constants=request.constants,
        engine="native",
        output=printed(options),
    ) as specification:
        limits = {name: options[name] for name in ("bound", "seconds") if options[name] is not None}
        found = validate(specification, document, places, [Path(each) for each in options["logs"]], **limits)
        if options["output"] == "json":
            click.echo(dumped(log_document(found)))
        else:
            click.echo(render(found, Options(color=wants_color())), nl=False)
    return found.exit_code
