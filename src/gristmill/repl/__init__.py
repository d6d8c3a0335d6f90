"""Expressions evaluated outside of a run: by `gristmill eval`, and one after the other by `gristmill repl`."""
