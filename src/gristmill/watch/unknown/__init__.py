"""Local states of which something is not known, and what can be said about actions in them.

A monitor that begins in the middle of a run knows nothing about the node. What is unknown stands as `Unknown` in the
place of a value, and actions are evaluated with three truth values. A guard that is neither true nor false is assumed,
and what follows from that for the state is kept: so the state becomes known by and by. Everything errs on one side: a
partly known state allows whatever any state allows that it may stand for.
"""

from gristmill.watch.unknown.taking import PartialActions
from gristmill.watch.unknown.values import (
    ANY,
    Part,
    PartialLocal,
    Unknown,
    covers,
    is_known,
    told_by,
    unknown_like,
    with_known,
)

__all__ = [
    "ANY",
    "Part",
    "PartialActions",
    "PartialLocal",
    "Unknown",
    "covers",
    "is_known",
    "told_by",
    "unknown_like",
    "with_known",
]
