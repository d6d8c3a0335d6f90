"""`--sweep`: one model for each of several values of its constants, and a table of what was found."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

import click

from gristmill.report.json import result_document
from gristmill.search import Result
from gristmill.search.verdict import FORMAT
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.render import dumped


@dataclass(frozen=True, slots=True)
class Row:
    """`values` are texts, as in a configuration."""

    values: Mapping[str, str]
    result: Result


def families(sweeps: Sequence[str]) -> Iterator[dict[str, str]]:
    """Every combination of the values; the last constant changes fastest."""
    named = [parse_sweep(text) for text in sweeps]
    for values in itertools.product(*(values for _, values in named)):
        yield dict(zip((name for name, _ in named), values, strict=True))


def parse_sweep(text: str) -> tuple[str, list[str]]:
    """`N=1..4`, `N=1,2,5`, or a set of the values: `S={{a},{a,b}}`."""
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not re.fullmatch(r"\w+", name) or not values:
        raise click.BadParameter(f"{text!r}: write NAME=VALUES, such as N=1..4", param_hint="--sweep")
    interval = re.fullmatch(r"(-?\d+)\s*\.\.\s*(-?\d+)", values)
    if interval is not None:
        found = [str(number) for number in range(int(interval[1]), int(interval[2]) + 1)]
    else:
        found = _split(values)
        if len(found) == 1 and values.startswith("{") and values.endswith("}"):
            found = _split(values[1:-1])
    if not found:
        raise click.BadParameter(f"{text!r}: there are no values", param_hint="--sweep")
    return name, found


def _split(text: str) -> list[str]:
    """At the commas outside of braces and strings."""
    parts, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == '"'
        depth += 0 if quoted else (character == "{") - (character == "}")
        if character == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def render_sweep(rows: Sequence[Row]) -> str:
    """A table, a line a model."""
    names = list(rows[0].values)
    table = [[*names, "verdict", "distinct", "depth", "seconds"]]
    for row in rows:
        result = row.result
        verdict = f"{result.verdict} {result.property}" if result.property else result.verdict
        counts = [f"{result.distinct:,}", f"{result.depth:,}", f"{result.seconds:.2f}"]
        table.append([*row.values.values(), verdict, *counts])
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    left = len(names) + 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    )


def sweep_document(rows: Sequence[Row]) -> str:
    results = [{"constants": dict(row.values), "result": result_document(row.result)} for row in rows]
    return dumped({"format": FORMAT, "sweep": results})
