"""Formulas with other expressions in some places, also in the definitions that they call."""

from __future__ import annotations

from typing import Any

from gristmill.building import build
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.rewrite import Rewriter
from gristmill.ir.walk import definitions, reachable

_TEXT = r"""---- MODULE M ----
EXTENDS Integers
VARIABLES x, y
RECURSIVE Sum(_)
Sum(n) == IF n = 0 THEN x ELSE n + Sum(n - 1)
Twice(n) == 2 * n
Init == x = 0 /\ y = 0
A == x < 3 /\ x' = Sum(2) /\ y' = Twice(y)
Next == A
====
"""


def _model() -> Model:
    return build(_TEXT, config="INIT Init\nNEXT Next\n").model


def _old_values(code: nodes.Code) -> set[str]:
    return {each.name for each in reachable(code.body) if isinstance(each, nodes.Variable) and not each.primed}


def _x_is_seven(node: Any) -> Any:
    match node:
        case nodes.Variable(0, False, _, span):
            return nodes.Literal(7, span)
    return node


def test_changes_reach_definitions_also_recursive_ones() -> None:
    code = _model().actions[0].code
    changed = Rewriter(_x_is_seven).code(code)
    assert _old_values(code) == {"x", "y"}
    assert _old_values(changed) == {"y"}
    (total,) = {each for each in definitions(changed.body) if each.name == "Sum"}
    assert total in definitions(total.body)  # it calls its own copy


def test_what_no_change_reaches_stays_the_same_object() -> None:
    code = _model().actions[0].code
    before = {each.name: each for each in definitions(code.body)}
    after = {each.name: each for each in definitions(Rewriter(_x_is_seven).code(code).body)}
    assert after["Twice"] is before["Twice"]
    assert after["Sum"] is not before["Sum"]
    assert Rewriter(lambda node: node).code(code) is code
