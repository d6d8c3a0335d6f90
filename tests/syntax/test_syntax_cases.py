"""Every program in `cases/`: its tree or its errors, and the ways there and back."""

import os

import pytest
from case_files import CASES, Case, cases, result_of, update_golden
from round_trips import assert_prints_and_parses, assert_respells

if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):
    update_golden()

ALL = list(cases())
each_case = pytest.mark.parametrize("case", ALL, ids=lambda case: case.id)


@each_case
def test_golden(case: Case) -> None:
    assert result_of(case.program) == (case.kind, case.golden)


@pytest.mark.parametrize("case", [case for case in ALL if case.kind == "tree"], ids=lambda case: case.id)
def test_round_trips(case: Case) -> None:
    assert_prints_and_parses(case.file)
    assert_respells(case.file)


def test_every_case_is_read() -> None:
    headings = sum(path.read_text(encoding="utf-8").count("\n### ") for path in CASES.glob("*.md"))
    assert len(ALL) == headings > 100
