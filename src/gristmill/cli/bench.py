"""`gristmill bench`: how fast is it, here and now?"""

import sys
from pathlib import Path

import click

from gristmill.bench.compare import Measurement, Subject, by_gristmill, by_tlc


@click.command()
@click.argument("file", metavar="FILE.tla", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--config",
    metavar="FILE.cfg",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What to check; by default the .cfg beside FILE.tla.",
)
@click.option("--no-deadlock", is_flag=True, help="Let behaviours end.")
@click.option("--workers", default="1", metavar="N,N", help="Numbers of workers to measure with, as 1,2.")
@click.option("--tlc", metavar="PATH", help="tla2tools.jar, or a class path with TLC in it, to compare with.")
@click.option("--no-python", is_flag=True, help="Leave out the reference evaluator, which takes long.")
@click.option("--limit", default=600.0, help="Seconds, after which a run is given up.")
def bench(
    file: Path, config: Path | None, no_deadlock: bool, workers: str, tlc: str | None, no_python: bool, limit: float
) -> None:
    """Check a specification with both engines, one after the other, and print what each of them took.

    With `--tlc`, TLC checks it as well, and the ratios to it are printed. Exits with 1 if they do not agree,
    if there was an error in place of something to measure, or if nothing came to an end.
    """
    found = config or file.with_suffix(".cfg")
    if not found.exists():
        raise click.UsageError(f"there is no {found}; say which configuration to check with --config")
    subject = Subject(file, found, not no_deadlock)
    rows: list[Measurement] = []
    for count in _numbers(workers):
        if tlc is not None:
            rows.append(by_tlc(subject, tlc, count, limit))
        rows.append(by_gristmill(subject, "native", count, limit))
    if not no_python:
        rows.append(by_gristmill(subject, "python", 1, limit))
    click.echo(render(rows))
    for message in dict.fromkeys(row.message for row in rows if row.message):
        click.echo(f"error: {message}", err=True)
    sys.exit(0 if agree(rows) else 1)


def agree(rows: list[Measurement]) -> bool:
    """Whether some came to a verdict, none to an error, and those where all is well to the same counts."""
    counts = {(row.distinct, row.generated) for row in rows if row.verdict == "ok"}
    finished = any(row.verdict not in ("timeout", "incomplete") for row in rows)
    return finished and len(counts) <= 1 and all(row.measured for row in rows)


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(each) for each in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--workers takes numbers, as 1,2, not {text!r}") from None
    if not all(number > 0 for number in numbers):
        raise click.UsageError("--workers takes numbers from 1 on")
    return numbers


def render(rows: list[Measurement]) -> str:
    """A table; ratios are to TLC with as many workers."""
    base = {row.workers: row for row in rows if row.checker == "TLC"}
    lines = [
        f"{'checker':10} {'workers':>7} {'verdict':10} {'distinct':>12} {'generated':>13} {'start to verdict':>17}"
        f" {'search':>10} {'states/s':>10}" + (f" {'to TLC':>16}" if base else "")
    ]
    for row in rows:
        rate = f"{row.distinct / row.search:,.0f}" if row.search > 0 else "-"
        line = (
            f"{row.checker:10} {row.workers:7} {row.verdict:10} {row.distinct:12,} {row.generated:13,}"
            f" {row.seconds:15.2f} s {row.search:8.2f} s {rate:>10}"
        )
        other = base.get(row.workers)
        if other is not None and row is not other and row.search > 0 and row.seconds > 0:
            line += f" {other.seconds / row.seconds:7.1f}x {other.search / row.search:6.1f}x"
        lines.append(line)
    if base:
        lines.append("The ratios to TLC are of the time from start to verdict, and of the search alone.")
    return "\n".join(lines)
