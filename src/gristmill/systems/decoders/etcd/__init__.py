"""etcd: what its members say to each other, and to clients (`Etcd`), and what they have on disk (`write_ahead_log`).

The same from etcd 3.1 to 3.6.
"""

from gristmill.systems.decoders.etcd.connections import Etcd
from gristmill.systems.decoders.etcd.peers import EtcdPeers
from gristmill.systems.decoders.etcd.wal import write_ahead_log

__all__ = ["Etcd", "EtcdPeers", "write_ahead_log"]
