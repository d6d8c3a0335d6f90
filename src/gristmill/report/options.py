"""How a person wants to be told."""

from __future__ import annotations

from typing import Literal

from gristmill.source.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """`trace`: what a step changes, in at most three lines, or every state whole. The first state is shown whole.

    `unchanged`, of whole states: whether variables that a step leaves alone are shown with it.

    `coverage`: the table of actions; "auto" leaves it out when a violation has ended the search early.
    """

    color: bool = False
    width: int = 100
    trace: Literal["changes", "full"] = "changes"
    unchanged: Literal["show", "omit"] = "show"
    coverage: Literal["auto", "always", "never"] = "auto"


PLAIN = Options()
