"""Model checking of message-passing programs in Python: every schedule and every fault, within bounds.

A protocol is written as `Process` classes (`process.py`), put together as a `System` (`system.py`) with properties
(`properties.py`), and then explored (`explore`) or run over TCP (`run`).
"""

from gristmill.explore.process import Byzantine, Message, Process, aux, on, persistent, quorum, timer
from gristmill.explore.properties import Property, end_state, eventually, history, invariant
from gristmill.explore.schedule import Event, Failure, Record, Schedule, Sent, Step
from gristmill.explore.system import Faults, Network, System

__all__ = [
    "Byzantine",
    "Event",
    "Failure",
    "Faults",
    "Message",
    "Network",
    "Process",
    "Property",
    "Record",
    "Schedule",
    "Sent",
    "Step",
    "System",
    "aux",
    "end_state",
    "eventually",
    "history",
    "invariant",
    "on",
    "persistent",
    "quorum",
    "timer",
]
