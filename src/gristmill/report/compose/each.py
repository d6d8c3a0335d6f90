"""A check of every module with the others coarse: the table, and what follows for the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gristmill.compose.each import Each, Row, total_seconds
from gristmill.compose.verify.result import Verification
from gristmill.report.compose.composition import composition_document, mix_text
from gristmill.report.compose.table import render_table
from gristmill.report.json import result_document
from gristmill.search.verdict import document

HEADS = ["composition", "grains", "verdict", "states", "generated", "depth", "seconds"]
LEFT = 3  # columns that are words


def render_each(found: Each) -> str:
    return (
        "\n".join([render_table([HEADS, *each_rows(found)], LEFT), "", *not_checked(found), *conclusion(found)]) + "\n"
    )


def each_rows(found: Each) -> list[list[str]]:
    """The table, without its titles."""
    rows = [_cells(row) for row in found.rows]
    rows.append(["together", "", "", *_sums(found)])
    return [*rows, _cells(found.direct)] if found.direct is not None else rows


def _cells(row: Row) -> list[str]:
    result = row.result
    verdict = f"{result.verdict} {result.property}" if result.property else result.verdict
    counts = [f"{result.distinct:,}", f"{result.generated:,}", f"{result.depth:,}", f"{result.seconds:.2f}"]
    return [row.name, mix_text(row.composed.mix), verdict, *counts]


def _sums(found: Each) -> list[str]:
    states = sum(row.result.distinct for row in found.rows)
    generated = sum(row.result.generated for row in found.rows)
    return [f"{states:,}", f"{generated:,}", "", f"{total_seconds(found.rows):.2f}"]


def not_checked(found: Each) -> Iterator[str]:
    for row in found.rows:
        for each in row.composed.unavailable:
            yield f"Not checked in {row.name}: {each.invariant.name}; {each.reason}"


def conclusion(found: Each) -> Iterator[str]:
    """What follows, in sentences, that of the verdict last."""
    yield from _direct(found)
    yield from _verified(found.verification)
    if found.holds_of_whole:
        yield f"Of the whole hold: {', '.join(found.holds_of_whole)}."
    if found.open and found.failed is None:
        yield f"Whether these hold of the whole is not known: {', '.join(found.open)}."
    yield found.message


def _direct(found: Each) -> Iterator[str]:
    if found.direct is None:
        return
    result, together = found.direct.result, total_seconds(found.rows)
    ratio = result.seconds / together if together else 0.0
    if result.verdict == "incomplete":
        yield f"The whole, directly: not finished after {result.seconds:.1f} s, more than {ratio:.1f} times as long."
    else:
        yield f"The whole, directly: {ratio:.1f} times as long as the compositions together."


def _verified(verification: Verification | None) -> Iterator[str]:
    if verification is None:
        yield "Not verified: that the compositions are in order says nothing about the whole."
        return
    words = {
        "proven": "Verified: each coarse grain can stand in for its module, so the compositions cover the whole",
        "rejected": "Rejected: a coarse grain cannot stand in for its module. See `gristmill compose verify`",
        "incomplete": "Not verified: whether the coarse grains can stand in was not decided",
    }
    yield f"{words[verification.outcome]} ({verification.seconds:.2f} s)."
    if verification.outcome != "proven":
        yield from (f"  {sentence}" for sentence in verification.argument)


def each_document(found: Each) -> dict[str, Any]:
    seconds = total_seconds(found.rows)
    return {
        **document(found.verdict, None, found.message, found.exit_code, seconds, ()),
        "each": [_row(row) for row in found.rows],
        "direct": None if found.direct is None else _row(found.direct),
        "verification": None if found.verification is None else _verification(found.verification),
        "holds_of_whole": list(found.holds_of_whole),
        "open": list(found.open),
    }


def _row(row: Row) -> dict[str, Any]:
    result = {**result_document(row.result), "composition": composition_document(row.composed)}
    return {"name": row.name, "result": result}


def _verification(verification: Verification) -> dict[str, Any]:
    return {
        "outcome": verification.outcome,
        "seconds": round(verification.seconds, 3),
        "argument": list(verification.argument),
        "invariants": [
            {"name": each.name, "holds": each.holds, "in": list(each.in_), "reason": each.reason}
            for each in verification.invariants
        ],
    }
