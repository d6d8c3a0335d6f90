"""Exploring the states of a model. Nothing here knows TLA+; `model` is where to begin reading."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gristmill.search.bfs import breadth_first
    from gristmill.search.budget.limits import NO_LIMITS, Limits
    from gristmill.search.model import (
        Action,
        ActionPredicate,
        Failure,
        Model,
        ModelError,
        Obligation,
        Parameters,
        Position,
        State,
        StatePredicate,
        Taken,
    )
    from gristmill.search.progress import OnProgress, Progress
    from gristmill.search.result import ActionCoverage, Graph, OutDegree, Result, Violation
    from gristmill.search.verdict import Verdict

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
    "Obligation",
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

_WHERE = {
    "bfs": ("breadth_first",),
    "budget.limits": ("NO_LIMITS", "Limits"),
    "progress": ("OnProgress", "Progress"),
    "result": ("ActionCoverage", "Graph", "OutDegree", "Result", "Violation"),
    "verdict": ("Verdict",),
    "model": __all__,  # the rest
}


def __getattr__(name: str) -> Any:
    """Imported when it is used: who explores Python programs uses little of it, and must not wait for the rest."""
    module = next((module for module, names in _WHERE.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module 'gristmill.search' has no attribute {name!r}")
    return getattr(importlib.import_module(f"gristmill.search.{module}"), name)
