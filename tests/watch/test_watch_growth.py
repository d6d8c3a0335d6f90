"""Variables that only grow, proved without bounds; and those that do not, or of which it cannot be told, are not."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("z3", reason="z3-solver is not installed")

from gristmill.specification import open as opened
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.proving.growth import proved

_EXAMPLES = Path(__file__).parents[2] / "examples"

_SPECIFICATION = r"""---- MODULE Growing ----
EXTENDS Integers, Sequences
Node == {"a", "b"}
VARIABLES messages, x, y
Max(a, b) == IF a > b THEN a ELSE b
Init == messages = {} /\ x = [n \in Node |-> 0] /\ y = [n \in Node |-> 0]
A(n, m, k) == ACTION
Next == \E n \in Node, m \in messages, k \in Node : A(n, m, k)
====
"""

GROW = {
    "the greater one": r"x' = [x EXCEPT ![n] = Max(@, m.v)]",
    "guarded": r"m.v >= x[n] /\ x' = [x EXCEPT ![n] = m.v]",
    "guarded by what follows": r"\E d \in 1 .. 3 : m.v = x[n] + d /\ d > 0 /\ x' = [x EXCEPT ![n] = m.v]",
    "one of two": r"(m.v > x[n] /\ x' = [x EXCEPT ![n] = m.v]) \/ (m.v <= x[n] /\ UNCHANGED x)",
    "IF": r"IF m.v > x[n] THEN x' = [x EXCEPT ![n] = m.v] ELSE UNCHANGED x",
    "LET": r"LET new == x[n] + 1 IN x' = [x EXCEPT ![n] = new]",
    "at two nodes": r"x' = [x EXCEPT ![n] = @ + 1, ![k] = @ + 1]",
    "a whole function": r"x' = [i \in Node |-> IF i = n THEN Max(x[i], m.v) ELSE x[i]]",
}
NOT = {
    "whatever comes": r"x' = [x EXCEPT ![n] = m.v]",
    "guarded by another": r"m.v >= y[n] /\ x' = [x EXCEPT ![n] = m.v]",
    "guarded elsewhere": r"m.v >= x[k] /\ x' = [x EXCEPT ![n] = m.v]",
    "one less": r"x' = [x EXCEPT ![n] = @ - 1]",
    "one of two": r"(m.v > x[n] \/ m.w) /\ x' = [x EXCEPT ![n] = m.v]",
    "denied": r"~(m.v < x[n] /\ m.w) /\ x' = [x EXCEPT ![n] = m.v]",
    "twice": r"x' = [x EXCEPT ![n] = @ + 1, ![k] = 0]",
    "the smaller one": r"x' = [x EXCEPT ![n] = IF @ > m.v THEN m.v ELSE @]",
    "chosen": r"x' \in [Node -> 0 .. 3]",
    "everywhere": r"x' = [i \in Node |-> m.v]",
    "not said": r"UNCHANGED y",
    "swapped": r"x' = [x EXCEPT ![n] = x[k], ![k] = x[n]]",
}


def grows(tmp_path: Path, action: str) -> bool:
    (tmp_path / "Growing.tla").write_text(_SPECIFICATION.replace("ACTION", action))
    (tmp_path / "Growing.cfg").write_text("INIT Init\nNEXT Next\n")
    with opened(tmp_path / "Growing.tla", config=tmp_path / "Growing.cfg") as specification:
        return proved(specification, ["x"]) == ("x",)


@pytest.mark.parametrize("action", GROW.values(), ids=GROW.keys())
def test_grows(tmp_path: Path, action: str) -> None:
    assert grows(tmp_path, action)


@pytest.mark.parametrize("action", NOT.values(), ids=NOT.keys())
def test_does_not(tmp_path: Path, action: str) -> None:
    assert not grows(tmp_path, action)


def test_raft() -> None:
    mapping = read_watch_map(_EXAMPLES / "etcd" / "watch.map.toml")
    found = proved(mapping.specification, mapping.monitor.local)
    assert {"term", "told"} <= set(found)
    assert not {"role", "votes", "log", "reads", "vote"} & set(found)


def test_zab() -> None:
    mapping = read_watch_map(_EXAMPLES / "zookeeper" / "watch.map.toml")
    assert "log" not in proved(mapping.specification, mapping.monitor.local)
