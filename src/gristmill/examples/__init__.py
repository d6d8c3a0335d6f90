"""The designs of the book "Correct by Design with TLA+", complete and checked, installed with the package."""
