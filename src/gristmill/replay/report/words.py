"""What all reports of a replay say in the same words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from gristmill.replay.outcome import Outcome, Replayed
from gristmill.replay.result import Comparison, Discrepancy
from gristmill.report.page.elide import elided_action
from gristmill.search.verdict import Verdict

Tone: TypeAlias = Literal["good", "warning", "bad"]

_TONES: dict[Verdict, Tone] = {"ok": "good", "incomplete": "warning"}
_MOST_NAMED = 3
_WIDEST_ACTION = 60


def headline(outcome: Outcome) -> str:
    """The verdict in a sentence."""
    if outcome.mode == "confirm":
        confirmed, found = sum(each.confirmed for each in outcome.confirmations), len(outcome.confirmations)
        if outcome.interrupted and not confirmed:
            return "Interrupted: no violation was confirmed so far"
        if not found:
            return "The model has no violation to confirm" + (", as far as it was checked" if outcome.caveats else "")
        told = f"{confirmed} of {counted(found, 'violation')} of the model confirmed on the system"
        return told + " (interrupted)" * outcome.interrupted
    again = ", as recorded" if outcome.mode == "from" and not outcome.not_as_recorded else ""
    cut = " (interrupted)" * outcome.interrupted
    if outcome.distinct:
        return f"Error: {counted(len(outcome.distinct), 'discrepancy')} between the model and the system{again}{cut}"
    if outcome.not_as_recorded:
        return "Error: the run is not as recorded"
    if outcome.interrupted:
        return f"Interrupted: no discrepancy so far, in {counted(outcome.traces, 'trace')}"
    if not outcome.replayed_something:
        return "Nothing was compared" if outcome.traces and outcome.steps else "Nothing was replayed"
    if outcome.mode in ("trace", "from"):
        return f"The system did it: every step, and every observed variable agreed{again}"
    return f"No discrepancy in {counted(outcome.traces, 'trace')}"


def tone(outcome: Outcome) -> Tone:
    return _TONES.get(outcome.verdict, "bad")


def extent(outcome: Outcome) -> str:
    """How much was done."""
    seed = f", seed {outcome.seed}" if outcome.seed is not None else ""
    return f"{counted(outcome.traces, 'trace')}, {counted(outcome.steps, 'step')}, {outcome.seconds:.1f} s{seed}"


def place(found: Discrepancy) -> str:
    return f"step {found.step}, {elided_action(found.action, _WIDEST_ACTION)}" if found.step else "the initial state"


def gist(found: Discrepancy) -> str:
    """What is wrong, without values where they stand beside it."""
    if not found.comparisons:
        return found.message
    names = [named(each) for each in found.comparisons]
    more = len(names) - _MOST_NAMED
    told = [*names[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])]
    listed = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return f"{listed} {'differs' if len(names) == 1 else 'differ'}"


def named(each: Comparison) -> str:
    return each.variable if each.node is None else f"{each.variable} of {each.node}"


def shrinking(replayed: Replayed) -> str:
    """Of a discrepancy whose trace was made smaller."""
    assert replayed.run.discrepancy is not None
    steps, before = len(replayed.shown[0]) - 1, replayed.run.discrepancy.step
    return f"the smallest of {counted(replayed.tries, 'trace')} tried: {counted(steps, 'step')} instead of {before}"


def basis(outcome: Outcome) -> Iterator[str]:
    """What a verdict rests on, a line each."""
    compared = [name for name in outcome.observed if name in outcome.compared]
    yield f"{counted(len(compared), 'variable')} compared: {', '.join(compared) or 'none'}"
    if outcome.never_compared and outcome.traces:
        yield f"never compared: {', '.join(outcome.never_compared)} (nodes were down, or `when` was never true)"
    for name, why in outcome.unobserved.items():
        yield f"not observed: {name}" + f" ({why})" * bool(why)
    if outcome.actions:
        pairs = counted(len(outcome.pairs), "pair")
        yield f"{counted(len(outcome.actions), 'action')} and {pairs} of actions replayed"
    if outcome.unmet and outcome.mode == "random":
        yield f"never replayed: {', '.join(outcome.unmet)}"
    for name, times in outcome.avoided.items():
        why = outcome.reasons.get(name, "")
        yield f"avoided {counted(times, 'time')}: {name}" + f" ({why})" * bool(why)
    yield from (f"not as recorded: {each}" for each in outcome.not_as_recorded)
    yield from (f"caveat: {each}" for each in outcome.caveats)


def counted(number: int, noun: str) -> str:
    """`1 step`, `2,000 steps`, `2 discrepancies`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("y") else f"{number:,} {noun}s"


def first_and_last(items: Sequence[object], first: int, last: int) -> tuple[slice, int, slice]:
    """What to show of a long list: the beginning, how many are left out, the end."""
    if len(items) <= first + last + 1:
        return slice(None), 0, slice(len(items), None)
    return slice(first), len(items) - first - last, slice(len(items) - last, None)
