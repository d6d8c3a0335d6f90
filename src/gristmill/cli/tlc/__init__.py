"""`gristmill tlc`: TLC's command line, its messages, its exit codes."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from gristmill.cli.tlc import codes
from gristmill.cli.tlc.command import Run, print_version
from gristmill.cli.tlc.help import HELP
from gristmill.cli.tlc.messages import Messages
from gristmill.cli.tlc.options import UsageError, every_option, read

_WRONG_COMMAND_LINE = 1


class Verbatim(click.Command):
    """Its arguments are TLC's: options have one dash, and click reads none of them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:
        ctx.params["args"] = tuple(args)
        return []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return [CompletionItem(each) for each in every_option() if each.startswith(incomplete)]
        return [CompletionItem(incomplete, type="file")]


@click.command(cls=Verbatim, add_help_option=False)
@click.argument("args", nargs=-1, type=click.Path(), metavar="[TLC'S OPTIONS] SPEC")
def tlc(args: tuple[str, ...]) -> None:
    """TLC's command line, messages and exit codes, for scripts and tools that call TLC."""
    if "--help" in args:
        click.echo(HELP, nl=False)
        return
    if "-version" in args:
        print_version(Messages("-tool" in args))
        return
    try:
        asked = read(args)
        status = None if asked.help else Run(asked).status()
    except UsageError as error:
        _refuse(str(error), "-tool" in args)
    except OSError as error:  # of -userFile
        _refuse(f"{error.filename} cannot be used: {error.strerror or error}", "-tool" in args)
    if status is None:
        click.echo(HELP, nl=False)
    sys.exit(status)


def _refuse(text: str, tool: bool) -> NoReturn:
    messages = Messages(tool)
    print_version(messages)
    messages.error(codes.COMMAND_LINE, f"Error: {text}\nUsage: gristmill tlc [-help] [-option] inputfile")
    sys.exit(_WRONG_COMMAND_LINE)
