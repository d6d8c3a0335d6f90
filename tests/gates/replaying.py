"""A system that does what the specification of the gate says, the mapping between the two, and runs of it on file."""

from __future__ import annotations

import json
from collections.abc import Sequence

# A process that counts, and sends itself the message that makes it count again.
COUNTER = """import sys
from gristmill.explore import Message, Process, System, on

class Tick(Message):
    pass

class Counter(Process):
    def __init__(self) -> None:
        self.count = 0

    def start(self) -> None:
        {start}

    @on(Tick)
    def tick(self, tick: Tick, sender: str) -> None:
        {body}
        self.send(self.name, Tick())

system = System({{"counter": Counter()}})
"""
MAPPING = """
[system]
name = "counter"
driver = "program"
specification = "Spec.tla"
nodes = '{"counter"}'

[program]
file = "counter.py:system"

[start]
do = [{ hold = ["tick"] }, { fault = "start", on = '"counter"' }]

[point.tick]
at = "message Tick"

[action.Next]
from = "tick"
on = '"counter"'

[read.count]
path = "count"

[variable.x]
per = "n"
value = "count"
model = "x"

[log]
kind = "event"
[log.event.tick]
action = "Next"
observes = { 'x' = 'e.count' }
"""
ACTION = "Next"  # the only one of the specification, also of the algorithm
AROUND = (0, 1, 2, 0)  # a behaviour of it


def counter(body: str = "self.count = (self.count + 1) % 3", start: str = "self.send(self.name, Tick())") -> str:
    return COUNTER.format(body=body, start=start)


def trace(*counts: int, variable: str = "x") -> dict[str, object]:
    """In ITF, without the names of actions."""
    return {"vars": [variable], "states": [{variable: {"#bigint": str(count)}} for count in counts]}


def log(*counts: int) -> str:
    return "".join(json.dumps({"event": "tick", "count": count}) + "\n" for count in counts)


def record(*counts: int, real: Sequence[int] | None = None) -> str:
    """As `--record` writes it; times are left out, as nobody compares them. `real`: what the system did, if not so."""
    compared = [
        {"variable": "x", "node": "counter", "model": str(model), "real": str(each), "equal": model == each}
        for model, each in zip(counts, counts if real is None else real, strict=False)
    ]
    steps = [{"number": number, "action": ACTION, "comparisons": [each]} for number, each in enumerate(compared[1:], 1)]
    run = {"steps": steps, "discrepancy": None, "initial": compared[:1], "length": len(counts) - 1}
    document = {"format": 1, "kind": "gristmill replay", "request": {"mapping": "system.map.toml"}}
    return json.dumps({**document, "trace": trace(*counts), "run": run})


FILES = {
    "counter.py": counter(),
    "system.map.toml": MAPPING,
    "trace.itf.json": json.dumps(trace(*AROUND)),
    "events.ndjson": log(*AROUND[1:]),
    "run.json": record(*AROUND),
}


# A system and a specification that go on for as long as somebody wants.
MANY = """import sys
from gristmill.explore import Process, System

class Counters(Process):
    def __init__(self) -> None:
        self.counts = [0] * 9

    def bump(self, i: int) -> None:
        self.counts[i - 1] = (self.counts[i - 1] + 1) % 9

print("{begun}", file=sys.stderr, flush=True)
system = System({{"counter": Counters()}})
"""
MANY_MAPPING = (
    MAPPING.replace('{ hold = ["tick"] }, ', "")
    .replace('from = "tick"', "call = \"bump\"\nwith = { i = 'i' }")
    .replace('[point.tick]\nat = "message Tick"', '[client.bump]\nmethod = "bump"')
    .replace('path = "count"', 'path = "counts"')
)
