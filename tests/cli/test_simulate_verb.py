"""Random behaviours from the command line and from Python, and what is sampled from them."""

import csv
import json
import statistics
from pathlib import Path

import pytest

import gristmill

# How long does it take until a six is thrown? Samples are collected while behaviours are checked.
PATIENCE = r"""
EXTENDS Naturals, CSV, TLC, TLCExt, Sequences
VARIABLES die, log
Init == die = 0 /\ log = <<>>
Throw == die /= 6 /\ die' = RandomElement(1..6) /\ log' = Append(log, die')
Next == Throw
Spec == Init /\ [][Next]_<<die, log>>

ASSUME TLCSet(1, 0) /\ TLCSet(2, 0)
ASSUME CSVWrite("throws,level,behaviour", <<>>, "throws.csv")
Sample ==
  die = 6 =>
    /\ CSVWrite("%1$s,%2$s,%3$s", <<Len(log), TLCGet("level"), TLCGet("stats").traces>>, "throws.csv")
    /\ TLCSet(1, TLCGet(1) + 1)
    /\ TLCSet(2, TLCGet(2) + Len(log))
Everyone == TLCGet("config").traces = TLCGet(1) /\ TLCGet(2) \in 4 * TLCGet(1)..9 * TLCGet(1)
Impatient == Len(log) < 3
Mode == TLCGet("config").mode \in {"simulate", "generate"}
"""


@pytest.fixture
def simulate(run, write):
    file = write("Patience.tla", PATIENCE)
    return lambda *options: run("simulate", file, "--no-deadlock", "--depth", 1000, *options)


def samples() -> list[dict[str, str]]:
    with Path("throws.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("role", ["--invariant", "--constraint"])
def test_sampling_by_a_formula_that_writes(simulate, role):
    options = ("--num", 200, "--seed", 7, "--generate", role, "Sample", "--postcondition", "Everyone")
    ended = simulate(*options, "--invariant", "Mode")
    assert ended.code == 0, ended
    rows = samples()
    assert len(rows) == 200
    assert all(int(row["level"]) == int(row["throws"]) + 1 for row in rows)
    assert sorted(int(row["behaviour"]) for row in rows) == list(range(1, 201))
    assert 4 < statistics.mean(int(row["throws"]) for row in rows) < 9  # 6 is expected


def test_the_seed_decides_what_is_drawn(simulate):
    def drawn(*options):
        Path("throws.csv").unlink(missing_ok=True)
        assert simulate("--num", 30, "--constraint", "Sample", *options).code == 0
        return sorted((row["behaviour"], row["throws"]) for row in samples())

    assert drawn("--seed", 1) == drawn("--seed", 1) == drawn("--seed", 1, "--workers", 2)
    assert drawn("--seed", 1) != drawn("--seed", 2)


def test_a_violation(simulate):
    ended = simulate("--invariant", "Impatient", "--seed", 1)
    assert ended.code == 12
    assert "Invariant Impatient is violated" in ended.out
    assert "seed 1" in ended.out


def test_json(simulate):
    found = json.loads(simulate("--num", 20, "--seed", 3, "--format", "json").out)
    assert found["simulation"]["behaviours"] == 20
    assert found["simulation"]["seed"] == 3
    assert found["simulation"]["maximum_length"] == found["depth"]


def test_time_instead_of_a_number(simulate):
    found = json.loads(simulate("--seconds", 0.3, "--format", "json").out)
    assert found["verdict"] == "incomplete"
    assert found["simulation"]["behaviours"] > 0


def test_mistakes(run):
    ended = run("simulate", "Nowhere.tla")
    assert ended.code == 151
    assert "there is no file Nowhere.tla" in ended.err


def test_from_python():
    text = PATIENCE.replace("ASSUME CSV", "Unused == CSV")
    found = gristmill.simulate(f"---- MODULE P ----\n{text}\n====", num=25, seed=4, deadlock=False)
    assert found.result.ok
    assert isinstance(found.result, gristmill.Result)
    assert (found.lengths.behaviours, found.seed) == (25, 4)
