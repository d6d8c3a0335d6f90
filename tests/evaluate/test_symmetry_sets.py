"""SYMMETRY: fewer states, and an error where the specification tells permuted values apart."""

import pytest

import gristmill
from gristmill.building import build
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Model
from gristmill.reference.permutations import symmetry_of
from gristmill.source import SourceFile
from gristmill.symmetry.equivariance import doubts

TEMPLATE = r"""
---- MODULE Turns ----
EXTENDS FiniteSetsExt, SequencesExt, BagsExt, TLC, TLCExt, Naturals
CONSTANTS P, Favourite, None
VARIABLES inside, last
Mine == {Favourite} \cup P
Register == TLCGet(1)
Init == inside = {} /\ last = None
Enter(p) == p \notin inside /\ inside' = inside \cup {p} /\ last' = p
Leave(p) == p \in inside /\ inside' = inside \ {p} /\ last' = last
Next == \E p \in P : Enter(p) \/ Leave(p) EXTRA
Spec == Init /\ [][Next]_<<inside, last>>
Perms == Permutations(P)
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
    assert not [caveat for caveat in result.caveats if "Perms" in caveat]


@pytest.mark.parametrize(
    "extra",
    [
        r"\/ (last = Favourite /\ UNCHANGED inside /\ last' = None)",
        r"\/ (inside /= {} /\ last' = (CHOOSE q \in inside : TRUE) /\ inside' = {last})",
        r"\/ (last' = FoldBag(LAMBDA first, q : q, None, SetToBag(inside)) /\ inside' = {last})",
        r"\/ (last' = FoldSeq(LAMBDA q, first : q, None, [r \in inside |-> r]) /\ inside' = {last})",
        r"\/ (\E q \in P : last' = TLCCache(q, 0) /\ inside' = {last})",
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


def model(extra: str = "", config: str = "") -> Model:
    text = SourceFile("Turns.tla", TEMPLATE.replace("EXTRA", extra).strip())
    return build(text, config=SourceFile("Turns.cfg", CONFIG + config)).model


def doubts_about(specified: Model) -> list[str]:
    evaluator = Evaluator(specified.variables)
    symmetry = symmetry_of(specified.symmetry, evaluator)
    assert symmetry is not None
    return [doubt.reason for doubt in doubts(specified, symmetry, evaluator, monitored=True)]


def test_what_is_mentioned_apart_is_doubted() -> None:
    assert doubts_about(model(config="CONSTRAINT Named")) == ["p1 is mentioned apart from the others"]
    assert doubts_about(model(config="CONSTRAINT Harmless")) == []


def test_initially_one_may_be_named() -> None:
    text = TEMPLATE.replace("EXTRA", "").replace("last = None\n", "last = Favourite\n")
    reduced = gristmill.check(text, config=CONFIG)
    whole = gristmill.check(text, config=CONFIG.replace("SYMMETRY Perms", ""))
    assert (reduced.verdict, reduced.distinct, whole.distinct) == ("ok", 6, 24)


def test_properties_of_initial_states_are_checked_in_all_of_them() -> None:
    text = TEMPLATE.replace("EXTRA", "").replace("/\\ last = None\n", "/\\ last \\in P\n")
    always = "/\\ [][TRUE]_last"  # or it would be an invariant
    formulas = f"Bad == last # Favourite {always}\nWorse == last = Favourite {always}\n"
    text = text.replace("Harmless ==", formulas + "Harmless ==")
    for name in ("Bad", "Worse"):
        assert gristmill.check(text, config=CONFIG + f"PROPERTY {name}", engine="python").verdict == "property"
        assert gristmill.check(text, config=CONFIG + f"PROPERTY {name}").verdict in ("property", "error")


FOLD = "FoldSet may depend on the order of values, or on more"


@pytest.mark.parametrize(
    ("formula", "reasons"),
    [
        (r"FoldSet(LAMBDA q, sum : sum + 1, 0, inside) > 1", []),
        (r"FoldSet(LAMBDA q, sum : IF q = last THEN 1 + sum ELSE sum, 0, inside) > 1", []),
        (r"FoldSet(LAMBDA q, sum : 2 * sum + 1, 0, inside) > 1", [FOLD]),
        (r"FoldSet(LAMBDA q, sum : IF sum > 1 THEN 1 + sum ELSE sum, 0, inside) > 1", [FOLD]),
        (r"FoldBag(LAMBDA sum, q : sum + 1, 0, SetToBag(inside)) > 1", []),
        (r"FoldSeq(LAMBDA q, sum : sum + 1, 0, [r \in inside |-> r]) > 1", []),
        (r"ToString(last) = {}", ["ToString may depend on the order of values, or on more"]),
        (r"Assert(TRUE, ToString(last))", []),
        (r"last \in {Favourite} \cup P", ["p1 is mentioned apart from the others"]),
        (r"last \in Mine", []),
        (r"inside \in SUBSET P", []),
        (r"<<last>> \in Seq({Favourite})", ["p1 is mentioned apart from the others"]),
    ],
)
def test_doubts(formula: str, reasons: list[str]) -> None:
    extra = rf"\/ ({formula} /\ UNCHANGED <<inside, last>>)"
    assert doubts_about(model(extra)) == reasons


def test_what_a_register_holds_now_is_not_what_it_held() -> None:
    specified = model(r"\/ (last' = Register /\ UNCHANGED inside)")
    evaluator = Evaluator(specified.variables)
    evaluator.context.registers[1] = 0
    symmetry = symmetry_of(specified.symmetry, evaluator)
    assert symmetry is not None
    found = doubts(specified, symmetry, evaluator, monitored=True)
    assert [doubt.reason for doubt in found] == ["TLCGet may depend on the order of values, or on more"]


def test_choice_among_one_is_no_choice() -> None:
    only = r"\/ (Cardinality(inside) = 1 /\ last' = (CHOOSE q \in inside : TRUE) /\ inside' = {last})"
    number = r"\/ ((CHOOSE i \in 1..2 : TRUE) = 1 /\ UNCHANGED <<inside, last>>)"
    for extra in (only, number):
        assert check(extra).verdict == "ok"


def test_what_depends_on_chance_is_not_known() -> None:
    result = check(r"\/ (RandomElement(P) \in P /\ UNCHANGED <<inside, last>>)")
    assert (result.verdict, result.property, result.exit_code) == ("incomplete", "Perms", 3)
    assert "Whether Perms is a symmetry is not known" in result.message
    assert ": RandomElement" in result.message
    assert "check without SYMMETRY Perms" in str(result.diagnostics[-1].help)


def test_one_reason_in_several_places_is_told_once() -> None:
    extra = r"\/ (RandomElement(P) \in P /\ RandomElement(P) \in P /\ UNCHANGED <<inside, last>>)"
    message = check(extra).message
    assert message.count("RandomElement may depend") == 1
    assert message.count("<text>:11:") == 2


LONG = r"""
---- MODULE Long ----
EXTENDS TLC, Naturals
CONSTANTS P, Favourite, None
VARIABLES n, last
Init == n = 0 /\ last = None
Next == (n < 12000 /\ n' = n + 1 /\ last' \in P) EXTRA
Perms == Permutations(P)
Late == n = 11003 => last # Favourite
Harmless == n = 11003 => last \in P \cup {Favourite}
====
"""
LONG_CONFIG = "INIT Init NEXT Next CONSTANTS P = {p1, p2, p3} Favourite = p3 None = none CHECK_DEADLOCK FALSE\n"


def long(engine: str, extra: str = "", config: str = "") -> gristmill.Result:
    config = LONG_CONFIG + "SYMMETRY Perms\n" + config
    return gristmill.check(LONG.replace("EXTRA", extra), config=config, engine=engine, workers=2)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_a_broken_symmetry_has_hidden_is_found_however_deep(engine: str) -> None:
    """No sample has it, and to compare all states is too much: they are explored without the symmetry."""
    result = long(engine, config="INVARIANT Late")
    assert (result.verdict, result.property) == ("invariant", "Late")
    assert result.trace is not None
    assert len(result.trace) == 11004
    assert "Perms is no symmetry of the specification" in result.diagnostics[-1].message


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_symmetry_that_is_not_proved_is_done_without(engine: str) -> None:
    result = long(engine, config="INVARIANT Harmless")
    assert (result.verdict, result.distinct) == ("ok", 12001)
    assert any("So all 36,001 states were explored without it" in caveat for caveat in result.caveats)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_more_states_than_there_are_permutations(engine: str) -> None:
    endless = (
        r"\/ ((n = 11003 \/ n > 12000) /\ last = Favourite /\ n' = n + (IF n < 12000 THEN 998 ELSE 1) /\ last' = last)"
    )
    result = long(engine, endless)
    assert (result.verdict, result.property, result.exit_code) == ("error", "Perms", 151)
    assert "without it there are more than" in result.message


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_keeps_registers_is_explored_again(engine: str) -> None:
    """With the registers that the search began with, and leaving them as they were."""
    counting = r"\/ (TLCSet(1, TLCGet(1) + 1) /\ FALSE /\ UNCHANGED <<n, last>>)"
    text = LONG.replace("Init == ", "Init == TLCSet(1, 0) /\\ ").replace("EXTRA", counting).replace("12000", "400")
    text = text.replace("Harmless ==", "Counted == TLCGet(1) <= 1203\nAfter == TLCGet(1) = 401\nHarmless ==")
    config = LONG_CONFIG + "SYMMETRY Perms INVARIANT Counted POSTCONDITION After"
    result = gristmill.check(text, config=config, engine=engine)
    assert (result.verdict, result.distinct) == ("ok", 401), result.message
    assert any("So all 1,201 states were explored without it" in caveat for caveat in result.caveats)


def test_a_symmetry_that_is_too_much_to_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.symmetry.verify.MOST_STATES", 50_000)
    result = long("python", config="INVARIANT Harmless")
    assert (result.verdict, result.property) == ("incomplete", "Perms")
    assert "Without it there may be 72,006 states" in result.message


@pytest.mark.parametrize("symmetry", ["{1}", "{[p \\in P |-> Favourite]}", "{(1 :> 2) @@ (2 :> 1)}"])
def test_what_is_no_permutation(symmetry: str) -> None:
    text = TEMPLATE.replace("EXTRA", "").replace("Permutations(P)", symmetry)
    result = gristmill.check(text, config=CONFIG)
    assert result.verdict == "error"
    assert "SYMMETRY" in result.message
