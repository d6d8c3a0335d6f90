"""Why an assertion is false: its condition is followed down where it was evaluated, with all that was bound there."""

from __future__ import annotations

from gristmill.evaluate.errors import innermost
from gristmill.evaluate.evaluator import Evaluator
from gristmill.explain.formulas import Explainer, Place, is_repeatable, undisturbed
from gristmill.ir.nodes import Code, Expression, Primitive
from gristmill.library import Form
from gristmill.trace import Explanation
from gristmill.values import EvaluationError

_DEEPEST = 16


def failed_assertion(evaluator: Evaluator, error: EvaluationError) -> Explanation | None:
    """To be asked right after the error was caught, while the state is that in which it happened.

    None if that was no assertion, or if looking would do something again.
    """
    node, frame = innermost(error)
    if not isinstance(node, Primitive) or node.operator.form is not Form.ASSERT or frame is None:
        return None
    condition = node.args[0]
    if not isinstance(condition, Expression) or not is_repeatable(condition):
        return None
    compiler = evaluator.compiler_of(Code(condition, len(frame), "Assert", node.span))
    place = Place(frame[:], frozenset(range(len(frame))))  # any of it may not be evaluated yet
    with undisturbed(evaluator.context):
        try:
            found = Explainer(compiler).explain(condition, place, _DEEPEST)
        except (EvaluationError, RecursionError):
            return None
    return found if found.truth is False else None
