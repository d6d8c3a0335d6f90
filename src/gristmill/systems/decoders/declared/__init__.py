"""Protocols whose messages are declared in the mapping, in the language that their programmers declare them in."""

from gristmill.systems.decoders.declared.jute import Jute
from gristmill.systems.decoders.declared.protobuf import Protobuf

__all__ = ["Jute", "Protobuf"]
