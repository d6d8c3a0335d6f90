"""What ends a search of several machines, or has a part of it done again."""

from __future__ import annotations


class ClusterError(Exception):
    """The search cannot go on; the message is a sentence, and `help` says what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


class MismatchError(ClusterError):
    """Two counts that must be equal are not, or two answers: nothing that was found is to be believed."""


class LostError(Exception):
    """An actor has died, or something that it had made."""
