"""`gristmill`: the verbs, and what happens when one of them fails."""

import importlib
import os
import sys
import traceback

import click

from gristmill import __version__
from gristmill.cli import bytecode, leaving
from gristmill.cli.completion import with_files
from gristmill.cli.named import no_such_verb
from gristmill.cli.output import print_diagnostics
from gristmill.source import SourceError

# Verb -> one line about it. The function of the same name stands in the module of the same name, imported when used:
# a verb does not wait for the imports of others.
VERBS = {
    "check": "Check every behaviour of a specification.",
    "tlc": "TLC's own command line and messages, for scripts and tools that call TLC.",
    "simulate": "Check random behaviours of a specification.",
    "compose": "Compose a system of modules at several grains, and check it module by module.",
    "explore": "Explore every schedule and fault of a message-passing Python program.",
    "replay": "Replay traces of a model on the real system, and compare step by step.",
    "watch": "Judge recorded messages of a system by its specification, node by node.",
    "step": "Explore a specification by hand, state by state: in the terminal or the browser.",
    "parse": "Read modules and report every mistake in them.",
    "fmt": "Rewrite modules with Unicode or ASCII symbols.",
    "translate": "Translate PlusCal algorithms to TLA+, in place.",
    "eval": "Evaluate an expression.",
    "repl": "Evaluate expressions and definitions, one after the other.",
    "plot": "Draw how often values of a CSV file occur.",
    "lsp": "The language server for editors: diagnostics, definitions, completion, rename.",
    "bench": "Measure a specification with both engines, and with TLC if it is there.",
    "completion": "Print a script that completes this command line in a shell.",
    "examples": "List, run or copy the examples of the book.",
}


class Verbs(click.Group):
    """Loads the module of a verb when the verb is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command = getattr(importlib.import_module(f"gristmill.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return with_files(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            ctx.fail(no_such_verb(args[0], VERBS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gristmill")
def gristmill() -> None:
    """From a TLA+ specification to the system that runs it.

    `gristmill VERB --help` tells about one verb.
    """


def entry() -> None:
    """`main` as a process of its own, which ends with it."""
    leaving.expect()
    try:
        main()
    except SystemExit as error:
        leaving.tell(error.code)
        raise


def main() -> None:
    """A command in this process: user mistakes become messages, our own mistakes become a request to report them."""
    bytecode.install()
    try:
        gristmill(prog_name="gristmill")
    except SourceError as error:
        print_diagnostics(error.diagnostics)
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError:
        click.echo("error: There is no more memory", err=True)
        sys.exit(3)
    except Exception as error:
        report_internal_error(error)
        sys.exit(70)


def report_internal_error(error: Exception) -> None:
    if os.environ.get("GRISTMILL_DEBUG"):
        traceback.print_exc()
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    click.echo(
        f"internal error: {type(error).__name__} at {where}: {error}\n"
        "This is a mistake in gristmill, not in your input. Please report it with the input that caused it;\n"
        "with GRISTMILL_DEBUG=1 in the environment the whole stack is printed.",
        err=True,
    )
