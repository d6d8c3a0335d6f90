"""Headers of HTTP/2, by the examples of RFC 7541 (appendix C)."""

import pytest

from gristmill.systems.decoders import DecodingError
from gristmill.systems.decoders.hpack import HeaderReader, huffman

REQUESTS = (  # C.4: three on one connection, packed
    ("828684418cf1e3c2e5f23a6ba0ab90f4ff", []),
    ("828684be5886a8eb10649cbf", [("cache-control", "no-cache")]),
    ("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf", [("custom-key", "custom-value")]),
)
RESPONSES = (  # C.6: with a table of 256 bytes, from which older headers fall out
    "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3",
    "4883640effc1c0bf",
    "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab"
    "270fb5291f9587316065c003ed4ee5b1063d5007",
)


def test_requests() -> None:
    reader = HeaderReader()
    for packed, more in REQUESTS:
        found = reader.read(bytes.fromhex(packed))
        assert found[0] == (":method", "GET")
        assert (":authority", "www.example.com") in found
        assert found[4:] == more
    assert len(reader.table) == 3


def test_older_headers_fall_out() -> None:
    reader = HeaderReader()
    reader.limit = 256
    first, second, third = (dict(reader.read(bytes.fromhex(each))) for each in RESPONSES)
    assert (first[":status"], second[":status"], third[":status"]) == ("302", "307", "200")
    assert third["content-encoding"] == "gzip"
    assert third["set-cookie"] == "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
    assert reader.size == 215


def test_headers_that_are_none() -> None:
    with pytest.raises(DecodingError, match="beginning of this connection is missing"):
        HeaderReader().read(b"\xff\x00")
    with pytest.raises(DecodingError, match="broken off"):
        HeaderReader().read(b"\x40\x05ab")
    with pytest.raises(DecodingError, match="ends texts"):
        huffman(b"\xff\xff\xff\xff")
