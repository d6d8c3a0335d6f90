"""A specification of nodes that send messages, a mapping, and recordings of a system that does what it says, or not."""

from __future__ import annotations

import json
import struct

SPECIFICATION = """---- MODULE Ping ----
EXTENDS Naturals
Node == {"a", "b"}
VARIABLES messages, count
Init == messages = {} /\\ count = [n \\in Node |-> 0]
Ask(n, to, number) ==
    /\\ number = count[n] + 1
    /\\ count' = [count EXCEPT ![n] = number]
    /\\ messages' = messages \\cup {[kind |-> "Ping", from |-> n, to |-> to, number |-> number]}
Answer(n, m) ==
    /\\ m.to = n /\\ m.kind = "Ping"
    /\\ messages' = messages \\cup {[kind |-> "Pong", from |-> n, to |-> m.from, number |-> m.number]}
    /\\ UNCHANGED count
Next ==
    \\/ \\E n \\in Node, to \\in Node, number \\in Nat : Ask(n, to, number)
    \\/ \\E n \\in Node, m \\in messages : Answer(n, m)
====
"""
MAPPING = """
[system]
specification = "Ping.tla"
config = "Ping.model"
nodes = "Node"
[watch]
decoder = "json-lines"
[watch.record.Ping]
number = "number"
[watch.record.Pong]
number = "number"
"""


def recording(*messages: tuple[str, int], broken: bytes = b"", note: str = "") -> bytes:
    """Pings from a, Pongs from b, on one connection; before that perhaps a note, then perhaps something else."""
    records = [(2, b"{}")]
    records += [(4, json.dumps({"note": note}).encode())] if note else []
    for kind, number in messages:
        source, target = ("b", "a") if kind == "Pong" else ("a", "b")
        text = json.dumps({"kind": kind, "from": source, "to": target, "number": number})
        records.append((int(kind == "Pong"), text.encode() + b"\n"))
    records += [(0, broken)] if broken else []
    packed = (struct.pack("<QQIBI", at, at, 1, way, len(data)) + data for at, (way, data) in enumerate(records))
    return b"".join(packed)


HELLO = bytes.fromhex("16030100610100005d0303") + bytes(90)  # how TLS begins
RUN = (("Ping", 1), ("Ping", 2), ("Pong", 1), ("Pong", 2))
# The configuration is not called .cfg, as there would be no end of checking it: the plugin checks whatever is.
FILES: dict[str, str | bytes | None] = {
    "Ping.tla": SPECIFICATION,
    "Ping.model": "INIT Init NEXT Next",
    "ping.map.toml": MAPPING,
    "run.trace": recording(*RUN),
}
