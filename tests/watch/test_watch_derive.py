"""What is derived from a specification, and what is refused."""

from pathlib import Path

import pytest

import gristmill
from gristmill.source import SourceError, SourceFile
from gristmill.watch.derive import Monitor, derive

RAFT = Path(__file__).parents[2] / "examples" / "raft" / "RaftMessages.tla"
CONFIG = Path(__file__).parents[2] / "examples" / "etcd" / "RaftMessages.cfg"
MAIL = """---- MODULE Mail ----
EXTENDS Integers
Node == {"a", "b"}
VARIABLES messages, got, steps
Init == messages = {} /\\ got = [n \\in Node |-> 0] /\\ steps = 0
Counts == steps' = steps + 1
Send(n, to, body) ==
    /\\ SENDS
    /\\ messages' = messages \\cup {[kind |-> "Note", from |-> n, to |-> to, body |-> body, seen |-> got[n] + 1]}
    /\\ UNCHANGED got /\\ Counts
Receive(n, m) ==
    /\\ m.kind = "Note" /\\ RECEIVES
    /\\ got' = [got EXCEPT ![n] = m.body]
    /\\ messages' = messages \\ {m} /\\ Counts
Next ==
    \\/ \\E n \\in Node, to \\in Node, body \\in 1..3 : Send(n, to, body)
    \\/ \\E n \\in Node, m \\in messages : Receive(n, m)
===="""


def mail(sends: str = "TRUE", receives: str = "m.to = n", network: str = "messages") -> Monitor:
    text = MAIL.replace("SENDS", sends).replace("RECEIVES", receives)
    specification = gristmill.open(SourceFile("Mail.tla", text), config=SourceFile("Mail.cfg", "INIT Init NEXT Next"))
    return derive(specification, network)


def test_a_monitor() -> None:
    found = mail()
    assert (found.local, found.ghosts) == (("got",), ("steps",))
    send, receive = found.events
    assert (send.node, send.consumes, receive.node, receive.consumes) == ("n", None, "n", "m")
    assert receive.kinds == ("Note",)
    (template,) = send.sends
    assert template.kind == "Note"
    assert template.reveals == {"n": "from", "to": "to", "body": "body"}
    assert template.computed == {"seen": "got[n] + 1"}
    assert found.senders == (send,)
    assert found.receivers == (receive,)


def test_what_a_record_tells() -> None:
    (send,) = mail().senders
    assert send.unified({"kind": "Note", "from": "a", "to": "b", "body": 2, "seen": 1}) == [{"to": "b", "body": 2}]
    assert send.unified({"kind": "Note", "from": "a", "to": "b", "body": 2}) == []
    assert send.unified({"kind": "Other", "from": "a", "to": "b", "body": 2, "seen": 1}) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sends": "got[to] = 0"}, "Send reads or writes `got[to]`, which is not of node `n` alone"),
        ({"sends": "\\A other \\in Node : got[other] = 0"}, "Send reads or writes `got["),
        ({"sends": "steps < 5"}, "Send reads or writes `steps`, which is not of node `n` alone"),
        ({"sends": "messages = {}"}, "Send looks at `messages` for more than one message"),
        ({"receives": "\\A x \\in messages : x.body >= m.body"}, "Receive looks at `messages` for more than one"),
        ({"network": "post"}, "Mail has no variable `post` for messages"),
    ],
)
def test_what_is_refused(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(SourceError) as refused:
        mail(**arguments)
    assert any(message in each.message for each in refused.value.diagnostics)


def test_raft() -> None:
    with gristmill.open(RAFT, config=CONFIG) as specification:
        found = derive(specification, "messages")
    assert found.ghosts == ()
    assert {each.name for each in found.internal} == {"StepDown", "Restart"}
    assert [each.name for each in found.sending("MsgApp")] == ["SendAppend"]
    assert [each.name for each in found.consuming("MsgVote")] == ["HandleVote"]
    assert [each.name for each in found.answering("MsgVoteResp")] == ["HandleVote"]
    append = found.sending("MsgApp")[0].sends[0]
    assert set(append.reveals) == {"i", "j", "newer", "prev", "prevTerm", "entries", "committed", "token"}
    assert append.computed == {}
