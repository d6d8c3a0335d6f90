"""Why something is false, or nothing is possible: the tree of the formula, down to the values that decide it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.behaviour import call_text
from gristmill.report.fairness import met, when_possible
from gristmill.report.page.elide import elided
from gristmill.report.page.markup import code, text
from gristmill.report.places import place_text
from gristmill.search.result import Violation
from gristmill.source import Span
from gristmill.trace import Alternative, Blocked, Explanation, Fairness, Mapped, Remedy, Shown

_TRUTH = {True: ("TRUE", "good"), False: ("FALSE", "bad"), None: ("?", "warning")}
_LONGEST = 400  # characters of a value


def why_html(violation: Violation) -> str:
    """Nothing, if there is nothing to tell."""
    return "".join(_parts(violation))


def _parts(violation: Violation) -> Iterator[str]:
    if violation.explanation is not None:
        here = " of this behaviour" if violation.verdict == "liveness" else " here" if violation.trace else ""
        what = "the assertion" if violation.verdict == "assert" else violation.property or "it"
        yield f"<h2>Why {text(what)} is false{here}</h2>"
        yield f'<ul class="formula">{explanation_html(violation.explanation)}</ul>'
    if violation.mapped:
        what = "step" if violation.mapped[0].before is not None else "state"
        yield f"<h2>The {what} as {text(violation.property or 'the property')} sees it</h2>{_mapped(violation.mapped)}"
    if violation.blocked:
        yield f"<h2>Why no action is possible here</h2>{blocked_html(violation.blocked)}"
    if violation.fairness:
        yield f"<h2>Why this behaviour is fair</h2>{_fairness(violation.fairness)}"
    if violation.alternatives:
        demanded = "" if violation.fairness else ": the specification demands no fairness"
        yield f"<h2>What could have happened instead{demanded}</h2>{_alternatives(violation.alternatives)}"
    if violation.remedies:
        yield f"<h2>Which fairness would exclude this behaviour</h2>{_remedies(violation.remedies)}"


def explanation_html(explanation: Explanation) -> str:
    """An item of a list; its parts are a list inside of it."""
    word, tone = _TRUTH[explanation.truth]
    bound = f'<span class="bound">for {_pairs(explanation.bindings)}</span> ' if explanation.bindings else ""
    values = "".join(f"<li>{code(name)} = {code(elided(value, _LONGEST))}</li>" for name, value in explanation.values)
    note = f"<li>{text(explanation.note)}</li>" if explanation.note else ""
    remarks = f'<ul class="decides">{values}{note}</ul>' if values or note else ""
    parts = "".join(map(explanation_html, explanation.parts))
    inside = f'<ul class="formula">{parts}</ul>' if parts else ""
    return (
        f'<li>{bound}<span class="truth {tone}">{word}</span> {code(elided(explanation.text, _LONGEST))}'
        f"{_where(explanation.span)}{remarks}{inside}</li>"
    )


def _where(span: Span | None) -> str:
    return "" if span is None else f' <span class="soft place">{text(place_text(span))}</span>'


def _pairs(shown: Shown) -> str:
    return ", ".join(f"{code(name)} = {code(elided(value, _LONGEST))}" for name, value in shown)


def blocked_html(blocked: Sequence[Blocked]) -> str:
    rows = "".join(
        f'<li><p class="blocked"><strong>{code(each.action)}</strong>{_given(each)}{_where(each.location)}</p>'
        f'<ul class="formula">{explanation_html(each.guard)}</ul></li>'
        for each in blocked
    )
    return f'<ul class="cases">{rows}</ul>'


def _given(blocked: Blocked) -> str:
    parameters = f" with {_pairs(blocked.parameters)}" if blocked.parameters else ""
    return parameters + (f' <span class="soft">{blocked.count:,} cases</span>' if blocked.count > 1 else "")


def _mapped(mapped: Sequence[Mapped]) -> str:
    rows = "".join(
        f"<tr><td>{code(each.name)}</td>"
        + (f"<td>{code(each.before)}</td><td>→</td>" if each.before is not None else "")
        + f"<td{_changed(each)}>{code(each.after)}</td></tr>"
        for each in mapped
    )
    return f'<div class="scroll"><table class="mapped">{rows}</table></div>'


def _changed(mapped: Mapped) -> str:
    return ' class="changed"' if mapped.before not in (None, mapped.after) else ""


def _fairness(conditions: Sequence[Fairness]) -> str:
    rows = "".join(
        f"<tr><td>{code(each.text)}{' for ' + _pairs(each.bindings) if each.bindings else ''}</td>"
        f"<td>{text(met(each))}</td></tr>"
        for each in conditions
    )
    return f'<div class="scroll"><table class="mapped">{rows}</table></div>'


def _alternatives(alternatives: Sequence[Alternative]) -> str:
    rows = "".join(
        f"<tr><td>in state {each.state}</td><td>{code(call_text(each.action, each.parameters))}"
        f"{_where(each.location)}</td></tr>"
        for each in alternatives
    )
    return f'<div class="scroll"><table class="mapped">{rows}</table></div>'


def _remedies(remedies: Sequence[Remedy]) -> str:
    rows = "".join(
        f"<tr><td>{code(each.text)}{' for ' + _pairs(each.bindings) if each.bindings else ''}</td>"
        f"<td>{text(when_possible(each))}</td></tr>"
        for each in remedies
    )
    return f'<div class="scroll"><table class="mapped">{rows}</table></div>'
