"""TLS: nothing can be read, but it can be recognised."""

from __future__ import annotations

_HANDSHAKE, _CLIENT_HELLO = 22, 1
_HEAD = 9  # of a record and of the message in it


def is_hello(data: bytes) -> bool:
    """Whether these first bytes of a dialer begin a TLS handshake: a record 3.x that holds a ClientHello."""
    if len(data) < _HEAD or data[0] != _HANDSHAKE or data[1] != 3 or data[2] > 4 or data[5] != _CLIENT_HELLO:
        return False
    record, message = int.from_bytes(data[3:5], "big"), int.from_bytes(data[6:9], "big")
    return 4 <= record <= 1 << 14 and message + 4 >= record
