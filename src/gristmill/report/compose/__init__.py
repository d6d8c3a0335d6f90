"""Compositions and what was found about them, for people and tools."""
