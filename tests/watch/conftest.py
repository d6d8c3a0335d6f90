"""Soaks go on while other tests run, and are asked for at the end."""

import pytest
from soaks import Soaks

_SOAKS = pytest.StashKey[Soaks]()


def _system(item: pytest.Item) -> str | None:
    """Which soak a test asks for, if any."""
    names = getattr(item, "fixturenames", ())
    return item.callspec.params["soaked"] if "soaked" in names and hasattr(item, "callspec") else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _system(item) is not None)


def pytest_collection_finish(session: pytest.Session) -> None:
    soaks = session.config.stash[_SOAKS] = Soaks(session.config)
    if not session.config.option.collectonly:
        soaks.start({system for item in session.items if (system := _system(item)) is not None})


@pytest.fixture
def soaks(request: pytest.FixtureRequest) -> Soaks:
    return request.config.stash[_SOAKS]
