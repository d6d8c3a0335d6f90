"""Gristmill: from a TLA+ specification to the system that runs it."""

__version__ = "0.1.0"
