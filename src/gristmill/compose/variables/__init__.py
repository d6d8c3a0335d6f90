"""What modules read and write, at the grain of slots: dependency, interaction and internal variables."""
