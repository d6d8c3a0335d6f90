"""Sequence charts, as people and browsers see them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from gristmill.trace.chart import chart, render_svg, render_text
from gristmill.trace.schedule import Event, Record, Sent, Step

PING, PONG, LOST, LATE = (
    Sent("alice", "bob", "ping"),
    Sent("bob", "alice", "pong"),
    Sent("alice", "carol", "hello <&>"),
    Sent("carol", "alice", "late"),
)
STEPS = [
    Step(Event("start", "alice"), (PING, LOST), records=(Record("alice", "invoke", "write", 1),)),
    Step(Event("deliver", "bob", "on_ping", (PING,)), (PONG,), (("count", "1"),)),
    Step(Event("lose", "carol", "", (LOST,))),
    Step(Event("crash", "carol")),
    Step(Event("task", "bob")),
    Step(Event("timer", "carol", "retry"), (LATE,)),
    Step(Event("deliver", "alice", "on_pong", (PONG,)), records=(Record("alice", "return", "write"),)),
]
NAMES = ("alice", "bob", "carol")


def test_in_the_terminal() -> None:
    text = render_text(chart(NAMES, STEPS, "agreement does not hold"), 20)
    assert text == (
        "          alice                bob                carol\n"
        "1            │ · begins write 1  │                   │\n"
        "2            ├────── ping ──────▶│                   │\n"
        "2            │                   │ · count = 1       │\n"
        "3            ├────────────── hello <&> ─────────────×│\n"
        "4            │                   │                   ╳ ╳ crashes\n"
        "6            │                   │                   │ · timer retry\n"
        "6            │…┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ late ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┤\n"
        "7            │◀───── pong ───────┤                   │\n"
        "7            │ · ends write      │                   │\n"
        "7  ✗ agreement does not hold\n"
    )


def test_every_arrow_of_the_drawing_goes_from_sender_to_receiver() -> None:
    root = ElementTree.fromstring(render_svg(chart(NAMES, STEPS, "agreement does not hold")))
    space = "{http://www.w3.org/2000/svg}"
    names = {one.text: one.get("x") for one in root.iter(f"{space}text") if one.get("class") == "name"}
    assert list(names) == list(NAMES)
    arrows = [one for one in root.iter(f"{space}line") if one.get("class") in ("message", "lost", "pending")]
    ends = [(one.get("class"), one.get("x1"), one.get("x2")) for one in arrows]
    alice, bob, carol = names.values()
    assert ends == [
        ("message", alice, bob),
        ("lost", alice, carol),
        ("pending", carol, alice),
        ("message", bob, alice),
    ]
    assert all(int(one.get("y1", 0)) <= int(one.get("y2", 0)) for one in arrows)  # time goes downwards
    assert "hello <&>" in [one.text for one in root.iter(f"{space}text")]


def test_a_message_to_oneself_and_control_characters() -> None:
    loop = Sent("a", "a", "tick\x1b[2J")
    drawn = chart(("a",), [Step(Event("start", "a"), (loop,)), Step(Event("deliver", "a", "", (loop,)))])
    assert "↺ tick" in render_text(drawn)
    assert "\x1b" not in render_text(drawn)
    ElementTree.fromstring(render_svg(drawn))


def test_an_empty_run() -> None:
    assert render_text(chart(("a", "b"), [])).split() == ["a", "b"]
    ElementTree.fromstring(render_svg(chart((), [])))


def test_what_a_step_raised_is_told_once() -> None:
    failed = [*STEPS[:1], Step(Event("deliver", "bob", "on_ping", (PING,)), error="it raised KeyError")]
    text = render_text(chart(NAMES, failed, "it raised KeyError"), 20)
    assert text.count("KeyError") == text.count("✗") == 1
    assert "✗ it raised KeyError" in text
