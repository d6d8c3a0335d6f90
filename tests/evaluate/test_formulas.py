"""Expressions and operators of all modules, one true formula each."""

import pytest
from evaluating import MODULES, value
from formulas import ALL

from gristmill.values import TRUE


@pytest.mark.parametrize(("modules", "formula"), ALL, ids=[formula[:60] for _, formula in ALL])
def test_true_formula(modules: str, formula: str) -> None:
    assert value(formula, modules=f"{MODULES}, {modules}" if modules else MODULES) is TRUE
