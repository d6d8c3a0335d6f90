"""`python -m gristmill.cli`, where no script is installed."""

from gristmill.cli.main import entry

entry()
