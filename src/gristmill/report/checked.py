"""What a verdict is about, for a person: what was checked, and what could have been."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from gristmill.report.places import place_text
from gristmill.report.style import printable
from gristmill.search.result import Result, Unasked

_MOST = 8  # names of what was not asked for


def render_checked(result: Result, width: int) -> Iterator[str]:
    """`Checked: TypeOK, Mutex, deadlock.` and `Not checked: Served, …`."""
    if result.checked:
        yield from _wrapped(f"Checked{_until(result)}: {', '.join(result.checked)}.", width)
    if result.undecided:
        names = ", ".join(result.undecided)
        yield from _wrapped(f"Not decided: {names}, which takes a search of all states.", width)
    if result.unasked:
        yield from _wrapped(f"Not checked: {_named(result.unasked)}.", width)


def _until(result: Result) -> str:
    """What ended the search before all states were explored, or their steps were found, ended the checks as well."""
    cut_short = result.queue > 0 or result.verdict == "error"
    return " until then" if cut_short and result.verdict not in ("ok", "incomplete") else ""


def _named(unasked: Sequence[Unasked]) -> str:
    named = ", ".join(
        each.name if each.location is None else f"{each.name} ({place_text(each.location)})" for each in unasked[:_MOST]
    )
    more = f" and {len(unasked) - _MOST:,} more" if len(unasked) > _MOST else ""
    if len(unasked) == 1:
        what = "an invariant" if unasked[0].kind == "invariant" else "a property"
        return f"{named}, {what} in the module that the configuration does not name"
    return f"{named}{more}, which look like properties and which the configuration does not name"


def _wrapped(text: str, width: int) -> list[str]:
    return wrapped(printable(text), width, "  ")


def wrapped(text: str, width: int, indent: str, first: str = "") -> list[str]:
    """A sentence in lines; names in it stay whole."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
