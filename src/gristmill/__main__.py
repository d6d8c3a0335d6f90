"""`python -m gristmill`, where the command itself is not on the path."""

from gristmill.cli.main import entry

entry()
