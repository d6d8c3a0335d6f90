"""The intermediate representation: specifications with every name resolved, every INSTANCE substituted."""
