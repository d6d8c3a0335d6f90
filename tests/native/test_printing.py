"""What actions print, natively and by any number of workers: the lines of the reference evaluator, in their order.

Nothing is printed twice, nor anything of what one worker in order would not have come to.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from differential import Recording, differing_output
from test_effects import COUNTER, EXTENDS, PLACES

import gristmill
from gristmill.native.run.output import Output

each_number = pytest.mark.parametrize("workers", [1, 2, 3])


@pytest.fixture
def heard() -> Iterator[list[bytes]]:
    """What the core has handed over to be printed."""
    found: list[bytes] = []
    hear = Output.hear

    def noted(self: Output, data: bytes, *args: object) -> None:
        found.append(data)
        hear(self, data, *args)  # type: ignore[arg-type]

    with patch.object(Output, "hear", noted):
        yield found


def module(body: str) -> str:
    return f"---- MODULE Test ----\nEXTENDS {EXTENDS}\n{body}\n===="


def compared(body: str, workers: int, **options: object) -> tuple[gristmill.Result, list[str]]:
    """The native engine's result and the lines of its search, which must be the reference evaluator's, all of them."""
    options = {"config": "INIT Init NEXT Next", "deadlock": False, **options}
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
    for name in ("verdict", "property", "message", "distinct", "generated", "depth", "queue"):
        assert getattr(python, name) == getattr(native, name), name
    assert [step.state for step in python.trace or ()] == [step.state for step in native.trace or ()]
    assert [(each.property, each.count) for each in python.violations] == [
        (each.property, each.count) for each in native.violations
    ]
    assert lines == expected
    assert Recording.runs[-1] == expected
    assert native.engine == "native"
    assert not any("in order" in each.message for each in native.diagnostics)
    return native, lines


GRID = r"""VARIABLES x, y
Init == x = 0 /\ y = 0
Right == x < 60 /\ PrintT(<<"right", x, y>>) /\ x' = x + 1 /\ y' = y
Odd == (x + y) % 5 = 3 /\ PrintT("odd at " \o ToString(<<x, y>>) \o "!") /\ x' \in {x, 0} /\ y' = y
Down == y < 60 /\ y' = y + 1 /\ x' = x /\ Print(<<"down", y'>>, x < 70)
Last == PrintT(<<"last", x>>) /\ x = y /\ x > 70 /\ UNCHANGED <<x, y>>
Next == Right \/ Odd \/ Down \/ Last
"""


@each_number
def test_in_the_order_of_one_worker(workers: int, heard: list[bytes]) -> None:
    result, lines = compared(GRID, workers)
    assert (result.distinct, len(lines)) == (61 * 61, 61 * 61 + 2 * 60 * 61 + sum("odd" in line for line in lines))
    assert sum(map(len, heard)) > 20 * len(lines)


@each_number
@pytest.mark.parametrize("place", range(len(PLACES)))
def test_wherever_an_action_prints(workers: int, place: int, heard: list[bytes]) -> None:
    body = COUNTER + "\n".join(
        (
            'Both(a, b) == PrintT("both") /\\ b > a /\\ a = 1',
            f"Talk == x >= 0 /\\ ({PLACES[place]})",
            'Loud == (x % 4 = 1 /\\ Talk /\\ Up) \\/ (PrintT("over") /\\ Over /\\ (Talk \\/ x\' = x)) \\/ Up',
        )
    )
    compared(body, workers, config="INIT Init NEXT Loud")
    assert heard


@each_number
def test_up_to_what_is_wrong(workers: int, heard: list[bytes]) -> None:
    """Of the state where the search ends, what its branches have printed up to the one that leads there."""
    more = r"""
Near == x + y < 40
Fast == [][x' < 30 \/ y' < 31]_<<x, y>>
Stuck == Right \/ (y < 60 /\ Odd)
Wrong == Next \/ (PrintT("wrong") /\ x = 20 /\ y = 9 /\ x' = 1 \div (y - 9) /\ y' = y)
Asks == Next /\ Assert(x # 33 \/ y # 2, "it is")
"""
    assert compared(GRID + more, workers, invariants=["Near"])[0].verdict == "invariant"
    assert compared(GRID + more, workers, config="INIT Init NEXT Next PROPERTY Fast")[0].verdict == "property"
    assert compared(GRID + more, workers, config="INIT Init NEXT Stuck", deadlock=True)[0].verdict == "deadlock"
    result, lines = compared(GRID + more, workers, config="INIT Init NEXT Wrong")
    assert (result.verdict, lines[-1]) == ("error", '"wrong"')
    assert compared(GRID + more, workers, config="INIT Init NEXT Asks")[0].verdict == "assert"
    assert compared(GRID + more, workers, depth=17)[0].verdict == "incomplete"
    assert heard


@each_number
def test_after_violations(workers: int, heard: list[bytes]) -> None:
    more = "Near == x + y < 40\nFast == [][x' < 30 \\/ y' < 31]_<<x, y>>"
    config = "INIT Init NEXT Next INVARIANT Near PROPERTY Fast"
    result, _ = compared(GRID + more, workers, config=config, continue_=True)
    assert (len(result.violations), result.distinct) == (2, 61 * 61)
    assert heard


@each_number
def test_a_state_that_is_tried_again_prints_once(workers: int, heard: list[bytes]) -> None:
    """The table of kept values grows while actions run, in the middle of what they print."""
    body = r"""VARIABLES n, pair
Init == n = 0 /\ pair = <<0, 0>>
Next == \E k \in 1..3 : /\ n < 9000 /\ n' = n + k
                        /\ PrintT(<<n, k>>)
                        /\ pair' = <<n', 17 * n + k>>
                        /\ PrintT(pair')"""
    result, _ = compared(body, workers)
    assert result.distinct > 20_000
    assert heard


@each_number
def test_a_layout_that_does_not_fit_repeats_nothing(workers: int, heard: list[bytes]) -> None:
    body = r"""VARIABLES f, n
Init == f = [i \in 1..2 |-> 0] /\ n = 0
Next == /\ n < 20000 /\ n' = n + 1 /\ (n % 1000 = 0 => PrintT(<<n, f>>))
        /\ f' = IF n = 16500 THEN <<>> ELSE IF n = 18700 THEN {n} ELSE f
        /\ (n = 18701 => PrintT(f'))"""
    first = "gristmill.checking.head_start.first_level"
    with patch(first, lambda searchable, seconds: list(searchable.initial_states())):
        _, lines = compared(body, workers)
    assert len(lines) == 21
    assert len(Recording.runs) > 2


@each_number
def test_where_native_code_fails(workers: int, heard: list[bytes]) -> None:
    """The reference evaluator expands the state, and prints what native code had printed of it before."""
    more = r"""
Large == x = 50 /\ PrintT("before") /\ 4611686018427387904 * y >= 0 /\ PrintT(<<"large", y>>) /\ x' = 0 /\ y' = y
Sets == y = 7 /\ {i \in 1..3 : PrintT(<<x, i>>)} = 1..3 /\ x' = 0 /\ y' = 0
More == Right \/ Large \/ Sets \/ Down
"""
    _, lines = compared(GRID + more, workers, config="INIT Init NEXT More")
    assert lines.count('"before"') == 61
    assert heard


@each_number
def test_what_cannot_be_shown_is_an_error_where_it_is_printed(workers: int) -> None:
    more = r"""
Bad == x = 20 /\ y = 20 /\ PrintT("a" \o [i \in 1..2 |-> x]) /\ UNCHANGED <<x, y>>
More == Right \/ Bad \/ Down
"""
    expected: list[str] = []
    lines: list[str] = []
    found = [
        gristmill.check(
            module(GRID + more), config="INIT Init NEXT More", deadlock=False, engine=engine, output=told.append
        )  # type: ignore[call-overload]
        for engine, told in (("python", expected), ("native", lines))
    ]  # fmt: skip
    assert (found[0].verdict, found[0].message) == (found[1].verdict, found[1].message)
    assert found[0].verdict == "error"
    assert lines == expected


@each_number
@pytest.mark.parametrize("how", ["SYMMETRY Symmetry", "VIEW View"])
def test_with_keys(workers: int, how: str, heard: list[bytes]) -> None:
    """Of equivalent states one is expanded: the one that one worker finds first."""
    body = r"""CONSTANT P
VARIABLES at, last, count
Init == at = [p \in P |-> 0] /\ last \in P /\ count = 0
Move(p) == /\ at[p] < 6 /\ at' = [at EXCEPT ![p] = @ + 1] /\ last' = p
           /\ count' = (count + Cardinality({q \in P : at[q] > at[p]})) % 7
           /\ PrintT(<<p, at, count>>)
Next == \E p \in P : Move(p)
Symmetry == Permutations(P)
View == <<at, last>>
Few == count < 9"""
    people = {gristmill.ModelValue(f"p{number}") for number in range(4)}
    compared(body, workers, config=f"INIT Init NEXT Next INVARIANT Few {how}", constants={"P": people})
    assert heard


@each_number
def test_with_fingerprints_alone(workers: int) -> None:
    expected: list[str] = []
    lines: list[str] = []
    text = module(GRID + "Near == x + y < 100")
    python = gristmill.check(text, config="INIT Init NEXT Next INVARIANT Near", engine="python", output=expected.append)
    native = gristmill.check(
        text,
        config="INIT Init NEXT Next INVARIANT Near",
        engine="native",
        fingerprint=True,
        workers=workers,
        output=lines.append,
    )
    assert (native.engine, native.distinct, native.verdict) == ("native", python.distinct, "invariant")
    assert [step.state for step in python.trace or ()] == [step.state for step in native.trace or ()]
    assert lines == expected


@each_number
def test_a_run_that_is_taken_up_prints_the_rest(workers: int, tmp_path: Path) -> None:
    whole: list[str] = []
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE"
    gristmill.check(module(GRID), config=config, engine="python", output=whole.append)
    (tmp_path / "Test.tla").write_text(module(GRID))
    (tmp_path / "Test.cfg").write_text(config)
    own = ["check", str(tmp_path / "Test.tla"), "--workers", str(workers), "--checkpoint", str(tmp_path / "saved")]
    said: list[str] = []
    for more in (["--depth", "23"], ["--depth", "71", "--resume"], ["--resume"]):
        run = [sys.executable, "-m", "gristmill.cli", *own, *more]
        done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=False)
        said += [line for line in done.stdout.splitlines() if line[:1] in {'"', "<"}]
    assert "3,721 distinct states" in done.stdout
    assert said == whole


@each_number
def test_names_that_are_made_for_output_are_in_its_order(workers: int, heard: list[bytes]) -> None:
    """Strings are ordered by first appearance, which what is printed afterwards tells."""
    more = r"""Pairs == {ToString(<<i, i + 3>>) : i \in 0..20}
After == PrintT(Pairs \cup {"odd at " \o ToString(<<4, i>>) : i \in 4..9})"""
    _, lines = compared(GRID + more, workers)
    config = "INIT Init NEXT Next POSTCONDITION After"
    found = []
    for engine in ("python", "native"):
        told: list[str] = []
        gristmill.check(
            module(GRID + more), config=config, deadlock=False, engine=engine, workers=workers, output=told.append
        )  # type: ignore[call-overload]
        found.append(told)
    assert found[0] == found[1]
    assert len(found[0]) > len(lines)
    assert heard


QUIET = {
    "an invariant": 'INVARIANT Told\nTold == x + y < 5 \\/ PrintT(<<"told", x>>)',
    "a constraint": "CONSTRAINT Told\nTold == x > 3 \\/ PrintT(y)",
    "a register": "INVARIANT Told\nTold == TLCSet(1, x)",
    "the initial predicate": "INIT Loud\nLoud == Init /\\ PrintT(x)",
    "a name": 'INVARIANT Told\nTold == ToString(x) # "17"',
}


@each_number
@pytest.mark.parametrize("what", QUIET)
def test_with_effects_elsewhere_the_order_is_kept(workers: int, what: str, heard: list[bytes]) -> None:
    config, definition = QUIET[what].split("\n")
    config = f"INIT Init NEXT Next {config}" if "INIT" not in config else f"{config} NEXT Next"
    body = GRID.replace("60", "9") + definition
    expected: list[str] = []
    lines: list[str] = []
    python = gristmill.check(module(body), config=config, deadlock=False, engine="python", output=expected.append)
    native = gristmill.check(
        module(body), config=config, deadlock=False, engine="native", workers=workers, output=lines.append
    )
    assert (python.verdict, python.distinct, python.generated) == (native.verdict, native.distinct, native.generated)
    assert lines == expected
    assert (workers > 1) >= bool(heard)  # there is hope with several
    if workers > 1:
        assert any("in order" in each.message for each in native.diagnostics)


@pytest.mark.parametrize("seed", [3, 6, 7, 9, 23, 31, 42, 55])
def test_random_output(seed: int) -> None:
    assert not list(differing_output(seed, Counter()))
