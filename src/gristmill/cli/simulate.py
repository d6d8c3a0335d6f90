"""`gristmill simulate`: random behaviours of a specification, checked along the way."""

import sys
from typing import Any

import click

from gristmill.api import new_seed, presentable, run_simulation
from gristmill.building import Built, build
from gristmill.checking.options import Options
from gristmill.checking.walks import Walks
from gristmill.cli.check import terminal_options, to_stderr
from gristmill.cli.files import write_trace
from gristmill.cli.named import module_file
from gristmill.cli.options import change_of, model_options, permissions_of, run_options
from gristmill.cli.output import print_diagnostics
from gristmill.cli.pages import check_writable, write_page
from gristmill.cli.tlc_options import Verb
from gristmill.report import json as json_report
from gristmill.report import terminal
from gristmill.report.progress import ProgressLine
from gristmill.search import Limits

DEFAULT_NUMBER = 1000


@click.command(cls=Verb)
@click.argument("file", metavar="FILE.tla", callback=module_file)
@model_options
@click.option(
    "--num",
    type=click.IntRange(1),
    metavar="N",
    help=f"How many behaviours: {DEFAULT_NUMBER:,}, or with --seconds as many as there is time for.",
)
@click.option("--depth", type=click.IntRange(1), default=100, show_default=True, help="States of a behaviour, at most.")
@click.option("--first", type=click.IntRange(1), default=1, metavar="N", help="The number of the first behaviour.")
@click.option("--generate", is_flag=True, help="Check only the states that are taken, not all successors of each.")
@run_options
def simulate(file: str, **options: Any) -> None:
    """Check random behaviours of a specification.

    Each begins in a random initial state; in each state one of the actions that are possible is taken at random.
    Invariants, properties of steps and deadlock are checked along the way. Behaviour number k of a seed is always the
    same, whatever the number of workers, so a run can be repeated, and continued with --first.

    The exit status is that of `gristmill check`; 0 says that these behaviours are in order.
    """
    check_writable(options["html"])
    quiet = options["output"] == "json"
    progress = None if quiet else ProgressLine(sys.stderr)
    change = change_of(options)

    def built() -> Built:
        return build(file, config=options["config"], search_path=options["search_path"], change=change)

    found = run_simulation(
        built,
        Options(
            Limits(None, options["seconds"], options["memory"]),
            options["keep_going"],
            on_progress=progress,
            output=to_stderr if quiet else click.echo,
            permissions=permissions_of(options),
        ),
        walks_of(options),
    )
    if progress is not None:
        progress.close()
    if quiet:
        click.echo(json_report.render_simulation(found))
    else:
        print_diagnostics(found.result.diagnostics)
        click.echo(terminal.render_simulation(found, terminal_options(options)), nl=False)
    write_trace(found.result.trace, file, options["itf"])
    write_page(presentable(found.result), file, options["html"], "simulate", found)
    sys.exit(found.result.exit_code)


def walks_of(options: dict[str, Any]) -> Walks:
    number = options["num"]
    if number is None and options["seconds"] is None:
        number = DEFAULT_NUMBER
    seed = new_seed() if options["seed"] is None else options["seed"]
    return Walks(seed, number, options["depth"], options["first"], options["workers"], options["generate"])
