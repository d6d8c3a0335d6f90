"""Native code against the reference evaluator: random expressions, and those that once differed.

Never another value, never a value where the reference evaluator has an error. `differential.py` runs as many as one
likes.
"""

from collections import Counter

import pytest
from differential import batch, compare

BATCHES = 3
FALLBACKS = 0.03  # of the values that are asked for, at most


@pytest.mark.parametrize("seed", range(BATCHES))
def test_random_expressions(seed: int) -> None:
    counts: Counter[str] = Counter()
    differences = list(batch(seed, 80, counts))
    assert not differences, "\n".join(map(str, differences))
    assert counts["a value"] > 150
    assert counts["failed natively"] <= FALLBACKS * counts["a value"]
    assert not [each for each in counts if each.startswith("no native form")]


EXPRESSIONS = [
    # operators with several parameters, which are handed on
    "Both(LAMBDA a, c : a - c, x, 3)",
    "Compose(LAMBDA a : a + x, LAMBDA c : c * 2, x)",
    "FoldLeft(LAMBDA a, c : Append(a, c), <<>>, q)",
    "FoldSet(+, x, s)",
    "FoldFunctionOnSet(LAMBDA a, c : a + c, 0, f, {p1, p3})",
    "MapThenFoldSet(LAMBDA a, c : a - c, 1, LAMBDA n : n + x, Max, s)",
    "SortSeq(q, LAMBDA a, c : a > c)",
    "SetToSortSeq(s, >)",
    "RestrictDomain(f, LAMBDA i : f[i] > 0)",
    "RestrictValues(f, LAMBDA n : n > x)",
    "RemoveFirstMatch(q, LAMBDA n : n = 2)",
    "SelectInSeq(q, LAMBDA n : n = 2) + SelectLastInSeq(q, LAMBDA n : n = 2)",
    "FoldBag(LAMBDA a, c : a + c, 0, SetToBag(s) (+) SetToBag({1, 2}))",
    "(SetToBag(s) (+) SetToBag({1})) (-) SetToBag({2})",
    "SetToBag({x}) \\sqsubseteq SetToBag(s)",
    "<<BagCardinality(SetToBag(s)), BagIn(x, SetToBag(s)), IsABag(f), IsABag(q)>>",
    "<<Reverse(q), Front(Append(q, 1)), Last(Append(q, 2)), Cons(x, q), Snoc(x, q), FlattenSeq(<<q, q>>)>>",
    "<<InsertAt(<<1, 2>>, 2, x), RemoveAt(<<1, 2>>, 1), Remove(q, 2), RemoveFirst(q, 2), ReplaceAll(q, 2, x)>>",
    "<<IsPrefix(<<3>>, q), IsSuffix(<<2>>, q), IsStrictPrefix(q, q), IsStrictSuffix(<<>>, q)>>",
    "<<SumSet(s), ProductSet(s), SumFunction(f), IsInjective(f), Range(g), ToSet(f)>>",
    "<<x & 5, x | 5, (x - 7) ^^ 5>>",
    # a constant without a native form is no constant
    "IF x = 0 THEN {} ELSE {1, {}} \\cap {x}",
    # errors that must stay errors
    "LET empty == {sub \\in SUBSET s : FALSE} IN 5 \\in empty",
    "x \\in UNION {Nat, {-1}}",
    "{} \\subseteq [i \\in Proc |-> 1]",
    "Max({})",
    "Last(<<>>)",
    'CopiesIn("u", SetToBag({1, p1}))',
    "FoldLeft(LAMBDA a, c : a + c, 0, s)",
    "Quantify(s, LAMBDA n : n)",
]


@pytest.mark.parametrize("cut", [True, False])
def test_expressions(cut: bool) -> None:
    counts: Counter[str] = Counter()
    assert not list(map(str, compare(EXPRESSIONS, cut, counts)))
    assert not counts["failed natively"]


def test_recursion_without_end_is_left_to_the_reference_evaluator() -> None:
    differences = list(map(str, compare(["SumTo(1000000000 + x)"], True, Counter())))
    assert not differences
