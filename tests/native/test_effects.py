"""What evaluation does besides, natively: output, registers, chance, and what is asked of the search.

Both engines must say the same, print the same lines in the same order, and leave the same in the registers.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest
from differential import Recording, differing_effects

import gristmill

pytestmark = pytest.mark.parametrize("workers", [1, 2])

EXTENDS = "Integers, Sequences, FiniteSets, TLC, TLCExt, Randomization, CSV, IOUtils"


def module(body: str) -> str:
    return f"---- MODULE Test ----\nEXTENDS {EXTENDS}\n{body}\n===="


def same(body: str, workers: int, engine: str = "native", **options: object) -> tuple[gristmill.Result, list[str]]:
    """The native engine's result and what was printed, which must be the reference evaluator's."""
    options = {"config": "INIT Init NEXT Next", "deadlock": False, "seed": 3, **options}
    expected: list[str] = []
    lines: list[str] = []
    python = gristmill.check(module(body), engine="python", output=expected.append, **options)  # type: ignore[arg-type]
    Recording.anew()
    with patch("gristmill.checking.native.Journal", Recording):
        native = gristmill.check(
            module(body),
            engine="native",
            workers=workers,
            output=lines.append,
            **options,  # type: ignore[arg-type]
        )
    for name in ("verdict", "property", "message", "distinct", "generated", "depth", "queue", "caveats"):
        assert getattr(python, name) == getattr(native, name), name
    assert [step.state for step in python.trace or ()] == [step.state for step in native.trace or ()]
    assert lines == expected
    last = Recording.runs[-1]  # of the native search alone, though most of it had been printed before
    assert last == expected[: len(last)]
    assert native.engine == engine
    return native, lines


COUNTER = r"""VARIABLES x, y
Init == x \in 0..2 /\ y = 0
Up == x < 12 /\ x' = x + 1 /\ y' = y
Over == y < 9 /\ x' = x /\ \E d \in 1..2 : y' = y + d
Next == Up \/ Over
"""


# --- where the search is ---------------------------------------------------------------------------------------------


def test_the_level_wherever_it_is_asked_for(workers: int) -> None:
    body = r"""VARIABLES x, y, at
Init == x \in 0..2 /\ y = 0 /\ at = TLCGet("level")
Up == x' = x + 1 /\ y' = y /\ at' = TLCGet("level")
Jump == TLCGet("level") % 3 = 1 /\ x' = x + TLCGet("level")' /\ y' = 1 - y /\ at' = TLCGet("level") + 1
Next == Up \/ Jump
Near == TLCGet("level") <= 40
Even == TLCGet("level") % 2 = 0 \/ y = 0 \/ x' = x + 1
Inside == TLCGet("level") \in 1..41 /\ at <= TLCGet("level")
Found == ~(x = 60 /\ TLCGet("level") = 30)
Steps == [][at' \in {TLCGet("level"), TLCGet("level") + 1} /\ TLCGet("level")' = TLCGet("level") + 1]_<<x, y, at>>
Shown == [x |-> x, level |-> TLCGet("level"), length |-> Len(Trace)]
After == PrintT(<<TLCGet("level"), TLCGet("distinct"), TLCGet("generated"), TLCGet("diameter"), TLCGet("queue")>>)"""
    config = "INIT Init NEXT Next ACTION_CONSTRAINT Even CONSTRAINT Near PROPERTY Steps ALIAS Shown POSTCONDITION After"
    _, lines = same(body, workers, config=f"{config} INVARIANT Inside")
    assert len(lines) == 1
    result, _ = same(body, workers, config=f"{config} INVARIANT Inside Found")
    assert result.verdict == "invariant"


def test_the_level_changes_where_variables_do_not(workers: int) -> None:
    """A predicate is not true of a state just because it was true of its parent, and reads nothing that has changed."""
    body = r"""VARIABLES x, y
Init == x = 0 /\ y = 7
Next == x' = x + 1 /\ y' = y
Inside == y + 30 > TLCGet("level")
Near == y + 40 > TLCGet("level")"""
    result, _ = same(body, workers, invariants=["Inside"], constraints=["Near"])
    assert (result.verdict, len(result.trace or ())) == ("invariant", 37)
    result, _ = same(body, workers, constraints=["Near"])
    assert (result.verdict, result.distinct) == ("ok", 46)


def test_how_much_has_been_found(workers: int) -> None:
    body = (
        COUNTER
        + r"""
Seen == <<TLCGet("distinct"), TLCGet("generated"), TLCGet("queue"), TLCGet("diameter"), TLCGet("level")>>
Inside == (x + y) % 5 = 0 => PrintT(<<x, y, Seen, TLCGet("stats").distinct, TLCGet("action").name>>)
Cut == x = 3 => PrintT(<<"cut?", Seen>>)
Step == [][x = 4 => PrintT(<<"step", y', Seen>>)]_<<x, y>>"""
    )
    _, lines = same(body, workers, config="INIT Init NEXT Next INVARIANT Inside CONSTRAINT Cut PROPERTY Step")
    assert len(lines) > 50


def test_the_behaviour_so_far(workers: int) -> None:
    body = COUNTER + r"Inside == x = 7 => PrintT([i \in DOMAIN Trace |-> <<Trace[i].x, Trace[i].y>>])"
    same(body, workers, invariants=["Inside"])


# --- output ----------------------------------------------------------------------------------------------------------

PLACES = [
    r"PrintT(<<1..3, SUBSET {1}, [i \in 1..2 |-> x], {i \in 1..3 : i > x}, x..3, [a |-> x], x :> y>>)",
    r'Print(<<"a", y>>, TRUE) /\ PrintT(1..3)',
    r'LET a == Print("a", 5) b == a + 1 IN PrintT("first") /\ b = 6 /\ a = 5',
    r'\E i \in {3, 1, 2} : PrintT(<<"E", i>>) /\ i = 2',
    r'\A i \in {3, 1, 2} : PrintT(<<"A", i>>) /\ i < 3',
    r'IF PrintT("if") THEN PrintT("then") ELSE PrintT("else")',
    r'(PrintT("a") => ~PrintT("b")) \/ (PrintT("c") <=> PrintT("d"))',
    r'CASE PrintT("one") /\ FALSE -> TRUE [] x = Print("x", 5) -> TRUE [] OTHER -> PrintT("other")',
    r'{i \in 1..3 : PrintT(i)} = {1, 2, 3} /\ 2 \in {i \in 1..3 : PrintT(<<"f", i>>)}',
    r'PrintT([i \in 1..3 |-> Print(i, i)]) /\ Both(Print("p", 1), Print("q", 2))',
    r'ENABLED (PrintT("enabled") /\ x\' = x + 5 /\ y\' = y)'.replace(r"\'", "'"),
    r"Print(x, 2147483648 * 2147483648 * 2147483648 * x) >= 0",
]


@pytest.mark.parametrize("place", range(len(PLACES)))
def test_lines_are_printed_in_order_and_once(workers: int, place: int) -> None:
    body = COUNTER + "\n".join(
        (
            'Both(a, b) == PrintT("both") /\\ b > a /\\ a = 1',
            f"Talk == x >= 0 /\\ ({PLACES[place]})",
            'Loud == (x % 4 = 1 /\\ Talk /\\ Up) \\/ (PrintT("over") /\\ Over /\\ (Talk \\/ x\' = x)) \\/ Up',
        )
    )
    same(body + "\nTold == x = 2 => Talk \\/ TRUE", workers, config="INIT Init NEXT Loud INVARIANT Told")
    same(body + "\nTold == x = 2 => Talk", workers, config="INIT Init NEXT Loud INVARIANT Told CONSTRAINT Told")


def test_a_name_is_evaluated_once(workers: int) -> None:
    """Also if it is not known what its value depends on, as it calls what has been defined around it."""
    body = r"""VARIABLES x, y
Init == x = 0 /\ y = 0
Next == /\ x < 3 /\ (LET add(a) == a + x  u == Print("u", add(2)) IN u > 7 \/ u = u) /\ x' \in {x, x + 1}
        /\ LET v == Print("v", x') IN v + v < 7 /\ y' = v /\ (v > y \/ v < 4)"""
    _, lines = same(body, workers)
    assert lines.count('"u"  2') == 1


def test_branches_of_a_state_after_whatever_was_evaluated_in_between(workers: int) -> None:
    """What is unpacked for one branch serves the next, but not after something else was evaluated in between."""
    body = r"""VARIABLES f, n
Init == f = [i \in 1..3 |-> 0] /\ n = 0
Total == f[1] + f[2] + f[3]
Most == CHOOSE i \in 1..3 : \A j \in 1..3 : f[j] <= f[i]
Up(i) == f[i] < 3 /\ Total < 6 /\ f' = [f EXCEPT ![i] = @ + 1] /\ n' = (n + Most) % 5
Turn == f' = [i \in 1..3 |-> f[(i % 3) + 1]] /\ n' = Total
Odd == n = 4 /\ PrintT(<<"odd", f, Most>>) /\ f' = f /\ n' = 0
Far == Total = 6 /\ n' = 2147483647 * 2147483647 * (Total - 6) /\ f' = f
Next == Up(1) \/ Turn \/ Up(2) \/ Odd \/ Far \/ Up(3)
Few == Total <= 5 /\ Most \in 1..3
Known == Total + Most < 10"""
    for more in ("", "INVARIANT Known", "CONSTRAINT Few", "INVARIANT Known CONSTRAINT Few"):
        _, lines = same(body, workers, config=f"INIT Init NEXT Next {more}")
        assert lines


def test_what_is_printed_up_to_an_error(workers: int) -> None:
    wrong = (
        COUNTER
        + r"""
Fails == (x = 5 /\ y = 3) => (PrintT("before") /\ x \div (y - 3) = 1)
Told == PrintT(<<x, y>>)
Bad == ~(x = 6 /\ y = 5) \/ (PrintT("bad") /\ FALSE)
Acts == Next /\ PrintT(x) /\ (y' = 7 => Assert(x < 4, "too far"))
Rule == [][PrintT(<<x, x'>>) /\ (y < 5 \/ y' < 8)]_<<x, y>>"""
    )
    assert same(wrong, workers, invariants=["Told", "Fails"])[0].verdict == "error"
    assert same(wrong, workers, invariants=["Told", "Bad"])[0].verdict == "invariant"
    assert same(wrong, workers, config="INIT Init NEXT Acts")[0].verdict == "assert"
    assert same(wrong, workers, config="INIT Init NEXT Next PROPERTY Rule INVARIANT Told")[0].verdict == "property"
    assert same(wrong, workers, config="INIT Init NEXT Acts", deadlock=True)[0].verdict == "assert"


def test_initial_states_with_effects(workers: int) -> None:
    body = r"""VARIABLE x
Init == x \in 1..40 /\ (x % 9 = 0 => PrintT(x)) /\ TLCSet(1, x)
Next == x < 60 /\ x' = x + 1 /\ PrintT(<<x, TLCGet(1)>>)
Told == x % 8 = 0 => PrintT(<<"told", x>>)
Bad == x < 30 \/ (PrintT("bad") /\ FALSE)"""
    same(body, workers, invariants=["Told"])
    assert same(body, workers, invariants=["Told", "Bad"])[0].verdict == "invariant"
    quiet = body.replace(" /\\ (x % 9 = 0 => PrintT(x)) /\\ TLCSet(1, x)", "").replace("TLCGet(1)", "1")
    assert same(quiet, workers, invariants=["Told", "Bad"])[0].verdict == "invariant"


def test_initial_states_of_an_orbit_are_all_looked_at(workers: int) -> None:
    body = r"""CONSTANT P
VARIABLES p, x
Init == p \in P /\ x \in 0..1
Next == x < 3 /\ x' = x + 1 /\ p' = p
Told == PrintT(<<"told", x>>)
Symmetry == Permutations(P)"""
    people = {gristmill.ModelValue(f"p{number}") for number in range(3)}
    config = "INIT Init NEXT Next INVARIANT Told SYMMETRY Symmetry"
    _, lines = same(body, workers, config=config, constants={"P": people})
    assert lines.count('<<"told", 0>>') == 3


# --- registers, chance, files ----------------------------------------------------------------------------------------


def test_registers(workers: int) -> None:
    body = (
        COUNTER
        + r"""
ASSUME TLCSet(1, 0) /\ TLCSet(2, <<>>) /\ TLCSet("s:max", 0)
Count == TLCSet(1, TLCGet(1) + 1)
Acts == (Up /\ Count) \/ (Over /\ (x = 5 => TLCSet(2, Append(TLCGet(2), y))) /\ (TLCGet(1) % 7 # 0 \/ y = 0))
Most == IF x > TLCGet("s:max") THEN TLCSet("s:max", x) ELSE TRUE
After == PrintT(<<TLCGet(1), TLCGet(2), TLCGet("s:max"), TLCGet("all"), TLCGetOrDefault(9, "none")>>)
Adds == TLCGetAndSet(3, LAMBDA a, b : a + b, 1, 0) < 40
Turns == TLCSet(4, 1 - TLCGetOrDefault(4, 0)) /\ (x = 9 /\ y = 4 => TLCGet(4) = 7)"""
    )
    config = "INIT Init NEXT Acts POSTCONDITION After CONSTRAINT Most"
    same(body, workers, config=config)
    assert same(body, workers, config=f"{config} INVARIANT Adds")[0].verdict == "invariant"
    assert same(body, workers, config=f"{config} INVARIANT Turns")[0].verdict == "invariant"


def test_the_search_ends_when_it_is_asked_to(workers: int) -> None:
    body = COUNTER + 'Stops == (x = 6 /\\ y = 3) => (TLCSet("exit", TRUE) /\\ PrintT("enough"))'
    result, lines = same(body, workers, invariants=["Stops"])
    assert (result.verdict, lines) == ("ok", ['"enough"'])
    assert result.queue > 0


def test_chance(workers: int) -> None:
    """The same is drawn, as it is drawn in the same order."""
    body = (
        COUNTER
        + r"""
Chosen == RandomSubset(3, 1..20)
Draws == \/ x' = x + RandomElement({1, 2}) /\ y' = y /\ x < 12
         \/ y' \in RandomSubset(2, 0..5) /\ x' = x /\ PrintT(RandomElement(1..1000))
         \/ LET r == RandomElement(1..9) IN x' = r /\ y' = r
Told == x \in Chosen => PrintT(x)"""
    )
    assert len(same(body, workers, config="INIT Init NEXT Draws INVARIANT Told")[1]) > 50


def test_what_is_drawn_once_has_no_effects(workers: int) -> None:
    body = COUNTER + "Chosen == RandomElement(1..5)\nInside == Chosen \\in 1..5 /\\ x # Chosen + 20"
    with patch("gristmill.checking.native.Journal", None):  # nobody keeps one
        result = gristmill.check(
            module(body),
            config="INIT Init NEXT Next INVARIANT Inside",
            engine="native",
            workers=workers,
            deadlock=False,
        )
    assert (result.verdict, result.engine) == ("ok", "native")


def test_files_are_written_once(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "rows.csv"
    body = (
        COUNTER
        + f'Row == x = y => CSVWrite("%1$s,%2$s", <<x, TLCGet("level")>>, "{file}") /\\ CSVRecords("{file}") > 0'
    )
    found = []
    for engine in ("python", "native"):
        file.unlink(missing_ok=True)
        result = gristmill.check(
            module(body),
            config="INIT Init NEXT Next INVARIANT Row",
            engine=engine,  # type: ignore[arg-type]
            workers=workers,
            deadlock=False,
        )
        assert (result.verdict, result.engine) == ("ok", engine)
        found.append(file.read_text().splitlines())
    assert found[0] == found[1]
    assert len(found[0]) > 5


def test_a_layout_that_does_not_fit_repeats_nothing(workers: int) -> None:
    """The search begins anew with another layout, and what was printed is not printed again."""
    body = r"""VARIABLES f, n
Init == f = [i \in 1..2 |-> 0] /\ n = 0
Next == /\ n < 20000 /\ n' = n + 1 /\ (n % 1000 = 0 => PrintT(<<n, TLCGet(1)>>)) /\ TLCSet(1, TLCGet(1) + 1)
        /\ f' = IF n = 16500 THEN <<>> ELSE IF n = 18700 THEN {n} ELSE f
ASSUME TLCSet(1, 0)"""
    with patch(
        "gristmill.checking.head_start.first_level", lambda searchable, seconds: list(searchable.initial_states())
    ):
        _, lines = same(body, workers)
    assert lines == [f"<<{n}, {n}>>" for n in range(0, 20000, 1000)]
    assert len(Recording.runs) > 2


# --- composed actions ------------------------------------------------------------------------------------------------


def test_composed_actions(workers: int) -> None:
    body = r"""CONSTANT P
VARIABLES f, s
Init == f = [p \in P |-> 0] /\ s = {}
Add(p) == f[p] < 3 /\ f' = [f EXCEPT ![p] = @ + 1] /\ (s' = s \/ s' = s \cup {p})
Drop(q) == q \in s /\ s' = s \ {q} /\ UNCHANGED f
Reset == f' = [p \in P |-> IF f[p] > 2 THEN 0 ELSE f[p]] /\ UNCHANGED s
Next == \/ \E p \in P : Add(p) \cdot Reset
        \/ \E p, q \in P : (Add(p) \cdot Drop(q)) /\ f'[q] # 2
        \/ (\E p \in P : Add(p)) \cdot Reset \cdot (\E q \in P : Drop(q))
        \/ \E p \in P : LET now == f[p] IN Add(p) \cdot (Reset /\ now # 2)
        \/ \E p \in P : Drop(p) /\ ENABLED (Add(p) \cdot Reset)
Inside == \A p \in P : f[p] < 3"""
    people = {gristmill.ModelValue(f"p{number}") for number in range(3)}
    same(body, workers, constants={"P": people}, invariants=["Inside"])
    wrong = body.replace("UNCHANGED s\n", "TRUE\n", 1)
    assert same(wrong, workers, constants={"P": people})[0].verdict == "error"


# --- at random -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [4, 6, 11, 18, 25, 29, 36])
def test_random_effects(workers: int, seed: int) -> None:
    if workers == 1:  # both numbers are compared there
        assert not list(differing_effects(seed, Counter()))


# --- what is said of it ----------------------------------------------------------------------------------------------


def test_the_profile_says_what_was_asked_for_and_how_often(workers: int) -> None:
    body = COUNTER + "Told == x = 3 => PrintT(y)\nSets == {i \\in 1..2 : TLCSet(i, x)} # {} \\/ y < 0"
    result = gristmill.check(
        module(body),
        config="INIT Init NEXT Next INVARIANT Told CONSTRAINT Sets",
        engine="native",
        workers=workers,
        deadlock=False,
        profile=True,
        output=lambda text: None,
    )
    assert result.profile is not None
    parts = {part.name: part for part in result.profile.parts}
    printing, sets = parts["TLC!PrintT"], parts["Sets"]
    assert (printing.native, printing.calls, printing.reason) == (False, 11, "it has effects, or depends on the search")
    assert (sets.native, sets.calls) == (False, result.generated)  # as a whole: native code has another order in sets
    assert (parts["Told"].native, parts["Up"].native, parts["Told"].calls) == (True, True, 0)
    notes = [note.message for note in result.diagnostics if note.id == "native-engine"]
    assert len(notes) == (workers > 1), notes


@pytest.mark.parametrize(
    ("message", "verdict"),
    [
        (r"1 \div (x - 3)", "error"),
        (r'<<"x", x, ToString(1 \div (x - 3))>>', "error"),
        (r'"x is " \o ToString(x)', "ok"),
        (r'[what |-> "x", value |-> x]', "ok"),
    ],
)
def test_the_message_of_an_assertion_is_evaluated_also_if_it_is_true(message: str, verdict: str, workers: int) -> None:
    body = rf"VARIABLE x{chr(10)}Init == x = 0{chr(10)}Next == x < 9 /\ Assert(TRUE, {message}) /\ x' = x + 1"
    result, _ = same(body, workers)
    assert result.verdict == verdict


# --- what is printed only where it must not come to that --------------------------------------------------------------

GRID = r"""VARIABLES x, y
Init == x = 0 /\ y = 0
Right == x < 60 /\ x' = x + 1 /\ y' = y
Down == y < 60 /\ y' = y + 1 /\ x' = x
Say(text) == PrintT(text)
Stay == x + y = LIMIT /\ Say("met " \o ToString(<<x, y>>)) /\ UNCHANGED <<x, y>>
Next == Right \/ Down \/ Stay
Inside == x + y < LIMIT \/ x + y = LIMIT \/ PrintT("beyond") \/ LIMIT = 70
"""


def grid(limit: int) -> str:
    return GRID.replace("LIMIT", str(limit))


def notes(result: gristmill.Result) -> list[str]:
    return [each.message for each in result.diagnostics if each.id == "native-engine"]


def test_prints_that_nothing_comes_to_are_no_reason_for_an_order(workers: int) -> None:
    with patch("gristmill.native.run.engine.Engine.expect_no_names", autospec=True) as hoped:
        result, lines = same(grid(1000), workers, config="INIT Init NEXT Next INVARIANT Inside")
    assert (result.verdict, result.distinct, lines) == ("ok", 61 * 61, [])
    assert hoped.call_count == (workers > 1)
    assert not any("in order" in each for each in notes(result))


@pytest.mark.parametrize("limit", [0, 1, 70, 119, 120])
def test_prints_that_are_met_late_are_printed_in_order(workers: int, limit: int) -> None:
    """The first time the search begins anew for it, and later ones know that it must."""
    config = "INIT Init NEXT Next INVARIANT Inside"
    with patch("gristmill.native.plan.traps.is_order_known_to_matter", return_value=False):
        result, lines = same(grid(limit), workers, config=config)
    with patch("gristmill.native.run.engine.Engine.expect_no_names", autospec=True) as hoped:
        again, more = same(grid(limit), workers, config=config)
    assert (again.distinct, more, hoped.call_count) == (result.distinct, lines, 0)
    assert result.verdict == "ok"
    assert {"met", "beyond"} >= {line.strip('"').split()[0] for line in lines}
    assert lines


def test_what_the_reference_evaluator_would_print_in_place_of_native_code(workers: int) -> None:
    """Native code fails there, on an integer that is too large; what evaluates it in its place comes to a print."""
    body = (
        grid(1000)
        + r"""
Large == x = 50 /\ y = 50 /\ 4611686018427387904 * x > 0 /\ PrintT("large") /\ x' = 0 /\ y' = 0
More == Next \/ Large
"""
    )
    with patch("gristmill.native.plan.traps.is_order_known_to_matter", return_value=False):
        _, lines = same(body, workers, config="INIT Init NEXT More INVARIANT Inside")
    assert lines == ['"large"']
