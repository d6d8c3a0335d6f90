"""`gristmill step`: states and steps of a specification one by one, in the terminal or in a browser."""

from __future__ import annotations

import signal
import sys
import webbrowser
from types import FrameType
from typing import Any, NoReturn

import click

from gristmill import specification as specifications
from gristmill.cli.named import module_file
from gristmill.cli.options import permission_options
from gristmill.cli.output import print_diagnostics, print_note, terminal_width
from gristmill.cli.watching_live import pairs
from gristmill.source import SourceError
from gristmill.stepping.server import StepServer
from gristmill.stepping.session import ROOT, NoSuchStepError, Session
from gristmill.stepping.text import render_place
from gristmill.systems.specification import read_constants
from gristmill.trace.itf import load_itf


@click.command()
@click.argument("file", metavar="FILE.tla", callback=module_file)
@click.option("--config", metavar="FILE.cfg", help="Constants, Init and Next; by default the .cfg beside FILE.tla.")
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="As in a configuration.")
@click.option("--path", "search_path", multiple=True, metavar="DIR", help="Another folder to look for modules in.")
@click.option("--init", metavar="NAME", help="The initial predicate, in place of the configuration's.")
@click.option("--next", metavar="NAME", help="The next-state relation, in place of the configuration's.")
@click.option("--trace", metavar="FILE", help="Begin at the end of a trace in ITF, such as `check --itf` writes.")
@click.option(
    "--at", metavar="PATH", default="", help="Begin where these steps lead: numbers with dots, as links have."
)
@click.option(
    "--web", is_flag=True, help="In the browser: prints an address of this machine, with a random token in it."
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="With --web: which one; by default any.")
@click.option("--open", "opens", is_flag=True, help="With --web: open the browser.")
@click.option("--print", "prints", is_flag=True, help="Print where one begins, and what is possible there, and end.")
@click.option("--save", "save_to", metavar="FILE", help="In the terminal: where `s` saves the trace.")
@permission_options
def step(file: str, **options: Any) -> None:
    """Explore a specification by hand: choose an initial state, take steps, go back, branch.

    Every state shows which actions are possible, with parameters, and of the others what keeps them from being taken.
    Expressions can be watched along the path, and the path saved as a trace.

    In the terminal it needs the package textual (`pip install 'gristmill[step]'`); --web needs nothing. Ctrl-C ends it.
    """
    try:
        values, replacements = read_constants(pairs(options["constants"], "--constant"))
        opened = specifications.open(
            file,
            config=options["config"],
            constants=values,
            replacements=replacements,
            init=options["init"],
            next=options["next"],
            path=options["search_path"],
            output=lambda text: None,
            allow_exec=options["allow_exec"],
            allow_read=options["allow_read"],
            allow_write=options["allow_write"],
            env=options["env"],
        )
    except SourceError as error:
        print_diagnostics(error.diagnostics)
        sys.exit(1)
    with opened:
        print_diagnostics(opened.warnings)
        session = Session(opened)
        start, note = _start(session, options)
        if options["prints"]:
            click.echo(render_place(session, start, terminal_width()), nl=False)
            if note:
                print_note(note)
        elif options["web"]:
            _serve(session, start, note, options)
        else:
            _in_terminal(session, start, note, options)


def _start(session: Session, options: dict[str, Any]) -> tuple[int, str]:
    """Where to begin, and what to say of it. Mistakes end the program."""
    if options["trace"] and options["at"]:
        raise click.UsageError("--trace and --at say both where to begin: choose one")
    try:
        if options["trace"]:
            known = session.specification.model_values
            node, note = session.follow_trace(session.read(lambda: load_itf(options["trace"], known)))
            if node.number == ROOT:
                _fail(f"{options['trace']} is no trace of this specification: {note}")
            return node.number, note
        node = session.follow_link(options["at"])
        if node.number == ROOT and not session.options(ROOT):
            _fail(session.node(ROOT).error or "there is no initial state")
        return node.number, ""
    except NoSuchStepError as error:
        _fail(f"--at {options['at']}: {error}")
    except SourceError as error:
        print_diagnostics(error.diagnostics)
        sys.exit(1)


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(1)


def _serve(session: Session, start: int, note: str, options: dict[str, Any]) -> None:
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        with StepServer(session, options["port"], start, note) as server:
            click.echo(server.address)
            print_note("the address is of this machine alone; Ctrl-C ends it")
            if options["opens"]:
                webbrowser.open(server.address)
            server.wait()
    except OSError as error:
        _fail(f"port {options['port']} cannot be used: {error.strerror or error}")
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminated(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _in_terminal(session: Session, start: int, note: str, options: dict[str, Any]) -> None:
    try:
        from gristmill.stepping.terminal import StepApp  # textual is an extra
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("textual", "rich"):
            raise
        _fail("the terminal needs the package textual: pip install 'gristmill[step]', or use --web")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _fail("this is no terminal: use --web")
    StepApp(session, start, note, options["save_to"]).run()
