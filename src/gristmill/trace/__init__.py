"""Behaviours: what a counterexample, a simulation and a replay have in common."""

from gristmill.trace.explanation import Blocked, Explanation, Shown
from gristmill.trace.trace import Step, Trace

__all__ = ["Blocked", "Explanation", "Shown", "Step", "Trace"]
