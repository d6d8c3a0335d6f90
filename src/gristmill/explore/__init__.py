"""Model checking of message-passing programs in Python: every schedule and every fault, within bounds.

A protocol is written as `Process` classes (`process.py`), put together as a `System` (`system.py`) with properties
(`properties.py`), and then explored (`explore`) or run over TCP (`run`).
"""

from gristmill.explore.api import Violated, check, explore
from gristmill.explore.deploy import Cluster, run
from gristmill.explore.options import Options
from gristmill.explore.process import Byzantine, Message, Process, aux, on, persistent, quorum, timer
from gristmill.explore.properties import Property, end_state, eventually, history, invariant
from gristmill.explore.result import Bounds, Result
from gristmill.explore.schedules import replay
from gristmill.explore.system import Faults, Network, System
from gristmill.trace.schedule import Event, Failure, Record, Schedule, Sent, Step

__all__ = [
    "Bounds",
    "Byzantine",
    "Cluster",
    "Event",
    "Failure",
    "Faults",
    "Message",
    "Network",
    "Options",
    "Process",
    "Property",
    "Record",
    "Result",
    "Schedule",
    "Sent",
    "Step",
    "System",
    "Violated",
    "aux",
    "check",
    "end_state",
    "eventually",
    "explore",
    "history",
    "invariant",
    "on",
    "persistent",
    "quorum",
    "replay",
    "run",
    "timer",
]
