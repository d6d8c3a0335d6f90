"""Multi-grained specifications: a system of modules, each written at several grains, composed and verified."""
