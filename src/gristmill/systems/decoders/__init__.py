"""Protocols: the bytes of connections as messages. Nothing here knows what the messages are wanted for."""

from gristmill.systems.decoders.choosing import NAMES, decoder_called
from gristmill.systems.decoders.conversation import (
    ACCEPTOR,
    CLIENT,
    Conversation,
    Decoder,
    DecodingError,
    Introduction,
    Link,
    Piece,
    Record,
)
from gristmill.systems.decoders.fields import part, plain

__all__ = [
    "ACCEPTOR",
    "CLIENT",
    "NAMES",
    "Conversation",
    "Decoder",
    "DecodingError",
    "Introduction",
    "Link",
    "Piece",
    "Record",
    "decoder_called",
    "part",
    "plain",
]
