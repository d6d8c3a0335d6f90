"""Whether a coarse grain is a fair stand-in for a fine one, at several strengths."""
