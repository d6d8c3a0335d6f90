"""The native engine: a specification as C, compiled for this model, run by the search core.

The code generator goes from the same intermediate representation as the reference evaluator to C; `layout` says how
states are cut into slots, `generate` writes the C text, `engine` compiles, links and runs it. What cannot be compiled,
and every error, goes to the reference evaluator.
"""
