"""Tests of native code need a C compiler."""

import sys
from pathlib import Path

import pytest

from gristmill.cc import NoCompilerError, find_compiler
from gristmill.values import World

sys.path.insert(0, str(Path(__file__).parent.parent / "ir"))  # random_actions


def pytest_runtest_setup(item: pytest.Item) -> None:
    try:
        find_compiler()
    except NoCompilerError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def in_a_world(world: World) -> None:
    """What is evaluated here is no part of a run."""
