"""What `gristmill watch` makes of what it sees: text, JSON, JSON lines, files, an endpoint for metrics, a webhook."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from gristmill.cli.output import print_note, wants_color
from gristmill.report.style import Style
from gristmill.source.render import dumped
from gristmill.watch.events import Events, Several
from gristmill.watch.mapping import WatchMap
from gristmill.watch.report.chart import chart_svg
from gristmill.watch.report.document import EXIT_CODES, document
from gristmill.watch.report.itf import alarm_itf
from gristmill.watch.report.page import render_page
from gristmill.watch.report.terminal import render
from gristmill.watch.sinks.lines import JsonLines
from gristmill.watch.sinks.metrics import Metrics, parsed_address
from gristmill.watch.sinks.webhook import Webhook, checked_url
from gristmill.watch.verdicts import Watched

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("text", "json", "jsonl")
_FILES = ("itf", "chart", "html")


def _address(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, int] | None:
    try:
        return None if value is None else parsed_address(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _url(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else checked_url(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


_OPTIONS = (
    click.option("--itf", metavar="FILE", help="Write the history of an alarm to a file, as a trace in ITF."),
    click.option("--chart", metavar="FILE", help="Write the last messages before an alarm to a file, as SVG."),
    click.option("--html", metavar="FILE", help="Write a report to a file: one page, which needs nothing else."),
    click.option("--metrics", metavar="ADDRESS:PORT", callback=_address, help="Offer numbers to Prometheus."),
    click.option("--webhook", metavar="URL", callback=_url, help="Post alarms to this address, as JSON."),
    click.option("--format", "output", type=click.Choice(FORMATS), default="text", help="How to print it."),
)


def report_options(command: F) -> F:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_writable(options: Mapping[str, Any]) -> None:
    """Before anything is judged: afterwards it is a pity."""
    for name in _FILES:
        path = options[name]
        if path is None:
            continue
        parent = Path(path).absolute().parent
        if Path(path).is_dir() or not parent.is_dir():
            why = "it is a folder" if Path(path).is_dir() else f"there is no folder {parent}"
            raise click.BadParameter(f"{path} cannot be written: {why}", param_hint=f"--{name}")


def sinks(options: Mapping[str, Any]) -> Events:
    """All who want to be told while it happens. Whoever calls must `close` it.

    Lines come last: before the end is told, a webhook may have to tell that something was not delivered.
    """
    found: list[Events] = []
    lines = JsonLines(lambda line: click.echo(line)) if options["output"] == "jsonl" else None
    report = print_note if lines is None else _both(lines)
    try:
        if options["metrics"] is not None:
            metrics = Metrics(*options["metrics"])
            found.append(metrics)
            print_note(f"metrics are at http://{metrics.address}/metrics")
        if options["webhook"] is not None:
            found.append(Webhook(options["webhook"], report))
    except BaseException:
        Several(found).close()
        raise
    return Several(found if lines is None else [*found, lines])


def _both(lines: JsonLines) -> Callable[[str], None]:
    """What a webhook reports, in a line of its own and for people."""

    def report(text: str) -> None:
        lines.trouble("webhook", text)
        print_note(text)

    return report


def show(mapping: WatchMap, watched: Watched, options: Mapping[str, Any]) -> int:
    """Prints it, writes the files that were asked for, and returns the exit status."""
    with mapping.specification.world.active():
        if options["output"] == "text":
            style = Style(sys.stdout.isatty() and wants_color())
            click.echo(render(watched, style, _width()), nl=False)
        elif options["output"] == "json":
            click.echo(dumped(document(watched)))
        try:
            _write_files(mapping, watched, options)
        except click.ClickException as error:
            if watched.verdict != "alarm":
                raise
            error.show()  # the alarm is what matters
    return EXIT_CODES[watched.verdict]


def _width() -> int:
    """Of the terminal; where there is none, what most people have."""
    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 160))


def _write_files(mapping: WatchMap, watched: Watched, options: Mapping[str, Any]) -> None:
    if options["html"] is not None:
        _write(options["html"], render_page(mapping, watched))
    initial = mapping.specification.initial()[0].raw if options["itf"] is not None and watched.alarms else {}
    for number, (node, alarm) in enumerate(watched.alarms_of_nodes):
        if options["itf"] is not None:
            found = alarm_itf(mapping, node, alarm, initial)
            _write(_numbered(options["itf"], number), json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        if options["chart"] is not None:
            _write(_numbered(options["chart"], number), chart_svg(alarm))
    if not watched.alarms:
        for name in ("itf", "chart"):
            if options[name] is not None:
                print_note(f"{options[name]} is not written, as there was no alarm")


def _numbered(path: str, number: int) -> str:
    """Of several alarms, the first has the name that was given, and the others that with a number."""
    if number == 0:
        return path
    whole = Path(path)
    first, dot, rest = whole.name.partition(".")
    return str(whole.with_name(f"{first}-{number + 1}{dot}{rest}"))


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None
    print_note(f"{path} is written")
