"""Why something is left to the reference evaluator."""


class Unsupported(Exception):
    """This expression has no native form; the text says which kind."""
