"""What came of following a log, for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gristmill.replay.difference import Difference as Part
from gristmill.replay.difference import differences
from gristmill.replay.logs.result import BrokenInvariant, LogRepair, LogResult, StuckLine
from gristmill.report.changes import step_words
from gristmill.report.explanation import render_blocked, render_explanation, shortened
from gristmill.report.style import Style, printable
from gristmill.report.terminal import PLAIN, Options, action_text
from gristmill.search.weave import Difference, Lack, NoValue
from gristmill.source.render import render_text
from gristmill.trace import Step
from gristmill.values import pretty, show

_VALUE = 80  # characters of a value
_MOST_STUCK = 4  # lines that are told of
_MOST_VALUES = 3  # of one expression


def render(result: LogResult, options: Options = PLAIN, *, steps: int = 3) -> str:
    """The verdict, how far the log fits, and why no further; of the behaviour, the last `steps`."""
    style = Style(options.color)
    with result.trace.world.active():
        lines = [*_headline(result, style), "", *_files(result), *_summary(result)]
        if result.diagnostics:
            lines += ["", render_text(result.diagnostics, options.color)]
        for broken in result.broken if result.verdict != "ok" else ():
            lines += _broken(broken, style, options.width)
        lines += _departure(result, style, options)
        if result.verdict != "ok" and len(result.trace):
            lines += _end(result, steps, style, options)
        if result.caveats:
            lines += ["", style.paint("heading", "What this rests on")]
            lines += (f"  - {printable(each)}" for each in result.caveats)
    return "\n".join(lines) + "\n"


def _headline(result: LogResult, style: Style) -> Iterator[str]:
    if result.verdict == "ok":
        yield style.paint("good", printable(result.message))
    elif result.verdict == "incomplete":
        yield style.paint("warning", f"Not decided: {printable(result.message)}")
    else:
        yield style.paint("bad", f"Error: {printable(result.message)}")


def _files(result: LogResult) -> Iterator[str]:
    width = max((len(file.path) for file in result.files), default=0)
    for file in result.files:
        upto = "" if file.matched == file.events else f", up to line {file.last_line}" if file.matched else ""
        yield f"  {printable(file.path):<{width}}  {file.matched:,} of {file.events:,} events{upto}"


def _summary(result: LogResult) -> Iterator[str]:
    taken = Counter(step.action for step in result.trace.steps[1:] if step.action)
    if taken:
        counts = ", ".join(f"{name} {count:,}" for name, count in taken.most_common())
        yield f"  {sum(taken.values()):,} steps: {shortened(counts, 300)}"
    yield f"  {result.pairs:,} pairs of a place in the log and a state, {result.seconds:.2f} s"


def _broken(broken: BrokenInvariant, style: Style, width: int) -> Iterator[str]:
    if broken.number is None:
        return
    after = f" after {broken.line}" if broken.line is not None else " in the initial state"
    yield ""
    yield style.paint("heading", printable(f"{broken.name} is false{after}"))
    if broken.explanation is not None:
        yield from render_explanation(broken.explanation, style, width)


# ---------------------------------------------------------------------------------------------------------- departure


def _departure(result: LogResult, style: Style, options: Options) -> Iterator[str]:
    found = result.departure
    if found is None:
        return
    if not found.states:
        yield ""
        yield "  There is no initial state."
    for stuck in found.stuck[:_MOST_STUCK]:
        yield from _stuck(stuck, style, options.width)
    if len(found.stuck) > _MOST_STUCK:
        others = ", ".join(str(stuck.line) for stuck in found.stuck[_MOST_STUCK:])
        yield f"  Nor does anything fit {printable(shortened(others, 300))}."
    if found.repairs:
        yield ""
        yield style.paint("heading", "What would make it fit")
        yield from (f"  - {printable(_repair(each))}" for each in found.repairs)


def _stuck(stuck: StuckLine, style: Style, width: int) -> Iterator[str]:
    states = "the state" if stuck.states == 1 else f"any of {stuck.states:,} states"
    yield ""
    yield style.paint("heading", printable(f"{stuck.line} cannot come next in {states} that the log leads to"))
    yield f"  {shortened(stuck.line.text, width - 2)}"
    for lack in stuck.lacks:
        if lack.kind != "guard":
            yield from _difference(lack, stuck, style, width)
    guards = [each for each in stuck.lacks if each.kind == "guard"]
    for action in dict.fromkeys(each.action for each in guards):
        yield f"  {action} is not possible:"
        yield from _guards([each for each in guards if each.action == action], stuck, style, width)
    if stuck.nearest is not None and guards and stuck.nearest.steps:
        steps = ", then ".join(map(action_text, stuck.nearest.steps))
        different = "; ".join(map(_unlike, stuck.nearest.differences))
        yield f"  What comes nearest is {shortened(f'{steps}: {different}', 3 * width)}"


def _guards(guards: Sequence[Lack], stuck: StuckLine, style: Style, width: int) -> Iterator[str]:
    for lack in guards:
        if stuck.looked_into > 1:
            yield style.paint("dim", f"  in {lack.count:,} of {stuck.looked_into:,} states")
        yield from render_blocked(lack.examples, style, width)


def _difference(lack: Lack, stuck: StuckLine, style: Style, width: int) -> Iterator[str]:
    often = f" (in {lack.count:,} of {stuck.looked_into:,} states)" if stuck.looked_into > 1 else ""
    if lack.kind == "such-that":
        yield f"  {lack.action or 'A step'} is possible, but not such that {lack.text}{often}"
        return
    when = "before it" if lack.kind == "before" else f"after {lack.action}" if lack.action else "now"
    yield f"  {when}, {lack.text} differs{often}"
    own = lack.owns[0][0]
    parts = differences(own, lack.wanted) if len(lack.owns) == 1 and not isinstance(own, NoValue) else ()
    if any(part.path for part in parts):
        yield from (style.paint("changed", shortened(f"    {_part(part)}", 2 * width)) for part in parts)
        return
    owns = [f"{_value(own)}{_in_states(count) if len(lack.owns) > 1 else ''}" for own, count in lack.owns]
    more = f" and {len(owns) - _MOST_VALUES:,} others" if len(owns) > _MOST_VALUES else ""
    yield style.paint("changed", shortened(f"    in the log    {_value(lack.wanted)}", 2 * width))
    yield style.paint("changed", shortened(f"    in the model  {', '.join(owns[:_MOST_VALUES])}{more}", 2 * width))


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


def _repair(found: LogRepair) -> str:
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


# --------------------------------------------------------------------------------------------------------------- end


def _end(result: LogResult, steps: int, style: Style, options: Options) -> Iterator[str]:
    """The last steps, with what they change, and the state after them."""
    trace = result.trace
    first = max(1, len(trace) - steps)
    yield ""
    yield style.paint(
        "heading", "A behaviour up to there" + (f", the last {len(trace) - first} steps" if first > 1 else "")
    )
    for number in range(first, len(trace)):
        step = trace.steps[number]
        told = ", ".join(map(str, result.lines[number])) or "no line"
        yield f"{number + 1:>5}  {style.paint('heading', printable(_title(step)))}{style.paint('dim', f'  {told}')}"
        for words in step_words(trace.steps[number - 1].shown, step.shown, options.width - 9):
            yield style.paint("changed", printable(f"       * {words}"))
    yield f"{'':>5}  {style.paint('heading', 'and so')}"
    for name, value in trace.steps[-1].shown.items():
        prefix = f"         {name} = "
        text = pretty(value, max(20, options.width - len(prefix))).replace("\n", "\n" + " " * len(prefix))
        yield printable(prefix + text)


def _title(step: Step) -> str:
    return action_text(step) if step.action is not None else "Initial state"


def _value(value: object) -> str:
    return shortened(_shown(value), _VALUE)


def _shown(value: object) -> str:
    return str(value) if isinstance(value, NoValue) else show(value)  # type: ignore[arg-type]
