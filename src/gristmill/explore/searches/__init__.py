"""The searches over the naive model, one a file."""
