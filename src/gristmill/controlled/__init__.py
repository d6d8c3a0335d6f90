"""Unmodified asyncio programs under control: virtual time, network and chance, and every schedule repeatable.

def program(world):
    world.node("server", server_main, daemon=True)  # async def server_main(node): …
    world.node("client", client_main)
    world.always("one leader", lambda: ...)

result = explore(program, runs=10_000, settings=Settings(drops=2, crashes=1))
"""

from gristmill.controlled.errors import Uncontrolled, Violation
from gristmill.controlled.failure import Failure, load
from gristmill.controlled.node import Node
from gristmill.controlled.search import Result, check, explore, replay
from gristmill.controlled.settings import Settings
from gristmill.controlled.strategies import Diverged
from gristmill.controlled.world import World

__all__ = [
    "Diverged",
    "Failure",
    "Node",
    "Result",
    "Settings",
    "Uncontrolled",
    "Violation",
    "World",
    "check",
    "explore",
    "load",
    "replay",
]
