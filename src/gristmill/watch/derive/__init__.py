"""From a specification to a monitor of one node: its local state, and what its actions consume, send and reveal."""

from gristmill.watch.derive.deriving import derive
from gristmill.watch.derive.monitor import Event, Monitor, Template

__all__ = ["Event", "Monitor", "Template", "derive"]
