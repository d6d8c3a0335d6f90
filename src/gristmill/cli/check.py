"""`gristmill check`: does every behaviour of a specification satisfy its properties?"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from gristmill.api import Result, refused, run
from gristmill.building import Built, Source, build, has_configuration, proposal
from gristmill.checking.options import Options
from gristmill.cli.ci import ci_options, report_to_ci
from gristmill.cli.files import write_graph, write_trace
from gristmill.cli.named import module_file
from gristmill.cli.options import Command, change_of, model_options, permissions_of, run_options
from gristmill.cli.output import print_diagnostics, print_note, terminal_width, wants_color
from gristmill.cli.pages import check_writable, with_small_graph, write_page
from gristmill.cli.sweep import Row, families, render_sweep, sweep_document
from gristmill.cli.tlc_options import Verb
from gristmill.ir.passes.observers import Observer, Written
from gristmill.report import json as json_report
from gristmill.report import terminal
from gristmill.report.progress import ProgressLine
from gristmill.search import Limits, OnProgress
from gristmill.search.verdict import CONFIGURATION_ERROR, PARSE_ERROR
from gristmill.source import ConfigurationError
from gristmill.source.collector import patient_collector

_OWN = [
    click.option(
        "--sweep",
        "sweeps",
        multiple=True,
        metavar="NAME=VALUES",
        help="Check a family: N=1..4, N=1,2,5 or S={{a},{a,b}}. Several make all combinations.",
    ),
    click.option(
        "--depth", type=click.IntRange(1), help="Explore states up to this depth; initial states have depth 1."
    ),
    click.option(
        "--dump",
        type=(click.Choice(["dot", "svg", "json"]), str),
        metavar="dot|svg|json FILE",
        help="Write the whole state graph to a file, edges with actions and their parameters.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["auto", "native", "python"]),
        default="auto",
        help="What explores the states: compiled C, or the reference evaluator. auto: C for what is not small.",
    ),
    click.option(
        "--emit-ir",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Write the model to a folder, as text: as it was lowered, and after each pass over it.",
    ),
    click.option(
        "--emit-c", type=click.Path(file_okay=False), metavar="DIR", help="Write the generated C to a folder."
    ),
    click.option(
        "--checkpoint",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Save the search to a folder now and then.",
    ),
    click.option("--checkpoint-minutes", type=click.FloatRange(0, min_open=True), default=10.0, help="How often; 10."),
    click.option("--resume", is_flag=True, help="Go on from what --checkpoint has saved, with any number of workers."),
    click.option(
        "--fingerprint",
        is_flag=True,
        help="Keep a 64-bit hash of each state in place of it: less memory, and odds that one was overlooked.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Explore the states with Ray actors that own a part of them each: local:4 starts four here, HOST:PORT is "
        "a cluster that runs.",
    ),
    click.option(
        "--profile",
        is_flag=True,
        help="Show what took how long: phases, and what was left to the reference evaluator, with why.",
    ),
]


def check_options(command: Command) -> Command:
    """Every option of `check`, also for verbs that make what they check."""
    for decorate in reversed([model_options, *_OWN, ci_options, run_options]):
        command = decorate(command)
    return command


@click.command(cls=Verb)
@click.argument("file", metavar="FILE.tla", callback=module_file)
@check_options
@click.option(
    "--init-config",
    is_flag=True,
    help="Write FILE.cfg, with what there seems to be to check, for you to look over; check nothing.",
)
def check(file: str, **options: Any) -> None:
    """Check a specification: invariants, deadlock, temporal properties under fairness, refinement, assumptions.

    Reads FILE.tla and its configuration, explores every reachable state breadth-first, and reports the shortest
    behaviour that breaks something. Everything in a configuration file can be given on the command line instead.

    \b
    Exit status: 0 no error, 3 incomplete, 10 an assumption is false, 11 deadlock, 12 an invariant is violated,
    13 a property is violated, 14 an assertion failed, 75 evaluation failed, 150 the specification has errors,
    151 the configuration has.
    """
    if options["init_config"]:
        write_configuration(file, options)
        return
    refuse_combinations(options)
    if options["sweeps"]:
        check_family(file, options)
    result = check_one(file, options, options["constants"])
    if options["output"] == "json":
        click.echo(json_report.render_result(result))
    else:
        print_result(result, options)
        note_missing_configuration(file, options, result)
    write_files(result, file, options)
    sys.exit(result.exit_code)


def write_configuration(file: str, options: dict[str, Any]) -> None:
    """What `--init-config` asks for. A configuration that is there already is not touched."""
    path = Path(options["config"] or Path(file).with_suffix(".cfg"))
    text = proposal(Path(file), options["search_path"])
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise click.UsageError(f"{path} is there already, and is left as it is") from None
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from None
    click.echo(f"{text}\nThis is now in {path}: read it over, then check with it: gristmill check {file}", nl=True)


def note_missing_configuration(file: str, options: dict[str, Any], result: Result) -> None:
    """Who named nothing to check may not know that there is something to name it in."""
    named = options["invariants"] or options["properties"] or options["refines"]
    if named or result.status == PARSE_ERROR or has_configuration(Path(file), options["config"]):
        return
    config = Path(file).with_suffix(".cfg").name
    print_note(f"there is no configuration, {config}; `gristmill check {file} --init-config` writes one to begin with")


def write_files(result: Result, file: str, options: dict[str, Any], verb: str = "check") -> None:
    """A counterexample, a page, a state graph and reports for continuous integration, if they are asked for."""
    write_trace(result.trace, file, options["itf"])
    write_page(result, file, options["html"], verb)
    if options["dump"] is not None:
        write_graph(result.graph, *options["dump"])
    report_to_ci(file, options, [(Path(options["config"] or file).stem, result)])


def refuse_combinations(options: dict[str, Any]) -> None:
    """Of options that exclude each other."""
    if options["workers"] > 1 and options["engine"] == "python":
        print_note("the reference evaluator checks with one worker")
    if options["resume"] and not options["checkpoint"]:
        raise click.UsageError("--resume needs --checkpoint DIR, the folder of the search to go on with")
    if options["checkpoint"] and options["engine"] == "python":
        raise click.UsageError("only the native engine saves checkpoints; leave out --engine python")
    if options["html"] is not None and options["sweeps"]:
        raise click.UsageError("--html shows one run, and --sweep makes many: choose one")
    check_writable(options["html"])
    refuse_fingerprint(options)


def refuse_fingerprint(options: dict[str, Any]) -> None:
    """Where it cannot do what it says."""
    if not options["fingerprint"]:
        return
    if options["engine"] == "python":
        raise click.UsageError("only the native engine keeps fingerprints; leave out --engine python")
    if options["dump"] is not None:
        raise click.UsageError("--dump writes the states themselves, of which --fingerprint keeps none: choose one")


def check_one(file: Source, options: dict[str, Any], constants: Sequence[str]) -> Result:
    quiet = options["output"] == "json"
    progress = None if quiet else ProgressLine(sys.stderr)
    observers = (Written(Path(options["emit_ir"])),) if options["emit_ir"] else ()
    built = partial(built_with, file, options, constants, observers)
    asked = replace(search_options(options, progress), observers=observers)
    with patient_collector:  # most of what is made stays until the end
        result = run(built, asked)
    if progress is not None:
        progress.close()
    return with_small_graph(result, built, asked) if options["html"] is not None else result


def built_with(
    file: Source, options: dict[str, Any], constants: Sequence[str], observers: tuple[Observer, ...] = ()
) -> Built:
    change = change_of({**options, "constants": constants})
    return build(file, config=options["config"], search_path=options["search_path"], change=change, observers=observers)


def search_options(options: dict[str, Any], progress: OnProgress | None) -> Options:
    return Options(
        Limits(options["depth"], options["seconds"], options["memory"]),
        options["keep_going"],
        keep_graph=options["dump"] is not None,
        on_progress=progress,
        output=to_stderr if options["output"] == "json" else click.echo,
        permissions=permissions_of(options),
        seed=options["seed"],
        expression_coverage=options["coverage"],
        engine=options["engine"],
        workers=options["workers"],
        emit_c=Path(options["emit_c"]) if options["emit_c"] else None,
        checkpoint=Path(options["checkpoint"]) if options["checkpoint"] else None,
        checkpoint_seconds=60 * options["checkpoint_minutes"],
        resume=options["resume"],
        profile=options["profile"],
        fingerprint=options["fingerprint"],
        cluster=options["cluster"],
    )


def check_family(file: str, options: dict[str, Any]) -> None:
    """Check a model for each combination of values; does not return."""
    rows = []
    every = list(families(options["sweeps"]))
    given = [[*options["constants"], *(f"{name} = {value}" for name, value in values.items())] for values in every]
    with checked_here(file, options, given) if options["cluster"] is None else away(file, options, given) as results:
        for values, found in zip(every, results, strict=False):
            result = with_values_used(found, values)
            rows.append(Row(values, result))
            if result.status is not None:  # not a matter of values: it would be the same in every row
                print_diagnostics(result.diagnostics)
                break
            if result.message == "Interrupted":  # an interrupt ends the whole sweep
                break
    click.echo(sweep_document(rows) if options["output"] == "json" else render_sweep(rows))
    named = [", ".join(f"{name} = {value}" for name, value in row.values.items()) for row in rows]
    report_to_ci(file, options, [(name, row.result) for name, row in zip(named, rows, strict=True)])
    sys.exit(next((row.result.exit_code for row in rows if not row.result.ok), 0))


@contextmanager
def checked_here(file: str, options: dict[str, Any], given: Iterable[Sequence[str]]) -> Iterator[Iterator[Result]]:
    yield (check_one(file, options, constants) for constants in given)


@contextmanager
def away(file: str, options: dict[str, Any], given: Iterable[Sequence[str]]) -> Iterator[Iterator[Result]]:
    """The same by a cluster: a model each, which is built here and checked there."""
    from gristmill.cli.sweep_cluster import checked_away  # most runs have none

    asked = search_options({**options, "cluster": None}, None)
    builds = (partial(built_with, file, options, constants) for constants in given)
    with checked_away(options["cluster"], options["workers"], builds, asked) as results:
        yield results


def with_values_used(result: Result, values: Mapping[str, str]) -> Result:
    """Values of something that is not there would give a table of the same model again and again."""
    unknown = [d for d in result.diagnostics if d.id == "unknown-constant" and d.span and d.span.text in values]
    return refused(ConfigurationError(replace(each, severity="error") for each in unknown)) if unknown else result


def print_result(result: Result, options: dict[str, Any]) -> None:
    print_diagnostics(result.diagnostics)
    if result.generated or result.status not in (PARSE_ERROR, CONFIGURATION_ERROR):  # else nothing has run
        click.echo(terminal.render_result(result, terminal_options(options)), nl=False)


def terminal_options(options: dict[str, Any]) -> terminal.Options:
    coverage: Any = "always" if options["coverage"] else "auto"
    unchanged = options["unchanged"]
    trace: Any = "full" if unchanged is not None else options["trace"]
    return terminal.Options(wants_color(), terminal_width(), trace, unchanged or "show", coverage)


def to_stderr(text: str) -> None:
    click.echo(text, err=True)
