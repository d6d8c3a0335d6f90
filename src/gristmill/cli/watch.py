"""`gristmill watch`: a system judged by its specification, node by node: links in use, or recordings of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from gristmill.cli.output import print_diagnostics
from gristmill.cli.tlc_options import Verb
from gristmill.cli.watch_reports import check_writable, report_options, show, sinks
from gristmill.cli.watching_live import live_options, pairs, refuse_live, watched_live
from gristmill.source import Diagnostic, SourceError
from gristmill.source.render import dumped
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.proving import checked, with_known
from gristmill.watch.report.derived import derived_document, render_derived
from gristmill.watch.sinks.lines import now
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import watch_recordings

_MISTAKE = 150


@click.command(cls=Verb)
@click.argument("mapping", metavar="SYSTEM.map.toml")
@click.option("--from", "recordings", multiple=True, metavar="FILE", help="A recording to be judged. Can be repeated.")
@live_options
@click.option("--derive", is_flag=True, help="Show the monitor that is derived from the specification.")
@click.option("--midway", is_flag=True, help="The nodes were running before: their states are learned from messages.")
@click.option("--node", "nodes", multiple=True, metavar="NAME", help="Judge only this node. Can be repeated.")
@click.option("--constant", "constants", multiple=True, metavar="NAME=VALUE", help="A constant of the specification.")
@report_options
def watch(
    mapping: str,
    recordings: tuple[str, ...],
    derive: bool,
    midway: bool,
    nodes: tuple[str, ...],
    constants: tuple[str, ...],
    **options: Any,
) -> None:
    """Judge a system by the messages that its nodes send and receive, and by its specification.

    Without --from, the links that the mapping names are watched while they are in use, until Ctrl-C: through a tap
    between the nodes, or passively (--capture).

    Each node is judged by itself: by a monitor that is derived from the specification, and that sees what this node has
    sent and received. An alarm is a message that the specification does not allow the node to send.

    The exit status is 0 if there was none, 13 if there was one, 3 if something could not be judged.
    """
    if derive and recordings:
        raise click.UsageError("one of --from and --derive")
    if derive or recordings:
        refuse_live(options, "--from" if recordings else "--derive")
    for each in recordings:
        if recordings.count(each) > 1:
            raise click.UsageError(f"{each} is given twice")
    check_writable(options)
    try:
        read = with_known(replace(read_watch_map(mapping, pairs(constants, "--constant")), midway=midway))
        with read.specification:
            if derive:
                sys.exit(_derive(read, options["output"]))
            judged = _judged(read, recordings, nodes, options) if recordings else watched_live(read, options, nodes)
            sys.exit(show(read, judged, options))
    except SourceError as error:
        _refuse(error.diagnostics, options["output"])


def _derive(mapping: WatchMap, output: str) -> int:
    found = checked(mapping)
    text = output == "text"
    click.echo(render_derived(mapping, found) if text else dumped(derived_document(mapping, found)), nl=not text)
    return 0


def _judged(mapping: WatchMap, recordings: Sequence[str], nodes: Sequence[str], options: Mapping[str, Any]) -> Watched:
    told = sinks(options)
    try:
        return watch_recordings(mapping, [Path(each) for each in recordings], nodes, told)
    finally:
        told.close()


def _refuse(diagnostics: Sequence[Diagnostic], output: str) -> NoReturn:
    print_diagnostics(diagnostics)
    found = {"format": 1, "verdict": "error", "message": _first(diagnostics), "exit_code": _MISTAKE}
    if output == "json":
        click.echo(dumped(found))
    elif output == "jsonl":
        click.echo(json.dumps({"event": "ended", "at": now(), **found}, ensure_ascii=False))
    sys.exit(_MISTAKE)


def _first(diagnostics: Sequence[Diagnostic]) -> str:
    return diagnostics[0].message if diagnostics else "error"
