"""Python programs as systems: the driver `program`. All nodes live in this process, in virtual time."""

from gristmill.replay.program.driver import ProgramDriver

__all__ = ["ProgramDriver"]
