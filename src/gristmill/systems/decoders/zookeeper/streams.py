"""What one side of a connection of ZooKeeper sends, cut into messages: the three ports have this in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from gristmill.systems.decoders.conversation import DecodingError, Piece, Record
from gristmill.systems.decoders.jute import JuteReader, MissingError


class Stream(ABC):
    """Takes complete messages off what has come. Errors say at which byte of the stream."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.taken = 0  # bytes that were cut off before

    def feed(self, data: bytes) -> Iterator[Piece]:
        self.buffer += data
        while self.buffer:
            reader = JuteReader(self.buffer)
            try:
                piece = self.next(reader)
            except MissingError:
                return
            except DecodingError as error:
                raise DecodingError(f"at byte {self.taken + reader.at} of {self.name()}: {error}") from None
            del self.buffer[: reader.at]
            self.taken += reader.at
            yield piece

    def heard(self, data: bytes) -> Iterable[Record]:
        """The same as `feed`, for those who only listen: the messages alone. That may be faster."""
        return [each.record for each in self.feed(data) if each.record is not None]

    @abstractmethod
    def next(self, reader: JuteReader) -> Piece:
        """The message that begins here; the reader stands behind it then. Raises `MissingError`, `DecodingError`."""

    @abstractmethod
    def name(self) -> str:
        """Of what this is a stream, for errors."""

    def wire(self, reader: JuteReader) -> bytes:
        return bytes(self.buffer[: reader.at])
