"""What came of following a log in words, for the terminal and for pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gristmill.replay.difference import Difference as Part
from gristmill.replay.difference import differences
from gristmill.replay.logs.result import FileMatch, LogRepair, LogResult, StuckLine
from gristmill.report.explanation import shortened
from gristmill.report.terminal import action_text
from gristmill.search.weave import Difference, Lack, NoValue
from gristmill.values import show

_VALUE = 80  # characters of a value
_MOST_VALUES = 3  # of one expression


def headline(result: LogResult) -> str:
    if result.verdict == "ok":
        return result.message
    return f"{'Not decided' if result.verdict == 'incomplete' else 'Error'}: {result.message}"


def matched_text(file: FileMatch) -> str:
    upto = "" if file.matched == file.events else f", up to line {file.last_line}" if file.matched else ""
    return f"{file.matched:,} of {file.events:,} events{upto}"


def summary(result: LogResult) -> Iterator[str]:
    taken = Counter(step.action for step in result.trace.steps[1:] if step.action)
    if taken:
        counts = ", ".join(f"{name} {count:,}" for name, count in taken.most_common())
        yield f"{sum(taken.values()):,} steps: {shortened(counts, 300)}"
    yield f"{result.pairs:,} pairs of a place in the log and a state, {result.seconds:.2f} s"


def stuck_title(stuck: StuckLine) -> str:
    states = "the state" if stuck.states == 1 else f"any of {stuck.states:,} states"
    return f"{stuck.line} cannot come next in {states} that the log leads to"


def nearest_text(stuck: StuckLine) -> str:
    """The step that comes nearest to what was logged, and how it differs; nothing if there is none."""
    if stuck.nearest is None or not stuck.nearest.steps:
        return ""
    steps = ", then ".join(map(action_text, stuck.nearest.steps))
    return f"{steps}: {'; '.join(map(_unlike, stuck.nearest.differences))}"


def difference_title(lack: Lack, stuck: StuckLine) -> str:
    often = f" (in {lack.count:,} of {stuck.looked_into:,} states)" if stuck.looked_into > 1 else ""
    if lack.kind == "such-that":
        return f"{lack.action or 'A step'} is possible, but not such that {lack.text}{often}"
    when = "before it" if lack.kind == "before" else f"after {lack.action}" if lack.action else "now"
    return f"{when}, {lack.text} differs{often}"


def difference_lines(lack: Lack) -> Iterator[str]:
    """How a value in the log differs from those in the model: in its parts, if there is one, or as a whole."""
    if lack.kind == "such-that":
        return
    own = lack.owns[0][0]
    parts = differences(own, lack.wanted) if len(lack.owns) == 1 and not isinstance(own, NoValue) else ()
    if any(part.path for part in parts):
        yield from map(_part, parts)
        return
    owns = [f"{_value(own)}{_in_states(count) if len(lack.owns) > 1 else ''}" for own, count in lack.owns]
    more = f" and {len(owns) - _MOST_VALUES:,} others" if len(owns) > _MOST_VALUES else ""
    yield f"in the log    {_value(lack.wanted)}"
    yield f"in the model  {', '.join(owns[:_MOST_VALUES])}{more}"


def _part(part: Part) -> str:
    """Of a value that differs: where, and how."""
    if not part.real:
        return f"{part.path}: {part.model} in the model only"
    if not part.model:
        return f"{part.path}: {part.real} in the log only"
    return f"{part.path}: {part.real} in the log, {part.model} in the model"


def _in_states(count: int) -> str:
    return f" in {count:,} {'state' if count == 1 else 'states'}"


def _unlike(difference: Difference) -> str:
    if difference.of == "such-that":
        return f"not such that {difference.text}"
    return f"{difference.text} is {_value(difference.own)}, not {_value(difference.wanted)}"


def repair_text(found: LogRepair) -> str:
    repair, line = found.repair, found.line
    match repair.kind:
        case "values":
            change = f"if what {line} tells of the state were not asked for"
        case "parameters":
            change = f"if what {line} tells of parameters were not asked for"
        case "earlier" | "later":
            where = "before" if repair.kind == "earlier" else "after"
            change = f"if {line} came {where} line {found.other.number if found.other else '?'}"
        case "missing":
            step = "a step" if found.step is None else shortened(action_text(found.step), 200)
            change = f"if {step}, which no line tells of, came before {found.other or line}"
        case _:
            change = f"if {line} were not there"
    if repair.reaches == "end":
        return f"{change}, all the rest would fit"
    least = "at least " if repair.reaches == "enough" else ""
    return f"{change}, {least}the next {repair.events:,} {'event' if repair.events == 1 else 'events'} would fit"


def _value(value: object) -> str:
    return shortened(_shown(value), _VALUE)


def _shown(value: object) -> str:
    return str(value) if isinstance(value, NoValue) else show(value)  # type: ignore[arg-type]
