"""`gristmill compose verify`: can the coarse grains stand in for the fine ones, and what follows for the whole?"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from gristmill.checking.options import Options
from gristmill.cli.compose.mixes import MANIFEST, mix_of, with_constants
from gristmill.cli.options import bytes_of
from gristmill.cli.output import print_diagnostics, wants_color
from gristmill.cli.pages import check_writable, write_text
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import Mix, System
from gristmill.compose.verify.behaviours import NamedMix, UnitBehaviours, Wanted, behaviours, mixes_compared
from gristmill.compose.verify.result import EXIT_CODES, Verification
from gristmill.compose.verify.verification import verify as verified
from gristmill.report.compose.behaviours import render_behaviours
from gristmill.report.compose.behaviours_json import behaviours_document
from gristmill.report.compose.behaviours_page import comparison_page
from gristmill.report.compose.verification import render_verification
from gristmill.report.compose.verification_json import verification_document
from gristmill.report.compose.verification_page import verification_page
from gristmill.report.terminal import Options as Look
from gristmill.search import Limits
from gristmill.search.verdict import FORMAT
from gristmill.source import Diagnostic, SourceError
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
@click.option(
    "--traces", is_flag=True, help="Compare whole behaviours of each composition with those of all coarse, both ways."
)
@click.option(
    "--summaries",
    is_flag=True,
    help="Of coarse grains whose steps are rejected: do they summarise uninterrupted runs, and what do they hide?",
)
@click.option(
    "--compare",
    nargs=2,
    metavar="MIX MIX",
    help="Only compare behaviours of two mixes, the finer one first: names of the manifest, or `fine` and `coarse`.",
)
@click.option("--hide", multiple=True, metavar="VARIABLE", help="Not to be compared by --traces and --summaries.")
@click.option("--papers", is_flag=True, help="Also tell which conditions of the papers fail by the letter, and where.")
@click.option("--behaviours", is_flag=True, help="Show failing steps with the states that lead to them.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@click.option("--html", metavar="FILE.html", help="Write what was found there, as one page.")
def verify(manifest: str, **options: Any) -> None:
    """Verify that the coarse grains preserve what modules see of each other.

    Each module is explored at its fine grain, with the others coarse. If every step of it is one of its coarse grain,
    or invisible, and the static conditions hold, then what holds of such a composition holds of the whole system, for
    these constants.

    --traces and --summaries look at whole behaviours, and say what else can be said of grains that are rejected, or
    that have variables of their own. They do not change the exit status.

    Exit status: 0 if that is proven, 13 if a coarse grain is rejected, 3 if it was not decided.
    """
    check_writable(options["html"])
    system = with_constants(read_manifest(manifest), options["constants"])
    print_diagnostics(system.warnings)
    if options["compare"]:
        _compare_mixes(system, options)
    found = _verified(system, options)
    more, told = _compared(system, found, options)
    if options["output"] == "json":
        document = verification_document(found)
        click.echo(dumped({**document, "behaviours": [behaviours_document(each) for each in more]}))
    else:
        look = _look(options)
        click.echo(
            "\n".join(
                [render_verification(found, look, options["papers"]), *(render_behaviours(each, look) for each in more)]
            ),
            nl=False,
        )
    print_diagnostics(told)
    if options["html"]:
        write_text(options["html"], verification_page(found, more, options["papers"], told))
    sys.exit(found.exit_code or (EXIT_CODES["incomplete"] if told else 0))


def _verified(system: System, options: dict[str, Any]) -> Verification:
    fine, coarse = _grains(system, options)
    return verified(system, _own(options), fine=fine, coarse=coarse)


def _compared(
    system: System, found: Verification, options: dict[str, Any]
) -> tuple[list[UnitBehaviours], list[Diagnostic]]:
    """Whole behaviours, of the units for which that is wanted, or for which there is no other way.

    And why some cannot be compared: what was found before is told all the same.
    """
    fine, coarse = _grains(system, options)
    with_own = {each.unit for each in found.findings if each.diagnostic.id == "variable-of-its-own"}
    results: list[UnitBehaviours] = []
    told: list[Diagnostic] = []
    for unit in found.units:
        wanted = Wanted(
            traces=options["traces"] or unit.name in with_own,
            both=options["traces"],
            summaries=options["summaries"] and bool(unit.failures),
            hide=options["hide"],
        )
        if wanted.traces or wanted.summaries:
            try:
                results += behaviours(system, _own(options), wanted, fine=fine, coarse=coarse, units=[unit.name])
            except SourceError as error:
                told += error.diagnostics
    return results, list(dict.fromkeys(told))


def _compare_mixes(system: System, options: dict[str, Any]) -> NoReturn:
    fine, coarse = (_mix_called(system, name) for name in options["compare"])
    wanted = Wanted(summaries=options["summaries"], hide=options["hide"])
    found = mixes_compared(system, _own(options), fine, coarse, wanted)
    if options["output"] == "json":
        click.echo(dumped({"format": FORMAT, "system": system.name, **behaviours_document(found)}))
    else:
        click.echo(render_behaviours(found, _look(options)), nl=False)
    if options["html"]:
        write_text(options["html"], comparison_page(system.name, found))
    verdict = "incomplete" if found.traces is None else found.traces.missed.verdict
    sys.exit({"included": 0, "different": 13, "incomplete": 3}[verdict])


def _mix_called(system: System, name: str) -> NamedMix:
    if name not in system.mixes and name in ("fine", "coarse"):
        return NamedMix(name, system.finest() if name == "fine" else system.coarsest())
    return NamedMix(name, mix_of(system, name, ()))


def _look(options: dict[str, Any]) -> Look:
    return Look(wants_color(), unchanged="show" if options["behaviours"] else "omit")


def _own(options: dict[str, Any]) -> Options:
    return Options(
        Limits(None, options["seconds"], options["memory"]),
        output=lambda text: None,
        engine=options["engine"],
        workers=options["workers"],
    )


def _grains(system: System, options: dict[str, Any]) -> tuple[Mix, Mix]:
    return mix_of(system, None, options["fine"]), mix_of(system, None, options["coarse"])
