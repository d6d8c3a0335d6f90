"""`gristmill compose plan`: which grains can be afforded around a module."""

from __future__ import annotations

import sys
from typing import Any

import click

from gristmill.checking.options import Options
from gristmill.cli.compose.durations import Duration
from gristmill.cli.compose.mixes import MANIFEST, with_constants
from gristmill.compose.cost import Cost, measured
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.planning import plan as make_plan
from gristmill.compose.system import Composition, Mix
from gristmill.compose.verify.result import Verification
from gristmill.compose.verify.verification import verify
from gristmill.report.compose.plan import plan_document, render_plan
from gristmill.search import Limits
from gristmill.source.render import dumped


@click.command()
@MANIFEST
@click.option("--target", required=True, metavar="MODULE", help="The module of interest: it gets its finest grain.")
@click.option("--budget", type=Duration(), default=60.0, metavar="TIME", help="How long a check may take; 60s.")
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, over the manifest's.")
@click.option("--workers", type=click.IntRange(1), default=1, metavar="N", help="Threads of the native engine.")
@click.option(
    "--format", "output", type=click.Choice(["text", "json"]), default="text", help="How to print the result."
)
def plan(manifest: str, **options: Any) -> None:
    """Choose a grain for each of the other modules: the finest that can be explored in the time given.

    Each mix is explored for a short time; from how its frontier grows, its size is estimated. A mix with a coarse grain
    that `gristmill compose verify` rejects is not chosen. The exit status is 3 if there is none.
    """
    system = with_constants(read_manifest(manifest), options["constants"])
    budget = options["budget"]
    search = Options(Limits(seconds=budget), workers=options["workers"], output=lambda text: None)

    def measure(composed: Composition, seconds: float) -> Cost:
        return measured(composed, seconds, search)

    def verified(mix: Mix) -> Verification | None:
        return None if mix == system.finest() else verify(system, search, coarse=mix)

    found = make_plan(system, options["target"], budget, measure, verified)
    if options["output"] == "json":
        click.echo(dumped(plan_document(found)))
    else:
        click.echo(render_plan(found, manifest), nl=False)
    sys.exit(0 if found.chosen is not None else 3)
