import sys
from pathlib import Path

import pytest

from gristmill.values import World

sys.path.insert(0, str(Path(__file__).parent.parent / "search"))  # naive_liveness


@pytest.fixture(autouse=True)
def in_a_world(world: World) -> None:
    """What is evaluated here is no part of a run."""
