"""HPACK: the headers of HTTP/2, decoded (RFC 7541). Each direction of a connection has a table of its own."""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from gristmill.systems.decoders.conversation import DecodingError

# How long the code of each symbol is; the codes follow from that, as shorter ones come first, and of one length those
# of smaller symbols. "7x32": thirty-two symbols in a row. The last one, 256, ends a text, and is never in one.
_LENGTHS = (
    "13 23 28x7 24 30 28x2 30 28x8 30 28x9 6 10x2 12 13 6 8 11 10x2 8 11 8 6x3 5x3 6x7 7 8 15 6 12 10 13 6 7x22 8 7 8 "
    "13 19 13 14 6 15 5 6 5 6 5 6x3 5 7x2 6x3 5 6 7 6 5x2 6 7x5 15 11 14 13 28 20 22 20x2 22x3 23 22 23x5 24 23 24x2 "
    "22 23 24 23x4 21 22 23 22 23x2 24 22 21 20 22x2 23x2 21 23 22x2 24 21 22 23x2 21x2 22 21 23 22 23x2 20 22x3 23 "
    "22x2 23 26x2 20 19 22 23 22 25 26x3 27x2 26 24 25 19 21 26 27x2 26 27 24 21x2 26x2 28 27x3 20 24 20 21 22 21x2 "
    "23 22x2 25x2 24x2 26 23 26 27 26x2 27x5 28 27x5 26 30 "
)
_STATIC = (
    ":authority | :method=GET | :method=POST | :path=/ | :path=/index.html | :scheme=http | :scheme=https | "
    ":status=200 | :status=204 | :status=206 | :status=304 | :status=400 | :status=404 | :status=500 | "
    "accept-charset | accept-encoding=gzip, deflate | accept-language | accept-ranges | accept | "
    "access-control-allow-origin | age | allow | authorization | cache-control | content-disposition | "
    "content-encoding | content-language | content-length | content-location | content-range | content-type | "
    "cookie | date | etag | expect | expires | from | host | if-match | if-modified-since | if-none-match | "
    "if-range | if-unmodified-since | last-modified | link | location | max-forwards | proxy-authenticate | "
    "proxy-authorization | range | referer | refresh | retry-after | server | set-cookie | "
    "strict-transport-security | transfer-encoding | user-agent | vary | via | www-authenticate "
)
_OVERHEAD = 32  # that a header counts for in the table, besides its bytes
_LARGEST_TABLE = 1 << 16


def _codes() -> dict[tuple[int, int], int]:
    """(length, code) -> symbol"""
    lengths: list[int] = []
    for each in _LENGTHS.split():
        length, _, count = each.partition("x")
        lengths += [int(length)] * int(count or 1)
    found, code, before = {}, 0, 0
    for symbol in sorted(range(len(lengths)), key=lambda symbol: (lengths[symbol], symbol)):
        code <<= lengths[symbol] - before
        before = lengths[symbol]
        found[before, code] = symbol
        code += 1
    return found


_SYMBOLS = _codes()
CODE_LENGTHS = tuple(length for _, length in sorted((symbol, length) for (length, _), symbol in _SYMBOLS.items()))
_FIXED = tuple((name, value) for name, _, value in (each.strip().partition("=") for each in _STATIC.split("|")))
FIXED_HEADERS = _FIXED


@lru_cache(4096)
def huffman(data: bytes) -> str:
    """What was packed bit by bit. Bits of the last byte that are no symbol are all ones."""
    found, code, length = bytearray(), 0, 0
    for byte in data:
        for shift in range(7, -1, -1):
            code, length = code << 1 | byte >> shift & 1, length + 1
            symbol = _SYMBOLS.get((length, code))
            if symbol is not None:
                if symbol == 256:
                    raise DecodingError("a header of HTTP/2 has the symbol in it that ends texts")
                found.append(symbol)
                code = length = 0
            elif length > 30:
                raise DecodingError("a header of HTTP/2 has bits in it that are no code")
    return found.decode("latin-1")


class HeaderReader:
    def __init__(self) -> None:
        self.table: deque[tuple[str, str]] = deque()  # the newest one first
        self.size, self.limit = 0, 4096

    def put(self, table: deque[tuple[str, str]]) -> None:
        """What was read before, the newest one first."""
        self.table, self.size = table, sum(len(name) + len(value) + _OVERHEAD for name, value in table)

    def read(self, block: bytes) -> list[tuple[str, str]]:
        """The headers of a complete block. Every block must be read, in order."""
        found: list[tuple[str, str]] = []
        at = 0
        while at < len(block):
            byte = block[at]
            if byte & 0x80:
                index, at = _number(block, at, 7)
                found.append(self._entry(index))
            elif byte & 0xE0 == 0x20:
                self.limit, at = _number(block, at, 5)
                if self.limit > _LARGEST_TABLE:
                    raise DecodingError(f"a table of {self.limit} bytes for headers")
                self._shrink()
            else:
                header, at = self._literal(block, at, 6 if byte & 0x40 else 4)
                found.append(header)
                if byte & 0x40:
                    self._add(header)
        return found

    def _literal(self, block: bytes, at: int, bits: int) -> tuple[tuple[str, str], int]:
        index, at = _number(block, at, bits)
        if index:
            name = self._entry(index)[0]
        else:
            name, at = _text(block, at)
        value, at = _text(block, at)
        return (name, value), at

    def _entry(self, index: int) -> tuple[str, str]:
        if 0 < index <= len(_FIXED):
            return _FIXED[index - 1]
        if not 0 <= index - len(_FIXED) - 1 < len(self.table):
            raise DecodingError("a header that is not in the table: the beginning of this connection is missing")
        return self.table[index - len(_FIXED) - 1]

    def _add(self, header: tuple[str, str]) -> None:
        self.table.appendleft(header)
        self.size += len(header[0]) + len(header[1]) + _OVERHEAD
        self._shrink()

    def _shrink(self) -> None:
        while self.size > self.limit and self.table:
            name, value = self.table.pop()
            self.size -= len(name) + len(value) + _OVERHEAD


def _number(block: bytes, at: int, bits: int) -> tuple[int, int]:
    most = (1 << bits) - 1
    value, at = block[at] & most, at + 1
    if value < most:
        return value, at
    shift = 0
    while at < len(block) and shift < 32:
        byte = block[at]
        at += 1
        value += (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
    raise DecodingError("a number in a header of HTTP/2 does not end")


def _text(block: bytes, at: int) -> tuple[str, int]:
    if at >= len(block):
        raise DecodingError("a header of HTTP/2 is broken off")
    packed = block[at] & 0x80
    length, at = _number(block, at, 7)
    data = block[at : at + length]
    if len(data) < length:
        raise DecodingError("a header of HTTP/2 is broken off")
    return (huffman(data) if packed else data.decode("latin-1")), at + length
