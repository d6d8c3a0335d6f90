"""What a decoder is: bytes of one connection in, messages out.

A decoder knows nothing of who asks. It cuts what each side of a connection sends into *pieces*, in order and with
nothing left out. Most pieces carry a message, decoded into a record: a dict whose "kind" says what it is. The rest are
handshakes, headers, signs of life.

Values of records are plain: bool, int, str, tuple, dict; None where there is nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from gristmill.systems.decoders.listening import Listening

Record: TypeAlias = Mapping[str, Any]

# As `from` or `to` of a record: whoever is not of the system; and the side that was dialed, if nothing has told by then
# how the protocol calls it.
CLIENT, ACCEPTOR = "client", "(acceptor)"


class DecodingError(Exception):
    """These bytes are none of the protocol's, or a record cannot be written in it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of what one side has sent.

    - `wire`: the bytes that carry it to the other side. They mean the same as those that came, but are not always the
      same: each piece can be passed on, left out or repeated by itself.
    - `record`: the message; None if it is none.
    - `apart`: it need not travel on this connection: `wire` is an exchange of its own, for which a new connection does,
      and `Decoder.accepted` understands the answer.
    - `receipt`: what the sender must be told if a message that is `apart` is taken away from this connection.
    - `encode`: other bytes for another record; None if this message cannot be changed.
    """

    wire: bytes
    record: Record | None = None
    apart: bool = False
    receipt: bytes = b""
    encode: Callable[[Record], bytes] | None = None


@dataclass(frozen=True, slots=True)
class Introduction:
    """How one side of a connection has called itself: its name in the protocol, and addresses at which it listens."""

    name: str
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """What is known of a connection besides its bytes: how it is called, which node was dialed, and at which port."""

    name: str = ""
    node: str = ""
    port: int | None = None


class Conversation(ABC):
    """One connection. The dialer is who has opened it. Raises `DecodingError`."""

    goes_on = False  # the other side may have messages, all of them apart, even if the dialer has gone
    dialer: Introduction | None = None  # as far as it has told by now
    acceptor: Introduction | None = None  # as the dialer calls the other side

    @abstractmethod
    def dialed(self, data: bytes) -> list[Piece]:
        """The dialer has sent this."""

    @abstractmethod
    def answered(self, data: bytes) -> list[Piece]:
        """The other side has sent this."""

    def closed(self) -> list[Piece]:
        """What that means, if it means something: messages that were not sent, but of which the end of the connection
        tells."""
        return []

    def handed_over(self) -> bytes | None:
        """All that is known of this connection, for native code that goes on with it (`listening.py`); None if that
        does not understand this state. Nothing is asked of this then, until it was taken back."""
        return None

    def taken_back(self, state: bytes) -> None:
        """Native code has come to something that it does not understand, or the connection has ended."""
        raise NotImplementedError  # of what is never handed over

    def heard_dialed(self, data: bytes) -> list[Record]:
        """The same as `dialed`, for those who only listen: the messages alone. That may be faster."""
        return [each.record for each in self.dialed(data) if each.record is not None]

    def heard_answered(self, data: bytes) -> list[Record]:
        return [each.record for each in self.answered(data) if each.record is not None]


class Decoder(ABC):
    """A protocol."""

    # Whether messages may get lost or overtake each other without breaking the protocol.
    lossy = False
    kinds: tuple[str, ...] = ()  # of messages, if all are known
    # Whether a node that dials tells where it can be dialed itself, and is dialed there: a tap has to change that.
    announces = False

    @abstractmethod
    def conversation(self, taking: bool = False) -> Conversation:
        """For a new connection. `taking`: messages that are apart will be taken away from it."""

    def conversation_on(self, link: Link, taking: bool = False) -> Conversation:
        """For a new connection of which more is known than that it is one."""
        return self.conversation(taking)

    def server_on(self, link: Link) -> str:
        """How the protocol calls the node that a link leads to, if that is known without any bytes; or nothing."""
        return link.node

    def listening(self) -> Listening | None:
        """How native code hears messages of this protocol; None if it does not."""
        return None

    def accepted(self, answer: bytes) -> bool | None:
        """Of a message that was delivered apart: whether this answer means yes; None if it is not complete."""
        raise NotImplementedError  # of a protocol that has pieces apart

    def parcel(self, record: Record, likes: Introduction | None) -> bytes:
        """A message of our own, as an exchange for a new connection. `likes`: who it pretends to be from."""
        raise DecodingError("messages cannot be made up in this protocol")
