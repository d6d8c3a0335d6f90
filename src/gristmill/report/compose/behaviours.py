"""Traces, summaries and movers, for a person: what one composition shows and the other does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gristmill.compose.verify.behaviours import UnitBehaviours
from gristmill.compose.verify.movers import Movers
from gristmill.compose.verify.sides import Change
from gristmill.compose.verify.summaries import Example, Exit, Fault, Summary
from gristmill.compose.verify.traces import Direction, TraceComparison, TraceDifference
from gristmill.report.explanation import shortened
from gristmill.report.style import Style, printable
from gristmill.report.terminal import PLAIN, Options, action_text, render_trace
from gristmill.trace import Trace

_COLUMN = 48  # characters of a value in a table
_MOST = 5  # possibilities, or exits, that are listed
_FAULTS: dict[Fault, str] = {
    "missing": "lead to exits that {coarse} lacks: what follows from them is missed",
    "spurious": "have exits in {coarse} that the fine module does not come to: what follows may be a false alarm",
    "unreached": "look like no state of {coarse}",
    "diverging": "begin runs that come to no exit",
}

EXAMPLES: dict[Fault, str] = {
    "missing": "An exit that {coarse} lacks",
    "spurious": "An entry state from which {coarse} has an exit of its own",
    "unreached": "An entry state that looks like none of {coarse}",
    "diverging": "An entry state from which no run comes to an exit",
}


def render_behaviours(found: UnitBehaviours, options: Options = PLAIN) -> str:
    """All of it, ending in a line end."""
    return "\n".join(_lines(found, Style(options.color), options)) + "\n"


def _lines(found: UnitBehaviours, style: Style, options: Options) -> Iterator[str]:
    yield style.paint("heading", f"{found.unit}: behaviours of {found.names[0]} against {found.names[1]}")
    if found.failed is not None:
        yield style.paint("warning", f"  {printable(found.failed)}")
        return
    yield f"  {found.states[0]:,} and {found.states[1]:,} states, {found.seconds:.1f} s"
    yield from _wrapped("  observed: ", found.observed or ["nothing"], options.width)
    for name, tags in found.hidden:
        yield f"  of {name} without the messages {tags}, which are the module's own"
    if found.own:
        yield from _wrapped("  variables that only the coarse grain has: ", found.own, options.width)
    if found.traces is not None:
        yield from _traces(found.traces, style, options)
        if found.whole and found.traces.missed.verdict == "included":
            text = f"  {found.names[0]} is the whole system: what {found.names[1]} never shows of these variables, it"
            yield f"{text} never shows"
    if found.summary is not None:
        yield from _summary(found.summary, style, options)
    if found.movers is not None:
        yield from _movers(found.movers, style, options)


# --------------------------------------------------------------------------------------------------------------- traces


def _traces(found: TraceComparison, style: Style, options: Options) -> Iterator[str]:
    yield ""
    yield from _direction(found.missed, found.fine, found.coarse, style, options)
    if found.added is not None:
        yield from _direction(found.added, found.coarse, found.fine, style, options)


def _direction(found: Direction, first: str, second: str, style: Style, options: Options) -> Iterator[str]:
    if found.verdict == "included":
        work = f"{found.product_steps:,} steps of the product"
        yield style.paint("good", f"  {second} shows every finite behaviour that {first} shows") + f" ({work})"
    elif found.verdict == "incomplete":
        what = f"whether {second} shows all that {first} shows"
        yield style.paint("warning", f"  Not decided, {what}: {printable(found.message)}")
    if found.difference is not None:
        yield from _difference(found.difference, first, second, style, options)


def _difference(found: TraceDifference, first: str, second: str, style: Style, options: Options) -> Iterator[str]:
    yield style.paint("bad", f"  {first} shows what {second} cannot show: {consequence(found, second)}")
    yield from _wrapped("    ", way(found.behaviour), options.width, " → ")
    if found.action is None:
        yield f"    {second} has no such initial state"
    else:
        yield f"    The last step, which is visible step {found.observed_steps}, changes"
        yield from _table(found.changes, ("", "before", "after"))
    if found.matched is not None:
        yield f"    {second} has shown the same before it:"
        yield from _wrapped("      ", way(found.matched), options.width, " → ")
        yield from _possible(found, second)
    if options.unchanged == "show":
        yield from (f"    {line}" if line else "" for line in render_trace(found.behaviour, _brief(options)))


def consequence(found: TraceDifference, second: str) -> str:
    return f"checks of {second} miss this" if found.kind == "missing" else "this may be a false alarm"


def _possible(found: TraceDifference, second: str) -> Iterator[str]:
    if not found.possible:
        yield f"    and {second} shows nothing more from there"
        return
    yield f"    and then {second} can show only"
    yield from (f"      {line}" for line in possible_lines(found))


def possible_lines(found: TraceDifference) -> Iterator[str]:
    """What the other composition can show in its place."""
    for each in found.possible[:_MOST]:
        yield f"{each.action}: {shortened(_changes(each.changes), 90)}"
    if len(found.possible) > _MOST:
        yield f"and {len(found.possible) - _MOST} more"


def _brief(options: Options) -> Options:
    return Options(options.color, options.width - 4, coverage="never")


# ------------------------------------------------------------------------------------------------------------ summaries


def _summary(found: Summary, style: Style, options: Options) -> Iterator[str]:
    yield ""
    what = f"uninterrupted runs of {' and '.join(found.modules)}"
    if found.incomplete is not None:
        yield style.paint("warning", f"  Not decided, whether {what} are summarised: {printable(found.incomplete)}")
        return
    count = f"from {found.exact:,} of {found.entries:,} entry states"
    role = "good" if found.verdict == "exact" else "bad"
    yield style.paint(role, f"  {what[0].upper()}{what[1:]} are summarised exactly {count}")  # type: ignore[arg-type]
    for fault, number in found.counts.items():
        yield f"    {number:,} {_FAULTS[fault].format(coarse=found.coarse)}"
    if len(found.beginnings) > 1:
        yield "    by what can begin such a run:"
        for names, (exact, entries) in found.beginnings.items():
            yield f"      {', '.join(names) or 'nothing in the fine module'}: exact from {exact:,} of {entries:,}"
    if found.several:
        yield f"    {found.several:,} of the entry states look like several states of {found.coarse}, taken together"
    for example in found.examples:
        yield from _example(example, found, style, options)


def _example(example: Example, found: Summary, style: Style, options: Options) -> Iterator[str]:
    yield f"  {style.paint('bad', EXAMPLES[example.fault].format(coarse=found.coarse))}"
    yield from _wrapped("    ", way(example.behaviour), options.width, " → ")
    if example.exit is not None and example.fault == "spurious":
        yield f"    {_by(example.exit)} leads from there to"
        yield from _table(example.exit.changes, ("", "before", "after"))
    other = found.coarse if example.fault == "missing" else "the fine module"
    if example.exit is not None and example.contrast:
        yield f"    The most similar exit of {other} differs in"
        yield from _table(example.contrast, ("", "there", "here"))
    yield from _others(example, other)


def _others(example: Example, other: str) -> Iterator[str]:
    ways = list(dict.fromkeys(_by(each) for each in example.others))
    if example.fault in ("missing", "spurious") and ways:
        yield f"    Exits of {other} are reached by"
        yield from (f"      {shortened(each, 100)}" for each in ways[:_MOST])
        if len(ways) > _MOST:
            yield f"      and in {len(ways) - _MOST} more ways"


def _by(exit: Exit) -> str:
    return " → ".join(exit.by) if exit.by else "doing nothing that can be seen"


# --------------------------------------------------------------------------------------------------------------- movers


def _movers(found: Movers, style: Style, options: Options) -> Iterator[str]:
    yield ""
    if found.incomplete is not None:
        reason = printable(found.incomplete)
        yield style.paint("warning", f"  Not decided, what commutes with the merged steps: {reason}")
    elif not found.hidden:
        text = (
            f"  Nothing that others do in the {found.in_flight:,} states between merged steps is hidden: all commutes"
        )
        yield style.paint("good", text)
    if found.hidden:
        yield style.paint("bad", f"  What {found.coarse} cannot see:")
    for each in found.hidden:
        yield from _wrapped("    - ", each.sentence.split(" "), options.width, " ")
        if each.behaviour is not None:
            yield from _wrapped("      ", way(each.behaviour), options.width, " → ")


# -------------------------------------------------------------------------------------------------------------- helpers


def way(trace: Trace) -> list[str]:
    """The actions of a behaviour."""
    with trace.world.active():
        return [action_text(step) if step.action else "Initial state" for step in trace.steps]


def _changes(changes: Iterable[Change]) -> str:
    return ", ".join(f"{each.variable} = {each.after}" for each in changes)


def _table(changes: Sequence[Change], titles: tuple[str, str, str]) -> Iterator[str]:
    rows = [titles, *((each.variable, each.before, each.after) for each in changes)]
    cells = [tuple(shortened(cell, _COLUMN) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(titles))]
    for row in cells:
        yield ("      " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))).rstrip()


def _wrapped(label: str, names: Iterable[str], width: int, between: str = ", ") -> Iterator[str]:
    line, is_empty = label, True
    for name in map(printable, names):
        if not is_empty and len(line) + len(between) + len(name) > width:
            yield line + between.rstrip()
            line, is_empty = " " * len(label), True
        line += name if is_empty else between + name
        is_empty = False
    if line.strip():
        yield line
