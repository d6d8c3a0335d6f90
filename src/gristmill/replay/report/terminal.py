"""The outcome of a replay on a terminal: plain text of at most 100 columns. The verdict comes last."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from gristmill.replay.outcome import Confirmation, Outcome, Replayed
from gristmill.replay.report.words import (
    basis,
    counted,
    extent,
    first_and_last,
    gist,
    headline,
    place,
    shrinking,
)
from gristmill.replay.result import KINDS, Comparison, Discrepancy, Moved, StepRun
from gristmill.report.page.elide import elided, elided_action, shortened
from gristmill.report.style import printable

WIDTH = 100
_FIRST, _LAST = 5, 20  # steps of a long trace
_MOST_MOVES = 2  # lines of a step
_MOST_LINES = 12  # of what threads were doing, and of a log
_MOST_ROWS = 12  # of what differs
_MOST_INSIDE = 3  # differences within a value
_LONGEST_MESSAGE = 6 * WIDTH
_WIDEST_ACTION, _WIDEST_NAME = 36, 24


def render(outcome: Outcome) -> str:
    paragraphs = (*_confirmations(outcome), *_discrepancies(outcome), [*_summary(outcome)], [*_verdict(outcome)])
    return "\n\n".join("\n".join(map(printable, lines)) for lines in paragraphs) + "\n"


def _verdict(outcome: Outcome) -> Iterator[str]:
    yield headline(outcome)
    yield extent(outcome)


def _summary(outcome: Outcome) -> Iterator[str]:
    yield from chain.from_iterable(map(_wrapped, basis(outcome)))
    if outcome.step_seconds:
        run, observe, own = (statistics.median(each) * 1000 for each in zip(*outcome.step_seconds, strict=True))
        yield f"a step at the median: {run:.1f} ms to run ({own:.1f} ms of our own), {observe:.1f} ms to observe"
    if outcome.start_seconds:
        yield f"to the initial state at the median: {statistics.median(outcome.start_seconds):.2f} s"


# -------------------------------------------------------------------------------------------------------- confirmations


def _confirmations(outcome: Outcome) -> Iterator[list[str]]:
    for each in outcome.confirmations:
        yield [*_confirmation(each)]


def _confirmation(found: Confirmation) -> Iterator[str]:
    yield f"{found.invariant}: {'confirmed' if found.confirmed else 'not confirmed'}"
    yield from _wrapped(_observed(found), "  ")
    if found.replayed is None:
        return
    run = found.replayed.run
    done = f"{len(run.steps)} of {counted(run.length, 'step')} in {run.seconds:.1f} s"
    yield f"  found by the check in {found.check_seconds:.1f} s ({found.states:,} states); replayed {done}"
    yield from (f"  {line}" for line in step_lines(run.steps, run.discrepancy))
    if run.discrepancy is not None:
        yield from _discrepancy(run.discrepancy)


def _observed(found: Confirmation) -> str:
    """Where the system left the trace is told below, with values that need not stand here, too."""
    discrepancy = None if found.replayed is None else found.replayed.run.discrepancy
    return found.observed if discrepancy is None else f"the system leaves the trace at {place(discrepancy)}"


# -------------------------------------------------------------------------------------------------------- discrepancies


def _discrepancies(outcome: Outcome) -> Iterator[list[str]]:
    if outcome.mode != "confirm":  # there they stand with the confirmations
        for same in outcome.distinct.values():
            yield [*_replayed(same[0], len(same))]


def _replayed(replayed: Replayed, times: int) -> Iterator[str]:
    found = replayed.run.discrepancy
    assert found is not None
    often = f", in {counted(times, 'trace')}" if times > 1 else ""
    yield from _wrapped(f"Discrepancy: {KINDS[found.kind]}{often} ({replayed.run.name})")
    if replayed.smallest is not None:
        yield f"  {shrinking(replayed)}"
    run = replayed.shown[1]
    yield from (f"  {line}" for line in step_lines(run.steps, run.discrepancy))
    yield from _discrepancy(run.discrepancy or found)


def _discrepancy(found: Discrepancy) -> Iterator[str]:
    yield from _wrapped(f"At {place(found)}: {elided(gist(found), _LONGEST_MESSAGE)}", "  ")
    yield from _table(found.comparisons)
    yield from _block("held, waiting", found.waiting)
    yield from _block("doing", found.doing)
    if found.failure is not None and found.failure.log:
        yield from _block("log, its end", found.failure.log.rstrip().splitlines(), last=True)


# ---------------------------------------------------------------------------------------------------------------- steps


def step_lines(steps: Sequence[StepRun], discrepancy: Discrepancy | None = None) -> Iterator[str]:
    """A few lines for each step; of a long run, the first and the last ones."""
    head, left_out, tail = first_and_last(steps, _FIRST, _LAST)
    actions = {each.number: elided_action(each.action, _WIDEST_ACTION) for each in (*steps[head], *steps[tail])}
    width = max(map(len, actions.values()), default=0)
    wrong = None if discrepancy is None else discrepancy.step

    def begin(step: StepRun) -> str:
        return f"{'✗' if step.number == wrong else ' '}{step.number:3}  {actions[step.number]:{width}}  "

    yield from chain.from_iterable(_step(begin(step), step) for step in steps[head])
    if left_out:
        yield f"     … {counted(left_out, 'step')} …"
    yield from chain.from_iterable(_step(begin(step), step) for step in steps[tail])


def _step(begin: str, step: StepRun) -> Iterator[str]:
    room = WIDTH - 2 - len(begin)
    moves = [elided(_moved(each), room) for each in step.moves]
    if len(moves) > _MOST_MOVES:
        moves[_MOST_MOVES - 1 :] = [f"… and {counted(len(moves) - _MOST_MOVES + 1, 'move')} more"]
    yield (begin + (moves[0] if moves else "")).rstrip()
    yield from (" " * len(begin) + line for line in moves[1:])


def _moved(each: Moved) -> str:
    return f"{each.node}: {each.text}" if each.node else each.text


# -------------------------------------------------------------------------------------------------------- what differs


def _table(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """The model and the system beside each other, and below what differs inside of the values."""
    if not comparisons:
        return
    shown = comparisons[:_MOST_ROWS]
    name = min(_WIDEST_NAME, max(len("variable"), *(len(each.variable) for each in shown)))
    node = max(len("node"), *(len(each.node or "") for each in shown))
    room = WIDTH - (4 + name + 2 + node + 2 + 2)
    widest = max(len("model"), *(len(each.model) for each in shown))
    model = min(widest, max(room // 2, room - max(len(each.real) for each in shown)))
    yield f"    {'variable':{name}}  {'node':{node}}  {'model':{model}}  system"
    for each in shown:
        yield (
            f"    {shortened(each.variable, name):{name}}  {each.node or '':{node}}  "
            f"{elided(each.model, model):{model}}  {elided(each.real, room - model)}"
        )
        yield from _inside(each)
    if len(comparisons) > len(shown):
        yield f"    … and {len(comparisons) - len(shown)} more"


def _inside(each: Comparison) -> Iterator[str]:
    if len(each.differences) > 1 or any(inside.path for inside in each.differences):
        for inside in each.differences[:_MOST_INSIDE]:
            if not inside.real:
                said = f"{elided(inside.model, 50)} is missing in the system"
            elif not inside.model:
                said = f"{elided(inside.real, 50)} is only in the system"
            else:
                said = f"{elided(inside.model, 30)} in the model, {elided(inside.real, 30)} in the system"
            yield from _wrapped(f"{inside.path}: {said}" if inside.path else said, "      ")
        if len(each.differences) > _MOST_INSIDE:
            yield f"      … and {counted(len(each.differences) - _MOST_INSIDE, 'difference')} more"
    if each.reading:
        yield f"      read: {elided(each.reading, WIDTH - 12)}"


def _block(title: str, lines: Sequence[str], last: bool = False) -> Iterator[str]:
    """Of many lines the first ones, or the last ones."""
    if not lines:
        return
    yield f"    {title}:"
    left_out = max(0, len(lines) - _MOST_LINES)
    if left_out and last:
        yield f"      … {counted(left_out, 'line')} before"
    shown = lines[-_MOST_LINES:] if last else lines[:_MOST_LINES]
    yield from (f"      {_short(line)}" for line in shown)
    if left_out and not last:
        yield f"      … and {left_out} more"


def _short(line: str) -> str:
    line = line.replace("\n", " ").expandtabs(4)
    return line if len(line) <= WIDTH - 6 else f"{line[: WIDTH - 7]}…"


def _wrapped(text: str, indent: str = "") -> Iterable[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ") or [indent]
