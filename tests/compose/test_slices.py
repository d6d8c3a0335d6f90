"""Networks cut by the tag of their messages: where that is legitimate, and what spoils it."""

from __future__ import annotations

import pytest

from gristmill.building import build
from gristmill.compose.variables.modules import analyse
from gristmill.compose.variables.slices import cut, suggested
from gristmill.compose.variables.slots import ordered
from gristmill.ir.model import Model

HEAD = """---- MODULE Test ----
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS A, B
VARIABLES net, x
"""


def model(body: str, init: str = "net = {} /\\ x = 0") -> Model:
    text = f"{HEAD}{body}\nInit == {init}\nNext == P \\/ Q\n===="
    return build(text, config="CONSTANTS A = A\nB = B\nINIT Init\nNEXT Next").model


def told(body: str, init: str = "net = {} /\\ x = 0", field: str = "t") -> list[str]:
    """What the two actions read and write of the network; or what spoils the cut."""
    found = model(body, init)
    with found.world.active():
        result = cut(found, "net", field)
    if result.slicing is None:
        return [f"{each.action}: {each.reason}" for each in result.spoiled]
    seen = analyse(found, {"P": ["P"], "Q": ["Q"]}, slices={"net": field}, suggest=False)
    with found.world.active():
        return [
            f"{module.name}: {' '.join(seen.text(s) for s in ordered(module.reads) if s.variable == 0) or '-'}"
            f" => {' '.join(seen.text(s) for s in ordered(module.writes) if s.variable == 0) or '-'}"
            for module in seen.modules.values()
        ]


SEND = "P == net' = net \\cup {[t |-> \"a\", n |-> x]} /\\ x' = x\n"

LEGITIMATE = {
    "a set": (
        SEND + "Q == \\E m \\in net : m.t = \"b\" /\\ x' = m.n /\\ net' = net \\ {m}",
        ["P: net.a => net.a", "Q: net.b => net.b"],
    ),
    "through definitions and LET": (
        SEND.replace('"a"', '"b"')
        + "Is(m, t) == m.t = t\nHandle(m) == LET n == m.n IN x' = n\n"
        + 'Q == \\E m \\in net : Is(m, "b") /\\ Handle(m) /\\ UNCHANGED net',
        ["P: net.b => net.b", "Q: net.b => -"],
    ),
    "a dispatcher": (
        SEND
        + "Q == \\E m \\in net : (m.t = \"b\" /\\ x' = 1 /\\ net' = net) \\/ "
        + '(m.t = "c" /\\ x\' = 2 /\\ net\' = (net \\ {m}) \\cup {[t |-> "d", n |-> 0]})',
        ["P: net.a => net.a", "Q: net.b net.c net.d => net.c net.d"],
    ),
    "any message": (
        SEND + 'Q == \\E m \\in net : net\' = net \\ {m} /\\ (m.t = "a" \\/ m.t = "b") /\\ x\' = x',
        ["P: net.a => net.a", "Q: net.a net.b => net.a net.b"],
    ),
    "counting and filters": (
        SEND
        + 'Q == Cardinality({m \\in net : m.t = "b" /\\ m.n = x}) > 1 /\\ net\' = {m \\in net : m.t # "b"} /\\ x\' = x',
        ["P: net.a => net.a", "Q: net.b => net.b"],
    ),
    "for all, and no message": (
        SEND
        + 'Q == (\\A m \\in net : m.t = "b" => m.n > 0) /\\ ~(\\E m \\in net : m.t = "c") /\\ x\' = 1 /\\ net\' = net',
        ["P: net.a => net.a", "Q: net.b net.c => -"],
    ),
    "membership of a record": (
        SEND + 'Q == [t |-> "a", n |-> 3] \\in net /\\ [t |-> "b", n |-> x] \\notin net /\\ x\' = 1 /\\ net\' = net',
        ["P: net.a => net.a", "Q: net.a net.b => -"],
    ),
    "model values": (
        "P == net' = net \\cup {[t |-> A, n |-> x]} /\\ x' = x\n"
        "Q == \\E m \\in net : m.t = B /\\ x' = m.n /\\ net' = net",
        ["P: net.A => net.A", "Q: net.B => -"],
    ),
    "one of two tags": (
        'P == net\' = net \\cup {[t |-> IF x > 0 THEN "a" ELSE "b", n |-> x]} /\\ x\' = x\n'
        'Q == \\E m \\in net : m.t \\in {"c", "a"} /\\ x\' = m.n /\\ net\' = net',
        ["P: net.a net.b => net.a net.b", "Q: net.a net.c => -"],
    ),
    "a tag that only a parameter knows": (
        "To(t) == [t |-> t, n |-> x]\nP == net' = net \\cup {To(\"z\")} /\\ x' = x\n"
        "Q == \\E m \\in net : m.t = \"b\" /\\ x' = m.n /\\ net' = net",
        ["P: net.z => net.z", "Q: net.b => -"],
    ),
}

BAG = """With(m, b) == IF m \\in DOMAIN b THEN [b EXCEPT ![m] = b[m] + 1] ELSE b @@ (m :> 1)
Less(m, b) == IF b[m] <= 1 THEN [i \\in DOMAIN b \\ {m} |-> b[i]] ELSE [b EXCEPT ![m] = @ - 1]
Without(m, b) == IF m \\in DOMAIN b THEN Less(m, b) ELSE b
"""
BAGS = {
    "a bag": (
        BAG + "P == net' = With([t |-> \"a\"], net) /\\ x' = x\n"
        "Q == \\E m \\in DOMAIN net : m.t = \"b\" /\\ net' = Without(m, net) /\\ x' = x",
        ["P: net.a => net.a", "Q: net.b => net.b"],
    ),
    "a reply": (
        BAG + "P == net' = With([t |-> \"a\"], net) /\\ x' = x\n"
        'Q == \\E m \\in DOMAIN net : m.t = "b" /\\ net\' = Without(m, With([t |-> "c"], net)) /\\ x\' = x',
        ["P: net.a => net.a", "Q: net.b net.c => net.b net.c"],
    ),
}

SPOILED = {
    "looks at all": (
        SEND + "Q == Cardinality(net) > 1 /\\ x' = 1 /\\ net' = {m \\in net : m.t = \"b\"}",
        ["Q: the guard looks at messages of any t"],
    ),
    "writes what is not known": (
        SEND + "Q == net' = net \\cup {[t |-> x, n |-> 0]} /\\ x' = x",
        ["Q: messages are written whose t is not known"],
    ),
    "computes from all": (
        SEND + "Q == x' = Cardinality(net) /\\ net' = net",
        ["Q: the update looks at messages of any t"],
    ),
    "the next value": (
        SEND + "Q == net' = net /\\ x' = Cardinality(net')",
        ["Q: the update looks at messages of any t"],
    ),
}


@pytest.mark.parametrize("name", LEGITIMATE)
def test_legitimate(name: str) -> None:
    body, expected = LEGITIMATE[name]
    assert told(body) == expected


@pytest.mark.parametrize("name", BAGS)
def test_bags(name: str) -> None:
    body, expected = BAGS[name]
    assert told(body, "net = [m \\in {} |-> 0] /\\ x = 0") == expected


@pytest.mark.parametrize("name", SPOILED)
def test_spoiled(name: str) -> None:
    body, expected = SPOILED[name]
    assert told(body) == expected


def test_sequences_couple_by_order() -> None:
    body = """P == net' = Append(net, [t |-> "a"]) /\\ x' = x
Q == net # <<>> /\\ net[1].t = "b" /\\ net' = Tail(net) /\\ x' = x"""
    assert told(body, "net = <<>> /\\ x = 0")[0] == "P: messages are written whose t is not known"


def test_channels_of_sets() -> None:
    body = """P == \\E i, j \\in {1, 2} : net' = [net EXCEPT ![i][j] = @ \\cup {[t |-> "a", n |-> x]}] /\\ x' = x
Q == \\E i, j \\in {1, 2} : \\E m \\in net[i][j] : m.t = "b" /\\ net' = [net EXCEPT ![i][j] = @ \\ {m}] /\\ x' = m.n"""
    init = "net = [i \\in {1, 2} |-> [j \\in {1, 2} |-> {}]] /\\ x = 0"
    assert told(body, init) == ["P: net[*][*].a => net[*][*].a", "Q: net[*][*].b => net[*][*].b"]


def test_messages_in_the_beginning() -> None:
    body = SEND + "Q == \\E m \\in net : m.t = \"b\" /\\ x' = m.n /\\ net' = net"
    assert told(body, 'net = {[t |-> "z", n |-> 0]} /\\ x = 0') == ["P: net.a => net.a", "Q: net.b => -"]
    assert told(body, "x = 0 /\\ net = {[t |-> x, n |-> 0]}") == [
        "None: it has messages in the beginning whose t is not known"
    ]


def test_messages_that_nobody_sends() -> None:
    """An action that waits for them is never possible, and depends on nothing."""
    body = SEND + "Is(m, t) == m.t = t\nQ == \\E m \\in net : Is(m, \"b\") /\\ x > 0 /\\ x' = m.n /\\ net' = net"
    assert told(body) == ["P: net.a => net.a", "Q: - => -"]


def test_a_suggestion() -> None:
    found = model(LEGITIMATE["a dispatcher"][0])
    with found.world.active():
        assert [(each.variable, each.field, each.tags) for each in suggested(found)] == [(0, "t", ("a", "b", "c", "d"))]
