"""What `explore` found as one page that needs nothing else: of processes, and of asyncio programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gristmill.controlled.failure import Failure
from gristmill.controlled.report import result_text
from gristmill.controlled.search import Result as ControlledResult
from gristmill.explore.result import Result
from gristmill.explore.system import System
from gristmill.explore.text import render, with_texts
from gristmill.report.page.markup import listed, text
from gristmill.report.page.of_schedule import LEGEND, run_of_schedule
from gristmill.report.page.run import PageRun, behaviour_page, run_list, run_viewer, runs_document, verdict

_TONES = {"ok": "good", "incomplete": "warning"}


def processes_page(system: System, result: Result) -> str:
    failure = result.failure
    runs = []
    if failure is not None:
        steps = [with_texts(each) for each in failure.steps]
        runs = [run_of_schedule(system.names, steps, failure.name, failure.message, failure.loop)]
    # Counts and caveats in words: the run itself has its own place on the page.
    headline, *lines = render(system, replace(result, failure=None)).strip().splitlines()
    said = headline if failure is None else failure.message
    tone = _TONES.get(result.verdict, "bad") if system.properties or failure is not None else "warning"
    return _page(system.name, said, tone, [each for each in lines if each], runs)


def asyncio_page(result: ControlledResult, failures: Sequence[Failure]) -> str:
    headline, *lines = result_text(result).strip().splitlines()
    runs = [_failed(each) for each in failures if each.story is not None]
    return _page(str(result.program), headline, _TONES.get(result.verdict, "bad"), lines, runs)


def followed_page(failure: Failure, has_failed: bool) -> str:
    """Of a program that was run under one schedule."""
    headline = str(failure) if has_failed else "The schedule does not fail any more"
    return _page(str(failure.program), headline, "bad" if has_failed else "warning", [], [_failed(failure)])


def _failed(failure: Failure) -> PageRun:
    assert failure.story is not None
    return run_of_schedule(failure.story.names, failure.story.steps(), failure.name, str(failure))


def _page(title: str, headline: str, tone: str, lines: Sequence[str], runs: Sequence[PageRun]) -> str:
    return behaviour_page(
        title=f"{title}: {headline}",
        verb="explore",
        body=tuple(_body(title, headline, tone, lines, runs)),
        document=runs_document(runs, base=1, noun="step"),
    )


def _body(title: str, headline: str, tone: str, lines: Sequence[str], runs: Sequence[PageRun]) -> Iterator[str]:
    notes = [each.removeprefix("note: ") for each in lines if each.startswith("note: ")]
    yield verdict(title, headline, tone, [each for each in lines if not each.startswith("note: ")])
    yield run_list(runs, 1, "step")
    yield run_viewer(runs, 1, LEGEND)
    if notes:
        yield f'<section id="basis"><h2>What this rests on</h2>{listed(map(text, notes))}</section>'
