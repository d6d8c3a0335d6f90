"""`gristmill compose build`: one specification, made of a grain of each module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gristmill.cli.compose.mixes import MANIFEST, mix_of, mix_options, with_constants
from gristmill.cli.output import print_diagnostics, print_note
from gristmill.compose.build.composer import composition
from gristmill.compose.manifest.reading import read_manifest
from gristmill.report.compose.composition import render_composition
from gristmill.source.file import encode_source


@click.command()
@MANIFEST
@mix_options
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, over the manifest's.")
@click.option(
    "-o", "--output", metavar="FILE.tla", help="Write the module there, and its configuration beside it as FILE.cfg."
)
def build(manifest: str, **options: Any) -> None:
    """Write one TLA+ module with a grain of each module, and its configuration.

    Without --grain and --mix, all modules are at their finest grain. The module has the variables that somebody reads;
    TLC and every other tool can check it. Without -o it goes to standard output.
    """
    system = with_constants(read_manifest(manifest), options["constants"])
    print_diagnostics(system.warnings)
    target = Path(options["output"]) if options["output"] else None
    if target is not None and (target.suffix != ".tla" or not target.stem.isidentifier()):
        raise click.BadParameter("a module needs a name of letters, digits and _, and .tla", param_hint="-o")
    composed = composition(
        system, mix_of(system, options["mix"], options["grains"]), name=None if target is None else target.stem
    )
    if target is None:
        click.echo(composed.text, nl=False)
        return
    for path, text in ((target, composed.text), (target.with_suffix(".cfg"), composed.config)):
        try:
            path.write_bytes(encode_source(text))
        except OSError as error:
            raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None
    click.echo(render_composition(composed), nl=False)
    click.echo(f"Wrote {target} and {target.with_suffix('.cfg')}.")
    if "INSTANCE " in composed.text and target.parent.resolve() not in [p.resolve() for p in composed.search_path]:
        print_note(f"modules that it instantiates are in {composed.search_path[0]}: check it with --path")
