"""`gristmill check`: does every behaviour of a specification satisfy its properties?"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gristmill.cli.loading import load
from gristmill.cli.output import has_errors, print_diagnostics, wants_color
from gristmill.evaluate import is_primitive
from gristmill.evaluate.check import Options
from gristmill.evaluate.check import check as check_model
from gristmill.ir.assemble import assemble
from gristmill.ir.choices import Choices, choices_of, with_changes
from gristmill.ir.model import Model
from gristmill.modules.appearance import register_words
from gristmill.modules.config import find_embedded_config, parse_config
from gristmill.modules.specification import Specification
from gristmill.report import json as json_report
from gristmill.report import terminal
from gristmill.report.progress import ProgressLine
from gristmill.search import Limits, Result
from gristmill.search.result import CONFIGURATION_ERROR, PARSE_ERROR
from gristmill.source import SourceError, SourceFile, read_source
from gristmill.values import NAMES


@click.command()
@click.argument("file", metavar="FILE.tla")
@click.option("--config", metavar="FILE.cfg", help="What to check; by default the .cfg beside FILE.tla.")
@click.option("--path", "search_path", multiple=True, metavar="DIR", help="Another folder to look for modules in.")
@click.option("--specification", metavar="NAME", help="The specification formula.")
@click.option("--init", metavar="NAME", help="The initial predicate.")
@click.option("--next", "next_", metavar="NAME", help="The next-state action.")
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="The value of a constant.")
@click.option("--invariant", "invariants", multiple=True, metavar="NAME", help="Another invariant to check.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Another property to check.")
@click.option("--constraint", "constraints", multiple=True, metavar="NAME", help="Explore only states that satisfy it.")
@click.option("--no-deadlock", is_flag=True, help="Let behaviours end.")
@click.option("--continue", "keep_going", is_flag=True, help="Go on after a violation; exits non-zero all the same.")
@click.option("--depth", type=click.IntRange(1), help="Explore states up to this depth; initial states have depth 1.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after this time with what is known.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@click.option("--allow-exec", is_flag=True, help="Let IOExec run programs.")
def check(file: str, config: str | None, search_path: tuple[str, ...], output: str, **options: Any) -> None:
    """Check a specification: safety, deadlock, action properties, assumptions.

    Reads FILE.tla and its configuration, explores every reachable state breadth-first, and reports the shortest
    behaviour that breaks something. Everything in a configuration file can be given on the command line instead.

    \b
    Exit status: 0 no error, 3 incomplete, 10 an assumption is false, 11 deadlock, 12 an invariant is violated,
    13 a property is violated, 14 an assertion failed, 75 evaluation failed, 150 the specification has errors.
    """
    json = output == "json"
    try:
        model = build(file, config, search_path, options, quiet=json)
    except SourceError as error:
        finish(refused(error), json)
    progress = None if json else ProgressLine(sys.stderr)
    result = check_model(
        model,
        Options(
            Limits(options["depth"], options["seconds"]),
            options["keep_going"],
            on_progress=progress,
            output=_to_stderr if json else click.echo,
            allow_execution=options["allow_exec"],
        ),
    )
    if progress is not None:
        progress.close()
    finish(result, json)


def _to_stderr(text: str) -> None:
    click.echo(text, err=True)


def refused(error: SourceError) -> Result:
    """A run that ended before it began."""
    status = CONFIGURATION_ERROR if all(d.span is None for d in error.diagnostics) else PARSE_ERROR
    return Result("error", message=error.diagnostics[0].message, diagnostics=error.diagnostics, status=status)


def finish(result: Result, json: bool) -> None:
    if json:
        click.echo(json_report.render_result(result))
    else:
        print_diagnostics(result.diagnostics)
        click.echo(terminal.render_result(result, terminal.Options(color=wants_color())), nl=False)
    sys.exit(result.exit_code)


def build(file: str, config: str | None, search_path: tuple[str, ...], options: dict[str, Any], quiet: bool) -> Model:
    """The model to check. Raises `SourceError`."""
    NAMES.reset()
    choices = read_choices(file, config)
    loaded, diagnostics = load(file, search_path)
    if loaded.specification is None:
        raise SourceError([d for d in diagnostics if d.severity == "error"] or diagnostics)
    if not quiet:
        print_diagnostics(diagnostics)
    register_words(loaded.specification)
    chosen = with_defaults(with_options(choices, options), loaded.specification)
    return assemble(loaded.specification, chosen, _Primitives())


class _Primitives:
    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and is_primitive(key)


def read_choices(file: str, config: str | None) -> Choices:
    """From the configuration file, the one beside the module, or the one inside it; nothing if there is none."""
    module = Path(file)
    path = Path(config) if config is not None else module.with_suffix(".cfg")
    if config is None and not path.exists():
        path = module
        if not module.exists():
            return Choices()
    source = read_source(path)
    start, end = 0, len(source.text)
    if path.suffix == ".tla":
        embedded = find_embedded_config(source, path.stem)
        if embedded is None:
            return Choices()
        start, end = embedded
    parsed, diagnostics = parse_config(source, start, end)
    if has_errors(diagnostics):
        raise SourceError(diagnostics)
    return choices_of(parsed)


def with_options(choices: Choices, options: dict[str, Any]) -> Choices:
    """The command line adds properties, and puts its formulas and constants in place of the configuration's."""
    if options["init"] or options["next_"]:
        choices = replace(choices, specification=None)
    return with_changes(
        choices,
        specification=options["specification"],
        init=options["init"],
        next=options["next_"],
        constants={**choices.constants, **given_constants(options["constants"])},
        invariants=(*choices.invariants, *options["invariants"]),
        properties=(*choices.properties, *options["properties"]),
        constraints=(*choices.constraints, *options["constraints"]),
        check_deadlock=False if options["no_deadlock"] else None,
    )


def with_defaults(choices: Choices, specification: Specification) -> Choices:
    """Where nobody says what to check, it is Spec, or else Init and Next."""
    if choices.specification or choices.init or choices.next:
        return choices
    names = specification.root.names
    if "Spec" in names:
        return replace(choices, specification="Spec")
    if "Init" in names and "Next" in names:
        return replace(choices, init="Init", next="Next")
    return choices


def given_constants(given: Sequence[str]) -> dict[tuple[str | None, str], Any]:
    """`--constant N=3` is read as a line of a configuration file."""
    source = SourceFile("--constant", "CONSTANTS\n" + "\n".join(given))
    parsed, diagnostics = parse_config(source)
    if has_errors(diagnostics):
        raise SourceError(diagnostics)
    return {(assignment.module, assignment.name): assignment.value for assignment in parsed.assignments}
