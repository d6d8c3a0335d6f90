from collections.abc import Iterator

import pytest

from gristmill.values import NAMES


@pytest.fixture(autouse=True)
def fresh_names() -> Iterator[None]:
    NAMES.reset()
    yield
    NAMES.reset()
