"""What all tests share: golden files that can be written anew, property tests that run the same everywhere, verified
IR."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "gristmill",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("gristmill")

os.environ.setdefault("GRISTMILL_VERIFY_IR", "1")  # after each pass over whatever is built, also in other processes


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write expected results anew; read the difference")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden"):
        os.environ["GRISTMILL_UPDATE_GOLDEN"] = "1"
