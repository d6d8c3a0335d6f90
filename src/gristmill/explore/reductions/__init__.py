"""Sound reductions of the search, each independent of the others."""
