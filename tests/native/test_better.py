"""A search goes on with a better version of its program: the same states, counts and behaviours."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import gristmill
from gristmill.cc import CompilerError
from gristmill.checking.native import NativeExplorer
from gristmill.native.run import better, compiled
from gristmill.native.run.compiled import compile_better
from gristmill.native.run.engine import Engine
from gristmill.search.core import search as core

# Constants that can be listed and one that cannot, values made once a run and once a state, CHOOSE, messages in a set.
RELAY = r"""---- MODULE Relay ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANT Node
VARIABLES turn, log, net, sum
vars == <<turn, log, net, sum>>
Messages == [from : Node, to : Node, n : 0..1]
Shapes == [Node -> Seq(Nat)]
Total == LET f[S \in SUBSET Node] == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN Len(log[x]) + f[S \ {x}]
         IN f[Node]
Init == turn \in Node /\ log = [x \in Node |-> <<>>] /\ net = {} /\ sum = 0
Send(x, y) == /\ turn = x /\ Cardinality(net) < 3
              /\ \E n \in 0..1 : net' = net \cup {[from |-> x, to |-> y, n |-> n]}
              /\ turn' = y /\ UNCHANGED <<log, sum>>
Receive(x) == \E m \in net : /\ m.to = x /\ Len(log[x]) < 2
                             /\ log' = [log EXCEPT ![x] = Append(@, m.n)]
                             /\ net' = net \ {m} /\ sum' = (sum + m.n + Total) % 5 /\ UNCHANGED turn
Next == \E x \in Node : Receive(x) \/ \E y \in Node \ {x} : Send(x, y)
Spec == Init /\ [][Next]_vars
Shaped == log \in Shapes /\ net \subseteq Messages
Short == Total < 4
Calm == ~(sum = 4 /\ \A x \in Node : Len(log[x]) > 0)
Still == [][Len(log'[turn]) >= Len(log[turn])]_vars
Eventually == <>[](sum >= 0)
===="""
SMALL = "CONSTANT Node = {a, b}\nINIT Init NEXT Next\n"


def check(config: str, **options: Any) -> gristmill.Result:
    return gristmill.check(RELAY, config=SMALL + config, deadlock=False, **options)


@pytest.fixture
def exchanged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[bool]:
    """Every program has a better version, there as soon as it is asked for. Whether it took over, each time."""
    found: list[bool] = []
    exchange = Engine.exchange

    def watched(self: Engine, path: Path) -> bool:
        found.append(exchange(self, path))
        return found[-1]

    def at_once(self: NativeExplorer, text: str) -> Future[Path]:
        done: Future[Path] = Future()
        done.set_result(compile_better(text))
        return done

    monkeypatch.setattr(Engine, "exchange", watched)
    monkeypatch.setattr(NativeExplorer, "begin_better", at_once)
    monkeypatch.setattr(compiled, "FAST", ("-O1", f"-DTEST_{abs(hash(tmp_path))}"))  # not compiled by another test
    monkeypatch.setattr(compiled, "_SMALL", 0)
    monkeypatch.setattr(better, "_PATIENCE", 0.0)
    return found


def same(config: str, **options: Any) -> gristmill.Result:
    expected = check(config, engine="python")
    found = check(config, engine="native", **options)
    assert found.engine == "native", found.diagnostics
    for name in ("verdict", "property", "distinct", "generated", "depth"):
        assert getattr(found, name) == getattr(expected, name), name
    assert states(found) == states(expected)
    return found


def states(result: gristmill.Result) -> list[object]:
    return [step.state for each in result.violations for step in each.trace or ()]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("rest", ["INVARIANT Shaped", "INVARIANT Calm", "PROPERTY Still", "CONSTRAINT Short"])
def test_the_same_comes_of_both_versions(rest: str, workers: int, exchanged: list[bool]) -> None:
    same(rest, workers=workers)
    assert True in exchanged


@pytest.mark.parametrize("workers", [1, 2])
def test_it_takes_over_in_the_middle(workers: int, exchanged: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """A search with a temporal property pauses at ends of levels: at the third pause there is a better version."""
    ready, looks = better.Better.is_ready, []

    def third(self: better.Better) -> bool:
        looks.append(1)
        return len(looks) > 2 and ready(self)

    monkeypatch.setattr(better.Better, "is_ready", third)
    monkeypatch.setattr("gristmill.search.on_the_fly.FIRST", 10)
    same("PROPERTY Eventually", workers=workers)
    assert len(looks) > 2
    assert exchanged == [True]


def test_a_running_search_is_paused_for_it(exchanged: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever that may be: the counts are those of a search without a pause."""
    ready, looks = better.Better.is_ready, []

    def later(self: better.Better) -> bool:
        looks.append(1)
        return len(looks) > 3 and ready(self)

    monkeypatch.setattr(better.Better, "is_ready", later)
    monkeypatch.setattr(core, "_TICK", 0.0005)
    same("INVARIANT Shaped")


def test_where_it_cannot_be_compiled_the_search_goes_on(exchanged: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: NativeExplorer, text: str) -> Future[Path]:
        done: Future[Path] = Future()
        done.set_exception(CompilerError("no room on the disk"))
        return done

    monkeypatch.setattr(NativeExplorer, "begin_better", fails)
    same("INVARIANT Shaped")
    assert exchanged == []


def test_another_program_is_refused(exchanged: list[bool]) -> None:
    """The engine looks at what it is given: another number of slots is another program."""
    found: list[bool] = []
    take = Engine.exchange

    def other(self: Engine, path: Path) -> bool:
        text = self.generated.text.replace(".lasting = ", ".lasting = 1 + ")
        found.append(take(self, compile_better(text)))
        return found[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "exchange", other)
        same("INVARIANT Shaped")
    assert found == [False]


def test_what_was_compiled_well_once_is_taken_at_once(exchanged: list[bool]) -> None:
    same("INVARIANT Shaped")
    assert exchanged == [True]
    same("INVARIANT Shaped")
    assert exchanged == [True]


# The level decides what is explored; the number of states found is part of them, so that they are searched in order.
LEVEL = r"""---- MODULE Level ----
EXTENDS Naturals, TLC
VARIABLES n, seen, side
Init == n = 0 /\ seen = 0 /\ side = 1
Add == n' = n + 1 /\ seen' = NOTED /\ side' = (side * 7 + n) % 101
Back == n > 1 /\ n' = n - 2 /\ seen' = n % 7 /\ UNCHANGED side
Say == n = 20 /\ side = 10 /\ PrintT(<<"here", seen>>) /\ n' = 0 /\ seen' = 1 /\ side' = 1
Next == Add \/ Back \/ Say
Bound == TLCGet("level") < 90
Stop == n < 30 \/ TLCSet("exit", TRUE)
===="""


@pytest.mark.parametrize("noted", ['TLCGet("level") % 5', 'TLCGet("distinct") % 5', 'TLCGet("generated") % 5'])
@pytest.mark.parametrize("rest", ["", "INVARIANT Stop"])
def test_where_the_search_is_can_be_seen(
    noted: str, rest: str, exchanged: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    ready, looks = better.Better.is_ready, []

    def later(self: better.Better) -> bool:
        looks.append(1)
        return len(looks) > 1 and ready(self)

    monkeypatch.setattr(better.Better, "is_ready", later)
    monkeypatch.setattr(core, "_TICK", 0.0005)
    found, lines = [], []
    for engine in ("python", "native"):
        said: list[str] = []
        text, config = LEVEL.replace("NOTED", noted), f"INIT Init NEXT Next CONSTRAINT Bound {rest}"
        found.append(gristmill.check(text, config=config, deadlock=False, engine=engine, output=said.append))  # type: ignore[arg-type]
        lines.append(said)
    assert found[1].engine == "native", found[1].diagnostics
    assert lines[0] == lines[1]
    for name in ("verdict", "message", "distinct", "generated", "depth", "queue"):
        assert getattr(found[0], name) == getattr(found[1], name), name
    assert True in exchanged or "level" in noted  # which is over before anybody looks
