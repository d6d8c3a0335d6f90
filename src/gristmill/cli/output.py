"""What the verbs share: where messages go, and how they look there."""

import os
import shutil
import sys
from collections.abc import Sequence

import click

from gristmill.source import Diagnostic
from gristmill.source.render import render_text


def wants_color() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ


def print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Messages for a person go to standard error, so that standard output stays the result."""
    if diagnostics:
        click.echo(render_text(diagnostics, wants_color()), err=True)


def print_note(text: str) -> None:
    click.echo(f"note: {text}", err=True)


def has_errors(diagnostics: Sequence[Diagnostic]) -> bool:
    return any(d.severity == "error" for d in diagnostics)


def terminal_width(without: int = 100) -> int:
    """Columns of the terminal, or as $COLUMNS says; where there is none, a width that logs can be read at."""
    return min(max(shutil.get_terminal_size((without, 24)).columns, 40), 200)
