"""The head of a page, the verdict, and what it rests on."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from gristmill.replay.mapping.parts import Mapping
from gristmill.replay.outcome import Outcome
from gristmill.replay.report.words import counted, extent, headline, tone
from gristmill.report.page.markup import chips, code, described, listed, text


def verdict(outcome: Outcome) -> str:
    return (
        f'<section class="verdict {tone(outcome)}"><h1>{text(outcome.system)} <span class="soft">replays</span> '
        f"{text(outcome.specification)}</h1>"
        f'<p class="headline">{text(headline(outcome).removeprefix("Error: "))}</p>'
        f'<p class="extent">{text(extent(outcome))}</p><p class="rests">{_rests(outcome)}</p></section>'
    )


def _rests(outcome: Outcome) -> str:
    """In a line, with links to what is told of it below."""
    parts = [f'<a href="#compared">{counted(len(outcome.compared), "variable")} compared after every step</a>']
    if outcome.unobserved:
        parts.append(f'<a href="#unobserved">{len(outcome.unobserved)} not observed</a>')
    every = len(outcome.actions) + len(outcome.unmet)
    parts.append(f'<a href="#coverage">{len(outcome.actions)} of {counted(every, "action")} replayed</a>')
    if outcome.avoided:
        parts.append(f'<a href="#avoided">{counted(outcome.avoided.total(), "step")} avoided</a>')
    if outcome.not_as_recorded:
        parts.append('<a href="#recorded">not as recorded</a>')
    if outcome.caveats:
        parts.append(f'<a href="#caveats">{counted(len(outcome.caveats), "caveat")}</a>')
    return " · ".join(parts)


def basis(mapping: Mapping, outcome: Outcome) -> str:
    cards = "".join(_card(*each) for each in _cards(mapping, outcome))
    return f'<section id="basis"><h2>What this rests on</h2><div class="cards">{cards}</div></section>'


def _card(name: str, title: str, inside: str) -> str:
    return f'<section class="card" id="{name}"><h3>{title}</h3>{inside}</section>'


def _cards(mapping: Mapping, outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    compared = [name for name in outcome.observed if name in outcome.compared]
    yield "compared", f"Compared after every step: {len(compared)}", chips(compared) if compared else "<p>None.</p>"
    if outcome.never_compared and outcome.traces:
        yield "never-compared", f"Never compared: {len(outcome.never_compared)}", chips(outcome.never_compared)
    if outcome.unobserved:
        reasons = [(code(name), text(why or "no reason is given")) for name, why in outcome.unobserved.items()]
        yield "unobserved", f"Not observed: {len(reasons)}", described(reasons)
    if outcome.avoided:
        known = [
            (code(name), f"{counted(times, 'time')}{_because(outcome.reasons.get(name, ''))}")
            for name, times in outcome.avoided.most_common()
        ]
        yield "avoided", "Avoided, as the mapping says", described(known)
    if outcome.not_as_recorded:
        yield "recorded", "Not as recorded", listed(map(text, outcome.not_as_recorded))
    if outcome.caveats:
        yield "caveats", "Caveats", listed(map(text, outcome.caveats))
    yield "how", "How it was driven", described(_how(mapping), "facts")
    if outcome.step_seconds:
        yield "times", "Times, at the median", described(_times(outcome), "facts")


def _because(why: str) -> str:
    return f": {text(why)}" if why else ""


def _how(mapping: Mapping) -> Iterator[tuple[str, str]]:
    yield "driver", text(mapping.driver)
    yield "nodes", ", ".join(map(text, mapping.nodes))
    limits = mapping.limits
    yield "an action never comes", f"after {limits.seconds:g} s"
    yield "a variable differs", f"if it does after {limits.patience:g} s"


def _times(outcome: Outcome) -> Iterator[tuple[str, str]]:
    run, observe, own = (statistics.median(each) * 1000 for each in zip(*outcome.step_seconds, strict=True))
    yield "to run a step", f"{run:.1f} ms, {own:.1f} ms of them our own"
    yield "to observe", f"{observe:.1f} ms"
    yield "to the initial state", f"{statistics.median(outcome.start_seconds):.2f} s"
