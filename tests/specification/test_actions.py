"""`Specification.actions`: parameters, origins, and what actions read and write, as a program sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gristmill
from gristmill.specification import Action

MAIL = r"""---- MODULE Mail ----
EXTENDS Naturals, Sequences
CONSTANTS Nodes
VARIABLES sent, got
Init == sent = {} /\ got = [n \in Nodes |-> <<>>]
Send(from, body) == Len(got[from]) < 2 /\ sent' = sent \cup {[from |-> from, body |-> body]} /\ UNCHANGED got
Receive(n, m) == m.from # n /\ got' = [got EXCEPT ![n] = Append(@, m)] /\ sent' = sent \ {m}
Next == \/ \E k \in Nodes, b \in {1, 2} : Send(k, b)
        \/ \E n \in Nodes : \E m \in sent : Receive(n, m)
===="""

TWICE = r"""---- MODULE Twice ----
EXTENDS Naturals
VARIABLES f, g
Init == f = [k \in {"a", "b"} |-> 0] /\ g = 0
Set(k) == f' = [f EXCEPT ![k] = 1 - @] /\ (g' = 0 \/ g' = f[k])
Next == Set("a") \/ Set("b")
===="""

INNER = r"""---- MODULE Inner ----
EXTENDS Naturals
VARIABLE v
Add(n) == v < 3 /\ v' = v + n
===="""

OUTER = r"""---- MODULE Outer ----
VARIABLES x, y
In == INSTANCE Inner WITH v <- x
Init == x = 0 /\ y = 0
Next == (\E k \in {1, 2} : In!Add(k)) /\ UNCHANGED y
===="""


def writes(action: Action) -> dict[str, Any]:
    return {
        str(each.place): (" ".join(map(str, each.reads)), " ".join(map(str, each.control)), each.certain)
        for each in action.dependencies.writes
    }


def test_what_actions_read_and_write() -> None:
    mail = gristmill.open(MAIL, constants={"Nodes": {"a", "b"}})
    send, receive = mail.actions
    assert [(each.domain, each.values) for each in send.parameters] == [("Nodes", ("a", "b")), ("{1, 2}", (1, 2))]
    assert [(each.domain, each.values) for each in receive.parameters] == [("Nodes", ("a", "b")), ("sent", None)]
    assert send.module == "Mail"
    found = send.dependencies
    assert [*map(str, found.guard)] == ["got[from]"]  # by the name of the parameter, not of what is given for it
    assert [*map(str, found.updates)] == ["sent"]
    assert (found.unchanged, found.limits) == (("got",), ())
    assert writes(send) == {"sent": ("sent", "", True)}
    assert writes(receive) == {"got[n]": ("got[n] sent", "sent", True), "sent": ("sent", "sent", True)}
    assert receive.dependencies.may_write == receive.dependencies.must_write
    assert receive.dependencies.may_write[0].may_touch(found.guard[0])
    assert not receive.dependencies.may_write[1].may_touch(found.guard[0])
    assert mail.actions is mail.actions, "they are computed once"


def test_actions_that_differ_in_arguments_are_one() -> None:
    (action,) = gristmill.open(TWICE).actions
    assert [(each.name, each.domain, each.values) for each in action.parameters] == [("k", None, None)]
    assert writes(action) == {"f.a": ("f.a", "", False), "f.b": ("f.b", "", False), "g": ("f.a f.b", "", True)}
    assert [*map(str, action.dependencies.must_write)] == ["g"]


def test_actions_know_the_module_they_come_from(tmp_path: Path) -> None:
    (tmp_path / "Inner.tla").write_text(INNER)
    (tmp_path / "Outer.tla").write_text(OUTER)
    (action,) = gristmill.open(tmp_path / "Outer.tla").actions
    assert (action.name, action.names, action.module) == ("In!Add", ("n",), "Inner")
    assert action.location.file.path == str(tmp_path / "Inner.tla")
    assert writes(action) == {"x": ("x", "", True)}
    assert action.dependencies.unchanged == ("y",)


def test_what_depends_on_more_than_the_state_is_told() -> None:
    text = r"""---- MODULE Drawn ----
EXTENDS Naturals, Sequences, TLC, TLCExt
VARIABLES x, y
Init == x = 0 /\ y = 0
Draw == x' = RandomElement({1, 2}) /\ UNCHANGED y
Look == y' = Len(Trace) /\ UNCHANGED x
Next == Draw \/ Look
===="""
    draw, look = gristmill.open(text).actions
    assert draw.dependencies.limits == ("RandomElement depends on more than the state",)
    assert writes(look) == {"y": ("x y", "", True)}
