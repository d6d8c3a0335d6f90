"""Every library operator that has a C function, on random arguments: the reference evaluator's value, or none.

Native code may refuse, and may never answer otherwise. `differential.py library` runs as many as one likes.
"""

from __future__ import annotations

from collections import Counter

import pytest
from differential import library_calls
from library_calls import ARGUMENTS

from gristmill.library import OPERATORS, Operator
from gristmill.library.declaration import CALLBACK, UNNAMED

# Operators without effects that Python evaluates, and why that does no harm.
PYTHON = {
    "Bags!EmptyBag": "a constant",
    "TLC!Any": "a constant",
    "IOUtils!atoi": "the characters of a string are not known in C",
    "Reals!/": "no number of ours",
    "Reals!Infinity": "no number of ours",
    "Reals!Real": "a constant",
    "SVG!NodeOfRingNetwork": "pictures are not part of a search",
    "SVG!NodesOfDirectedMultiGraph": "pictures are not part of a search",
    "SVG!PointOnLine": "pictures are not part of a search",
    "Statistics!ChiSquare": "a judgement of many runs",
    "TLCExt!TLCCache": "what it is for, native code does by itself",
    "TLCExt!TLCFP": "a number made of a text",
    "TLCExt!ToTrace": "of a counterexample, after the search",
}
# compared by random expressions, which are made of little else
COMMON = ("", "FiniteSets", "Integers", "Naturals", "Sequences")


def compared_modules() -> list[Operator]:
    return [each for each in OPERATORS.values() if each.module not in (*COMMON, UNNAMED) and not each.effects]


def test_whatever_has_no_effects_has_a_c_function_or_a_reason() -> None:
    without = {str(each) for each in compared_modules() if each.c is CALLBACK}
    assert without == set(PYTHON)


def test_every_c_function_is_compared() -> None:
    written = {str(each) for each in compared_modules() if not each.form and each.c is not CALLBACK}
    assert written == set(ARGUMENTS)


@pytest.mark.parametrize("part", range(4))
def test_random_calls(part: int) -> None:
    counts: Counter[str] = Counter()
    assert not list(map(str, library_calls(part, 4, counts)))
    assert not [each for each in counts if each.startswith("no native form") and "beyond 60 bits" not in each]
    assert counts["a value"] > 20 * len(ARGUMENTS) / 4
    assert counts["failed natively"] <= 0.05 * counts["a value"], counts
