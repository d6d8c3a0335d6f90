"""A server for the tests of this folder, and a folder of modules to talk about."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from counter_module import CONFIGURATION, COUNTER
from scripted_client import Client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client([tmp_path]) as client:
        yield client


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    path = tmp_path / "Counter.tla"
    path.write_text(COUNTER)
    (tmp_path / "Counter.cfg").write_text(CONFIGURATION)
    return path
