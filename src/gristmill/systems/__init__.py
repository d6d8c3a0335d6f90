"""What `replay` and `watch` share: protocols (`decoders`), the specification and the formulas of a mapping."""
