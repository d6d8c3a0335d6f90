"""`gristmill watch`: a running system judged by its messages alone, by monitors derived from its TLA+ specification."""
