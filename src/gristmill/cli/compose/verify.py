"""`gristmill compose verify`: can the coarse grains stand in for the fine ones, and what follows for the whole?"""

from __future__ import annotations

import sys
from typing import Any

import click

from gristmill.checking.options import Options
from gristmill.cli.compose.mixes import MANIFEST, mix_of, with_constants
from gristmill.cli.options import bytes_of
from gristmill.cli.output import print_diagnostics, wants_color
from gristmill.compose.manifest import read_manifest
from gristmill.compose.system import System
from gristmill.compose.verify.result import Verification
from gristmill.compose.verify.verification import verify as verified
from gristmill.report.compose.verification import render_verification
from gristmill.report.compose.verification_json import verification_document
from gristmill.report.terminal import Options as Look
from gristmill.search import Limits
from gristmill.source.render import dumped


@click.command()
@MANIFEST
@click.option(
    "--fine",
    multiple=True,
    metavar="MODULE=GRAIN",
    help="The grain that a coarse one stands in for; of modules that are not named, the finest.",
)
@click.option(
    "--coarse",
    multiple=True,
    metavar="MODULE=GRAIN",
    help="The coarse grain of a module; of those that are not named, the coarsest. Its fine one: leave it fine.",
)
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, over the manifest's.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="For each composition.")
@click.option("--memory", metavar="SIZE", callback=lambda ctx, param, value: bytes_of(value), help="500M, 2G.")
@click.option("--workers", type=click.IntRange(1), default=1, metavar="N", help="Threads of the native engine.")
@click.option("--engine", type=click.Choice(["auto", "native", "python"]), default="auto", help="As for `check`.")
@click.option("--behaviours", is_flag=True, help="Show failing steps with the states that lead to them.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
def verify(manifest: str, **options: Any) -> None:
    """Verify that the coarse grains preserve what modules see of each other.

    Each module is explored at its fine grain, with the others coarse. If every step of it is one of its coarse grain, or
    invisible, and the static conditions hold, then what holds of such a composition holds of the whole system, for
    these constants.

    Exit status: 0 if that is proven, 13 if a coarse grain is rejected, 3 if it was not decided.
    """
    system = with_constants(read_manifest(manifest), options["constants"])
    print_diagnostics(system.warnings)
    found = _verified(system, options)
    if options["output"] == "json":
        click.echo(dumped(verification_document(found)))
    else:
        look = Look(wants_color(), unchanged="show" if options["behaviours"] else "omit")
        click.echo(render_verification(found, look), nl=False)
    sys.exit(found.exit_code)


def _verified(system: System, options: dict[str, Any]) -> Verification:
    own = Options(
        Limits(None, options["seconds"], options["memory"]),
        output=lambda text: None,
        engine=options["engine"],
        workers=options["workers"],
    )
    fine, coarse = mix_of(system, None, options["fine"]), mix_of(system, None, options["coarse"])
    return verified(system, own, fine=fine, coarse=coarse)
