"""Two strengths that do not know each other: what single steps prove, whole behaviours confirm."""

from __future__ import annotations

import os
from pathlib import Path

from random_systems import Maker

from gristmill.checking.options import Options
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import System
from gristmill.compose.verify.behaviours import NamedMix, Wanted, behaviours, mixes_compared
from gristmill.compose.verify.units import plan_of
from gristmill.compose.verify.verification import verify

SYSTEMS = int(os.environ.get("GRISTMILL_RANDOM_SYSTEMS", "60")) // 4  # each is explored five times
OPTIONS = Options(engine="python")
TRACES = Wanted(traces=True, both=False, summaries=False)


def verdicts(system: System) -> list[str]:
    """Of each composition against all coarse, and of the whole against each composition."""
    plan = plan_of(system)
    found = list(behaviours(system, OPTIONS, TRACES))
    whole = NamedMix("S", plan.fine)
    for unit in plan.units:
        found.append(mixes_compared(system, OPTIONS, whole, NamedMix(unit.name, plan.focused(unit)), TRACES))
    assert all(each.failed is None for each in found)
    return [each.traces.missed.verdict for each in found if each.traces is not None]


def test_what_steps_prove_traces_confirm(tmp_path: Path) -> None:
    proven = different = 0
    for seed in range(SYSTEMS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        system = read_manifest(Maker(seed).system().write(folder))
        found = verify(system, OPTIONS)
        if any(unit.composition is None for unit in found.units):
            continue
        answers = verdicts(system)
        if found.outcome == "proven":
            proven += 1
            assert set(answers) == {"included"}, seed
        else:
            different += "different" in answers
    assert proven > 0
    assert different > 0
