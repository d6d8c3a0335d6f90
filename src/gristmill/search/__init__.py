"""Exploring the states of a model. Nothing here knows TLA+; `model` is where to begin reading."""

from gristmill.search.bfs import breadth_first
from gristmill.search.limits import NO_LIMITS, Limits
from gristmill.search.model import (
    Action,
    ActionPredicate,
    Failure,
    Model,
    ModelError,
    Parameters,
    Position,
    State,
    StatePredicate,
    Taken,
)
from gristmill.search.progress import OnProgress, Progress
from gristmill.search.result import ActionCoverage, Graph, OutDegree, Result, Verdict, Violation

__all__ = [
    "NO_LIMITS",
    "Action",
    "ActionCoverage",
    "ActionPredicate",
    "Failure",
    "Graph",
    "Limits",
    "Model",
    "ModelError",
    "OnProgress",
    "OutDegree",
    "Parameters",
    "Position",
    "Progress",
    "Result",
    "State",
    "StatePredicate",
    "Taken",
    "Verdict",
    "Violation",
    "breadth_first",
]
