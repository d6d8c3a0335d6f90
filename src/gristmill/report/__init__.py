"""Telling what a search found: to a person (`terminal`, `progress`) and to programs (`json`, `dump`)."""
