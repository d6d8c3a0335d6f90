"""Which parts the translation of an algorithm has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gristmill.pluscal import tree
from gristmill.pluscal.options import Options
from gristmill.syntax.tree import Name


@dataclass(frozen=True, slots=True)
class Shape:
    """`omit_terminating`: neither a disjunct of Next for the end, nor the property Termination."""

    omit_pc: bool
    omit_terminating: bool


def shape_of(algorithm: tree.Algorithm, options: Options) -> Shape:
    """No `pc` is needed if all there is are loops for ever, of one step; such loops never end either."""
    bodies = [p.body for p in algorithm.processes] or [algorithm.body]
    everything = [*bodies, *(p.body for p in algorithm.procedures)]
    statements = [s for body in everything for s in tree.walk(body)]
    targets = _jump_targets(statements)
    loops = [_kind_of_loop(body) for body in bodies]
    old = options.version < 1500
    has_modifier = any(s.label is not None and s.label.fairness for s in statements)
    omit_pc = not (old or algorithm.procedures or targets or has_modifier or any(loop != "one step" for loop in loops))
    omit_terminating = not old and "Done" not in targets and any(loop != "ends" for loop in loops)
    return Shape(omit_pc, omit_terminating)


def _jump_targets(statements: Sequence[tree.Statement]) -> set[str]:
    targets = {s.target.name for s in statements if isinstance(s, tree.Goto)}
    return targets | {
        s.then.target.name for s in statements if isinstance(s, tree.Call) and isinstance(s.then, tree.Goto)
    }


def _kind_of_loop(body: tree.Body) -> Literal["one step", "many steps", "ends"]:
    """Whether a body is nothing but `while TRUE`, and whether that has labels inside."""
    loop = body[0]
    if len(body) > 1 or not isinstance(loop, tree.While) or loop.test != Name("TRUE", loop.span):
        return "ends"
    inner = any(s.label is not None for s in tree.walk(loop.body))
    return "many steps" if inner else "one step"
