"""`gristmill plot`: what a specification has sampled, counted and drawn."""

import csv
from pathlib import Path

import click

from gristmill.report.plot import bars_of, number_of, render_svg


@click.command()
@click.argument("file", metavar="FILE.csv")
@click.option("--column", default="1", metavar="NAME", help="By its name in the first line, or by its number.")
@click.option("--out", metavar="FILE.svg", help="Where to draw; by default beside FILE.csv.")
@click.option("--title", help="What to write above the bars.")
def plot(file: str, column: str, out: str | None, title: str | None) -> None:
    """Count the values in a column of a CSV file, and draw how often each occurs.

    Of more than twenty different numbers, classes are made. A first line without numbers is taken for names.
    """
    values = column_of(read_rows(file), column, file)
    bars = bars_of(values)
    target = Path(out) if out else Path(file).with_suffix(".svg")
    try:
        target.write_text(render_svg(bars, title or f"{Path(file).name}: {len(values):,} values"), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{target} cannot be written: {error.strerror or error}") from None
    width = max(len(bar.label) for bar in bars)
    for bar in bars:
        click.echo(f"{bar.label:>{width}}  {bar.count:>8,}  {100 * bar.count / len(values):5.1f} %")
    click.echo(f"drawn in {target}")


def read_rows(file: str) -> list[list[str]]:
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.reader(stream) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise click.ClickException(f"{file} cannot be read: {reason}") from None
    if not rows:
        raise click.ClickException(f"there are no values in {file}")
    return rows


def column_of(rows: list[list[str]], column: str, file: str) -> list[str]:
    header = rows[0] if not any(number_of(cell) is not None for cell in rows[0]) else None
    if header is not None and column in header:
        at = header.index(column)
    elif column.isdigit() and 1 <= int(column) <= len(rows[0]):
        at = int(column) - 1
    else:
        names = ", ".join(header) if header else f"1 to {len(rows[0])}"
        raise click.UsageError(f"{file} has no column {column}; it has {names}")
    values = [row[at].strip() for row in rows[1 if header else 0 :] if at < len(row)]
    if not values:
        raise click.ClickException(f"there are no values in {file}")
    return values
