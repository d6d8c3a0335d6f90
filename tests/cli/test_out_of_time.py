"""Limits of time hold where a single expression takes for ever."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gristmill.cli.main import gristmill as command

SPECIFICATION = r"""---- MODULE Slow ----
EXTENDS Naturals, FiniteSets
VARIABLE x
Slow(n) == \A f \in [1..n -> 1..n] : Cardinality({f[i] : i \in 1..n}) > 0
Init == x \in {n \in 0..9 : n < 3 \/ Slow(n)}
Quick == x = 0
Next == x < 9 /\ x' = x + 1
Inv == x = 6 => Slow(9)
Always == Slow(9)
====
"""
SECONDS = 1.0


def run(*args: str) -> Result:
    started = time.monotonic()
    done = CliRunner().invoke(command, list(args))
    assert time.monotonic() - started < 30  # far less where nothing else runs
    return done


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("options", ["--init Init", "--init Quick --invariant Inv", "--init Quick --constraint Always"])
@pytest.mark.parametrize("verb", ["check", "simulate"])
def test_a_search(tmp_path: Path, verb: str, options: str, engine: str) -> None:
    if verb == "simulate" and engine == "native":
        pytest.skip("there is one engine for that")
    file = tmp_path / "Slow.tla"
    file.write_text(SPECIFICATION)
    own = ["--engine", engine] if verb == "check" else []
    more = [*options.split(), "--next", "Next", "--no-deadlock", "--seconds", str(SECONDS), "--format", "json"]
    done = run(verb, str(file), *own, *more)
    assert done.exit_code == 3, done.output
    found = json.loads(done.stdout)
    found = found.get("result", found)
    assert found["verdict"] == "incomplete"
    assert "time limit" in found["message"]


@pytest.mark.parametrize("expression", ["<<{f \\in [1..9 -> 1..9] : f[1] > 0}>>", "{f \\in [1..9 -> 1..9] : f[1] > 0}"])
def test_an_expression(expression: str) -> None:
    done = run("eval", expression, "--seconds", "0.5")
    assert done.exit_code == 3
    assert "The time limit of 0.5 s was reached" in done.output
    typed = CliRunner().invoke(command, ["repl", "--seconds", "0.5"], input=f"{expression}\n1 + 1\n")
    assert "The time limit of 0.5 s was reached" in typed.output
    assert "2" in typed.stdout


def test_an_error_about_something_large() -> None:
    done = run("eval", "UNION <<SUBSET SUBSET SUBSET {1, 2}>>")
    assert done.exit_code == 75
    assert "UNION needs a set, not a sequence: <<(a set of 65,536 elements)>>" in done.output


@pytest.mark.parametrize(
    ("expression", "end"),
    [
        ("1..20000", "(20000 elements)"),
        ("[n \\in 1..20000 |-> n]", "(20,000 elements in all)"),
        ("{n * n : n \\in 1..20000}", "(20,000 elements in all)"),
        ("[n \\in 0..20000 |-> n]", "(20,001 arguments in all)"),
        ("[1..7 -> 1..7]", "(823543 elements)"),
        ("Cardinality([SUBSET (1..14) -> 1..2])", "(a number of about 4,932 digits)"),
        ("Nat", "Nat"),
    ],
)
def test_what_is_printed_has_an_end(expression: str, end: str) -> None:
    done = run("eval", expression)
    assert done.exit_code == 0, done.output
    assert done.output.rstrip().endswith(end)
    assert len(done.output) < 2000
