"""Two nodes that talk over a network, with their specification and mapping, for tests of the command."""

from __future__ import annotations

import sys
from pathlib import Path

SERVER = Path(__file__).with_name("talking_server.py")

SPECIFICATION = """
---- MODULE Talk ----
EXTENDS Naturals, Sequences
VARIABLES sent, heard
Init == sent = 0 /\\ heard = 0
Tell == sent = 0 /\\ heard < 2 /\\ sent' = 1 /\\ UNCHANGED heard
Hear == sent = 1 /\\ sent' = 0 /\\ heard' = heard + 1
Next == Tell \\/ Hear
====
"""
CONFIGURATION = "INIT Init\nNEXT Next\n"
MAPPING = f"""
[system]
driver = "network"
specification = "Talk.tla"
nodes = '{{"a", "b"}}'
patience = 0.2

[node]
command = [
  "{sys.executable}", "-I", "-S", "{SERVER}", "{{node}}", "{{port.peer}}", "{{port.client}}", "{{link.peer.b}}",
]
ports = ["peer", "client"]

[network]
decoder = "json-lines"
links = ["peer"]

[client.tell]
http = "/tell"
body = {{ number = "{{told}}" }}

[start]
tries = 1
do = [{{ for = 'n \\in {{"a", "b"}}', fault = "start", on = "n" }}]

[point.told]
at = "message Tell"

[action.Tell]
do = [{{ call = "tell", on = '"a"', with = {{ told = "heard" }} }}, {{ await = "told", on = '"b"' }}]
[action.Hear]
from = "told"
on = '"b"'

[read.numbers]
http = "/state"
path = "heard"
[read.onTheWay]
sent = true

[variable.heard]
per = "n"
when = 'n = "b"'
value = "Len(numbers)"
model = "heard"
[variable.sent]
per = "n"
when = 'n = "a"'
value = "Len(onTheWay.b)"
model = "sent"
"""


def write_talking(folder: Path, mapping: str = MAPPING) -> None:
    (folder / "Talk.tla").write_text(SPECIFICATION)
    (folder / "Talk.cfg").write_text(CONFIGURATION)
    (folder / "talk.map.toml").write_text(mapping)
