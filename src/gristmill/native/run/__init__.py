"""Compiled models: built, loaded, searched, checkpointed; `engine` is where to begin reading."""
