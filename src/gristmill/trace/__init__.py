"""Behaviours: what a counterexample, a simulation and a replay have in common."""

from gristmill.trace.explanation import Alternative, Blocked, Explanation, Fairness, Mapped, Remedy, Shown
from gristmill.trace.trace import Step, Trace

__all__ = ["Alternative", "Blocked", "Explanation", "Fairness", "Mapped", "Remedy", "Shown", "Step", "Trace"]
