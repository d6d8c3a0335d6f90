"""What `compose check --each` found, as one page: the compositions in a table, what follows, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gristmill.compose.each import Each
from gristmill.report.compose.each import HEADS, LEFT, conclusion, each_rows, not_checked
from gristmill.report.compose.verification import findings_of
from gristmill.report.compose.verification_page import units_section, verification_runs
from gristmill.report.page.basis import diagnostics
from gristmill.report.page.markup import listed, table, text
from gristmill.report.page.of_trace import LEGEND
from gristmill.report.page.result import runs_of
from gristmill.report.page.run import PageRun, Tone, behaviour_page, run_list, run_viewer, runs_document, verdict, whys
from gristmill.source import Diagnostic


def each_page(system: str, found: Each) -> str:
    runs = _runs(found)
    return behaviour_page(
        title=f"{system}: {found.message}",
        verb="compose check --each",
        body=tuple(_body(system, found, runs)),
        document=runs_document(runs, base=1, noun="state"),
    )


def _runs(found: Each) -> list[PageRun]:
    """Of the whole first, as in the verdict."""
    rows = [*([found.direct] if found.direct is not None else []), *found.rows]
    runs = [replace(run, name=f"{row.name}: {run.name}") for row in rows for run in runs_of(row.result)]
    return [*runs, *(verification_runs(found.verification) if found.verification is not None else [])]


def _body(system: str, found: Each, runs: Sequence[PageRun]) -> Iterator[str]:
    *said, last = conclusion(found)
    yield verdict(system, last, _tone(found), [each.strip() for each in said])
    verification = found.verification
    yield diagnostics(_messages(found))
    yield run_list(runs, 1, "state")
    yield whys(runs)
    yield run_viewer(runs, 1, LEGEND)
    yield f'<section id="each"><h2>The compositions</h2>{table(HEADS, map(_cells, each_rows(found)))}</section>'
    if told := [*not_checked(found), *_caveats(found)]:
        yield f'<section id="basis"><h2>What this rests on</h2>{listed(map(text, told))}</section>'
    if verification is not None:
        yield units_section(verification)


def _tone(found: Each) -> Tone:
    """That nothing was asked is no good news."""
    if found.verdict == "ok" and found.holds_of_whole:
        return "good"
    return "warning" if found.verdict in ("ok", "incomplete") else "bad"


def _caveats(found: Each) -> Iterator[str]:
    for row in [*found.rows, *([found.direct] if found.direct is not None else [])]:
        yield from (f"{row.name}: {each}" for each in row.result.caveats)


def _messages(found: Each) -> list[Diagnostic]:
    rows = [*found.rows, *([found.direct] if found.direct is not None else [])]
    said = [each for row in rows for each in row.result.diagnostics]
    return [*dict.fromkeys(said), *(findings_of(found.verification, False) if found.verification is not None else [])]


def _cells(row: Sequence[str]) -> list[str]:
    return [
        text(cell) if column < LEFT else f'<span class="count">{text(cell)}</span>' for column, cell in enumerate(row)
    ]
