"""What can go wrong between C text and a loaded library. Every message is meant for users."""

from __future__ import annotations

_SHOWN_LINES = 12


class CompilerError(Exception):
    """C could not be compiled, linked, kept or loaded. Callers with another way to compute can go on without it.

    `output`: everything that the compiler said; the message has the first lines of it.
    """

    def __init__(self, message: str, output: str = "") -> None:
        lines = output.strip().splitlines()
        shown = lines[:_SHOWN_LINES]
        if len(lines) > len(shown):
            shown.append(f"… and {len(lines) - len(shown)} more lines")
        super().__init__("\n".join([message, *("  " + line for line in shown)]))
        self.output = output


class NoCompilerError(CompilerError):
    """There is no C compiler on this machine, or $CC names none. The message says how to get one."""


class CacheError(CompilerError):
    """The directory for compiled objects cannot be trusted. The message says why, and what to do."""
