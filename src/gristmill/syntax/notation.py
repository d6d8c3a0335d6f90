"""Where operands can stand beside an operator without parentheses, as the parser would read them back.

A tree keeps the parentheses of its text, so operands that do not fit are rare: they come from `+(a, b)`, which may
stand anywhere and may hold anything.
"""

from gristmill.syntax import tree
from gristmill.syntax.operators import INFIX, NEGATION, OPERATORS, PREFIX, Operator
from gristmill.syntax.tree import Apply, Expression

# These end where the expression around them ends.
OPEN_FORMS = (
    tree.Quantified,
    tree.Choose,
    tree.If,
    tree.Case,
    tree.Let,
    tree.Lambda,
    tree.Labelled,
)

_CROSS = INFIX["\\X"]


def operator_of(node: Expression) -> Operator | None:
    """The operator of an expression that is written with its operands around it."""
    if isinstance(node, tree.CrossProduct):
        return _CROSS
    if not isinstance(node, Apply):
        return None
    operator = OPERATORS.get(node.operator.name)
    if operator is None or operator is _CROSS or len(node.args) != operator.arity:
        return None
    return operator


def fits_left(operator: Operator, node: Expression) -> bool:
    """Whether an operand can stand left of an infix operator: nothing at its right edge takes the operator over."""
    while (inner := operator_of(node)) is not None and inner.fixity != "postfix":
        if inner.low <= operator.high and not (inner is operator and operator.left):
            return False
        node = node.factors[-1] if isinstance(node, tree.CrossProduct) else node.args[-1]  # type: ignore[union-attr]
    return not isinstance(node, OPEN_FORMS)


def fits_right(operator: Operator, node: Expression) -> bool:
    """Whether an operand can stand right of an infix or a prefix operator: its first operator binds tighter."""
    if isinstance(node, tree.Labelled):  # a label must not change how its surroundings are read
        node = node.body
    while (inner := operator_of(node)) is not None:
        if inner.fixity == "prefix":
            if inner.name != NEGATION or operator.low <= inner.high:
                return True
            # In `a * -b * c` the operator looks past the minus.
        elif inner.low <= operator.high:
            return False
        node = node.factors[0] if isinstance(node, tree.CrossProduct) else node.args[0]  # type: ignore[union-attr]
    return True


def fits_before_postfix(node: Expression) -> bool:
    """Whether `'`, `.field` or `[argument]` behind an expression belongs to all of it."""
    operator = operator_of(node)
    if operator is not None:
        return operator.fixity == "postfix"
    return not isinstance(node, OPEN_FORMS)


def closable(node: Expression) -> bool:
    """Whether an expression can be written `+(a, b)`; `-(a, b)` and `~(a)` mean something else."""
    return isinstance(node, Apply) and node.operator.name != "-" and node.operator.name not in PREFIX
