"""Is a declared SYMMETRY one? Proved from the specification, or by comparing states; see `verify`."""
