"""Results that go to files."""

import json
from pathlib import Path

import click

from gristmill.search import Graph
from gristmill.trace import Trace
from gristmill.trace.itf import itf_document


def write_trace(trace: Trace | None, source: str, path: str | None) -> None:
    """Writes the counterexample to a file, if there is one and it was asked for."""
    if path is not None and trace is not None:
        text = json.dumps(itf_document(trace, source=source), indent=1, ensure_ascii=False)
        try:
            Path(path).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise _not_writable(path, error) from None


def write_graph(graph: Graph | None, form: str, path: str) -> None:
    if graph is None:  # the run ended before there was one
        return
    from gristmill.report.dump import write_dot, write_json, write_svg  # few want a graph, and start-up is felt

    writers = {"dot": write_dot, "svg": write_svg, "json": write_json}
    try:
        with open(path, "w", encoding="utf-8") as stream:
            writers[form](graph, stream)
    except OSError as error:
        raise _not_writable(path, error) from None


def _not_writable(path: str, error: OSError) -> click.ClickException:
    return click.ClickException(f"{path} cannot be written: {error.strerror or error}")
