"""`--junit` and `--github`: results for continuous integration."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from gristmill.cli.options import Command
from gristmill.search import Result

_OPTIONS = [
    click.option("--junit", metavar="FILE.xml", help="Write the result to a file, in the form of JUnit's."),
    click.option("--github", is_flag=True, help="Print annotations, as GitHub Actions reads them."),
]


def ci_options(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def report_to_ci(file: str, options: dict[str, Any], cases: Sequence[tuple[str, Result]]) -> None:
    """`cases`: results, each under a name."""
    if not options["junit"] and not options["github"]:
        return
    from gristmill.report.ci import Case, github_annotations, junit  # everybody else need not wait for it

    if options["junit"]:
        _write(options["junit"], junit(Path(file).stem, [Case(name, result) for name, result in cases]))
    if options["github"]:
        for _, result in cases:
            for line in github_annotations(file, result):
                click.echo(line, err=options["output"] == "json")


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None
