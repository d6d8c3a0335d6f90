"""The outcome of a replay as one HTML page that needs nothing else: both sides beside each other, and a chart."""

from __future__ import annotations

from pathlib import Path

from gristmill.replay.mapping.parts import Mapping
from gristmill.replay.outcome import Outcome
from gristmill.replay.report.coverage import coverage
from gristmill.replay.report.data import page_json
from gristmill.replay.report.entries import entries
from gristmill.replay.report.runs import run_list, viewer
from gristmill.replay.report.summary import basis, verdict
from gristmill.report.page.viewer import LAST_SCRIPTS, SCRIPTS, STYLES
from gristmill.report.page.whole import Static, whole_page

_SCRIPTS: tuple[Static, ...] = (*SCRIPTS, (__package__, "run.js"), *LAST_SCRIPTS)
_WITHOUT_SCRIPT = (
    "Without JavaScript there are no values here: the verdict, the charts and the coverage are all there is."
)


def write_page(path: Path, mapping: Mapping, outcome: Outcome) -> None:
    """Raises `OSError`."""
    path.write_text(render_page(mapping, outcome), encoding="utf-8")


def render_page(mapping: Mapping, outcome: Outcome) -> str:
    shown = entries(outcome)
    return whole_page(
        title=f"{outcome.system} replays {outcome.specification}",
        verb="replay",
        without_script=_WITHOUT_SCRIPT,
        body=(verdict(outcome), run_list(shown), viewer(mapping, shown), basis(mapping, outcome), coverage(outcome)),
        data=page_json(mapping, shown),
        styles=STYLES,
        scripts=_SCRIPTS,
    )
