"""A behaviour for a person: which actions, in a line or two; then what each step changes, or every state whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from gristmill.report.changes import fitted, packed, step_words
from gristmill.report.options import PLAIN, Options
from gristmill.report.page.elide import elided_action
from gristmill.report.places import place_text
from gristmill.report.style import Role, Style, printable
from gristmill.trace import Step, Trace
from gristmill.values import Value, pretty, show

_LINES_OF_A_STEP = 3  # its title among them
_FIRST, _LAST = 10, 20  # steps of a long behaviour that are shown
_LONG = 60  # steps: more than that are not all shown
_LINES_OF_THE_SUMMARY = 3
_WIDEST_ACTION = 60  # columns of an action in the summary
_FEW_VARIABLES = 12  # so many that the last state is shown whole once more
_FEW_STEPS = 3  # so few that one sees the last state without that

_LINES_OF_A_VALUE = 4  # of the last state


def render_trace(trace: Trace, options: Options = PLAIN) -> list[str]:
    """Lines: the actions in short; then each state with its number, the action that led to it, and what it changed."""
    with trace.world.active():
        return list(_whole(trace, options) if options.trace == "full" else _changes(trace, options))


def action_text(step: Step) -> str:
    """The action as it was taken: `Send(p = p1, m = "hello")`."""
    return call_text(str(step.action), [(name, show(value)) for name, value in step.parameters])


def call_text(action: str, parameters: Sequence[tuple[str, str]]) -> str:
    listed = ", ".join(f"{name} = {value}" for name, value in parameters)
    return f"{action}({listed})" if listed else action


# ------------------------------------------------------------------------------------------------ what steps change


def _margin(trace: Trace) -> str:
    """What stands below the number of a step: as wide as that of the last one, and two blanks."""
    return " " * (max(3, len(str(len(trace)))) + 2)


def _changes(trace: Trace, options: Options) -> Iterator[str]:
    style = Style(options.color)
    found = list(_changed_steps(trace, options, style))
    yield from summary(trace, options.width)
    yield ""
    yield from found
    yield from _end(trace, style)
    if any("…" in line for line in found):
        yield ""
        yield style.paint("dim", f"{_margin(trace)}…: something is left out; --trace full shows every state whole.")


def _changed_steps(trace: Trace, options: Options, style: Style) -> Iterator[str]:
    before, margin = -1, _margin(trace)
    for number in shown_steps(trace):
        between = number - before - 1
        if between:
            dots = f"{'…':>{len(margin) - 2}}  "
            yield style.paint("dim", f"{dots}{between:,} {'step' if between == 1 else 'steps'} between")
        before = number
        yield _title(trace, number, style, options.width)
        if number == 0:
            yield from _state(trace.steps[0], margin, options.width, 1)
        else:
            yield from _changed(trace, number, options.width, style)
    if _is_worth_showing(trace):
        yield ""
        yield f"{margin}{style.paint('heading', f'All of state {len(trace)}')}"
        yield from _state(trace.steps[-1], margin, options.width, _LINES_OF_A_VALUE)


def shown_steps(trace: Trace) -> list[int]:
    """Numbers of steps, from 0: of a long behaviour the first and the last ones, and where a loop begins."""
    length = len(trace)
    if length <= _LONG:
        return list(range(length))
    shown = {*range(_FIRST), *range(length - _LAST, length)}
    if trace.loop_start is not None:
        shown |= {*range(max(0, trace.loop_start - 1), min(length, trace.loop_start + 3))}
    return sorted(shown)


def _is_worth_showing(trace: Trace) -> bool:
    """Whether what the last state is can only be gathered from many steps, and has room."""
    ends = trace.loop_start is None and not trace.stuttering
    return ends and len(trace) > _FEW_STEPS and len(trace.steps[-1].shown) <= _FEW_VARIABLES


def _state(step: Step, margin: str, width: int, most: int) -> Iterator[str]:
    """So many lines a variable at most; what does not fit there is cut to one."""
    names = max(map(len, step.shown), default=0)
    for name, value in step.shown.items():
        prefix = f"{margin}{name:<{names}} = "
        room = max(20, width - len(prefix))
        lines = _filled(show(value), room, most)
        first, *rest = lines if len(lines) <= most else [fitted(value, room)]
        yield printable(prefix + first)
        yield from (printable(" " * len(prefix) + line) for line in rest)


def _filled(text: str, room: int, most: int) -> list[str]:
    """A value in lines that are as full as can be; more than `most` of them if it has no room in these."""
    lines = [""]
    for part in text.split(", "):
        if len(lines) > most or len(part) > room - 2:
            return [text] * (most + 1)
        if lines[-1] and len(lines[-1]) + len(part) + 2 > room:
            lines.append("")
        lines[-1] += f"{part}, "
    return [line.rstrip() for line in lines[:-1]] + [lines[-1][: -len(", ")]]


def _changed(trace: Trace, number: int, width: int, style: Style) -> Iterator[str]:
    margin = _margin(trace)
    room = width - len(margin)
    words = step_words(trace.steps[number - 1].shown, trace.steps[number].shown, room)
    for line in packed(words, room, _LINES_OF_A_STEP - 1):
        yield style.paint("changed", printable(margin + line))
    if not words:
        yield style.paint("dim", f"{margin}nothing changed")


# ------------------------------------------------------------------------------------------------------ the summary


def summary(trace: Trace, width: int) -> Iterator[str]:
    """`Timeout(s1) · RequestVote(s1, s2) · …`, if there is more than one step."""
    if len(trace) <= 2:
        return
    steps = len(trace) - 1
    yield ""
    words = [_repeated(name, len(list(same))) for name, same in groupby(map(_call, trace.steps[1:]))]
    yield from map(printable, _wrapped(f"{steps:,} steps: ", words, width))


def _call(step: Step) -> str:
    """With the values of parameters alone: `RequestVote(s1, s2)`."""
    values = ", ".join(show(value) for _, value in step.parameters)
    return elided_action(f"{step.action}({values})" if values else str(step.action), _WIDEST_ACTION)


def _repeated(text: str, times: int) -> str:
    return f"{text} ×{times:,}" if times > 1 else text


def _wrapped(head: str, words: Sequence[str], width: int) -> list[str]:
    """The first words and the last one, in few lines; `…` for those between."""
    lines = [head]
    for number, word in enumerate(words):
        joined = " · " if number else ""
        if number and len(lines[-1]) + len(joined) + len(word) + 2 > width:
            if len(lines) == _LINES_OF_THE_SUMMARY:
                return [*lines, f"  … · {words[-1]}"] if number < len(words) - 1 else [*lines, f"  {word}"]
            lines[-1] += " ·"
            lines.append("  ")
            joined = ""
        lines[-1] += joined + word
    return lines


# ---------------------------------------------------------------------------------------------- every state, whole


def _whole(trace: Trace, options: Options) -> Iterator[str]:
    style = Style(options.color)
    yield from summary(trace, options.width)
    for number, step in enumerate(trace.steps):
        yield ""
        yield _title(trace, number, style)
        yield from _variables(trace, number, step, options, style)
    yield from _end(trace, style)


def _title(trace: Trace, number: int, style: Style, width: int | None = None) -> str:
    step, margin = trace.steps[number], _margin(trace)
    title = action_text(step) if step.action is not None else "Initial state"
    where = f"  {place_text(step.location)}" if step.location is not None else ""
    if step.algorithm is not None:
        where = f"  {place_text(step.algorithm)} (algorithm)"
    room = None if width is None else max(20, width - len(margin) - len(where))
    if room is not None and len(title) > room:
        title = _shortened_call(step, room)
    return f"{number + 1:>{len(margin) - 2}}  {style.paint('heading', printable(title))}{style.paint('dim', where)}"


def _shortened_call(step: Step, room: int) -> str:
    """With the values of parameters cut, each to its share; without them, if that is not enough."""
    around = len(call_text(str(step.action), [(name, "") for name, _ in step.parameters]))
    shares = _shares([len(show(value)) for _, value in step.parameters], room - around)
    cut = [(name, fitted(value, max(12, share))) for (name, value), share in zip(step.parameters, shares, strict=True)]
    return elided_action(call_text(str(step.action), cut), room)


def _shares(wanted: Sequence[int], room: int) -> list[int]:
    """Columns for each: what needs less than its share leaves the rest to those that need more."""
    shares = [0] * len(wanted)
    for left, at in enumerate(sorted(range(len(wanted)), key=lambda at: wanted[at])):
        shares[at] = min(wanted[at], (room - sum(shares)) // (len(wanted) - left))
    return shares


def _end(trace: Trace, style: Style) -> Iterator[str]:
    if trace.stuttering:
        yield ""
        yield f"{_margin(trace)}Nothing happens any more."
    elif trace.loop_start is not None:
        closing = trace.closing
        by = ""
        if closing is not None:
            by = f" by {style.paint('heading', printable(action_text(closing)))}"
            by += style.paint("dim", f"  {place_text(closing.location)}") if closing.location is not None else ""
        yield ""
        yield f"{_margin(trace)}Back to state {trace.loop_start + 1}{by or '.'}"


def _variables(trace: Trace, number: int, step: Step, options: Options, style: Style) -> Iterator[str]:
    changed, margin = trace.changed(number), _margin(trace)
    shown = [name for name in step.shown if number == 0 or options.unchanged == "show" or name in changed]
    width = max((len(name) for name in shown), default=0)
    for name in shown:
        role: Role | None = "changed" if name in changed else None if number == 0 else "dim"
        mark = "*" if name in changed else " "
        yield from _variable(f"{margin[:-2]}{mark} {name:<{width}} = ", step.shown[name], options.width, role, style)
    if not changed and number > 0:
        yield style.paint("dim", f"{margin}nothing changed")


def _variable(prefix: str, value: Value, width: int, role: Role | None, style: Style) -> Iterator[str]:
    text = printable(prefix + pretty(value, max(20, width - len(prefix))).replace("\n", "\n" + " " * len(prefix)))
    for line in text.split("\n"):
        yield style.paint(role, line) if role else line
