"""`gristmill replay`: model traces on the real system, and runs of the real system judged by the model."""

from __future__ import annotations

import json
import signal
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from gristmill.cli.compose.durations import Duration
from gristmill.cli.hashes import steady_hashes
from gristmill.cli.output import print_diagnostics
from gristmill.cli.replay_modes import MODES
from gristmill.cli.tlc_options import Verb
from gristmill.replay.driver import DriverError
from gristmill.replay.record import Request, read_record
from gristmill.search.verdict import EXIT_CODES, PARSE_ERROR, Verdict
from gristmill.source import Diagnostic, SourceError
from gristmill.source.render import dumped


@click.command(cls=Verb)
@click.argument("mapping", metavar="SYSTEM.map.toml", required=False)
@click.argument("more", nargs=-1, metavar="[LOG]...")
@click.option("--trace", "trace", metavar="FILE", help="Replay one trace, in ITF, such as `check --itf` writes it.")
@click.option("--random", "random", type=Duration(), metavar="TIME", help="Random traces of the model, for 30m.")
@click.option("--confirm", is_flag=True, help="Check the model, and replay every violation that is found.")
@click.option("--from", "from_file", metavar="FILE", help="Replay a recorded run again, and compare.")
@click.option("--log", "logs", multiple=True, metavar="FILE...", help="Follow logs of the system (NDJSON).")
@click.option("--explain", is_flag=True, help="Show what the mapping says, with every point resolved; run nothing.")
@click.option("--spec", "specification", metavar="FILE", help="Another specification than the mapping names.")
@click.option("--mix", metavar="NAME", help="Another mix than the mapping names.")
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="A constant of the specification.")
@click.option("--set", "values", multiple=True, metavar="NAME=VALUE", help="A value of the mapping's [values].")
@click.option("--only", multiple=True, metavar="INVARIANT", help="With --confirm: only this one. Can be repeated.")
@click.option("--seconds", type=Duration(), metavar="TIME", help="With --confirm: how long the check may take.")
@click.option("--seed", type=int, help="Of the random traces.")
@click.option("--depth", type=click.IntRange(1), default=30, show_default=True, help="Steps of a random trace.")
@click.option("--num", type=click.IntRange(1), metavar="N", help="With --random: at most so many traces (a worker).")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Systems side by side.")
@click.option("--first", is_flag=True, help="With --random: stop at the first discrepancy.")
@click.option("--shrink", type=Duration(), default=60.0, metavar="TIME", help="How long to make a trace smaller; 60s.")
@click.option("--bound", type=click.IntRange(1), metavar="N", help="With --log: states to follow at once, at most.")
@click.option("--record", metavar="FILE", help="Write a run to a file: the first with a discrepancy, or the first.")
@click.option("--html", metavar="FILE", help="Write a report with both sides beside each other.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
def replay(mapping: str | None, more: tuple[str, ...], **options: Any) -> None:
    """Replay traces of a model on a real system, and compare the two after every step.

    The mapping says how to start the system, where its threads and messages are held, what the actions of the
    specification are in it, and how to observe the variables.

    The exit status is 0 if the system did what the model says, 13 if it did not, 12 if a violation was confirmed on it,
    75 if it could not be driven.
    """
    if more and not options["logs"]:
        raise click.UsageError(f"there is one mapping: what is {more[0]}?")
    options["logs"] = (*options["logs"], *more)
    chosen = [name for name in MODES if options[name] not in (None, False, ())]
    if len(chosen) != 1:
        raise click.UsageError("say what to replay: one of --trace, --random, --confirm, --from, --log, --explain")
    _check_writable(options)
    if _drives_a_program(mapping, options):
        steady_hashes()
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        request = _request(mapping, options)
        sys.exit(MODES[chosen[0]](request, options))
    except SourceError as error:
        _refuse(error.diagnostics, options, PARSE_ERROR)
    except DriverError as error:
        found = Diagnostic("cannot-drive", error.message, error.span, help=error.help)
        _refuse([found], options, EXIT_CODES["error"], error.log)
    except KeyboardInterrupt:  # before anything was replayed, or when all was over
        click.echo("Interrupted", err=True)
        _end("incomplete", "Interrupted", EXIT_CODES["incomplete"], options)
    finally:
        signal.signal(signal.SIGTERM, before)


def _drives_a_program(mapping: str | None, options: dict[str, Any]) -> bool:
    """Whether nodes are Python of this process. What is wrong with a file is told later."""
    try:
        path = mapping or json.loads(Path(options["from_file"]).read_text(encoding="utf-8"))["request"]["mapping"]
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return False
    system = document.get("system")
    return isinstance(system, dict) and system.get("driver") == "program"


def _check_writable(options: dict[str, Any]) -> None:
    """Before anything is run: after half an hour it is a pity."""
    for name in ("record", "html"):
        path = options[name]
        if path is not None and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
            why = "it is a folder" if Path(path).is_dir() else f"there is no folder {Path(path).parent}"
            raise click.BadParameter(f"{path} cannot be written: {why}", param_hint=f"--{name}")


def _terminated(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _refuse(diagnostics: Sequence[Diagnostic], options: dict[str, Any], status: int, log: str = "") -> NoReturn:
    print_diagnostics(diagnostics)
    if log:
        click.echo("the end of its log:\n" + "\n".join(f"  {line}" for line in log.splitlines()), err=True)
    _end("error", diagnostics[0].message if diagnostics else "error", status, options)


def _end(verdict: Verdict, message: str, status: int, options: dict[str, Any]) -> NoReturn:
    if options["output"] == "json":
        click.echo(dumped({"format": 1, "verdict": verdict, "message": message, "exit_code": status}))
    sys.exit(status)


def _request(mapping: str | None, options: dict[str, Any]) -> Request:
    """What is said here goes over what was recorded."""
    constants, values = _pairs(options, "constants"), _pairs(options, "values")
    if options["from_file"] is not None:
        recorded = read_record(Path(options["from_file"])).request
        return Request(
            mapping or recorded.mapping,
            options["specification"] or recorded.specification,
            options["mix"] or recorded.mix,
            {**(recorded.constants or {}), **constants},
            {**(recorded.values or {}), **values},
        )
    if mapping is None:
        raise click.UsageError("which mapping? write: gristmill replay SYSTEM.map.toml …")
    return Request(mapping, options["specification"], options["mix"], constants, values)


def _pairs(options: dict[str, Any], name: str) -> dict[str, str]:
    found = {}
    for text in options[name]:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"{text!r}: write NAME=VALUE", param_hint=f"--{name.rstrip('s')}")
        found[key.strip()] = value.strip()
    return found
