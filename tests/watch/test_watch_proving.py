"""What the monitor takes for granted, checked on a bounded model."""

from pathlib import Path

import pytest

from gristmill.watch.mapping import read_watch_map
from gristmill.watch.proving import Checked, checked, with_known
from gristmill.watch.proving.growth import is_available
from gristmill.watch.report.derived import render_derived

SMALL = """---- MODULE Counting ----
EXTENDS Integers
CONSTANT Values
Node == {"a", "b"}
VARIABLES messages, most, last
Init == messages = {} /\\ most = [n \\in Node |-> 0] /\\ last = [n \\in Node |-> 0]
Max(x, y) == IF x > y THEN x ELSE y
\\* More is better: whoever knows a higher number can say all that it could before.
Raise(n, m) == /\\ m.to = n /\\ m.kind = "Raise"
    /\\ most' = [most EXCEPT ![n] = Max(@, m.v)] /\\ UNCHANGED <<messages, last>>
\\* What was there before is gone.
Put(n, m) == /\\ m.to = n /\\ m.kind = "Put" /\\ last' = [last EXCEPT ![n] = m.v] /\\ UNCHANGED <<messages, most>>
Say(n, to, v) ==
    /\\ to # n /\\ v <= most[n]
    /\\ messages' = messages \\cup {[kind |-> "Said", from |-> n, to |-> to, v |-> v, last |-> last[n]]}
    /\\ UNCHANGED <<most, last>>
Ask(n, to, kind, v) ==
    /\\ to # n /\\ messages' = messages \\cup {[kind |-> kind, from |-> n, to |-> to, v |-> v]}
    /\\ UNCHANGED <<most, last>>
Next ==
    \\/ \\E n \\in Node, m \\in messages : Raise(n, m)
    \\/ \\E n \\in Node, m \\in messages : Put(n, m)
    \\/ \\E n \\in Node, to \\in Node, v \\in Values : Say(n, to, v)
    \\/ \\E n \\in Node, to \\in Node, kind \\in {"Raise", "Put"}, v \\in Values : Ask(n, to, kind, v)
Few == \\A m \\in messages : m.v <= 1
====
""".replace("\\\\", "\\")
MAPPING = """[system]
specification = "Counting.tla"
nodes = "Node"
[watch]
decoder = "json-lines"
[watch.bounded]
specification = "Counting.tla"
constants = { Values = "{0, 1}" }
[watch.record.Raise]
v = "v"
[watch.record.Put]
v = "v"
[watch.record.Said]
v = "v"
last = "last"
"""


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checked:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "Counting.tla").write_text(SMALL)
    (tmp_path / "Counting.cfg").write_text("CONSTANT Values = {0, 1, 2}\nINIT Init\nNEXT Next\nCONSTRAINT Few\n")
    (tmp_path / "counting.map.toml").write_text(MAPPING)
    mapping = read_watch_map(tmp_path / "counting.map.toml")
    with mapping.specification:
        assert with_known(mapping) is mapping, "nothing was checked yet"
        result = checked(mapping)
        assert result is not None
        assert list((tmp_path / "cache").rglob("*.json"))
        assert checked(mapping) == result
        using = with_known(mapping)
        assert (using.monitor.grows, using.wait) == (("most",), frozenset(("Put",)))
        text = render_derived(mapping, result)
        assert "Raise (at once): nothing is lost; proved in any state" in text or not is_available()
        assert "Put (at once): something may be lost" in text
        assert "Only grow, in all " in text
    return result


def test_what_may_have_its_effect_at_once(found: Checked) -> None:
    by_kind = {each.kind: each for each in found.at_once}
    assert by_kind["Raise"].is_sound
    assert not by_kind["Put"].is_sound
    lost = by_kind["Put"].lost
    assert lost is not None
    assert '"Put"' in lost[1]
    assert '"Said"' in lost[2]


def test_what_only_grows(found: Checked) -> None:
    assert found.grows == ("most",)
    assert found.whole
