"""The reference evaluator as something to search: a specification as a `search.Model`."""
