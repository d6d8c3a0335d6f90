"""Definitions, names and records that are written where they are used mean what they meant: what is never needed is not
evaluated, what fails still does, and every way to satisfy a formula counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gristmill
from gristmill.checking.native import NativeExplorer

HEAD = "---- MODULE Made ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n"
COMPARED = ("verdict", "property", "message", "distinct", "generated", "depth")


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[gristmill.Result, str]]:
    """Check with both engines, which must agree; the result and the C."""
    texts: list[str] = []
    monkeypatch.setattr(NativeExplorer, "emit", lambda self, name, text: texts.append(text))

    def check(text: str, **options: Any) -> tuple[gristmill.Result, str]:
        texts.clear()
        module, config = f"{HEAD}{text}\n====\n", {"init": "Init", "next": "Next", "deadlock": False, **options}
        expected = gristmill.check(module, engine="python", **config)
        found = gristmill.check(module, engine="native", **config)
        assert found.engine == "native", found.diagnostics
        for name in COMPARED:
            assert getattr(found, name) == getattr(expected, name), name
        return found, texts[-1]

    return check


RECORDER = """VARIABLES at, r
Proc == {"a", "b", "c"}
Get(m) == m :> r[m]
Inc(m) == m :> r[m] + 1
Failure(pc) == CASE pc[1] = "Stop" -> Inc("stops") @@ Get("starts")
               []   pc[1] = "Start" -> Get("stops") @@ Inc("starts")
               []   OTHER -> Get("stops") @@ Get("starts")
Note(pc) == r' = Failure(pc) @@ ("pc" :> pc) @@ ("most" :> IF pc[1] = "Start" THEN Cardinality({p \\in Proc : at'[p]})
                                                         ELSE r["most"]) @@ r
Init == at = [p \\in Proc |-> FALSE] /\\ r = [pc |-> <<"Init">>, stops |-> 0, starts |-> 0, most |-> 0, other |-> 7]
Start(p) == ~at[p] /\\ r.starts < 3 /\\ at' = [at EXCEPT ![p] = TRUE] /\\ Note(<<"Start", p>>)
Stop(p) == at[p] /\\ at' = [at EXCEPT ![p] = FALSE] /\\ Note(<<"Stop", p>>)
Look(p, q) == at[p] /\\ ~at[q] /\\ UNCHANGED at /\\ Note(<<"Look", p, q>>)
Next == \\E p, q \\in Proc : Start(p) \\/ Stop(p) \\/ Look(p, q)
Inv == r.stops <= r.starts /\\ r.other = 7"""


def test_a_record_of_what_happened(both: Callable[..., tuple[gristmill.Result, str]]) -> None:
    found, text = both(RECORDER, invariants=["Inv"])
    assert found.verdict == "ok"
    assert "gm_merge(" not in text
    assert both(RECORDER + "\nFew == r.starts < 2", invariants=["Inv", "Few"])[0].property == "Few"


@pytest.mark.parametrize("printed", ["TRUE", 'PrintT("stop")'])
@pytest.mark.parametrize("constraint", ["Bound", "Other", "Able"])
def test_constraints_in_the_place_of_the_state(
    both: Callable[..., tuple[gristmill.Result, str]], constraint: str, printed: str
) -> None:
    """With and without an order; what they read changes, does not change, or is made of the whole state."""
    more = f"""
Stopping(p) == {printed} /\\ Stop(p)
Either == \\E p, q \\in Proc : Start(p) \\/ Stopping(p) \\/ Look(p, q)
Bound == r.stops + r.starts < 4
Other == r.other = 7
Able == (ENABLED Start("b") \\/ at["b"] \\/ r.starts > 1) /\\ Cardinality({{p \\in DOMAIN at : at[p]}}) < 3"""
    both(RECORDER + more, next="Either", constraints=[constraint], invariants=["Inv"])


def test_an_argument_that_is_never_needed_is_not_evaluated(both: Callable[..., tuple[gristmill.Result, str]]) -> None:
    both("""VARIABLES x, y
First(a, b) == a
Pick(c, a, b) == IF c THEN a ELSE b
Pair(p) == p[1]
Init == x = 0 /\\ y = 0
Next == LET no == CHOOSE n \\in {1} : n = 2
            seldom == 5 \\div (x - 2)
        IN /\\ x < 4
           /\\ x' = First(x + 1, no)
           /\\ y' = Pick(x = 2, y, Pick(x > 2, Pair(<<seldom, x>>), y + 1))""")


@pytest.mark.parametrize(
    "step",
    [
        "x' = Pair(<<x + 1, 1 \\div (x - 2)>>)",  # the other half of a pair is evaluated, too
        "x' = LET s == 1 \\div (x - 2) IN IF x > 1 THEN s ELSE x + 1",
        "x' = 0 * Twice(1 \\div (x - 2)) + x + 1",
        "\\E n \\in {1, 2} : LET s == 1 \\div (x - n) IN x > 0 /\\ (x' = x + 1 \\/ (s > 0 /\\ x' = x))",
        "x' = ([a |-> x + 1] @@ [a |-> 1 \\div (x - 2)]).a",
    ],
)
def test_what_fails_still_fails(both: Callable[..., tuple[gristmill.Result, str]], step: str) -> None:
    found, _ = both(f"""VARIABLE x
Pair(p) == p[1]
Twice(n) == n + n
Init == x = 0
Next == (x < 5 /\\ {step}) \\/ (x = 0 /\\ x' = 1)""")
    assert found.verdict == "error"


def test_ways_count(both: Callable[..., tuple[gristmill.Result, str]]) -> None:
    """An argument or a name in the place of a formula is satisfied in as many ways as before."""
    both("""VARIABLES x, y
Both(A, B) == A /\\ B
Either(c) == c \\/ c
Init == x = 0 /\\ y = 0
Next == LET up == x < 3
            next == x + 1
            both == up \\/ y < 2
        IN \\/ Both(Either(up), x' = next) /\\ y' = y
           \\/ both /\\ Both(x' \\in {x, 0}, Either(y' = next)) /\\ y' < 4""")


def test_names_that_read_next_values(both: Callable[..., tuple[gristmill.Result, str]]) -> None:
    """Those that are assigned already, and those that are not yet."""
    both("""VARIABLES x, y, z
Init == x = 0 /\\ y = 0 /\\ z = 0
Next == /\\ x' \\in {(x + 1) % 3, y}
        /\\ LET sum == x' + y
               later == y' + x'
           IN /\\ sum < 4
              /\\ y' \\in {sum % 3, 1}
              /\\ \\/ z' = later /\\ later < 3
                 \\/ z' = sum + sum""")


def test_elements_of_the_domain_and_of_other_sets(both: Callable[..., tuple[gristmill.Result, str]]) -> None:
    """Positions are those of the set that is gone through: a part of the domain has others."""
    both("""VARIABLES f, n
All == {"a", "b", "c"}
Ends == {"a", "c"}
At(g, p) == g[p]
Put(p, v) == f' = [f EXCEPT ![p] = v, !["b"] = @ + 1]
Init == f = [p \\in All |-> 0] /\\ n = [i \\in 2..4 |-> i]
Next == \\/ \\E p \\in Ends, q \\in All : At(f, p) < 2 /\\ At(f, "b") < 3 /\\ Put(p, At(f, q) + 1) /\\ UNCHANGED n
        \\/ \\E i \\in 2..4, j \\in {3, 4} : n[i] < 6 /\\ n' = [n EXCEPT ![j] = n[i] + 1] /\\ UNCHANGED f
        \\/ \\E i \\in 3..4 : \\E k \\in 2..4 : n[i] > n[k] /\\ n' = [n EXCEPT ![k] = n[i]] /\\ UNCHANGED f""")


def test_model_values_with_and_without_types() -> None:
    text = f"""{HEAD}CONSTANTS a, b, t_1, u_1
VARIABLE x
Is(v) == x = v
Init == x \\in {{a, b, t_1}}
Next == \\/ Is(a) /\\ x' = b
        \\/ Is(b) /\\ x' = t_1
        \\/ x = t_1 /\\ x' = a
Mixed == x # u_1
====
"""
    for invariants, verdict in (([], "ok"), (["Mixed"], "error")):
        config = "CONSTANTS a = a b = b t_1 = t_1 u_1 = u_1\nINIT Init NEXT Next\n" + "".join(
            f"INVARIANT {name}\n" for name in invariants
        )
        results = [gristmill.check(text, config=config, engine=engine) for engine in ("python", "native")]
        assert {result.verdict for result in results} == {verdict}
        assert results[0].distinct == results[1].distinct
        assert results[0].generated == results[1].generated
