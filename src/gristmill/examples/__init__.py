"""The designs of the book "Correct by Design with TLA+", complete and checked, for whoever installs this."""
