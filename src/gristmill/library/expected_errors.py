"""Is this the error that was expected? For `AssertError`, in specifications that know the messages of TLC.

Messages are ours, so they can be compared with one of TLC's only by what both are about.
"""

from __future__ import annotations

from typing import Final

from gristmill.values import EvaluationError

_WRONG_KIND: Final = ("should be a", "should be an", "should be in", "is not an element of", "non-enumerable value")

# What TLC's messages say where we have an error of this id: one of these.
_PHRASES: Final[dict[str, tuple[str, ...]]] = {
    "choose-without-witness": ("CHOOSE x \\in S: P, but no element of S satisfied P",),
    "division-by-zero": ("The second argument of \\div is 0", "The second argument of % should be"),
    "empty-sequence": ("to the empty sequence", *_WRONG_KIND),
    "empty-set": ("empty set", *_WRONG_KIND),
    "incomparable-values": ("Attempted to compare", "Attempted to check equality of", "Attempted to check if"),
    "modulus-not-positive": ("The second argument of %",),
    "no-case-applies": ("of a CASE expression", "CASE"),
    "no-such-field": ("nonexistent field", "to a field", "Attempted to select field"),
    "not-a-boolean": ("non-boolean", "boolean"),
    "not-a-function": ("Attempted to apply", "A non-function", "to a non-function", *_WRONG_KIND),
    "not-a-record": ("Attempted to select field", "to a non-record", *_WRONG_KIND),
    "not-a-sequence": _WRONG_KIND,
    "not-a-set": ("Attempted to", *_WRONG_KIND),
    "not-an-integer": ("non-integer", "an integer", *_WRONG_KIND),
    "not-enumerable": ("Attempted to enumerate", "Attempted to compute the number of elements", "not enumerable"),
    "not-in-domain": ("In applying the function", "not in the domain", "Attempted to access index", *_WRONG_KIND),
    "register-not-set": ("TLCGet",),
    "tuple-expected": ("tuple",),
    "unassigned-initially": ("is either undefined or not an operator", "is undefined"),
    "unassigned-variable": ("is either undefined or not an operator", "is undefined"),
    "unbounded-binder": ("unbounded",),
    "wrong-argument": _WRONG_KIND,
}

_ASSERTION: Final = "The first argument of Assert evaluated to FALSE; the second argument was:\n"


def is_expected(error: EvaluationError, message: str) -> bool:
    """Whether `message` is the one of the error, or one of TLC's that says the same."""
    if message == error.message:
        return True
    if error.id == "assert":
        return message.startswith(_ASSERTION) and error.message.endswith(message.removeprefix(_ASSERTION))
    return any(phrase in message for phrase in _PHRASES.get(error.id, ()))
