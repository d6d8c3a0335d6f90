"""What a verdict rests on: messages about the specification, coverage by action, caveats, who explored the states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.page.markup import chips, code, described, listed, text
from gristmill.report.places import place_text
from gristmill.search.result import ActionCoverage, Result, Simulation, Unasked
from gristmill.search.statistics import never_evaluated
from gristmill.source import Diagnostic
from gristmill.source.render import render_text

_MOST_NEVER = 50  # expressions that are listed


def diagnostics(messages: Sequence[Diagnostic]) -> str:
    """As they are on the terminal: with the line they are about. What is a mere note has no colour."""
    if not messages:
        return ""
    tones = {"error": "bad", "warning": "warning", "note": "note"}
    inside = "".join(
        f'<pre class="{tones[each.severity]}">{text(render_text([each]).strip())}</pre>' for each in messages
    )
    return f'<section id="messages" class="messages">{inside}</section>'


def coverage(result: Result, *, simulated: bool) -> str:
    rows = [row for row in result.coverage if row.generated or not row.initial]
    if not any(row.generated for row in rows):
        return ""
    most = max(row.generated for row in rows)
    bars = "".join(_bar(row, most, simulated) for row in rows)
    counted = "taken" if simulated else "states it was the first to reach"
    return (
        f'<section id="coverage"><h2>Coverage by action</h2><p class="soft">Bars and numbers: steps generated; '
        f'in front of them: {counted}.</p><ul class="bars actions">{bars}</ul>{_never(result)}</section>'
    )


def _bar(row: ActionCoverage, most: int, simulated: bool) -> str:
    where = "" if row.location is None else f' <span class="soft place">{text(place_text(row.location))}</span>'
    if not row.generated:
        return f'<li class="never"><span>{code(row.name)}{where}</span><span>never taken</span></li>'
    width = 100 * row.generated / most
    return (
        f'<li><span>{code(row.name)}{where}</span><span class="count">{row.distinct:,}</span>'
        f'<span class="track"><span class="fill" style="width:{width:.1f}%"></span></span>'
        f'<span class="count">{row.generated:,}</span></li>'
    )


def _never(result: Result) -> str:
    """Of the coverage by expression, the part to look at."""
    if not result.expressions:
        return ""
    rows = list(never_evaluated(result.expressions))
    if not rows:
        return "<p>Every part of the formulas was evaluated.</p>"
    told = [f'{code(row.text)} <span class="soft">{text(place_text(row.location))}</span>' for row in rows]
    more = [f"and {len(told) - _MOST_NEVER:,} more"] if len(told) > _MOST_NEVER else []
    inside = listed([*told[:_MOST_NEVER], *more])
    return f"<details open><summary>Never evaluated: {len(told):,}</summary>{inside}</details>"


def basis(result: Result, simulation: Simulation | None) -> str:
    cards = "".join(
        f'<section class="card"><h3>{title}</h3>{inside}</section>' for title, inside in _cards(result, simulation)
    )
    return f'<section id="basis"><h2>What this rests on</h2><div class="cards">{cards}</div></section>' if cards else ""


def _cards(result: Result, simulation: Simulation | None) -> Iterator[tuple[str, str]]:
    if result.checked:
        yield "Checked", chips(result.checked)
    if result.undecided:
        yield "Not decided: it takes a search of all states", chips(result.undecided)
    if result.unasked:
        yield "Not checked: the configuration does not name it", listed(map(_unasked, result.unasked))
    if result.caveats:
        yield "To know of this verdict", listed(map(text, result.caveats))
    if result.generated:
        yield "The search", described(_search(result, simulation), "facts")


def _unasked(unasked: Unasked) -> str:
    where = "" if unasked.location is None else f' <span class="soft place">{text(place_text(unasked.location))}</span>'
    kind = "an invariant" if unasked.kind == "invariant" else "a property"
    return f"{code(unasked.name)}{where}, which looks like {kind}"


def _search(result: Result, simulation: Simulation | None) -> Iterator[tuple[str, str]]:
    yield "explored by", "compiled C" if result.engine == "native" else "the reference evaluator"
    yield "seconds", f"{result.seconds:.2f}"
    if simulation is not None:
        yield "behaviours", f"{simulation.lengths.behaviours:,}"
        yield "seed", str(simulation.seed)
        return
    yield "distinct states", f"{result.distinct:,}"
    yield "generated", f"{result.generated:,}"
    yield "depth", f"{result.depth:,}"
    if result.queue:
        yield "left to explore", f"{result.queue:,}"
    if result.collision_odds is not None:
        yield "odds of a collision", f"{result.collision_odds.calculated:.1e}"
