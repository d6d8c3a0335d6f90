"""The table `[node]`: how nodes that are processes are started. What it says is read when they are."""

from __future__ import annotations

import re

from gristmill.source.toml_reader import Reader

_KEYS = ("command", "ports", "files", "environment", "failures", "each")
_EACH = ("text", "join")


def check_node_table(reader: Reader) -> None:
    """Mistakes are noted by the reader."""
    reader.known(("node",), _KEYS)
    reader.texts("node", "command")
    _check_ports(reader)
    reader.texts_by_name("node", "files")
    reader.texts_by_name("node", "environment")
    for number, text in enumerate(reader.texts("node", "failures")):
        try:
            re.compile(text)
        except re.error as error:
            span = reader.places.value("node", "failures", number)
            reader.error("no-pattern", f"{text!r} is no regular expression: {error}", span)
    for name in reader.table("node", "each"):
        reader.known(("node", "each", name), _EACH)
        if not reader.text("node", "each", name, "text"):
            span = reader.places.key("node", "each", name)
            reader.error("no-text", f"`{name}` does not say what stands there for each node", span, 'write text = "…"')
        reader.text("node", "each", name, "join")


def _check_ports(reader: Reader) -> None:
    ports = reader.get("node", "ports")
    if isinstance(ports, dict):
        for name, port in ports.items():
            if isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 65_536:
                reader.wrong(("node", "ports", name), "the number of a port", f"{name} = 2181")
    else:
        reader.texts("node", "ports")
