"""The operators of the language itself, with what they do to levels.

Each row: the name, the level of the result, and for each operand the highest level it admits, followed by `*` when the
operand's own level does not add to that of the result (the prime, ENABLED, the temporal operators veil it).
"""

from gristmill.modules.levels.algebra import NOTHING, ExpressionLevels, OperatorLevels
from gristmill.modules.symbols import BuiltIn

_ROWS = r"""
    TRUE      0
    FALSE     0
    BOOLEAN   0
    STRING    0
    =         0 2 2
    /=        0 2 2
    '         2 1*
    ~         0 3
    /\        0 3 3
    \/        0 3 3
    <=>       0 3 3
    =>        0 3 3
    SUBSET    0 2
    UNION     0 2
    DOMAIN    0 2
    \subseteq 0 2 2
    \in       0 2 2
    \notin    0 2 2
    \         0 2 2
    \cap      0 2 2
    \cup      0 2 2
    \X        0 2 2
    ~>        3 3* 3*
    []        3 3*
    <>        3 3*
    ENABLED   1 2*
    UNCHANGED 2 1*
    \cdot     2 2* 2*
    -+->      3 3* 3*
"""


def _built_in(row: str) -> BuiltIn:
    name, level, *operands = row.split()
    outside = ExpressionLevels(int(level)) if level != "0" else NOTHING
    adds = tuple(not operand.endswith("*") for operand in operands)
    levels = OperatorLevels(outside, tuple(int(o[0]) for o in operands), tuple(int(a) for a in adds), adds, outside)
    return BuiltIn(name, len(operands), levels)


BUILT_INS = {symbol.name: symbol for symbol in map(_built_in, _ROWS.strip().splitlines())}

# `[A]_v` and `<<A>>_v`: the action, the subscript. `WF_v(A)` and `SF_v(A)`: the subscript, the action.
ACTION_BRACKETS = _built_in("[A]_v 2 2* 1*").levels
FAIRNESS = _built_in("WF 3 1* 2*").levels
TEMPORAL_QUANTIFIER = _built_in(r"\AA 3 3*").levels
