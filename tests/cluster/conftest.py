"""One Ray on this machine for all tests of a process; a program's own connection is used where there is one."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'gristmill[cluster]'")
    from gristmill.cluster.connection import Address
    from gristmill.cluster.team import Team

    team = Team(Address(None, 5))
    yield team._ray
    team.close()
