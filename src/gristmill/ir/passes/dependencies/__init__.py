"""What an action reads and writes, at the grain of places: `votedFor[i]`, `msgs[i][j]`.

Found by abstract interpretation: the action is solved as the evaluator solves it, from left to right, with expressions
that know where their value comes from in the place of values. What is said is an over-approximation, of one kind each:

- Whether the action is possible, for given parameters, depends on nothing but `guard`.
- What is written to a place depends on nothing but `guard` and the `reads` and `control` of that write.
- No step changes a place that no write of `writes` may touch.

Evaluation that fails is outside of this: a change elsewhere may make an expression fail.
"""

from __future__ import annotations

from gristmill.ir.model import Action
from gristmill.ir.passes.dependencies.abstract import Frame, Solved
from gristmill.ir.passes.dependencies.actions import Solver
from gristmill.ir.passes.dependencies.facts import Dependencies, Write, merged
from gristmill.ir.places import without_covered

__all__ = ["Dependencies", "Write", "dependencies"]


def dependencies(action: Action) -> Dependencies:
    """What an action reads and writes."""
    solver = Solver()
    found = solver.solve(action.code.body, Frame(), Solved())
    return Dependencies(without_covered(found.guard), merged(found.writes), tuple(dict.fromkeys(solver.limits)))
