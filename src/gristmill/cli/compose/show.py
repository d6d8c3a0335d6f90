"""`gristmill compose show`: modules, actions and variables, and what modules have in common."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from gristmill.cli.compose.mixes import MANIFEST, mix_of, mix_options, with_constants
from gristmill.cli.output import print_diagnostics, wants_color
from gristmill.compose.difference import difference
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import Mix, System
from gristmill.compose.variables.analysis import variables_of
from gristmill.report.compose import variables_json
from gristmill.report.compose.difference import difference_document, render_difference
from gristmill.report.compose.drawing import drawing_of, render_svg
from gristmill.report.compose.page import render_page
from gristmill.report.compose.variables_text import render_variables

FINEST, COARSEST = "finest", "coarsest"  # mixes that every system has


@click.command()
@MANIFEST
@mix_options
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, over the manifest's.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="What to print.")
@click.option("--brief", is_flag=True, help="Without the tables of actions.")
@click.option("--svg", metavar="FILE.svg", help="Draw modules and interaction variables there.")
@click.option("--html", metavar="FILE.html", help="Write everything there, as one page.")
@click.option(
    "--diff",
    nargs=2,
    metavar="MIX1 MIX2",
    help=f"What changes from one mix to another, in figures; `{FINEST}` and `{COARSEST}` are mixes, too.",
)
def show(manifest: str, **options: Any) -> None:
    """Show what the actions of each module read and write, and what the modules have in common.

    Dependency variables of a module: those of enabling conditions, and what they are computed from. Interaction
    variables: what modules share. Internal variables: the others. Without --grain and --mix, of the finest grains.
    """
    system = with_constants(read_manifest(manifest), options["constants"])
    print_diagnostics(system.warnings)
    if options["diff"]:
        show_difference(system, options)
        return
    variables = variables_of(system, mix_of(system, options["mix"], options["grains"]))
    if options["output"] == "json":
        click.echo(variables_json.render_variables(variables))
    else:
        color, width = wants_color(), shell_width()
        click.echo(render_variables(variables, color=color, width=width, actions=not options["brief"]), nl=False)
    if options["svg"]:
        write_text(options["svg"], render_svg(drawing_of(variables)))
    if options["html"]:
        write_text(options["html"], render_page(variables))


def shell_width() -> int:
    """Of a terminal, within reason; elsewhere, as of text in a file."""
    return max(60, min(160, shutil.get_terminal_size((100, 24)).columns)) if sys.stdout.isatty() else 100


def show_difference(system: System, options: dict[str, Any]) -> None:
    if options["mix"] or options["grains"] or options["svg"] or options["html"]:
        raise click.UsageError("--diff compares two mixes by name; it takes no --mix, --grain, --svg or --html")
    before, after = ((name, named_mix(system, name)) for name in options["diff"])
    found = difference(system, before, after)
    if options["output"] == "json":
        click.echo(difference_document(found))
    else:
        click.echo(render_difference(found, color=wants_color()), nl=False)


def named_mix(system: System, name: str) -> Mix:
    if name == FINEST and name not in system.mixes:
        return system.finest()
    if name == COARSEST and name not in system.mixes:
        return system.coarsest()
    return mix_of(system, name, ())


def write_text(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None
