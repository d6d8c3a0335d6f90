"""What an action reads and writes, at the grain of places: `votedFor[i]`, `msgs[i][j]`.

Found by abstract interpretation: the action is solved as the evaluator solves it, from left to right, with expressions
that know where their value comes from in the place of values. What is said is an over-approximation, of one kind each:

- Whether the action is possible, for given parameters, depends on nothing but `guard`.
- What is written to a place depends on nothing but `guard` and the `reads` and `control` of that write.
- No step changes a place that no write of `writes` may touch.

Evaluation that fails is outside of this: a change elsewhere may make an expression fail.
"""

from __future__ import annotations

from gristmill.ir.model import Action, Model
from gristmill.ir.nodes import Expression
from gristmill.ir.passes.dependencies.abstract import Frame, Solved
from gristmill.ir.passes.dependencies.actions import Solver
from gristmill.ir.passes.dependencies.expressions import mentioned
from gristmill.ir.passes.dependencies.facts import Dependencies, Places, Write, merged
from gristmill.ir.places import without_covered

__all__ = ["Dependencies", "Places", "Write", "dependencies", "mentioned", "reads"]


def dependencies(model: Model, action: Action) -> Dependencies:
    """What an action of a model reads and writes; computed once for a model."""
    found = model.analyses.get(action.code)
    if not isinstance(found, Dependencies):
        found = model.analyses[action.code] = _dependencies(action, len(model.variables))
    return found


def _dependencies(action: Action, variables: int) -> Dependencies:
    solver, frame = Solver(variables), Frame()
    found = solver.solve(action.code.body, frame, Solved())
    keys = tuple(solver.value(expression, frame, Solved()).key for _, expression in action.parameters)
    limits = tuple(dict.fromkeys(solver.limits))
    return Dependencies(without_covered(found.guard), merged(found.writes), limits, keys)


def reads(formula: Expression, variables: int) -> Places:
    """The places that are read when a formula is evaluated by itself. If none of them changes, it has the same value,
    or none again: unlike the reads of an action, they include what its value does not depend on.

    `variables`: how many the specification has.
    """
    return without_covered(Solver(variables, all_evaluated=True).looked_at(formula, Frame(), Solved()))
