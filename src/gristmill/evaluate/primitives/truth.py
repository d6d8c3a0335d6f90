"""What operators given as arguments must return."""

from gristmill.values import FALSE, TRUE, EvaluationError, Value, kind


def truth(value: Value) -> bool:
    if value is TRUE:
        return True
    if value is FALSE:
        return False
    raise EvaluationError("not-a-boolean", f"a formula was expected, not {kind(value)}: {{value}}", value=value)
