"""States of more variables than slots that functions are cut into."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.native.errors import Unsupported
from gristmill.native.plan.layout import LEAF, MAX_SLOTS, MAX_VARIABLES, layouts
from gristmill.values import make_record


def specification(count: int) -> str:
    names = [f"v{number}" for number in range(count)]
    init = " /\\ ".join(f"{name} = 0" for name in names)
    return (
        f"---- MODULE Wide ----\nEXTENDS Integers\nVARIABLES {', '.join(names)}, r\nInit == {init} /\\ r = [a |-> 0]\n"
        f"Next == v0 < 30 /\\ v0' = v0 + 1 /\\ r' = [a |-> v0 % 2] /\\ UNCHANGED <<{', '.join(names[1:])}>>\n"
        f"Inv == v0 < 30 \\/ v{count - 1} # 0\n====\n"
    )


@pytest.mark.parametrize("count", [MAX_SLOTS - 1, MAX_SLOTS, MAX_SLOTS + 1])
def test_one_slot_for_each_of_many_variables(count: int) -> None:
    for workers in (1, 2):
        config = "INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE"
        result = gristmill.check(specification(count), config=config, engine="native", workers=workers)
        assert (result.verdict, result.engine, result.distinct) == ("invariant", "native", 31)


def test_the_largest_are_not_cut() -> None:
    small, large = make_record({"a": 0}), make_record({f"f{number}": 0 for number in range(60)})
    found = layouts([(large, *[small] * (MAX_SLOTS - 10))], MAX_SLOTS - 9)
    assert found[0] == LEAF
    assert all(each != LEAF for each in found[1:])
    assert all(each == LEAF for each in layouts([(0,) * 500], 500))


def test_too_many_are_told() -> None:
    with pytest.raises(Unsupported, match="more than 10,000 variables"):
        layouts([], MAX_VARIABLES + 1)
