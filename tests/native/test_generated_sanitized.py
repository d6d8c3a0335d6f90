"""Generated code, the driver and the runtime together, with warnings as errors and under AddressSanitizer and UBSan."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gristmill.cc import NoCompilerError, find_compiler

EXAMPLES = Path(__file__).parents[2] / "examples"
BUSY = r"""---- MODULE Busy ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS Nodes
VARIABLES state, inbox, seen, last
vars == <<state, inbox, seen, last>>
Message == [from : Nodes, body : 0..2]
TypeOK == /\ state \in [Nodes -> {"idle", "busy"}]
          /\ inbox \in [Nodes -> Seq(Message)]
          /\ seen \subseteq Message
          /\ last \in Message \cup {<<>>}
Init == /\ state = [n \in Nodes |-> "idle"]
        /\ inbox = [n \in Nodes |-> <<>>]
        /\ seen = {} /\ last = <<>>
Send(a, b) == /\ a # b /\ Len(inbox[b]) < 2
              /\ \E k \in 0..2 : inbox' = [inbox EXCEPT ![b] = Append(@, [from |-> a, body |-> k])]
              /\ state' = [state EXCEPT ![a] = IF @ = "idle" THEN "busy" ELSE "idle"]
              /\ UNCHANGED <<seen, last>>
Receive(n) == /\ inbox[n] # <<>>
              /\ LET m == Head(inbox[n])
                     sum[s \in SUBSET {1, 2}] ==
                       IF s = {} THEN 0 ELSE LET x == CHOOSE x \in s : TRUE IN x + sum[s \ {x}]
                 IN /\ last' = m /\ seen' = {e \in seen : e.body < sum[{1, 2}]} \cup {m}
              /\ inbox' = [inbox EXCEPT ![n] = Tail(@)]
              /\ UNCHANGED state
Next == (\E a, b \in Nodes : Send(a, b)) \/ (\E n \in Nodes : Receive(n))
Small == Cardinality(seen) < 3
Spec == Init /\ [][Next]_vars
Counted == TLCSet(1, <<last, TLCGet("level"), TLCGet("distinct")>>) /\ TLCGet(1)[2] = TLCGet("level")
Composed == \/ \E a, b \in Nodes : Send(a, b) \cdot (Receive(b) \cdot (Receive(a) \/ UNCHANGED vars))
            \/ Next /\ Counted
InOrder == Init /\ [][Composed]_vars
Talks == \/ PrintT(<<state, inbox, 1..3>>) /\ Next /\ PrintT("sent " \o ToString(seen') \o "!")
         \/ Print(last, {n \in Nodes : PrintT(n)} # {}) /\ UNCHANGED vars
Aloud == Init /\ [][Talks]_vars
Alike == Permutations(Nodes)
====
"""


def sanitizer(name: str) -> str:
    """The library to be loaded first; skips if there is none."""
    try:
        compiler = find_compiler()
    except NoCompilerError:
        pytest.skip("there is no C compiler")
    found = subprocess.run(
        [*compiler.command, f"-print-file-name={name}"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if not os.path.isabs(found) or sys.platform != "linux":
        pytest.skip(f"the compiler has no {name}")
    return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache, so that what both runs need is compiled once."""
    return tmp_path_factory.mktemp("cache")


def sanitizing(compiled: Path) -> dict[str, str]:
    """The environment of a process whose native code is sanitized."""
    return {
        **os.environ,
        "GRISTMILL_CFLAGS": "-g -fsanitize=address,undefined -fno-sanitize-recover=undefined",
        "XDG_CACHE_HOME": str(compiled),
        "LD_PRELOAD": sanitizer("libasan.so"),
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1",
        "PYTHONMALLOC": "malloc",
    }


STEPS = """
import sys
from gristmill.building import build
from gristmill.checking.steps import native_steps
from gristmill.evaluate import Context, Evaluator
model = build(sys.argv[1], config="SPECIFICATION Spec\\nCONSTANT Nodes = {a, b}\\n").model
native = native_steps(model, Evaluator(model.variables, Context(model.variables)))
found = dict.fromkeys(native.initial_states())
waiting = list(found)
while waiting and len(found) < 3000:
    new = dict.fromkeys(taken.state for steps in native.steps_from(waiting) for taken in steps)
    new = {state: None for state in new if state not in found}
    found |= new
    waiting = list(new)
steps = [(taken.action, taken.parameters, native.values(taken.state)) for taken in native.steps(waiting[0])]
with model.world.active():
    reference = native.searchable.steps(native.values(waiting[0]))
assert steps == [(taken.action, taken.parameters, taken.state) for taken in reference]
(name, node), *_ = native.steps(list(found)[0])[0].parameters
sent = native.take_from(waiting, "Send", {name: node})
assert any(sent) and all(taken.parameters[0] == (name, node) for steps in sent for taken in steps)
native.close()
print("well", native.left)
"""


def test_steps_under_sanitizers(tmp_path: Path, compiled: Path) -> None:
    file = tmp_path / "Busy.tla"
    file.write_text(BUSY)
    command = [sys.executable, "-c", STEPS, str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, env=sanitizing(compiled), check=False)
    assert (ended.returncode, ended.stdout) == (0, "well 0\n"), ended.stderr[-3000:]


@pytest.mark.parametrize(
    ("workers", "more"),
    [
        ("1", ()),
        ("2", ()),
        ("2", ("--symmetry", "Alike")),
        ("1", ("--specification", "InOrder")),
        ("2", ("--specification", "Aloud")),
    ],
)
def test_under_sanitizers(tmp_path: Path, compiled: Path, workers: str, more: tuple[str, ...]) -> None:
    environment = sanitizing(compiled)
    file = tmp_path / "Busy.tla"
    file.write_text(BUSY)
    command = [sys.executable, "-m", "gristmill.cli", "check", str(file), "--format", "json", "--engine", "native"]
    command += ["--constant", "Nodes = {a, b}", "--invariant", "TypeOK"]
    command += more if "--specification" in more else ["--specification", "Spec", *more]
    command += ["--constraint", "Small", "--workers", workers]
    sanitized = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
    assert "ERROR: AddressSanitizer" not in sanitized.stderr, sanitized.stderr[-3000:]
    assert "runtime error" not in sanitized.stderr, sanitized.stderr[-3000:]
    plain = subprocess.run(
        [*command[:-4], "--constraint", "Small", "--engine", "python"], capture_output=True, text=True, check=False
    )
    found, expected = json.loads(sanitized.stdout), json.loads(plain.stdout)
    assert found["engine"] == "native"
    for name in ("verdict", "distinct", "generated", "depth"):
        assert found[name] == expected[name], name
    if "Aloud" in more:
        said = [[line for line in run.stderr.splitlines() if line[:1] in {'"', "<"}] for run in (sanitized, plain)]
        assert said[0] == said[1]
        assert len(said[0]) > 1000


def test_no_warnings(tmp_path: Path) -> None:
    """Of the hand-written C; what is generated has names that nothing uses."""
    from gristmill.cc import build
    from gristmill.native.run.compiled import CORE_FOLDER, CORE_SOURCES, RUNTIME_FOLDER, RUNTIME_SOURCES

    try:
        find_compiler()
    except NoCompilerError:
        pytest.skip("there is no C compiler")
    build(
        paths=(*RUNTIME_SOURCES, *CORE_SOURCES),
        include=(RUNTIME_FOLDER, CORE_FOLDER),
        flags=("-O1", "-Wall", "-Wextra", "-Werror"),
        libraries=("pthread",),
    )


# What the sample has seen of `late` is one value; then there are too many for one byte, and too many for a few loops.
LATE = r"""---- MODULE Late ----
EXTENDS Naturals
VARIABLES a, b, c, late
Init == a = 0 /\ b = 0 /\ c = 0 /\ late = 0
Step(p, q, r, s) ==
  LET is_next == p = a % 3
      sum == q + r + s
  IN /\ IF is_next THEN \E k \in {1, 2} : k <= p + 1 ELSE FALSE
     /\ r = b % 4
     /\ q < 2 /\ sum < 7
     /\ c < 12
     /\ a' = (a + 1) % 30
     /\ b' = IF a = 29 THEN (b + 1) % 30 ELSE b
     /\ c' = IF a = 29 /\ b = 29 THEN c + 1 ELSE c
     /\ late' = IF c >= 10 THEN 1000 * c + 30 * b + a ELSE late
Next == \E p \in 0..2, q \in {0, 1, 2}, r \in 0..3, s \in {3, 5} : Step(p, q, r, s)
Fine == c < 12 \/ late # 0
===="""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_wider_slots_and_guards_ahead_under_sanitizers(tmp_path: Path, compiled: Path, workers: str) -> None:
    file = tmp_path / "Late.tla"
    file.write_text(LATE)
    command = [sys.executable, "-m", "gristmill.cli", "check", str(file), "--format", "json", "--init", "Init"]
    command += ["--next", "Next", "--invariant", "Fine", "--no-deadlock", "--profile", "--engine"]
    environment = sanitizing(compiled)
    sanitized = subprocess.run(
        [*command, "native", "--workers", workers],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    assert "ERROR: AddressSanitizer" not in sanitized.stderr, sanitized.stderr[-3000:]
    assert "runtime error" not in sanitized.stderr, sanitized.stderr[-3000:]
    plain = subprocess.run([*command, "python"], capture_output=True, text=True, check=False)
    found, expected = json.loads(sanitized.stdout), json.loads(plain.stdout)
    assert (found["engine"], found["profile"]["layouts"] > 1) == ("native", True)
    for name in ("verdict", "distinct", "generated", "depth"):
        assert found[name] == expected[name], name
