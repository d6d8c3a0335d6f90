"""Values of traces, outside of runs."""

import pytest

from gristmill.values import World


@pytest.fixture(autouse=True)
def in_a_world(world: World) -> None:
    """What is evaluated here is no part of a run."""
