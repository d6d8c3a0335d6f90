"""Why something is left to the reference evaluator, or begun anew."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.search.model import State


class Unsupported(Exception):
    """This expression has no native form; the text says which kind."""


class NoNativeFormError(ValueError):
    """A value that native code cannot hold: an integer beyond 61 bits, a set that cannot be sorted, a lazy function."""


class LeaveToReferenceError(Exception):
    """The native engine cannot decide this; the reference evaluator must."""


class OrderMattersError(Exception):
    """Something was to be printed, or a name to be made, in a search that is not in order."""


class MisfitInRunError(Exception):
    """A state does not fit the layout. `states`: some that do not, to learn from.

    `variable`: the one that does not fit; `width`: that of the slots for which there were too many values, else 0;
    `counts`: then, how many different values each slot has, if that could be told.
    """

    def __init__(self, variable: int, width: int, states: Sequence[State], counts: Sequence[int] = ()) -> None:
        super().__init__(variable)
        self.variable = variable
        self.width = width
        self.states = states
        self.counts = counts
