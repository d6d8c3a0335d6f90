"""Behaviours: what a counterexample, a simulation and a replay have in common."""

from gristmill.trace.trace import Step, Trace

__all__ = ["Step", "Trace"]
