"""Configurations in an editor: what `check` says of them is said as one types, and names lead to the module."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from counter_module import CONFIGURATION, COUNTER, ids, where
from scripted_client import Client

# What is written in place of what, what is wrong then, and the text that is marked.
MISTAKES = [
    ("INVARIANT Small", "INVARIANT Smal", "unknown-operator", "Smal"),
    ("SPECIFICATION Spec", "SPECIFICATION Spce", "unknown-operator", "Spce"),
    ("INVARIANT Small", "INVARIENT Small", "expected", "Small"),
    ("SPECIFICATION Spec", "SPECIFICATON Spec", "unknown-section", "SPECIFICATON"),
    ("CONSTANT Limit = 5", "CONSTANT", "constant-without-value", "CONSTANT"),
    ("CONSTANT Limit = 5\n", "", "constant-without-value", "SPECIFICATION Spec"),
    ("Limit = 5", "Limit = 5 Limt = 6", "unknown-constant", "Limt"),
    ("Limit = 5", "Limit <- Five", "unknown-constant", "Limit <- Five"),
    ("INVARIANT Small", "INVARIANT Next", "wrong-level", "Next"),
    ("CHECK_DEADLOCK FALSE", "CHECK_DEADLOCK NO", "expected", "NO"),
]


@pytest.fixture
def config(counter: Path) -> Path:
    return counter.with_suffix(".cfg")


def told_by_check(module: Path, config: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "gristmill", "check", str(module), "--config", str(config), "--format", "json"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    document: list[dict[str, Any]] = json.loads(found.stdout)["diagnostics"]
    return document


def marked(text: str, told: list[dict[str, Any]]) -> list[str]:
    lines = text.splitlines()
    return [
        lines[each["range"]["start"]["line"]][each["range"]["start"]["character"] : each["range"]["end"]["character"]]
        for each in told
    ]


def test_mistakes_are_told_as_one_types(client: Client, config: Path) -> None:
    assert client.open(config) == []
    for before, after, id, place in MISTAKES:
        text = CONFIGURATION.replace(before, after)
        told = client.change(config, {"text": text})
        assert ids(told) == [id], (after, told)
        assert marked(text, told) == [place], after
    assert client.change(config, {"text": CONFIGURATION}) == []


@pytest.mark.parametrize(("before", "after"), [each[:2] for each in MISTAKES[:2] + MISTAKES[4:7:2]])
def test_the_words_are_those_of_check(client: Client, counter: Path, config: Path, before: str, after: str) -> None:
    config.write_text(CONFIGURATION.replace(before, after))
    told = [each["message"].split("\n")[0] for each in client.open(config)]
    assert told == [each["message"] for each in told_by_check(counter, config)]


def test_all_mistakes_at_once(client: Client, config: Path) -> None:
    """`check` stops at the first."""
    text = "SPECIFICATION Spce\nCONSTANT\nINVARIANT Smal Small Nxt\n"
    told = client.open(config, text)
    assert [(each["code"], each["range"]["start"]["line"]) for each in told] == [
        ("constant-without-value", 1),
        ("unknown-operator", 0),
        ("unknown-operator", 2),
        ("unknown-operator", 2),
    ]
    assert "did you mean `Small`" in told[2]["message"]
    (related,) = told[0]["relatedInformation"]
    assert related["location"]["uri"].endswith("Counter.tla")


def test_the_module_as_it_is_in_the_editor_counts(client: Client, counter: Path, config: Path) -> None:
    client.open(counter)
    assert client.open(config) == []
    client.change(counter, {"text": COUNTER.replace("Small ==", "Little ==")})
    assert ids(client.until_published(config.as_uri())) == ["unknown-operator"]
    client.change(counter, {"text": COUNTER.replace("count < 3", "count <")})
    assert ids(client.until_published(config.as_uri())) == ["module-with-errors"]
    client.change(counter, {"text": COUNTER})
    assert client.until_published(config.as_uri()) == []


def test_which_module_a_configuration_is_for(client: Client, counter: Path, tmp_path: Path) -> None:
    other = tmp_path / "MCCounter.cfg"
    assert client.open(other, CONFIGURATION) == []
    assert ids(client.change(other, {"text": "INVARIANT Smal"})) == [
        "module-guessed",
        "constant-without-value",
        "unknown-operator",
    ]
    (tmp_path / "Clock.tla").write_text("---- MODULE Clock ----\n====\n")
    stranger = tmp_path / "stranger.cfg"
    told = client.open(stranger, CONFIGURATION)
    assert ids(told) == ["module-not-found"]
    assert "\\* Module: X.tla" in told[0]["message"]
    assert client.change(stranger, {"text": f"\\* Module: Counter.tla\n{CONFIGURATION}"}) == []


def test_names_lead_to_the_module(client: Client, counter: Path, config: Path) -> None:
    client.open(config)
    for name in ("Spec", "Limit", "Small"):
        line, character = where(config, f" {name}")
        character += 1
        hover = client.at("hover", config, line, character + 1)
        assert name in hover["contents"]["value"]
        assert hover["range"]["start"] == {"line": line, "character": character}
        found = client.at("definition", config, line, character + 1)
        assert found["uri"] == counter.as_uri()
        declared = where(counter, "Limit" if name == "Limit" else f"{name} ==")
        assert found["range"]["start"] == {"line": declared[0], "character": declared[1]}
    assert "How far it counts." in client.at("hover", config, *where(config, "Limit"))["contents"]["value"]
    assert client.at("definition", config, *where(config, "FALSE")) is None


def test_nothing_else_takes_it_for_a_module(client: Client, config: Path) -> None:
    client.open(config)
    assert client.about("documentSymbol", config) == []
    assert client.about("codeLens", config) == []
    assert client.about("semanticTokens/full", config)["data"] == []
    assert client.about("formatting", config, options={"tabSize": 2, "insertSpaces": True}) == []
    assert client.at("references", config, 0, 16, context={"includeDeclaration": True}) == []
    assert client.at("rename", config, 0, 16, newName="Other") is None
