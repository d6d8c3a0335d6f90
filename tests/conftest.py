"""What all tests share: golden files that can be written anew, property tests that run the same everywhere, verified
IR."""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from gristmill.values import World

settings.register_profile(
    "gristmill",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("gristmill")

os.environ.setdefault("GRISTMILL_VERIFY_IR", "1")  # after each pass over whatever is built, also in other processes


@pytest.fixture
def world() -> Iterator[World]:
    """A world for values that are no part of a run."""
    with World().active() as fresh:
        yield fresh


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write expected results anew; read the difference")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden"):
        os.environ["GRISTMILL_UPDATE_GOLDEN"] = "1"


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Several tests write parts of one golden file, which they must not do at once."""
    if config.getoption("--update-golden"):
        config.option.numprocesses = 0


@pytest.fixture(autouse=True)
def no_collector_callbacks() -> None:
    """Hypothesis measures the garbage collector by a callback, and Python ignores what is raised in there.

    A Ctrl-C that a test sends would be lost in it from time to time, and what it was to interrupt would not end.
    """
    gc.callbacks.clear()


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the terminal, which there is none of: whoever runs the tests may have one, and IPython says what it thinks."""
    monkeypatch.setenv("COLUMNS", "100")
