"""What `compose` has found out, for people (terminal, SVG, HTML) and tools (JSON)."""
