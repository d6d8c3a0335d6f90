"""The interactive explorer: states and steps of a specification one by one, in a browser or in a terminal."""
