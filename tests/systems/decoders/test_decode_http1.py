"""HTTP/1.1 as it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pieces import in_pieces

from gristmill.systems.decoders import DecodingError
from gristmill.systems.decoders.http1 import Body, End, Head, HttpReader, chunk

REQUESTS = (
    b"GET /a HTTP/1.1\r\nHost: x\r\nX-Server-From: 1f\r\n\r\n"
    b"POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
    b"POST /c HTTP/1.1\r\nContent-Length: 0\r\n\r\n"
    b"POST /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhel\r\n\r\n2\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n"
    b"GET /e HTTP/1.1\r\n\r\n"
)
ANSWERS = (
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    b"HTTP/1.1 204 No Content\r\n\r\n"
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
    b"HTTP/1.1 200 OK\r\n\r\nuntil the end"
)


def exchanges(reader, wire, sizes):
    """The first lines and the bodies, and that nothing of the wire is missing; a body that has no end is marked."""
    found, raw = [], b""
    for stretch in in_pieces(wire, sizes):
        for event in reader.feed(stretch):
            raw += event.raw
            if isinstance(event, Head):
                found.append([event.first[1], b"", "open"])
            elif isinstance(event, Body):
                found[-1][1] += event.data
            elif isinstance(event, End):
                found[-1][2] = "ended"
    assert raw == wire
    return [tuple(each) for each in found]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_requests_in_pieces_of_any_size(sizes):
    assert exchanges(HttpReader(responses=False), REQUESTS, sizes) == [
        ("/a", b"", "ended"),
        ("/b", b"hello", "ended"),
        ("/c", b"", "ended"),
        ("/d", b"hel\r\nlo", "ended"),
        ("/e", b"", "ended"),
    ]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_answers_in_pieces_of_any_size(sizes):
    assert exchanges(HttpReader(responses=True), ANSWERS, sizes) == [
        ("200", b"ok", "ended"),
        ("204", b"", "ended"),
        ("200", b"x", "ended"),
        ("200", b"until the end", "open"),
    ]


def test_headers_have_small_names():
    head = HttpReader(responses=False).feed(REQUESTS)[0]
    assert isinstance(head, Head)
    assert head.headers["x-server-from"] == "1f"


def test_what_is_no_http():
    for wire in (b"\x16\x03\x01" * 40_000, b"hello world\r\n\r\n"):
        with pytest.raises(DecodingError, match="no HTTP"):
            HttpReader(responses=False).feed(wire)
    with pytest.raises(DecodingError, match="no chunk"):
        HttpReader(responses=True).feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")


def test_a_chunk():
    assert chunk(b"x" * 17) == b"11\r\n" + b"x" * 17 + b"\r\n"
