"""How long this process has been running, from before Python itself was loaded."""

from __future__ import annotations

import os
import time

_STARTED = (
    19  # of what follows on the name of the program in /proc/self/stat: clock ticks since the machine was started
)


def process_age() -> float | None:
    """Seconds, to a hundredth; None where the system does not tell."""
    try:
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        started = int(fields[_STARTED]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, AttributeError, ValueError, IndexError):
        return None
