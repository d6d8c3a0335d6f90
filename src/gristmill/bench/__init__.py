"""Measurements that the documentation reports, each a module to be run."""
