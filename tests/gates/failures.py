"""Everything that can be wrong with what a verb is given, each as files and options that show it.

A new kind of failure is a new entry of `FAILURES`; the table in `test_no_false_ok.py` then asks for a row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import replaying
import watched

from gristmill.pluscal import translate
from gristmill.search.result import Verdict
from gristmill.source import SourceFile

Content = str | bytes | None  # None: there is no such file


def specification(
    *, head: str = "", init: str = "x = 0", next_: str = "x' = (x + 1) % N", inv: str = "x < N", foot: str = ""
) -> str:
    return f"""---- MODULE Spec ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANT N
VARIABLE x
{head}
Init == {init}
Next == {next_}
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Inv == {inv}
{foot}
====
"""


def configuration(*lines: str, constants: str = "N = 3") -> str:
    """An example's: `gristmill examples` reads what is expected of it."""
    rest = "".join(line + "\n" for line in lines or ("SPECIFICATION Spec", "INVARIANT Inv"))
    return f"\\* The gate.\n\\* Expected: ok\nCONSTANT {constants}\n{rest}"


def algorithm(step: str = "x := (x + 1) % N;") -> str:
    return f"""---- MODULE Spec ----
EXTENDS Naturals, TLC
CONSTANT N
(* --algorithm Count
variables x = 0;
begin
  Step: while TRUE do
    {step}
  end while;
end algorithm *)
\\* BEGIN TRANSLATION
\\* END TRANSLATION
Inv == x < N
====
"""


def translated(text: str) -> str:
    result = translate(SourceFile("Spec.tla", text)).text
    assert result is not None
    return result


PROGRAM = """from gristmill.explore import Message, Process, System, invariant, on

class Token(Message):
    number: int

class Node(Process):
    def __init__(self, next_: str, last: int) -> None:
        self.next, self.last, self.seen = next_, last, 0

    def start(self) -> None:
        if self.name == "a":
            self.send(self.next, Token(1))

    @on(Token)
    def token(self, token: Token, sender: str) -> None:
        {body}
        self.seen = token.number
        if token.number < self.last:
            self.send(self.next, Token(token.number + 1))

@invariant
def bounded(state):
    return all(state[name].seen <= {bound} for name in "ab")

{begun}
system = System({{"a": Node("b", {last}), "b": Node("a", {last})}}, [bounded])
"""


def program(body: str = "pass", bound: int = 4, last: int = 4, begun: str = "") -> str:
    return PROGRAM.format(body=body, bound=bound, last=last, begun=begun)


# One module, which is all of the specification, and a coarse grain of it.
SYSTEM = """
[system]
root = "Spec.tla"
config = "Spec.cfg"

[module.All]
actions = ["*"]
grain.coarse = { file = "Coarse.tla", actions = ["Any"] }
"""
COARSE = """---- MODULE Coarse ----
EXTENDS Naturals
CONSTANT N
VARIABLE x
Any == x' \\in 0..N
====
"""


# ------------------------------------------------------------------------------------------ what does not end by itself

BEGUN = "the gate sees that it has begun"  # printed when there is something to interrupt
_ENDLESS = "\n".join(
    ("ASSUME PrintT({})".format(f'"{BEGUN}"'), "Endless == {S \\in SUBSET (1..60) : Cardinality(S) = 61}")
)
# Processes that each count to `last`, whose interleavings nobody can finish.
CROWD = """import sys
from gristmill.explore import Message, Process, System, invariant, on

class Tick(Message):
    number: int

class Clock(Process):
    def __init__(self) -> None:
        self.now = 0

    def start(self) -> None:
        self.send(self.name, Tick(1))

    @on(Tick)
    def tick(self, tick: Tick, sender: str) -> None:
        self.now = tick.number
        if tick.number < 60:
            self.send(self.name, Tick(tick.number + 1))

@invariant
def bounded(state):
    return all(state[name].now <= 60 for name in "abcdef")

print("{begun}", file=sys.stderr, flush=True)
system = System({{name: Clock() for name in "abcdef"}}, [bounded])
"""
HUGE: dict[str, Content] = {
    "Spec.tla": specification(
        head=_ENDLESS,
        init="x = [i \\in 1..9 |-> 0]",
        next_="\\E i \\in 1..9 : x' = [x EXCEPT ![i] = (@ + 1) % 9]",
        inv="TRUE",
    ),
    "system.py": CROWD.format(begun=BEGUN),
    "counter.py": replaying.MANY.format(begun=BEGUN),
    "system.map.toml": replaying.MANY_MAPPING,
}
# A module that takes long to read.
LONG = "\n".join(f"D{n} == IF {n} > 1 THEN {{y \\in 1..{n} : y > {n} /\\ y < 2}} ELSE {{}}" for n in range(60_000))
LONG_ALGORITHM = "\n".join(f"    if x = {n} then x := {n}; end if; L{n}:" for n in range(20_000)) + " skip;"


# -------------------------------------------------------------------------------------------------------- the failures


@dataclass(frozen=True)
class Failure:
    """`verdict`: that of `check`. `options`: of the verbs, as the command line spells them without dashes.

    `prepare` damages what cannot be written down here, in the folder where the verb will run. `interrupt`: send SIGINT
    when the verb has begun. `address_space`: bytes that the process may have.
    """

    verdict: Verdict
    files: Mapping[str, Content] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    prepare: Callable[[Path], None] | None = None
    interrupt: bool = False
    address_space: int | None = None

    @property
    def from_outside(self) -> bool:
        """Whether it takes a process of its own, as it is stopped, or does not end by itself."""
        return self.verdict == "incomplete"


def _spec(verdict: Verdict, config: str | None = None, **parts: str) -> Failure:
    """Something wrong in the specification of the base."""
    files: dict[str, Content] = {"Spec.tla": specification(**parts)}
    return Failure(verdict, files if config is None else {**files, "Spec.cfg": config})


def _config(*lines: str, **constants: str) -> Failure:
    return Failure("error", {"Spec.cfg": configuration(*lines, **constants)})


def _everywhere(name: str, content: Content, *names: str) -> Failure:
    return Failure("error", dict.fromkeys((name, *names), content))


BASE: dict[str, Content] = {
    "Spec.tla": specification(),
    "Spec.cfg": configuration(),
    "system.py": program(),
    "data.csv": "length\n1\n2\n2\n",
    "system.toml": SYSTEM,
    "Coarse.tla": COARSE,
    **replaying.FILES,
    **watched.FILES,
}
PLUSCAL_BASE: dict[str, Content] = {**BASE, "Spec.tla": translated(algorithm())}
_BROKEN = algorithm("x = (x + 1) % N")
_OLD = translated(algorithm()).replace("x := (x + 1) % N;", "x = (x + 1) % N")

FAILURES: dict[str, Failure] = {
    # The text.
    "syntax": Failure(
        "error",
        {
            "Spec.tla": specification(next_="x' = (x + "),
            "system.py": program(body="if:"),
        },
    ),
    "unknown name": _spec("error", next_="x' = (y + 1) % N"),
    "level": _spec("error", inv="x' < N"),
    "truncated": Failure("error", {"Spec.tla": specification()[:-60], "system.py": program()[:-10]}),
    "empty": _everywhere("Spec.tla", "", "system.py", "data.csv"),
    "not text": _everywhere("Spec.tla", b"\xff\xfe\x00\x81" * 20, "system.py", "data.csv"),
    "bytes that are not UTF-8": Failure(
        "error",
        {
            "Spec.tla": specification().encode().replace(b"x = 0", b"x = \xc0\xc1"),
            "system.py": program().encode().replace(b"pass", b"\xc0\xc1"),
            "data.csv": b"length\n\xc0\xc1\n",
        },
    ),
    "no file": _everywhere("Spec.tla", None, "system.py", "data.csv"),
    # PlusCal.
    "PlusCal": Failure("error", {"Spec.tla": _BROKEN, "Spec.cfg": configuration("INVARIANT Inv")}),
    "PlusCal, no invariant": Failure(
        "error",
        {"Spec.tla": _BROKEN.replace("Inv == x < N", ""), "Spec.cfg": "\\* Expected: ok\nCONSTANT N = 3\n"},
    ),
    "PlusCal, SPECIFICATION": Failure("error", {"Spec.tla": _BROKEN}),
    "PlusCal, old translation": Failure("error", {"Spec.tla": _OLD}),
    # The configuration.
    "unknown invariant": _config("SPECIFICATION Spec", "INVARIANT Inw"),
    "unknown specification": _config("SPECIFICATION Spek"),
    "configuration syntax": _config("SPECIFICATION Spec", "INVARIANT == Inv"),
    "no value of a constant": Failure("error", {"Spec.cfg": "\\* Expected: ok\nSPECIFICATION Spec\nINVARIANT Inv\n"}),
    "replacement of another arity": _config(constants="N <- Print"),
    "configuration, no text": Failure("error", {"Spec.cfg": configuration().encode() + b"\xff\xfe\n"}),
    "no such system": Failure("error", {"system.py": program() + "del system\n"}),
    # Evaluation.
    "evaluation of Init": _spec("error", init='x = 1 + "a"'),
    "evaluation of Next": _spec("error", next_='x\' = IF x = 2 THEN x + "a" ELSE x + 1'),
    "evaluation of an invariant": Failure(
        "error",
        {
            "Spec.tla": specification(inv='x = 2 => x \\in "a"'),
            "system.py": program(body="assert token.number < 3, 1 / 0"),
        },
    ),
    "a variable without a value": _spec("error", next_="x = 0"),
    "typed model values": Failure(
        "error",
        {
            "Spec.tla": specification(head="CONSTANTS A1, B1", inv="x = 2 => A1 # B1"),
            "Spec.cfg": configuration(constants="N = 3\nA1 = A_1\nB1 = B_1"),
        },
    ),
    "evaluation while printing": _spec("error", inv='x = 2 => PrintT({y \\in SUBSET {1, 2} : y \\in "a"})'),
    "Assert": Failure(
        "assert",
        {
            "Spec.tla": specification(next_='Assert(x < 2, "too large") /\\ x\' = x + 1'),
            "system.py": program(body="assert token.number < 3"),
        },
    ),
    # What is checked does not hold.
    "invariant": Failure("invariant", {"Spec.tla": specification(inv="x < 2"), "system.py": program(bound=2)}),
    "deadlock": _spec("deadlock", next_="x < 2 /\\ x' = x + 1"),
    "action property": _spec("property", configuration("SPECIFICATION Spec", "PROPERTY P"), foot="P == [][x' > x]_x"),
    "liveness": _spec("liveness", configuration("SPECIFICATION Spec", "PROPERTY P"), foot="P == <>[](x = 0)"),
    "assumption": _spec("assumption", head="ASSUME N > 3"),
    "postcondition": _spec(
        "postcondition",
        configuration("SPECIFICATION Spec", "POSTCONDITION P"),
        foot='P == TLCGet("distinct") > 100',
    ),
    # Limits, and Ctrl-C.
    "time": Failure(
        "incomplete",
        HUGE,
        {
            "check": {"seconds": 1.0},
            "compose": {"seconds": 1.0},
            "simulate": {"seconds": 0.5, "num": 10**9},
            "explore": {"seconds": 1.0},
            "bench": {"limit": 2.0},
            "replay": {"seconds": 1.0},
        },
    ),
    "depth": Failure("incomplete", HUGE, {"check": {"depth": 4}, "compose": {"depth": 4}, "explore": {"depth": 4}}),
    "states": Failure("incomplete", HUGE, {"explore": {"states": 100}}),
    "memory": Failure(
        "incomplete",
        HUGE,
        {
            "check": {"memory": 2**20, "engine": "python"},
            "compose": {"memory": 2**20, "engine": "python"},
            "simulate": {"memory": 2**20},
        },
    ),
    "address space": Failure(
        "incomplete",
        HUGE,
        {"check": {"engine": "native"}, "compose": {"engine": "native"}, "replay": {"seconds": 20.0}},
        address_space=700 * 2**20,
    ),
    "interrupt": Failure(
        "incomplete",
        HUGE,
        {
            "simulate": {"num": 10**9},
            "bench": {"no-python": True},
            "replay": {"depth": 10**6},
        },
        interrupt=True,
    ),
}


# --------------------------------------------------------------------------------------------------- damaged on purpose


def _flipped(path: Path) -> None:
    """A bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(bytes(content))


def _checkpoint(damaged: str, *options: str) -> Callable[[Path], None]:
    """A search that was saved, of which one file is not what was written."""

    def prepare(folder: Path) -> None:
        from ways import ended

        ended(folder, ["check", "Spec.tla", "--depth", "20", "--engine", "native", "--checkpoint", "saved", *options])
        _flipped(folder / "saved" / damaged)

    return prepare


_GRID: dict[str, Content] = {
    "Spec.tla": """---- MODULE Spec ----
EXTENDS Naturals
CONSTANT N
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x' = (x + 1) % N /\\ y' = y
        \\/ y' = (y + 1) % N /\\ x' = x
Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)
Inv == x < N
Live == []<>(x = 0 \\/ y = 0)
====
"""
}
_GRIDS = {"": ("INVARIANT Inv",), ", live": ("PROPERTY Live",)}
for _kind, _lines in _GRIDS.items():
    for _file in ("checkpoint", "states", "parents", "actions", "layout.json"):
        FAILURES[f"damaged {_file}{_kind}"] = Failure(
            "error",
            {**_GRID, "Spec.cfg": configuration("SPECIFICATION Spec", *_lines, constants="N = 40")},
            {"check": {"checkpoint": "saved", "resume": True}},
            _checkpoint(_file),
        )
FAILURES["damaged schedule"] = Failure(
    "error", {"schedule.json": '{"system": "system", "steps": ['}, {"explore": {"replay": "schedule.json"}}
)


# ------------------------------------------------------------------------------- a mapping, and the system behind it


def _mapping(old: str, new: str) -> Failure:
    assert old in replaying.MAPPING
    return Failure("error", {"system.map.toml": replaying.MAPPING.replace(old, new)})


def _program(verdict: Verdict, text: str) -> Failure:
    return Failure(verdict, {"counter.py": text})


def _file(verdict: Verdict, name: str, content: Content) -> Failure:
    return Failure(verdict, {name: content})


# What concerns no verb but `replay`.
OF_SYSTEMS: dict[str, Failure] = {
    "mapping syntax": _mapping("[program]", "[program"),
    "mapping that is no text": _file("error", "system.map.toml", b"\xff\xfe\x00\x81" * 20),
    "no mapping": _file("error", "system.map.toml", None),
    "mapping of another specification": _mapping("[variable.x]", "[variable.y]"),
    "mapping with another action": _mapping("[action.Next]", "[action.Previous]"),
    "mapping with a table that is none": _mapping("[variable.x]", "[varable.x]"),
    "mapping with a condition that is none": _mapping("on = '\"counter\"'\n", "if = '3'\n"),
    "expression of a mapping": _mapping('value = "count"', 'value = "count +"'),
    "evaluation of an expression of a mapping": _mapping('model = "x"', "model = 'x[1]'"),
    "reading that is not there": _mapping('path = "count"', 'python = "counter.py:read"'),
    "program with a mistake": _program("error", replaying.counter(body="if:")),
    "a system that does not start": _program("error", replaying.counter() + "raise RuntimeError('no luck')\n"),
    "a reading that fails": Failure(
        "error",
        {
            "counter.py": replaying.counter() + "def read(process):\n    return 1 / 0\n",
            "system.map.toml": replaying.MAPPING.replace('path = "count"', 'python = "counter.py:read"'),
        },
    ),
    "a system that fails at its start": _program("property", replaying.counter(start="raise RuntimeError('no luck')")),
    "a system that fails": _program("property", replaying.counter(body="raise RuntimeError('no luck')")),
    "a system that differs": _program("property", replaying.counter(body="self.count = (self.count + 1) % 2")),
    "a system that begins elsewhere": _program("property", replaying.counter(start="self.count = 1")),
    "a system that stands still": _program("property", replaying.counter(start="pass")),
    "no trace": _file("error", "trace.itf.json", None),
    "damaged trace": _file("error", "trace.itf.json", replaying.FILES["trace.itf.json"][:-5]),
    "a trace of another specification": _file("error", "trace.itf.json", json.dumps(replaying.trace(0, 2))),
    "a trace of other variables": _file("error", "trace.itf.json", json.dumps(replaying.trace(0, 1, variable="y"))),
    "no log": _file("error", "events.ndjson", None),
    "damaged log": _file("error", "events.ndjson", '{"event": "tick", "cou\n' + replaying.log(2)),
    "a log of another system": _file("property", "events.ndjson", replaying.log(1, 2, 1)),
    "no record": _file("error", "run.json", None),
    "damaged record": _file("error", "run.json", replaying.FILES["run.json"][:-5]),
    "a record without a run": _file("error", "run.json", replaying.FILES["run.json"].replace('"steps"', '"stairs"')),
    "a record of another run": _file("property", "run.json", replaying.record(0, 1, 2, 0, real=(0, 1, 2, 3))),
    "a record of a shorter run": _file("property", "run.json", replaying.record(0, 1, 2, 0, real=(0, 1, 2))),
}
FAILURES |= OF_SYSTEMS


def _recorded(verdict: Verdict, *messages: tuple[str, int], broken: bytes = b"", note: str = "") -> Failure:
    return Failure(verdict, {"run.trace": watched.recording(*messages, broken=broken, note=note)})


def _watched(old: str, new: str, name: str = "ping.map.toml") -> Failure:
    assert old in str(watched.FILES[name])
    return Failure("error", {name: str(watched.FILES[name]).replace(old, new)})


# What concerns no verb but `watch`.
OF_RECORDINGS: dict[str, Failure] = {
    "no mapping of messages": _file("error", "ping.map.toml", None),
    "mapping of messages, syntax": _watched("[watch]", "[watch"),
    "mapping of messages that says nothing": _watched("[watch", "[witch"),
    "mapping of other messages": _watched("record.Pong", "record.Pang"),
    "mapping of messages, another field": _watched('number = "number"', 'number = "nummer"'),
    "mapping of messages, no decoder": _watched("json-lines", "json-sheets"),
    "nodes that read of each other": _watched("number = count[n] + 1", "number = count[to] + 1", "Ping.tla"),
    "messages of others that are read": _watched('m.kind = "Ping"', "messages = {m}", "Ping.tla"),
    "evaluation while watching": _watched("number = count[n] + 1", "number = count[n].x", "Ping.tla"),
    "no recording": _file("error", "run.trace", None),
    "no recording, but text": _file("error", "run.trace", "This is no recording, but as long as one may be.\n" * 9),
    "an empty recording": _file("incomplete", "run.trace", b""),
    "a recording of another protocol": _recorded("incomplete", broken=b"GET / HTTP/1.1\r\n\r\n"),
    "a recording of a link with TLS": _recorded("incomplete", broken=watched.HELLO),
    "a recording with a gap": _recorded("incomplete", *watched.RUN, note="missed"),
    "a recording of half a connection": _recorded("incomplete", *watched.RUN, note="torn"),
    "a recording with unknown messages": _recorded("incomplete", *watched.RUN, ("Pang", 3)),
    "an answer that nobody has asked for": _recorded("property", *watched.RUN, ("Pong", 3)),
    "a number that is left out": _recorded("property", *watched.RUN, ("Ping", 4)),
}
FAILURES |= OF_RECORDINGS
