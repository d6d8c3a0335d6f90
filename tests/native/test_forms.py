"""Every node of the IR is evaluated by both evaluators, or is listed here as one that native code need not evaluate.

The evaluators look nodes up in tables, which the type checker cannot tell to be complete.
"""

from typing import get_args

from gristmill.evaluate import evaluator  # noqa: F401 fills the tables
from gristmill.evaluate.compiler import Compiler
from gristmill.ir import nodes
from gristmill.native.emit import generate  # noqa: F401 fills the tables
from gristmill.native.emit.actions import FORMS
from gristmill.native.emit.emitter import Emitter

EXPRESSIONS = set(get_args(nodes.Expression))
NOT_NATIVE: dict[type, str] = {
    nodes.Temporal: "is taken apart by gristmill.temporal; elsewhere it is an error, for the reference evaluator",
    nodes.Disjunct: "stands only where an action is solved",
    nodes.Literal: "is a constant of the program",
    nodes.Cdot: "is solved, and nothing else",
}


def test_the_reference_evaluator_evaluates_every_node() -> None:
    assert EXPRESSIONS - set(Compiler.values) - set(Compiler.tests) == set()


def test_native_code_evaluates_every_node() -> None:
    assert EXPRESSIONS - set(Emitter.values) - set(Emitter.tests) == set(NOT_NATIVE)


def test_actions_are_solved_alike_by_both() -> None:
    """A node that one solves and the other only tests would be satisfied in another number of ways."""
    assert set(FORMS) == set(Compiler.actions)
