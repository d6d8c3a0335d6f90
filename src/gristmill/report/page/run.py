"""A behaviour as pages show it, whoever has found it: states as text, what each step changed, what it draws.

`static/trace.js` reads the data that is made of it here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.report.page.graph import SCRIPTS as GRAPH_SCRIPTS
from gristmill.report.page.graph import STYLES as GRAPH_STYLES
from gristmill.report.page.lifelines import Mark, lifelines
from gristmill.report.page.markup import text
from gristmill.report.page.texts import Texts
from gristmill.report.page.viewer import LAST_SCRIPTS, SCRIPTS, STYLES, Row, Switch, chart, viewer
from gristmill.report.page.whole import Static, script_json, whole_page

Tone = str  # of the page's styles: good, warning, bad
_STYLES: tuple[Static, ...] = (*STYLES, *GRAPH_STYLES, (__package__, "why.css"))
_SCRIPTS: tuple[Static, ...] = (*SCRIPTS, (__package__, "trace.js"), *GRAPH_SCRIPTS, *LAST_SCRIPTS)
_WITHOUT_SCRIPT = "Without JavaScript there are no values of states here; everything else is."
_FEW = 16  # variables that are all shown unless somebody wants fewer


@dataclass(frozen=True, slots=True)
class PageChange:
    """A part of a variable that a step changed. `kind` as in `trace.difference`; what there was not is empty."""

    variable: str
    path: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PageStep:
    """`state`: all of it. `notes`: what else is to be said of the step."""

    title: str
    state: Mapping[str, str]
    changes: Sequence[PageChange] = ()
    marks: Sequence[Mark] = ()
    place: str = ""
    notes: Sequence[str] = ()
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class PageRun:
    """`told`: what is wrong with it, `end`: what comes after its last step, in a sentence each. `why`: HTML.

    `nodes`: those that the marks of its steps speak of; none if there is no chart.
    """

    name: str
    told: str
    tone: Tone
    steps: Sequence[PageStep]
    end: str = ""
    why: str = ""
    nodes: Sequence[str] = ()


def behaviour_page(*, title: str, verb: str, body: Sequence[str], document: dict[str, Any]) -> str:
    """A page with behaviours in it, whose verb has put it together. `document`: what `runs_document` gives, or more."""
    return whole_page(
        title=title,
        verb=verb,
        without_script=_WITHOUT_SCRIPT,
        body=body,
        data=script_json(document),
        styles=_STYLES,
        scripts=_SCRIPTS,
    )


def verdict(title: str, headline: str, tone: Tone, extent: Sequence[str], rests: Sequence[str] = ()) -> str:
    """What stands at the top; `extent`: how much was looked at, `rests`: what the verdict rests on, in lines."""
    lines = "".join(f'<p class="extent">{text(each)}</p>' for each in extent)
    lines += "".join(f'<p class="rests">{text(each)}</p>' for each in rests)
    return (
        f'<section class="verdict {tone}"><h1>{text(title)}</h1><p class="headline">{text(headline)}</p>'
        f"{lines}</section>"
    )


def run_list(runs: Sequence[PageRun], base: int, noun: str) -> str:
    """To choose from, if there are several. `noun`: what the rows of a run are, steps or states."""
    if len(runs) < 2:
        return ""
    items = "".join(
        f'<li><a class="{run.tone}" href="#{number + 1}.{len(run.steps) - 1 + base}" data-run="{number}">'
        f'<span class="title">{text(run.name)}</span><span class="told">{text(run.told)}</span>'
        f'<span class="soft">{len(run.steps):,} {noun}{"" if len(run.steps) == 1 else "s"}</span></a></li>'
        for number, run in enumerate(runs)
    )
    return f'<section id="runs"><h2>Found: {len(runs)}</h2><ol class="runs">{items}</ol></section>'


def run_viewer(runs: Sequence[PageRun], base: int, legend: str) -> str:
    if not runs:
        return ""
    variables = max((len(step.state) for run in runs for step in run.steps), default=0)
    switches = (Switch("all", "all variables", variables <= _FEW),) if variables else ()
    charts = "".join(_chart(number, run, base) for number, run in enumerate(runs))
    keys = "The keys ← and → go from step to step."
    about = f"{legend} {keys}" if any(run.nodes for run in runs) else keys
    return viewer(charts, switches, about)


def _chart(number: int, run: PageRun, base: int) -> str:
    rows = [Row(step.title, step.marks, step.wrong) for step in run.steps]
    return chart(number, run.name, rows, lifelines(run.nodes) if run.nodes else None, base=base)


def whys(runs: Sequence[PageRun]) -> str:
    """Each is shown with its run."""
    return "".join(
        f'<section class="why of-run" data-run="{number}">{run.why}</section>'
        for number, run in enumerate(runs)
        if run.why
    )


def runs_document(runs: Sequence[PageRun], base: int, noun: str) -> dict[str, Any]:
    """For the script."""
    texts = Texts()
    found = [_run(run, texts) for run in runs]
    return {"runs": found, "texts": list(texts.numbers), "noun": noun, "base": base}


def _run(run: PageRun, texts: Texts) -> dict[str, Any]:
    steps, before = [], dict[str, str]()
    for step in run.steps:
        steps.append(_step(step, before, texts))
        before = dict(step.state)
    return {"steps": steps, "opens": len(steps) - 1, "told": texts(run.told), "end": texts(run.end)}


def _step(step: PageStep, before: Mapping[str, str], texts: Texts) -> dict[str, Any]:
    """Of values, only those that were others before."""
    return {
        "action": texts(step.title),
        "place": texts(step.place),
        "notes": [texts(each) for each in step.notes],
        "values": [[texts(name), texts(value)] for name, value in step.state.items() if before.get(name) != value],
        "gone": [texts(name) for name in before if name not in step.state],
        "changes": [
            [texts(each.variable), texts(each.path), each.kind, texts(each.before), texts(each.after)]
            for each in step.changes
        ],
    }
