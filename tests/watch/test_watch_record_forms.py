"""Fields of records that are constants, nodes, or sets of nodes."""

from pathlib import Path

import pytest

from gristmill.source import SourceError
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.records import Field

EXAMPLES = Path(__file__).parents[2] / "examples"


def node(name: str) -> str:
    return {"7": "s1", "8": "s2"}[name]


def test_forms() -> None:
    assert Field("constant", "", constant=0).read({}, node) == 0
    member = Field("node", "member", constant="nobody")
    assert [member.read({"member": each}, node) for each in ("8", None)] == ["s2", "nobody"]
    voters = Field("nodes", "snapshot.voters")
    assert voters.read({"snapshot": {"voters": ("7", "8")}}, node) == {"s1", "s2"}
    assert voters.read({}, node) == frozenset()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('{ node = "member", none = "nobody" }', '{ node = "member", nobody = "x" }', "nobody"),
        ("{ constant = false }", "{ constant = [1] }", "a path of fields, or a table with one form"),
        ('{ nodes = "snapshot.voters" }', '{ nodes = "snapshot..voters" }', "is no path of fields"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (EXAMPLES / "redisraft" / "watch.map.toml").read_text()
    assert old in text
    text = text.replace(old, new).replace("../raft/", f"{EXAMPLES / 'raft'}/")
    (tmp_path / "watch.map.toml").write_text(text)
    (tmp_path / "RaftMessages.cfg").write_text((EXAMPLES / "redisraft" / "RaftMessages.cfg").read_text())
    with pytest.raises(SourceError) as raised:
        read_watch_map(tmp_path / "watch.map.toml")
    assert any(said in each.message for each in raised.value.diagnostics)
    assert all(each.span is not None for each in raised.value.diagnostics)
