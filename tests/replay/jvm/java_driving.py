"""Driving Java programs, for tests."""

from collections.abc import Callable

from gristmill.replay.driver import Arrival, Failure
from gristmill.replay.jvm.driver import JvmDriver

Made = Callable[..., JvmDriver]


def started(driver: JvmDriver, *held: str) -> JvmDriver:
    """With these points closed, and all nodes running."""
    driver.start()
    driver.hold(held)
    for node in driver.setup.nodes:
        driver.fault("start", node)
    return driver


def arrival(driver: JvmDriver, point: str | None = None) -> Arrival:
    """The next one, at a point."""
    for _ in range(1000):
        found = driver.next(10.0)
        assert isinstance(found, Arrival), found
        if point in (None, found.point):
            return found
    raise AssertionError(f"nothing comes to {point}")


def failure(driver: JvmDriver) -> Failure:
    """The next one."""
    for _ in range(1000):
        found = driver.next(10.0)
        assert found is not None
        if isinstance(found, Failure):
            return found
    raise AssertionError("nothing fails")
