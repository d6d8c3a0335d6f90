"""SYMMETRY: fewer states, and an error where the specification tells permuted values apart."""

import pytest

import gristmill

TEMPLATE = r"""
---- MODULE Turns ----
EXTENDS FiniteSets, TLC, Naturals
CONSTANTS P, Favourite, None
VARIABLES inside, last
Init == inside = {} /\ last = None
Enter(p) == p \notin inside /\ inside' = inside \cup {p} /\ last' = p
Leave(p) == p \in inside /\ inside' = inside \ {p} /\ last' = last
Next == \E p \in P : Enter(p) \/ Leave(p) EXTRA
Spec == Init /\ [][Next]_<<inside, last>>
Perms == Permutations(P)
Mine == {Favourite} \cup P
Harmless == Mine = P
Named == last /= Favourite \/ last \in P
Partial == last = Favourite => Cardinality(inside) < 2
====
"""
CONFIG = "SPECIFICATION Spec CONSTANTS P = {p1, p2, p3} Favourite = p1 None = none SYMMETRY Perms\n"


def check(extra: str = "", config: str = "") -> gristmill.Result:
    return gristmill.check(TEMPLATE.replace("EXTRA", extra), config=CONFIG + config)


def test_one_state_of_each_orbit() -> None:
    result = check()
    whole = gristmill.check(TEMPLATE.replace("EXTRA", ""), config=CONFIG.replace("SYMMETRY Perms", ""))
    assert (result.verdict, result.distinct, whole.distinct) == ("ok", 7, 25)
    assert "That Perms is a symmetry was tested with some of the states; it was not proved." in result.caveats


@pytest.mark.parametrize(
    "extra",
    [
        r"\/ (last = Favourite /\ UNCHANGED inside /\ last' = None)",
        r"\/ (inside /= {} /\ last' = (CHOOSE q \in inside : TRUE) /\ inside' = {last})",
    ],
)
def test_a_specification_that_tells_them_apart(extra: str) -> None:
    result = check(extra)
    assert (result.verdict, result.property, result.exit_code) == ("error", "Perms", 151)
    assert "breaks the symmetry Perms: their successors are not the same" in result.message
    assert "inside = " in str(result.diagnostics[0].help)


def test_a_property_that_tells_them_apart() -> None:
    """It is not found false, because the state that shows it was taken for another."""
    assert check(config="INVARIANT Partial").verdict in ("invariant", "error")


def test_what_is_mentioned_apart_is_told() -> None:
    told = "The specification mentions p1 apart from other values that Perms permutes."
    assert told in check(config="CONSTRAINT Named").caveats
    assert told not in check(config="CONSTRAINT Harmless").caveats


def test_what_depends_on_chance_is_not_tested() -> None:
    result = check(r"\/ (RandomElement(P) \in P /\ UNCHANGED <<inside, last>>)")
    assert "Whether Perms is a symmetry was not tested." in result.caveats


@pytest.mark.parametrize("symmetry", ["{1}", "{[p \\in P |-> Favourite]}", "{(1 :> 2) @@ (2 :> 1)}"])
def test_what_is_no_permutation(symmetry: str) -> None:
    text = TEMPLATE.replace("EXTRA", "").replace("Permutations(P)", symmetry)
    result = gristmill.check(text, config=CONFIG)
    assert result.verdict == "error"
    assert "SYMMETRY" in result.message
