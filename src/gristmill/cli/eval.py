"""`gristmill eval`: the value of an expression."""

import sys
from typing import Any

import click

from gristmill.cli.named import module_file
from gristmill.cli.output import print_diagnostics
from gristmill.cli.repl import session_options, session_with
from gristmill.source import SourceError

INCOMPLETE = 3  # as for a search that a limit has ended
FAILED = 75  # as for a specification that has no value somewhere


@click.command("eval")
@click.argument("expression", metavar="EXPR")
@click.option("--spec", "file", metavar="FILE.tla", callback=module_file, help="A specification to evaluate in.")
@session_options
def eval(expression: str, file: str | None, **options: Any) -> None:
    """Evaluate an expression.

    Integers, Sequences, FiniteSets and TLC are known. With --spec it is what the specification knows instead; its
    constants have the values of its configuration, and its variables those of its first initial state.
    """
    try:
        shown = session_with(file, options).shown(expression)
    except SourceError as error:
        print_diagnostics(error.diagnostics)
        sys.exit(INCOMPLETE if error.diagnostics[0].id in ("out-of-time", "out-of-memory") else FAILED)
    click.echo(shown)
