"""ZooKeeper: what servers say to each other when they elect a leader and follow it, and what clients ask and are told.

The same from ZooKeeper 3.4.6 to 3.9.
"""

from gristmill.systems.decoders.zookeeper.connections import ZooKeeper

__all__ = ["ZooKeeper"]
