"""Is there a fair behaviour that violates a property? Automata, product graphs, components; see `emptiness`."""
