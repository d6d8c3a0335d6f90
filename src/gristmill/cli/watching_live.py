"""`gristmill watch` of links that are in use: its options, and what it says while it runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from gristmill.cc import CompilerError
from gristmill.cli.compose.durations import Duration
from gristmill.cli.watch_reports import sinks
from gristmill.source import Diagnostic, SourceError
from gristmill.watch.events import Several
from gristmill.watch.live.capture import Capture
from gristmill.watch.live.links import capturable, tapped
from gristmill.watch.live.ring import Ring
from gristmill.watch.live.starting import Packets, StartedNodes
from gristmill.watch.live.tap import Tap
from gristmill.watch.live.terminal import LiveTerminal
from gristmill.watch.live.watching import Noting, Options, watch_live
from gristmill.watch.mapping import WatchMap
from gristmill.watch.verdicts import Watched

_Command = TypeVar("_Command", bound=Callable[..., Any])
_MEGABYTE = 1 << 20

_OPTIONS = (
    click.option("--record", metavar="FILE", help="Keep what is seen; %Y%m%d and the like in its name are the time."),
    click.option("--capture", is_flag=True, help="Watch passively, by packet capture, with no tap between the nodes."),
    click.option(
        "--start",
        is_flag=False,
        flag_value=0,
        type=click.IntRange(0),
        metavar="[N]",
        help="Start the nodes, too, as [node] of the mapping says; so many.",
    ),
    click.option("--set", "values", multiple=True, metavar="NAME=VALUE", help="With --start: one of [values]."),
    click.option("--interface", metavar="NAME", help="With --capture: of this one alone, such as lo."),
    click.option("--for", "seconds", type=Duration(), metavar="TIME", help="Watch so long: 60s, 5m."),
    click.option("--spool", type=click.IntRange(1), metavar="MB", help="How much may wait to be judged; 1024."),
)


def live_options(command: _Command) -> _Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """Of NAME=VALUE."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{text!r}: write NAME=VALUE", param_hint=option)
        found[name.strip()] = value.strip()
    return found


def refuse_live(given: Mapping[str, Any], other: str) -> None:
    for name in ("record", "capture", "start", "values", "interface", "seconds", "spool"):
        if given[name] or (name == "start" and given[name] is not None):
            called = {"seconds": "for", "values": "set"}.get(name, name)
            raise click.UsageError(f"--{called} is for links that are in use, and {other} is not")


def watched_live(mapping: WatchMap, given: Mapping[str, Any], nodes: Sequence[str]) -> Watched:
    """Raises `SourceError`."""
    spool = (given["spool"] or 1024) * _MEGABYTE
    options = Options(_recording_path(given["record"]), given["seconds"], spool, nodes)
    if sys.platform != "linux":
        help = "on other systems, recordings that were made elsewhere can be judged: --from"
        raise SourceError(Diagnostic("not-here", "links are watched on Linux only", None, help=help))
    terminal = LiveTerminal(sys.stderr, quiet=given["output"] != "text")
    try:
        return watch_live(
            mapping, _noting(mapping, given), options,
            events=lambda: Several([terminal, sinks(given)]), notice=terminal.say, ready=terminal.ready,
        )  # fmt: skip
    except CompilerError as error:
        raise SourceError(Diagnostic("no-compiler", str(error), None)) from None


def _noting(mapping: WatchMap, given: Mapping[str, Any]) -> Callable[[Ring], Noting]:
    if given["interface"] and not given["capture"]:
        raise click.UsageError("--interface is for --capture")
    if given["values"] and given["start"] is None:
        raise click.UsageError("--set is for --start")
    if given["start"] is not None:
        values, packets = pairs(given["values"], "--set"), Packets(given["interface"]) if given["capture"] else None
        return lambda ring: StartedNodes(mapping, values, ring, packets, given["start"])
    if given["capture"]:
        captured = capturable(mapping.links, mapping.span)
        return lambda ring: Capture(captured, ring, given["interface"])
    links = tapped(mapping.links, mapping.span)
    return lambda ring: Tap(links, ring, decoder=mapping.new_decoder())


def _recording_path(text: str | None) -> Path | None:
    return None if text is None else Path(time.strftime(text) if "%" in text else text)
