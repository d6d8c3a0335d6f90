"""What to do about an error of evaluation, where there is something that mostly helps."""

from __future__ import annotations

from typing import Final

from gristmill.values import EvaluationError

_REMEDIES: Final = {
    "choose-without-witness": "make sure that there is an element that satisfies it, or choose a default by IF",
    "incomplete-initial-state": "give it one: `x = …` or `x \\in …`",
    "incomplete-state": "give it one, or say that it does not change: UNCHANGED",
    "no-case-applies": "add a guard for this case, or OTHER",
    "no-such-field": "are the fields spelt alike where the record is made?",
    "not-enumerable": "take a finite part of it, such as 0..9, or put one in its place: `Nat <- MyNat` in the"
    " configuration",
    "not-in-domain": "guard it by a test of the argument, such as `x \\in DOMAIN f`",
    "set-too-large": "take a smaller set, or test membership instead of going through it",
    "unassigned-variable": "a variable has a next value behind `x' = …` and `x' \\in …`, not before: write that first",
    "unassigned-initially": "a variable has an initial value behind `x = …` and `x \\in …`, not before: write"
    " that first",
    "unbounded-recursion": "is there a case in which it does not call itself?",
}


def remedy(error: EvaluationError) -> str | None:
    return _REMEDIES.get(error.id)
