"""The first inputs of the fuzzer, on our own examples; `fuzzing.py` makes as many as there is time for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from fuzzing import FORMS, OWN, Corpus, Input, ended, preload, run

CORPUS = Corpus(OWN)


@pytest.fixture(autouse=True, scope="module")
def everything_imported() -> None:
    preload()


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_damaged_input_ends_in_a_message(first: int) -> None:
    assert not [str(wrong) for wrong in run(CORPUS, 1, range(first, first + 30), Counter())]


def test_every_verb_is_fuzzed() -> None:
    verbs = {CORPUS.input(1, number).arguments[0] for number in range(400)}
    assert verbs == {"parse", "translate", "fmt", "check", "simulate", "eval", "repl", "explore"}
    assert len(FORMS) == 12


def test_what_goes_wrong_is_seen(tmp_path: Path) -> None:
    """What takes long on purpose is told from what ends."""
    body = b"x == Cardinality({S \\in SUBSET (1..40) : 41 \\in S})"
    slow = b"---- MODULE Slow ----\nEXTENDS FiniteSets, Naturals\n" + body + b"\n====\n"
    wrong, _ = ended(Input(("eval", "x", "--spec", "Slow.tla"), {"Slow.tla": slow}), tmp_path, 1.0)
    assert "processor time" in wrong
