"""Specifications, mappings and logs in a few words, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gristmill
from gristmill.replay.logs import LogResult, validate
from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.source.toml_places import Places, places_of
from gristmill.source.toml_reader import parsed_document
from gristmill.specification import Specification

EXAMPLE = Path(__file__).parents[3] / "examples" / "log-validation"

MAIL = r"""
---- MODULE Mail ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANT Nodes
VARIABLES sent, got
Init == sent = {} /\ got = [n \in Nodes |-> <<>>]
Send(from, body) == /\ [from |-> from, body |-> body] \notin sent
                    /\ sent' = sent \cup {[from |-> from, body |-> body]}
                    /\ UNCHANGED got
Receive(n, m) == /\ m.from # n
                 /\ got' = [got EXCEPT ![n] = Append(@, m.body)]
                 /\ sent' = sent \ {m}
Lose(m) == sent' = sent \ {m} /\ UNCHANGED got
Next == \/ \E n \in Nodes, k \in 1..3 : Send(n, k)
        \/ \E n \in Nodes : \E m \in sent : Receive(n, m)
        \/ \E m \in sent : Lose(m)
Few == \A n \in Nodes : Len(got[n]) < 2
Quiet == Cardinality(sent) < 2
===="""

MAPPING = r"""
[log]
kind = "event"
[log.event.send]
action = "Send"
parameters = { from = 'e.node', body = 'e.body' }
[log.event.receive]
action = "Receive"
parameters = { n = 'e.node' }
such-that = 'm.body = e.body'
"""


def mail(**options: Any) -> Specification:
    config = "CONSTANT Nodes = {alice, bob}\nINIT Init\nNEXT Next\n"
    if "invariants" in options:
        config += f"INVARIANTS {options.pop('invariants')}\n"
    return gristmill.open(MAIL, config=config, **options)


def document(text: str) -> tuple[dict[str, Any], Places]:
    file = SourceFile("mail.map.toml", text)
    return parsed_document(file), places_of(file)


def events(*kinds: tuple[str, Any] | dict[str, Any]) -> list[dict[str, Any]]:
    """`("send", 1)` is an event with a body."""
    return [each if isinstance(each, dict) else {"event": each[0], "body": each[1]} for each in kinds]


def written(folder: Path, **logs: Sequence[Any]) -> list[Path]:
    """A file for each node, a line for each event."""
    files = []
    for name, lines in logs.items():
        files.append(folder / f"{name}.ndjson")
        texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        files[-1].write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return files


def validated(specification: Specification, mapping: str, files: Sequence[Path], **options: Any) -> LogResult:
    with specification:
        return validate(specification, *document(mapping), files, **options)


@contextmanager
def refused() -> Iterator[list[Diagnostic]]:
    """What is wrong, once the block is left."""
    found: list[Diagnostic] = []
    try:
        yield found
    except SourceError as error:
        found += error.diagnostics
    else:
        raise AssertionError("nothing is wrong with it")
