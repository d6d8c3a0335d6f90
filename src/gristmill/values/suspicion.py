"""Whether this run has built a value with something in it that TLC refuses to sort or to keep in a state: an infinite
set, or a set whose elements cannot be compared with one another.

Hardly any specification does, and looking into every value for it is dear. The constructors raise the suspicion, and
only then does anybody look.
"""

from gristmill.values.names import NAMES


class _Suspicion:
    raised = False


def suspect() -> None:
    _Suspicion.raised = True


def suspected() -> bool:
    return _Suspicion.raised


def _forget() -> None:
    _Suspicion.raised = False


NAMES.on_reset(_forget)
