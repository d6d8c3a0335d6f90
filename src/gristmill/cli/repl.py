"""`gristmill repl`: expressions and definitions, one after the other."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from gristmill.building import build, parsed
from gristmill.cli.named import module_file
from gristmill.cli.options import permission_options, permissions_of
from gristmill.cli.repl_steps import Steps
from gristmill.modules.choices import Choices, with_added
from gristmill.repl.completion import Completer
from gristmill.repl.loop import COMMANDS, PROMPT, Read, run_loop, terminal_reader
from gristmill.repl.session import Session
from gristmill.source import SourceFile
from gristmill.specification import Specification

Command = TypeVar("Command", bound=Callable[..., Any])


def session_options(command: Command) -> Command:
    """What a session can be given besides a specification."""
    options = [
        click.option("--config", metavar="FILE.cfg", help="Values of constants; by default the .cfg beside FILE."),
        click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="As in a configuration."),
        click.option("--extends", "modules", multiple=True, metavar="MODULE", help="Another module to know."),
        click.option("--seconds", type=click.FloatRange(0, min_open=True), help="How long one evaluation may take."),
        click.option("--path", "search_path", multiple=True, metavar="DIR", help="Another folder to look for modules."),
    ]
    for option in reversed(options):
        command = option(command)
    return permission_options(command)


def session_with(file: str | None, options: dict[str, Any]) -> Session:
    def change(choices: Choices) -> Choices:
        given = parsed(SourceFile("--constant", "CONSTANTS\n" + "\n".join(options["constants"]))).choices()
        return with_added(choices, given)

    return Session(
        None if file is None else Path(file),
        None if options["config"] is None else Path(options["config"]),
        options["search_path"],
        change,
        click.echo,
        list(options["modules"]),
        permissions=permissions_of(options),
        seconds=options["seconds"],
        names_model_values=True,
    )


@click.command()
@click.argument("file", metavar="[FILE.tla]", required=False, callback=module_file)
@session_options
@click.option("--echo", is_flag=True, help="Show prompts and what is read, where standard input is no terminal.")
def repl(file: str | None, echo: bool, **options: Any) -> None:
    """Evaluate expressions and remember definitions, one after the other; :help tells more.

    With FILE.tla, in that specification: see `gristmill eval`. Reads standard input where that is no terminal; the exit
    status is then 1 if something was mistaken.
    """
    interactive = sys.stdin.isatty()
    if interactive:
        click.echo("TLA+ expressions and definitions; :help tells more.")
    session = session_with(file, options)
    steps = Steps(session, lambda: opened(session, options), click.echo)
    commands = steps.commands()
    read = terminal_reader(Completer(session, (*COMMANDS, *commands))) if interactive else line_reader(echo)
    try:
        mistakes = run_loop(session, read, click.echo, lambda text: click.echo(text, err=True), commands)
    finally:
        steps.close()
    sys.exit(1 if mistakes and not interactive else 0)


def opened(session: Session, options: dict[str, Any]) -> Specification:
    """The specification of a session, to take its steps."""
    assert session.specification is not None
    built = build(session.specification, config=session.config, search_path=session.search_path, change=session.change)
    allowed = {name: options[name] for name in ("allow_read", "allow_write", "env", "allow_exec")}
    said = {"config": session.config, "path": tuple(session.search_path), **allowed}
    return Specification(session.specification, built, said, (), "python", session.output, None)


def line_reader(echo: bool) -> Read:
    """Lines of standard input."""

    def read(prompt: str) -> str | None:
        line = sys.stdin.readline()
        if not line:
            return None
        if echo and (line.strip() or prompt != PROMPT):
            click.echo((prompt + line.rstrip("\n")).rstrip())
        return line.rstrip("\n")

    return read
