"""Everything a configuration can say, said on the command line; and what to do with the result."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLOCK = r"""
EXTENDS Naturals, TLC
CONSTANTS Hours, Step(_), Zones
VARIABLES hour, zone
Init == hour = 0 /\ zone \in Zones
Tick == hour + 1 < Hours /\ hour' = Step(hour) /\ zone' = zone
Travel == zone' \in Zones \ {zone} /\ hour' = hour
Next == Tick \/ Travel
Spec == Init /\ [][Next]_<<hour, zone>>
Once(h) == h + 1
Twice(h) == h + 2
Early == hour < 4
Home == zone = zone
Forward == [][hour' >= hour]_hour
Later == hour' > hour
OnlyEarly == hour < 2
Alike == Permutations(Zones)
JustHours == hour
Shown == [at |-> hour]
Done == TLCGet("distinct") > 100
"""
GIVEN = ("--constant", "Hours = 6", "--constant", "Step <- Once", "--constant", "Zones = {a, b}")


@pytest.fixture
def check(run, write):
    file = write("Clock.tla", CLOCK)
    return lambda *options: run("check", file, *options)


def document(ended):
    return json.loads(ended.out)


@pytest.mark.parametrize(
    ("options", "code", "distinct"),
    [
        ("", 0, 12),
        ("--specification Spec", 0, 12),
        ("--init Init --next Next", 0, 12),
        ("--init Init --next Tick", 11, None),
        ("--init Init --next Tick --no-deadlock", 0, 12),
        ("--invariant Home --invariant Early", 12, None),
        ("--property Forward", 0, 12),
        ("--constraint OnlyEarly", 0, 4),
        ("--action-constraint Later --no-deadlock", 0, 12),
        ("--symmetry Alike", 0, 6),
        ("--view JustHours", 0, 6),
        ("--postcondition Done", 10, 12),
        ("--depth 2", 3, 4),
        ("--workers 4", 0, 12),
        ("--workers 4 --engine python", 0, 12),
        ("--seed 7 --seconds 100 --memory 8G --allow-exec", 0, 12),
    ],
)
def test_sections_as_options(check, options, code, distinct):
    ended = check(*GIVEN, *options.split(), "--format", "json")
    assert ended.code == code, ended
    assert distinct is None or document(ended)["distinct"] == distinct
    assert ("one worker" in ended.err) == ("--engine python" in options)


def test_options_replace_what_a_configuration_says(check, write):
    write("Clock.cfg", "INIT Init NEXT Tick CONSTANTS Hours = 3 Step <- Once Zones = {a, b} INVARIANT Home")
    assert check().code == 11
    assert "12 distinct" in check("--specification", "Spec", "--constant", "Hours=6").out
    twice = document(check("--next", "Next", "--constant", "Step <- Twice", "--format", "json"))
    assert twice["distinct"] == 4
    other = write("Other.cfg", "SPECIFICATION Spec CONSTANTS Hours = 2 Step <- Once Zones = {a}")
    assert "2 distinct" in check("--config", other, "--no-deadlock").out


def test_alias_and_unchanged_variables(check):
    ended = check(*GIVEN, "--invariant", "Early", "--alias", "Shown", "--trace-unchanged", "omit")
    assert " * at = 4" in ended.out
    assert "zone" not in ended.out.split("Why")[0]


def test_a_sweep_is_a_table(check):
    ended = check(*GIVEN, "--sweep", "Hours=4..6", "--sweep", "Zones={{a}, {a, b}}", "--invariant", "Early")
    lines = [line.split()[:-1] for line in ended.out.replace("{a, b}", "{a,b}").splitlines()]
    assert ended.code == 11
    assert lines[0] == ["Hours", "Zones", "verdict", "distinct", "depth"]
    assert lines[1] == ["4", "{a}", "deadlock", "4", "4"]
    assert lines[2] == ["4", "{a,b}", "ok", "8", "4"]
    assert [line[2:4] for line in lines[3:]] == 4 * [["invariant", "Early"]]
    rows = json.loads(check(*GIVEN, "--sweep", "Hours=2,3", "--format", "json").out)["sweep"]
    assert [(row["constants"]["Hours"], row["result"]["distinct"]) for row in rows] == [("2", 4), ("3", 6)]


@pytest.mark.parametrize("sweep", ["Hours", "=1..3", "Hours=", "Hours=4..2", "Hours={}"])
def test_a_sweep_without_values(check, sweep):
    ended = check(*GIVEN, "--sweep", sweep)
    assert ended.code == 2
    assert "--sweep" in ended.err


def test_a_mistake_in_a_sweep_is_told_once(check):
    ended = check("--sweep", "Hours=1..9")
    assert ended.code == 151
    assert ended.err.count("constant `Zones` has no value") == 1


def test_a_sweep_of_what_is_not_there(check):
    ended = check(*GIVEN, "--sweep", "Hour=1..9")
    assert ended.code == 151
    assert ended.err.count("`Hour` is neither declared nor defined") == 1
    assert " ok " not in ended.out


def test_files(check, tmp_path: Path):
    check(*GIVEN, "--dump", "dot", tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text().startswith("strict digraph")
    check(*GIVEN, "--dump", "json", tmp_path / "graph.json")
    assert len(json.loads((tmp_path / "graph.json").read_text())["states"]) == 12
    check(*GIVEN, "--invariant", "Early", "--itf", tmp_path / "trace.itf.json")
    assert len(json.loads((tmp_path / "trace.itf.json").read_text())["states"]) == 5
    ended = check(*GIVEN, "--dump", "dot", tmp_path / "no" / "graph.dot")
    assert ended.code == 1
    assert "cannot be written" in ended.err


def test_going_on(check):
    ended = check(*GIVEN, "--invariant", "Early", "--continue", "--format", "json")
    assert ended.code == 12
    assert document(ended)["distinct"] == 12
    assert document(ended)["violations"][0]["count"] == 4


def test_coverage_of_a_failed_search(check):
    assert "new states" not in check(*GIVEN, "--invariant", "Early").out
    assert "new states" in check(*GIVEN, "--invariant", "Early", "--coverage").out


def test_sizes(check):
    ended = check(*GIVEN, "--memory", "much")
    assert ended.code == 2
    assert "write 500M or 2G" in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("engine", ["python", "native"])
def test_interrupt(write, tmp_path, engine):
    text = 'EXTENDS Naturals, TLC\nVARIABLE n\nASSUME PrintT("begun")\nInit == n = 0\nNext == n\' = n + 1'
    file = write("Endless.tla", text)
    command = [sys.executable, "-m", "gristmill.cli", "check", file, "--format", "json"]
    command += ["--engine", engine, "--emit-c", str(tmp_path / "c")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr.readline() == '"begun"\n'  # the specification has been read, however long that takes
        deadline = time.monotonic() + 60
        while engine == "native" and not list(tmp_path.glob("c/*.c")) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out, err
    found = json.loads(out)
    assert (process.returncode, found["verdict"], found["message"], err) == (3, "incomplete", "Interrupted", "")
    assert found["distinct"] > 0
