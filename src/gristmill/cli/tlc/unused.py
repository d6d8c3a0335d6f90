"""Options of TLC for which there is nothing to choose here: they are accepted, with a line that says why."""

from __future__ import annotations

from collections.abc import Callable

_EXACT = "states are compared as they are, not by fingerprints"


def _anything(option: str, value: str) -> None:
    """TLC would check the value; what is not used can do no harm."""


# Option -> what reads its value, if it has one, and why it changes nothing.
UNUSED: dict[str, tuple[Callable[[str, str], None] | None, str]] = {
    "-fp": (_anything, _EXACT),
    "-fpbits": (_anything, _EXACT),
    "-fpmem": (_anything, _EXACT),
    "-maxSetSize": (_anything, "a set that is too large to enumerate is an error with its place"),
    "-gzip": (None, "checkpoints have a format of their own"),
    "-cleanup": (None, "no folder `states` is written that would have to be cleaned up"),
    "-view": (None, "states are printed whole"),
    "-terse": (None, "values are printed in full"),
    "-debug": (None, "GRISTMILL_DEBUG=1 in the environment prints the stack of an internal error"),
}
