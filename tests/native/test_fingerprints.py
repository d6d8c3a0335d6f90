"""Fingerprints in place of states: the same counts and counterexamples, and a verdict that says what it rests on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.cli.check import check as check_verb
from gristmill.search import Limits, Result

WALK = r"""---- MODULE Walk ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANT Walkers
VARIABLES at, log
Init == at = [w \in Walkers |-> 0] /\ log = <<>>
Step(w) == /\ at[w] < 4
           /\ at' = [at EXCEPT ![w] = @ + 1]
           /\ log' = IF Len(log) < 3 THEN Append(log, w) ELSE Tail(log)
Next == \E w \in Walkers : Step(w)
Together == ~ \A w \in Walkers : at[w] = 2
Forward == [][\A w \in Walkers : at'[w] >= at[w]]_at
Arrives == <>(\A w \in Walkers : at[w] = 4)
Alike == Permutations(Walkers)
Places == at
===="""
BASE = "INIT Init NEXT Next CHECK_DEADLOCK FALSE CONSTANT Walkers = {a, b, c}"
NATIVE = Options(engine="native")
HASHED = replace(NATIVE, fingerprint=True)


def run(options: Options, more: str = "") -> Result:
    return check(build(WALK, config=f"{BASE} {more}").model, options)


def counts(result: Result) -> tuple[Any, ...]:
    return (
        *(result.verdict, result.property, result.message, result.distinct, result.generated, result.depth),
        *(result.queue, [(row.name, row.distinct, row.generated) for row in result.coverage]),
        [(step.action, step.state) for step in result.trace or ()],
    )


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "more",
    ["", "PROPERTY Forward", "INVARIANT Together", "SYMMETRY Alike", "VIEW Places", "VIEW Places INVARIANT Together"],
)
def test_the_same_counts_and_counterexamples(more: str, workers: int) -> None:
    exact, hashed = run(NATIVE, more), run(replace(HASHED, workers=workers), more)
    assert hashed.engine == "native"
    assert counts(hashed) == counts(exact)
    assert exact.collision_odds is None
    assert hashed.collision_odds is not None
    assert 0 < hashed.collision_odds.calculated < 1e-9


def test_the_verdict_says_what_it_rests_on() -> None:
    found = [each for each in run(HASHED).caveats if each.startswith("Only fingerprints of states were kept.")]
    assert len(found) == 1
    assert "odds of about" in found[0]
    assert not any("ingerprint" in each for each in run(NATIVE).caveats)


def test_a_symmetry_that_cannot_be_tested_is_not_relied_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing states with their permutations takes states, and with fingerprints there are none."""
    first = "gristmill.checking.head_start.first_level"
    monkeypatch.setattr(first, lambda searchable, seconds: list(searchable.initial_states()))
    text = WALK.replace("====", "First == at[CHOOSE w \\in Walkers : at[w] >= 0] <= 4\n====")
    model = build(text, config=f"{BASE} SYMMETRY Alike INVARIANT First").model
    exact, hashed = check(model, NATIVE), check(model, HASHED)
    assert (exact.verdict, hashed.verdict) == ("ok", "ok")
    assert not any("explored without it" in each for each in exact.caveats)
    assert any("were explored without it, too" in each for each in hashed.caveats)


def test_temporal_properties_are_refused() -> None:
    result = run(HASHED, "PROPERTY Arrives")
    assert (result.verdict, result.status) == ("error", 151)
    assert result.message.startswith("Arrives: a temporal property is decided on the states themselves")


def test_a_saved_search_goes_on_with_fingerprints_and_not_without(tmp_path: Path) -> None:
    wanted = run(NATIVE)
    saving = replace(HASHED, checkpoint=tmp_path, limits=Limits(depth=6))
    assert run(saving).verdict == "incomplete"
    other = run(replace(NATIVE, checkpoint=tmp_path, resume=True))
    assert (other.verdict, other.status) == ("error", 151)
    assert "was made with --fingerprint" in other.message
    resumed = run(replace(HASHED, checkpoint=tmp_path, resume=True, workers=2))
    assert counts(resumed) == counts(wanted)


def test_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "Walk.tla"
    file.write_text(WALK)
    (tmp_path / "Walk.cfg").write_text(BASE)
    own = [str(file), "--fingerprint"]
    done = CliRunner().invoke(check_verb, [*own, "--engine", "native", "--format", "json"])
    assert done.exit_code == 0
    assert 0 < json.loads(done.output)["collision_odds"]["calculated"] < 1e-9
    for more, why in (
        (["--engine", "python"], "only the native engine keeps fingerprints"),
        (["--dump", "dot", "graph.dot"], "--dump writes the states themselves"),
    ):
        done = CliRunner().invoke(check_verb, [*own, *more])
        assert done.exit_code == 2
        assert why in done.output
