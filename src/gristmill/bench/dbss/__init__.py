"""The protocols of the table of Saissi et al. on decomposition-based stateful search, and the table itself."""
