"""What `compose verify` found, for a person: each unit, what is wrong with it, and what follows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from gristmill.compose.verify.result import Candidate, Change, FailingStep, Mapped, UnitResult, Verification
from gristmill.report.explanation import shortened
from gristmill.report.style import Role, Style, printable
from gristmill.report.terminal import PLAIN, Options, action_text, render_trace
from gristmill.source import Diagnostic
from gristmill.source.render import render_text
from gristmill.trace import Blocked, Shown

_HEADLINES: dict[str, tuple[Role, str]] = {
    "proven": ("good", "Proven: the coarse grains can stand in for the fine ones."),
    "rejected": ("bad", "Rejected: a coarse grain is no fair stand-in."),
    "incomplete": ("warning", "Not decided."),
}
_PAPERS = ("IPA", "Remix")
_MOST_BLOCKED = 3  # cases of one coarse action
_COLUMN = 48  # characters of a value in a table


def headline_of(found: Verification) -> tuple[Role, str]:
    return _HEADLINES[found.outcome]


def findings_of(found: Verification, papers: bool) -> list[Diagnostic]:
    """Those to be told; `papers`: with what their conditions say by the letter, which decides nothing."""
    return [each.diagnostic for each in found.findings if papers or each.condition not in _PAPERS]


def render_verification(found: Verification, options: Options = PLAIN, papers: bool = False) -> str:
    style = Style(options.color)
    lines = [style.paint("heading", f"{found.system}: can the coarse grains stand in for the fine ones?")]
    lines += _wrapped("  with ", [f"{name} = {value}" for name, value in found.constants], options.width)
    for unit in found.units:
        lines += ["", *_unit(unit, style, options)]
        lines += [line for step in unit.failures for line in ("", *_failure(step, style, options))]
    lines += _findings(findings_of(found, papers), options)
    role, headline = headline_of(found)
    lines += ["", style.paint(role, headline)]
    for sentence in found.argument:
        lines += textwrap.wrap(printable(sentence), options.width, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------------------------------------------- units


def _unit(unit: UnitResult, style: Style, options: Options) -> Iterator[str]:
    yield style.paint("heading", f"{unit.name}: {', '.join(dict.fromkeys(unit.fine))} against {unit.coarse}")
    explored = unit.explored
    if explored is None:
        yield f"  C({unit.name}), with the others coarse, cannot be composed: see below"
        return
    steps = f"{explored.distinct:,} states, {explored.generated:,} steps, {explored.search_seconds:.1f} s"
    yield f"  explored in C({unit.name}), with the others coarse: {steps}"
    yield from _wrapped("  others see: ", unit.observed or ["nothing"], options.width)
    if unit.internal:
        yield from _wrapped("  only it reads: ", unit.internal, options.width)
    if unit.foreign:
        yield from _wrapped("  it writes, and only others read: ", unit.foreign, options.width)
    yield "  its steps are:"
    yield from _map(unit.action_map, {step.action for step in unit.failures}, style)
    if unit.unused:
        yield from _wrapped("  never needed (may allow more than the module does): ", unit.unused, options.width)
    for name in unit.violated:
        yield style.paint("bad", f"  the invariant {name} is violated in C({unit.name})")


def _map(rows: Sequence[Mapped], failing: set[str], style: Style) -> Iterator[str]:
    width = max((len(row.action) for row in rows), default=0)
    for row in rows:
        what = mapped_text(row)
        if row.action in failing:
            what = style.paint("bad", f"{what + ', and ' if what else ''}steps that no coarse action takes: see below")
        by = "  (as the manifest says)" if row.given else ""
        yield f"    {row.action:<{width}}  {row.taken:>9,}  {what}{by}"


def mapped_text(row: Mapped) -> str:
    """What the steps of an action are; nothing, if there were some and none of them is anything."""
    to = [*row.to, *(["nothing that others see"] if row.invisible else [])]
    return " or ".join(to) if to else "(none was taken)" if not row.taken else ""


# ------------------------------------------------------------------------------------------------------------- failures


def _failure(step: FailingStep, style: Style, options: Options) -> Iterator[str]:
    with step.trace.world.active():
        called = action_text(step.trace.steps[-1])
        way = [action_text(each) if each.action else "Initial state" for each in step.trace.steps[:-1]]
    title = f"A step of {called} that no coarse action of {step.unit} can take (a behaviour of {len(way) + 1} states)"
    yield style.paint("bad", title)
    yield from _wrapped("  ", way, options.width, " → ")
    yield "  What others see of it:"
    yield from _table(step.changes, ("before", step.action))
    for candidate in step.candidates:
        yield from _candidate(candidate, step, style)
    if options.unchanged == "show":
        yield "  The behaviour:"
        yield from (f"  {line}" if line else "" for line in render_trace(step.trace, _brief(options)))


def _brief(options: Options) -> Options:
    return Options(options.color, options.width - 2, coverage="never")


def _candidate(candidate: Candidate, step: FailingStep, style: Style) -> Iterator[str]:
    if candidate.differences:
        yield f"  {candidate.action} {style.paint('changed', 'leads elsewhere')}; it comes nearest with"
        yield from _table(candidate.differences, ("before", step.action, candidate.action))
        return
    yield f"  {candidate.action} {style.paint('changed', 'is not possible')}:"
    for each in nearest_blocked(candidate, step):
        yield f"      {_blocked(each)}"


def nearest_blocked(candidate: Candidate, step: FailingStep) -> list[Blocked]:
    """Cases of a coarse action, those about the parameters of the fine step first; not too many."""
    return sorted(candidate.blocked, key=lambda case: not _agrees(case, step))[:_MOST_BLOCKED]


def _agrees(case: Blocked, step: FailingStep) -> bool:
    """Whether a case is about the same parameters as the fine step."""
    own = dict(step.parameters)
    return any(own.get(name) == value for name, value in case.parameters)


def _blocked(case: Blocked) -> str:
    values = _pairs((*case.parameters, *case.guard.values))
    return shortened(f"{case.guard.text} is false" + (f"   ({values})" if values else ""), 110)


def _pairs(shown: Shown) -> str:
    return ", ".join(f"{name} = {value}" for name, value in shown)


def _table(changes: Sequence[Change], titles: Sequence[str]) -> Iterator[str]:
    rows = [("", *titles), *(_row(change, len(titles)) for change in changes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(titles) + 1)]
    for row in rows:
        cells = [f"{printable(cell):<{width}}" for cell, width in zip(row, widths, strict=True)]
        yield ("      " + "  ".join(cells)).rstrip()


def _row(change: Change, columns: int) -> tuple[str, ...]:
    cells = [change.variable, change.before, change.fine, change.coarse or ""]
    return tuple(shortened(cell, _COLUMN) for cell in cells[: columns + 1])


# ------------------------------------------------------------------------------------------------------------- findings


def _findings(findings: Sequence[Diagnostic], options: Options) -> Iterator[str]:
    if findings:
        yield ""
        yield render_text(findings, options.color).rstrip("\n")


def _wrapped(label: str, names: Iterable[str], width: int, between: str = ", ") -> list[str]:
    lines = [label]
    for number, name in enumerate(map(printable, names)):
        if number and len(lines[-1]) + len(between) + len(name) > width:
            lines[-1] += between.rstrip()
            lines.append(" " * len(label) + name)
        else:
            lines[-1] += (between if number else "") + name
    return lines if len(lines) > 1 or lines[0].strip() != label.strip() else []
