"""Passes over the intermediate representation, one a file."""
