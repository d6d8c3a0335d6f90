"""A module that most tests of the server talk about, and the places in it."""

from pathlib import Path
from typing import Any

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
\\* How far it counts.
CONSTANT Limit
VARIABLE count
(* It begins at nothing. *)
Init == count = 0
Next == count < Limit /\\ count' = count + 1
Spec == Init /\\ [][Next]_count
Small == count < 3
====
"""
CONFIGURATION = "SPECIFICATION Spec\nCONSTANT Limit = 5\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n"


def where(path: Path, what: str, which: int = 0) -> tuple[int, int]:
    """The position of an occurrence of a text in a file."""
    text, at = path.read_text(), -1
    for _ in range(which + 1):
        at = text.index(what, at + 1)
    return text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)


def ids(diagnostics: list[dict[str, Any]]) -> list[str]:
    return [each["code"] for each in diagnostics]
