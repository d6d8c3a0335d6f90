"""Chooses the engine of a run and composes it: reference, native, and the reference's head start while C compiles."""
