"""The options of `gristmill explore`: those of every program, of systems of processes, of asyncio programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from gristmill.controlled.plan import SearchKind
from gristmill.controlled.settings import Settings
from gristmill.explore.options import Engine, Por
from gristmill.explore.result import SearchName
from gristmill.explore.target import fail

Command = TypeVar("Command", bound=Callable[..., Any])

SEARCHES = tuple(dict.fromkeys((*get_args(SearchName), *get_args(SearchKind))))
_AT_LEAST_0, _AT_LEAST_1, _TIME = click.IntRange(0), click.IntRange(1), click.FloatRange(0)
_USUAL = Settings()


def option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    if attributes.get("default") not in (None, 0):
        attributes.setdefault("show_default", True)
    return click.option(*names, **attributes)


EVERY = [
    option("--system", "name", metavar="NAME", help="A System in the file, a function that makes one, or a scenario."),
    option("--search", type=click.Choice(SEARCHES), help="The search: dbss for processes, random for asyncio."),
    option("--depth", type=_AT_LEAST_1, metavar="N", help="Steps of a run, at most."),
    option("--seconds", metavar="N", type=click.FloatRange(0, min_open=True), help="Stop after so long."),
    option("--runs", type=_AT_LEAST_1, metavar="N", default=1000, help="Runs, of searches that sample or repeat them."),
    option("--seed", type=int, metavar="N", default=0, help="Of random and pct."),
    option("--pct-depth", type=_AT_LEAST_1, metavar="N", default=3, help="Of pct: depth of the bug."),
    option("--workers", type=_AT_LEAST_1, metavar="N", default=1, help="Processes that share the work."),
    option(
        "--cluster",
        metavar="ADDRESS",
        help="Have the runs done by Ray actors: local:4 starts four here, HOST:PORT is a cluster that runs.",
    ),
    option("--save", "save_to", type=click.Path(dir_okay=False), help="Keep the schedule of a failure in a file."),
    option("--replay", "replay_from", type=click.Path(dir_okay=False), help="Follow a schedule that was kept."),
    option("--svg", type=click.Path(dir_okay=False), help="Draw the run of a failure into a file."),
    option("--html", type=click.Path(dir_okay=False), help="Write a report to a file: one page, for a browser."),
    option("--format", "output", type=click.Choice(["text", "json"]), default="text"),
]
OF_PROCESSES = [
    option("--por", type=click.Choice(get_args(Por)), default="none", help="Partial-order reduction."),
    option("--symmetry", is_flag=True, help="Exchange the processes that the system declares symmetric."),
    option("--verify-decomposition", is_flag=True, help="Test that auxiliary fields are auxiliary."),
    option("--engine", type=click.Choice(get_args(Engine)), default="auto", help="Explore in C (native) or in Python."),
    option("--states", type=_AT_LEAST_1, metavar="N", help="Stop after so many states."),
]
OF_ASYNCIO = [
    option("--drops", type=_AT_LEAST_0, metavar="N", default=0, help="Datagrams that are lost, in a run, at most."),
    option("--duplicates", type=_AT_LEAST_0, metavar="N", default=0, help="Datagrams that arrive twice."),
    option("--resets", type=_AT_LEAST_0, metavar="N", default=0, help="Connections that break."),
    option("--splits", type=_AT_LEAST_0, metavar="N", default=0, help="Pieces of a stream that arrive in two parts."),
    option("--crashes", type=_AT_LEAST_0, metavar="N", default=0, help="Nodes that crash, and may restart."),
    option("--restarts", type=_AT_LEAST_0, metavar="N", help="Nodes that restart: as many as crash, unless told."),
    option(
        "--partitions",
        type=_AT_LEAST_0,
        metavar="N",
        default=0,
        help="Times that the network falls apart, until it heals.",
    ),
    option("--side", "sides", multiple=True, metavar="NODE,…", help="Nodes cut off from the others, when it does."),
    option(
        "--delay",
        type=_TIME,
        metavar="SECONDS",
        default=_USUAL.delay,
        help="Virtual time within which a packet arrives.",
    ),
    option(
        "--lateness",
        type=_TIME,
        metavar="SECONDS",
        default=_USUAL.lateness,
        help="Virtual time by which loops may be late.",
    ),
    option(
        "--virtual-seconds",
        type=_TIME,
        metavar="SECONDS",
        default=_USUAL.seconds,
        help="Virtual time after which a run ends.",
    ),
    option("--ready", type=click.Choice(["fifo", "any"]), default="fifo", help="The order of callbacks of a node."),
    option("--vary", type=_AT_LEAST_1, metavar="N", help="Of dfs (20) and deepening: choices that are varied."),
    option("--deviations", type=_AT_LEAST_0, metavar="N", help="Of dfs (2) and deepening: unusual choices of a run."),
    option("--keep-going", is_flag=True, help="Look for failures of other kinds after the first."),
    option("--allow", multiple=True, metavar="WORD", help="Let through what is not controlled."),
    option("--show-output", is_flag=True, help="Of --replay: show what the program prints and logs."),
]

SECTIONS = {
    "For systems of processes": OF_PROCESSES,
    "For asyncio programs": OF_ASYNCIO,
}


def _names(options: list[Callable[[Any], Any]]) -> set[str]:
    @click.command()
    def command() -> None: ...

    for one in options:
        command = one(command)
    return {parameter.name or "" for parameter in command.params} - {"help"}


_SECTION_OF = {name: title for title, options in SECTIONS.items() for name in _names(options)}


class Sectioned(click.Command):
    """Shows the options of each kind of program under a heading of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            shown = parameter.get_help_record(ctx)
            if shown is not None and isinstance(parameter, click.Option):
                sections.setdefault(_SECTION_OF.get(parameter.name or "", "Options"), []).append(shown)
        for title in ("Options", *SECTIONS):
            with formatter.section(title):
                formatter.write_dl(sections[title])


def options_of_explore(command: Command) -> Command:
    for one in reversed([*EVERY, *OF_PROCESSES, *OF_ASYNCIO]):
        command = one(command)
    return command


def reject_options(wrong: str, target: str) -> None:
    """Raise if an option was given that is only for programs of the other kind."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and _SECTION_OF.get(name) == wrong:
            fail("explore-options", f"{parameter.opts[0]} is {wrong[0].lower()}{wrong[1:]}, and this is {target}")
