"""`gristmill compose check`: a mix of grains, or each module with the others coarse."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gristmill.api import Result, refused
from gristmill.cli.check import (
    check_one,
    check_options,
    print_result,
    refuse_combinations,
    search_options,
    write_files,
)
from gristmill.cli.compose.durations import Duration
from gristmill.cli.compose.mixes import MANIFEST, mix_of, mix_options, only_option, with_constants, with_only
from gristmill.cli.output import print_diagnostics
from gristmill.cli.pages import write_text
from gristmill.cli.sweep import Row, families, render_sweep, sweep_document
from gristmill.cli.tlc_options import Verb
from gristmill.compose.build.composer import composition
from gristmill.compose.build.sources import config_source, module_source
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import Composition, System
from gristmill.report.compose.composition import composition_document, render_composition
from gristmill.report.json import result_document
from gristmill.source import SourceError
from gristmill.source.render import dumped

if TYPE_CHECKING:
    from gristmill.compose.verify.result import Verification


@click.command(cls=Verb)
@MANIFEST
@mix_options
@only_option
@click.option("--each", is_flag=True, help="Check each module at its finest grain, with the others coarse.")
@click.option(
    "--budget",
    type=Duration(),
    default=60.0,
    metavar="TIME",
    help="With --each: how long the direct check of the whole may take; 60s. 0: none.",
)
@click.option("--no-verify", is_flag=True, help="With --each: do not verify the coarse grains; nothing follows then.")
@check_options
def check(manifest: str, **options: Any) -> None:
    """Compose grains and check the result, with the invariants that it can speak of.

    All options are those of `gristmill check`; --constant goes over the constants of the manifest. Deadlock is not
    checked: that a composition comes to an end says nothing of the system. Exit statuses are those of `check`.
    """
    refuse_combinations(options)
    if options["config"] is not None:
        raise click.UsageError("the manifest names the configuration: config = … in [system]; use --constant here")
    if (options["junit"] or options["github"]) and (options["each"] or options["sweeps"]):
        raise click.UsageError("--junit and --github tell of one composition: leave out --each and --sweep")
    try:
        system = with_only(with_constants(read_manifest(manifest), options["constants"]), options["only"])
    except SourceError as error:
        finish(refused(error), None, manifest, options)
    if options["each"]:
        check_modules(system, manifest, options)
    if options["sweeps"]:
        check_family(system, options)
    result, composed = checked(system, options)
    finish(result, composed, manifest, options)


def checked(system: System, options: dict[str, Any]) -> tuple[Result, Composition | None]:
    try:
        composed = composition(system, mix_of(system, options["mix"], options["grains"]))
    except SourceError as error:
        return refused(error), None
    if options["output"] == "text" and not options["sweeps"]:
        click.echo(render_composition(composed), nl=False)
    return check_composition(composed, options), composed


def check_composition(composed: Composition, options: dict[str, Any]) -> Result:
    """The ordinary check of the text of a composition."""
    search_path = (*options["search_path"], *composed.search_path)
    own = {**options, "config": config_source(composed), "search_path": search_path}
    return check_one(module_source(composed), own, ())


def finish(result: Result, composed: Composition | None, manifest: str, options: dict[str, Any]) -> NoReturn:
    """Prints the result; does not return."""
    if options["output"] == "json":
        document = result_document(result)
        if composed is not None:
            document["composition"] = composition_document(composed)
        click.echo(dumped(document))
    else:
        print_result(result, options)
    write_files(result, manifest, options, "compose check")
    sys.exit(result.exit_code)


def check_modules(system: System, manifest: str, options: dict[str, Any]) -> NoReturn:
    """`--each`; does not return. What it needs besides is imported here: a single mix need not wait for it."""
    from gristmill.compose.conclusion import verified
    from gristmill.compose.each import check_each
    from gristmill.report.compose.each import each_document, render_each
    from gristmill.report.compose.each_page import each_page

    for name, given in (("--grain", options["grains"]), ("--mix", options["mix"]), ("--sweep", options["sweeps"])):
        if given:
            raise click.UsageError(f"--each chooses the grains itself: leave out {name}")
    quiet = options["output"] == "json"

    def run(composed: Composition, seconds: float | None) -> Result:
        own = {**options, "html": None}  # the page is of all of them, and has no state graphs
        limited = own if seconds is None else {**own, "seconds": min(seconds, options["seconds"] or seconds)}
        return check_composition(composed, limited)

    def verify() -> Verification:
        return verified(system, search_options({**options, "keep_going": False}, None))

    try:
        found = check_each(
            system,
            run,
            None if options["no_verify"] else verify,
            options["budget"] or None,
            (lambda name: None) if quiet else _announce,
        )
    except SourceError as error:
        finish(refused(error), None, manifest, options)
    if quiet:
        click.echo(dumped(each_document(found)))
    else:
        if found.failed is not None:
            print_result(found.failed.result, options)  # type: ignore[arg-type]
        click.echo(render_each(found), nl=False)
    if found.failed is not None:
        write_files(found.failed.result, manifest, {**options, "html": None}, "compose check")  # type: ignore[arg-type]
    if options["html"] is not None:
        write_text(options["html"], each_page(system.name, found))
    sys.exit(found.exit_code)


def _announce(name: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"{name} …", err=True)


def check_family(system: System, options: dict[str, Any]) -> NoReturn:
    """A composition for each combination of constants; does not return."""
    rows = []
    for values in families(options["sweeps"]):
        result, _ = checked(with_constants(system, [f"{name} = {value}" for name, value in values.items()]), options)
        rows.append(Row(values, result))
        if result.status is not None:
            print_diagnostics(result.diagnostics)
            break
        if result.message == "Interrupted":
            break
    click.echo(sweep_document(rows) if options["output"] == "json" else render_sweep(rows))
    sys.exit(next((row.result.exit_code for row in rows if not row.result.ok), 0))
