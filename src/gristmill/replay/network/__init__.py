"""Systems of processes whose messages go through our hands: the driver `network`."""

from gristmill.replay.network.driver import NetworkDriver

__all__ = ["NetworkDriver"]
