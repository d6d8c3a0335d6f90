"""Levels (constant, state, action, temporal): their algebra, and the checks SANY makes; see `specification`."""
