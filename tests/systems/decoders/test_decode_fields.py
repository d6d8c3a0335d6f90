"""Parts of records by paths."""

import pytest

from gristmill.systems.decoders.fields import part, plain

RECORD = plain(
    {
        "term": 3,
        "header": {"raft.index": 7},
        "entries": [{"term": 1}, {"term": 2}],
        "progress": {"a": {"match": 4}, "b": {"match": 5}},
    }
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("term", 3),
        ("", RECORD),
        ('header."raft.index"', 7),
        ("entries[0].term", 1),
        ("entries[-1].term", 2),
        ("entries[*].term", (1, 2)),
        ("entries[*]", ({"term": 1}, {"term": 2})),
        ("progress.*.match", {"a": 4, "b": 5}),
        ("entries[2].term", None),
        ("entries[-3]", None),
        ("header.nothing.at.all", None),
        ("term[0]", None),
        ("term[*]", None),
        ("term.*", None),
    ],
)
def test_parts(path, value):
    assert part(RECORD, path) == value


@pytest.mark.parametrize("path", [".term", "entries[x]", "entries[0", "a..b", 'a."b'])
def test_what_is_no_path(path):
    with pytest.raises(ValueError, match="no path of fields"):
        part(RECORD, path)


def test_values_of_json_become_plain():
    assert plain({"a": [1, 2.0, 2.5, None, True], 1: b"\xffx"}) == {"a": (1, 2, "2.5", None, True), "1": "\\xffx"}
