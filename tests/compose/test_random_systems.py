"""The argument of `compose verify`, by brute force: whenever it accepts, every state of the whole is one of each
composition, on the variables of that.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from random_systems import VARIABLES, Maker, RandomSystem, projected, reachable

from gristmill.checking.options import Options
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.verify.result import Verification
from gristmill.compose.verify.verification import verify

SYSTEMS = int(os.environ.get("GRISTMILL_RANDOM_SYSTEMS", "60"))
OPTIONS = Options(engine="python")


def verified(system: RandomSystem, folder: Path) -> Verification:
    folder.mkdir()
    return verify(read_manifest(system.write(folder)), OPTIONS)


def lost_states(system: RandomSystem, found: Verification) -> list[str]:
    """Compositions that do not have a state of the whole."""
    whole = reachable(system.initial, system.actions(list(system.modules)))
    lost = []
    for number, unit in enumerate(found.units):
        assert unit.composition is not None
        known = [name for name in unit.composition.variables if name not in unit.foreign]
        actions = system.actions([number])
        own = reachable(system.initial, actions)
        if projected(whole, known, actions) - projected(own, known, actions):
            lost.append(unit.name)
    coarse = system.actions([])
    abstract = reachable(system.initial, coarse)
    seen = [name for name in VARIABLES if any(name in each.observed for each in found.units)]
    common = [n for n in seen if all(n in u.composition.variables for u in found.units if u.composition)]
    if projected(whole, common, coarse) - projected(abstract, common, coarse):
        lost.append("A")
    return lost


def test_what_is_proven_is_true(tmp_path: Path) -> None:
    outcomes = dict.fromkeys(("proven", "rejected", "incomplete"), 0)
    missed = 0
    for seed in range(SYSTEMS):
        system = Maker(seed).system()
        found = verified(system, tmp_path / str(seed))
        outcomes[found.outcome] += 1
        if found.outcome == "proven":
            assert lost_states(system, found) == [], seed
        elif all(unit.composition is not None for unit in found.units):
            missed += bool(lost_states(system, found))
    assert outcomes["proven"] > SYSTEMS // 10
    assert outcomes["rejected"] > SYSTEMS // 10
    assert missed > SYSTEMS // 30  # rejections that are right


@pytest.fixture(autouse=True)
def _own_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
