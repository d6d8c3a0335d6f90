"""The verdicts of all that searches, of specifications and of programs, with their exit codes and their JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

Verdict = Literal[
    "ok",
    "invariant",
    "deadlock",
    "property",
    "liveness",
    "assumption",
    "assert",
    "postcondition",
    "error",
    "incomplete",
]

# Those of TLC, where it has one: its ExitStatus.
EXIT_CODES: dict[Verdict, int] = {
    "ok": 0,
    "incomplete": 3,  # TLC cannot stop early
    "assumption": 10,
    "postcondition": 10,
    "deadlock": 11,
    "invariant": 12,
    "property": 13,
    "liveness": 13,
    "assert": 14,
    "error": 75,
}
PARSE_ERROR, CONFIGURATION_ERROR = 150, 151  # `status` of an "error" before there is anything to search

FORMAT = 1  # of JSON documents; grows when a field changes its meaning or goes away


def document(
    verdict: Verdict, property_: str | None, message: str, exit_code: int, seconds: float, caveats: Iterable[str]
) -> dict[str, Any]:
    """What every document begins with, whatever was searched."""
    return {
        "format": FORMAT,
        "verdict": verdict,
        "property": property_,
        "message": message,
        "exit_code": exit_code,
        "seconds": round(seconds, 3),
        "caveats": list(caveats),
    }
