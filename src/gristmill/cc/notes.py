"""Small notes beside compiled code, by what they are about: what one run has learnt, for the next one.

They are kept as compiled code is (`cache`): in a folder of the user's alone, put there whole by one rename, and thrown
away if the contents do not fit the name. So a note is one that somebody wrote, or there is none.
"""

from __future__ import annotations

from contextlib import suppress

from gristmill.cc import cache
from gristmill.cc.errors import CacheError
from gristmill.cc.sources import key_of

_SUFFIX = ".note"


def recall(*about: str) -> bytes | None:
    """The last note about it, if there is one."""
    try:
        directory = cache.cache_directory()
        path = cache.find(directory, key_of("note", *about), _SUFFIX)
        return None if path is None else path.read_bytes()
    except (OSError, CacheError):
        return None


def remember(data: bytes, *about: str) -> None:
    """Write a note, in place of one about the same. Where that is not possible, there will be none."""
    with suppress(OSError, CacheError):
        directory, key = cache.cache_directory(), key_of("note", *about)
        with cache.workshop(directory) as work:
            made = work / "note"
            made.write_bytes(data)
            cache.keep(directory, key, _SUFFIX, made, alone=True)
