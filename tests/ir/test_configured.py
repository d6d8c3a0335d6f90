"""A configuration that says of a name what does not fit it is told so, before anything is lowered."""

from pathlib import Path

import pytest

import gristmill

MODULE = """---- MODULE M ----
EXTENDS Naturals, TLC
CONSTANTS N, Op(_), Pair(_, _)
VARIABLE x
Nothing == 1
One(a) == 1
Two(a, b) == 2
OfOperator(F(_)) == F(1)
OfPair(F(_, _)) == F(1, 2)
Function[i \\in 1 .. 3] == i
I == INSTANCE Part
Init == x = 0
Next == x' = (x + N + Op(1) + Pair(1, 2) + OfOperator(One) + I!Half(1) + I!Zero) % 7
====
"""
PART = "---- MODULE Part ----\nHalf(a) == a\nZero == 0\n====\n"
FITS = {"N": "N = 1", "Op": "Op <- One", "Pair": "Pair <- Two"}


def check(folder: Path, said: str, **more: object) -> gristmill.Result:
    (folder / "Part.tla").write_text(PART)
    (folder / "M.tla").write_text(MODULE)
    name = said.split("(")[0].split(" ")[0]
    constants = [line for key, line in FITS.items() if key != name]
    config = "INIT Init\nNEXT Next\nCONSTANTS\n" + "\n".join([*constants, said])
    return gristmill.check(folder / "M.tla", config=config, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    [
        "N <- Print",
        "N <- One",
        "N <- +",
        "N <- Op",
        "Op <- Nothing",
        "Op <- N",
        "Op <- x",
        "Op <- Two",
        "Op <- OfOperator",
        "Pair <- One",
        "Pair(1) = 2",
        "N(1) = 2",
        "Nothing(1) = 2",
        "Nothing <- One",
        "One <- Nothing",
        "One <- Two",
        "OfOperator <- One",
        "OfOperator <- OfPair",
        "Function <- One",
        "Print <- Nothing",
        "Half <-[Part] Nothing",
        "Half <-[Part] Two",
        "Zero <-[Part] One",
        "Init <- One",
    ],
)
def test_another_number_of_arguments(tmp_path: Path, said: str) -> None:
    result = check(tmp_path, said)
    assert (result.verdict, result.exit_code) == ("error", 151)
    assert [each.id for each in result.diagnostics] == ["substitution-arity"]
    assert result.diagnostics[0].span is not None


@pytest.mark.parametrize(
    ("said", "id"),
    [
        ("N <- x", "replacement-not-constant"),
        ("x <- Nothing", "not-configurable"),
        ("I <- Nothing", "not-configurable"),
    ],
)
def test_another_kind(tmp_path: Path, said: str, id: str) -> None:
    result = check(tmp_path, said)
    assert (result.exit_code, [each.id for each in result.diagnostics]) == (151, [id])


@pytest.mark.parametrize(
    ("said", "id"), [("Op = 3", "value-for-operator"), ("x = 3", "not-configurable"), ("I = 3", "not-configurable")]
)
def test_a_value_with_no_effect_or_a_strange_one_is_warned_of(tmp_path: Path, said: str, id: str) -> None:
    result = check(tmp_path, said)
    assert (result.verdict, [each.id for each in result.diagnostics]) == ("ok", [id])
    assert result.diagnostics[0].severity == "warning"


@pytest.mark.parametrize(
    "said",
    ["N <- Nothing", "Op(1) = 3", "Pair <- +", "Nothing = 3", "Half <-[Part] One", "Zero = [Part] 3"],
)
def test_what_fits(tmp_path: Path, said: str) -> None:
    result = check(tmp_path, said)
    assert (result.verdict, result.diagnostics) == ("ok", ())


def test_from_python_as_well(tmp_path: Path) -> None:
    result = check(tmp_path, "N = 1", replacements={"N": "Print"})
    assert [each.id for each in result.diagnostics] == ["substitution-arity"]
