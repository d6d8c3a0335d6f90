"""Proposing modules for an ordinary specification."""
