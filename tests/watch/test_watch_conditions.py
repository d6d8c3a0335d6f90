"""Conditions A.1 to A.4 of the paper's appendix A, proved by Z3 for all states; and what is not so is not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("z3", reason="z3-solver is not installed")

from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.proving import checked
from gristmill.watch.proving.growth import proved
from gristmill.watch.proving.monotone import monotone
from gristmill.watch.proving.past import without_effect
from gristmill.watch.report.derived import render_derived

_EXAMPLES = Path(__file__).parents[2] / "examples"
_SPECIFICATION = r"""---- MODULE Adding ----
EXTENDS Integers
Node == {"a", "b"}
VARIABLES messages, x, y
Max(a, b) == IF a > b THEN a ELSE b
Init == messages = {} /\ x = [n \in Node |-> 0] /\ y = [n \in Node |-> 0]
Tell(n, m) == m.to = n /\ m.kind = "Tell" /\ TOLD /\ UNCHANGED <<messages, y>>
Other(n, m) == m.to = n /\ m.kind = "Other" /\ OTHER
Say(n, to, v) ==
    /\ to # n /\ SAYS
    /\ messages' = messages \cup {[kind |-> "Said", from |-> n, to |-> to, v |-> v, says |-> SENDS]}
    /\ UNCHANGED <<x, y>>
Ask(n, to, kind, v) ==
    /\ to # n /\ messages' = messages \cup {[kind |-> kind, from |-> n, to |-> to, v |-> v]} /\ UNCHANGED <<x, y>>
Next ==
    \/ \E n \in Node, m \in messages : Tell(n, m)
    \/ \E n \in Node, m \in messages : Other(n, m)
    \/ \E n \in Node, to \in Node, v \in 0 .. 1 : Say(n, to, v)
    \/ \E n \in Node, to \in Node, kind \in {"Tell", "Other"}, v \in 0 .. 1 : Ask(n, to, kind, v)
Few == \A m \in messages : m.kind = "Said" => m.v = 0
====
"""
_MAPPING = """[system]
specification = "Adding.tla"
nodes = "Node"
[watch]
decoder = "json-lines"
[watch.bounded]
specification = "Adding.tla"
[watch.record.Tell]
v = "v"
[watch.record.Other]
v = "v"
[watch.record.Said]
v = "v"
says = "says"
"""
_MAX, _PLUS = "x' = [x EXCEPT ![n] = Max(@, m.v)]", "x' = [x EXCEPT ![n] = @ + 1]"
_NOTHING, _Y = "UNCHANGED <<messages, x, y>>", "y' = [y EXCEPT ![n] = m.v] /\\ UNCHANGED <<messages, x>>"

# What a message does, what another one does, when something is said, and what.
PROVED = {
    "the greater one": (_MAX, _NOTHING, "v <= x[n]", "y[n]"),
    "one more": (_PLUS, _NOTHING, "v < x[n] + 3", "0"),
    "beside another variable": (_MAX, _Y, "v <= x[n] /\\ v <= y[n]", "y[n]"),
    "another one adds, too": (_MAX, f"{_PLUS} /\\ UNCHANGED <<messages, y>>", "v <= x[n]", "y[n]"),
    "only if it is more": ("m.v > x[n] /\\ x' = [x EXCEPT ![n] = m.v]", _NOTHING, "v <= x[n]", "y[n]"),
}
NOT = {
    "what is said is the variable": (_MAX, _NOTHING, "v <= y[n]", "x[n]"),
    "less is better": (_MAX, _NOTHING, "v >= x[n]", "0"),
    "exactly that": (_MAX, _NOTHING, "v = x[n]", "0"),
    "whatever comes": ("x' = [x EXCEPT ![n] = m.v]", _NOTHING, "v <= x[n]", "0"),
    "another one puts it back": (_MAX, "x' = [x EXCEPT ![n] = 0] /\\ UNCHANGED <<messages, y>>", "v <= x[n]", "0"),
    "another one copies it": (_MAX, "y' = [y EXCEPT ![n] = x[n]] /\\ UNCHANGED <<messages, x>>", "v <= x[n]", "y[n]"),
    "another one is disabled by it": (_MAX, "x[n] < 1 /\\ " + _Y, "v <= x[n]", "y[n]"),
    "sometimes it is reset": ("x' = [x EXCEPT ![n] = IF m.v = 7 THEN 0 ELSE @ + 1]", _NOTHING, "v <= x[n]", "0"),
}


def mapping(tmp_path: Path, told: str, other: str, says: str, sends: str) -> WatchMap:
    text = _SPECIFICATION.replace("TOLD", told).replace("OTHER", other).replace("SAYS", says).replace("SENDS", sends)
    (tmp_path / "Adding.tla").write_text(text)
    (tmp_path / "Adding.cfg").write_text("INIT Init\nNEXT Next\nCONSTRAINT Few\n")
    (tmp_path / "adding.map.toml").write_text(_MAPPING)
    return read_watch_map(tmp_path / "adding.map.toml")


@pytest.mark.parametrize("parts", PROVED.values(), ids=PROVED.keys())
def test_proved(tmp_path: Path, parts: tuple[str, str, str, str]) -> None:
    found = mapping(tmp_path, *parts)
    proof = monotone(found.specification, found.monitor, "Tell")
    assert proof is not None
    assert (proof.order, proof.proved) == (("x",), True), proof.why


@pytest.mark.parametrize("parts", NOT.values(), ids=NOT.keys())
def test_not_proved(tmp_path: Path, parts: tuple[str, str, str, str]) -> None:
    found = mapping(tmp_path, *parts)
    proof = monotone(found.specification, found.monitor, "Tell")
    assert proof is not None
    assert not proof.proved


def test_a_refutation_is_confirmed_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a state that Z3 has found and the reference evaluator has been asked about."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    told = mapping(tmp_path, *NOT["whatever comes"])
    with told.specification:
        found = checked(told)
        assert found is not None
        (tell,) = [each for each in found.at_once if each.kind == "Tell"]
        text = render_derived(told, found)
    assert not tell.proved
    assert tell.refuted is not None
    assert tell.refuted[2].startswith("x = ")
    assert "A.3 is refuted for x: in the state" in text


def test_messages_of_the_past() -> None:
    """Of Raft: answers of an older term, whatever the state; but not requests, which are answered."""
    mapping = read_watch_map(_EXAMPLES / "etcd" / "watch.map.toml")
    grow = proved(mapping.specification, mapping.monitor.local)
    fields = {kind: tuple(record.fields) for kind, record in mapping.records.items()}
    found = without_effect(mapping.specification, mapping.monitor, mapping.kind, fields, grow)
    answers = {"MsgPreVoteResp", "MsgVoteResp", "MsgAppResp", "MsgHeartbeatResp", "MsgSnap", "MsgTimeoutNow"}
    assert found == dict.fromkeys(answers, ("m.term < term",))
