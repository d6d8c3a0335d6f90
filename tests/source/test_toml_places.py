"""Places of keys and values in TOML, in all the ways to write them."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from gristmill.source import SourceFile
from gristmill.source.toml_places import Key, places_of

TEXT = '''
# a comment with = and [brackets]
[system]
root = "A.tla"   # behind it
"quoted key" = 'single \\ quotes'
many = """
first "line"
last""" # end
list = [
  "one", # first
  ["two", "three"],
]
empty = []
date = 2026-01-02T03:04:05Z
[module.Vote]
actions=["x,y]", "z}"]
grain.coarse = { file = "C.tla", of = "fine", map = { "Make*" = [], A = ["B", "C"] } }
grain . other.file="D.tla"
[[run]]
n = 1
[[run]]
n = 2
[run.inner]
flag = true
'''


def leaves(value: Any, path: Key = ()) -> list[tuple[Key, Any]]:
    if isinstance(value, dict):
        return [each for key, inner in value.items() for each in leaves(inner, (*path, key))]
    if isinstance(value, list) and value:
        return [each for number, inner in enumerate(value) for each in leaves(inner, (*path, number))]
    return [(path, value)]


def test_every_value_is_where_it_is_said_to_be() -> None:
    places = places_of(SourceFile("t.toml", TEXT))
    for path, value in leaves(tomllib.loads(TEXT)):
        assert tomllib.loads(f"v = {places.values[path].text}") == {"v": value}, path


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("module", "Vote"), "Vote"),
        (("module", "Vote", "grain", "coarse"), "coarse"),
        (("module", "Vote", "grain", "coarse", "map", "Make*"), '"Make*"'),
        (("module", "Vote", "grain", "other", "file"), "file"),
        (("system", "quoted key"), '"quoted key"'),
        (("run", 1, "n"), "n"),
    ],
)
def test_keys(path: Key, text: str) -> None:
    assert places_of(SourceFile("t.toml", TEXT)).key(*path).text == text


def test_what_is_not_there_is_placed_near() -> None:
    places = places_of(SourceFile("t.toml", TEXT))
    assert places.value("module", "Vote", "nothing").text == "Vote"
    assert places.value("nothing") == places.file.span(0, 0)
