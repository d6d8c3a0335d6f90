"""What tests of decoders have in common: bytes that come in pieces of any size."""

from collections.abc import Callable, Iterable

from gristmill.systems.decoders import Piece


def in_pieces(data: bytes, sizes: Iterable[int]) -> list[bytes]:
    """The data cut into stretches of these sizes, over and over again."""
    sizes = list(sizes) or [len(data)]
    found, at, number = [], 0, 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        found.append(data[at : at + size])
        at, number = at + size, number + 1
    return found


def fed(feed: Callable[[bytes], list[Piece]], data: bytes, sizes: Iterable[int] = ()) -> list[Piece]:
    return [piece for stretch in in_pieces(data, sizes) for piece in feed(stretch)]


def records(pieces: Iterable[Piece]) -> list:
    return [piece.record for piece in pieces if piece.record is not None]
