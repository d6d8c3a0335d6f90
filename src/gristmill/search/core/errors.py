"""What can go wrong with a search besides what it looks for."""


class CheckpointError(Exception):
    """A search cannot be taken up again. The message says why."""
