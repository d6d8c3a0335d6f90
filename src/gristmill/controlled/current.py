"""The world and the node whose code runs now, if any. One thread runs at most one world."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gristmill.controlled.node import Node
    from gristmill.controlled.world import World

world: World | None = None
node: Node | None = None
