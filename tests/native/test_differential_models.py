"""Random models with both engines, and with TLC where there is one; a longer run is `differential.py models`."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from differential import asked_of_tlc, by_us, differing_models, meant
from random_models import random_model
from tlc import compared

TLC = os.environ.get("GRISTMILL_TLC", "")  # a class path


@pytest.mark.parametrize("seed", range(12))
def test_engines_agree(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where what differs is kept
    assert not list(differing_models(seed, (1, 2), Counter()))


def test_models_have_everything() -> None:
    texts = "\n".join(made.text + made.config for made in map(random_model, range(60)))
    wanted = ("SYMMETRY", "VIEW", "CONSTRAINT", "PROPERTY", "WF_vars(Tick(i))", "INSTANCE Inner", "K_1", "p1 = P_1")
    assert not [word for word in wanted if word not in texts]


@pytest.mark.skipif(not TLC, reason="GRISTMILL_TLC is not set")
@pytest.mark.parametrize("seed", range(20))
def test_tlc_agrees(seed: int) -> None:
    made = random_model(seed)
    own, tlc = by_us(made), asked_of_tlc(made, TLC)
    assert meant(own, tlc) or compared(tlc, own) == "same", (own, tlc)
