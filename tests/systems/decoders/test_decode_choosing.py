"""Decoders by name, and of users."""

import pytest

from gristmill.systems.decoders import DecodingError, decoder_called
from gristmill.systems.decoders.framing import LengthPrefixed

OWN = '''
from gristmill.systems.decoders import Conversation, Decoder, Piece

class Bytes(Decoder):
    """Every byte is a message."""
    def __init__(self, shift: int = 0):
        self.shift = shift
    def conversation(self, taking=False):
        return Talk(self.shift)

class Talk(Conversation):
    def __init__(self, shift):
        self.shift = shift
    def dialed(self, data):
        return [Piece(bytes([each]), {"kind": "byte", "value": each + self.shift}) for each in data]
    answered = dialed

class Other: ...
'''


def test_by_name(tmp_path):
    decoder = decoder_called("length-prefixed", {"length": "u16be"}, tmp_path)
    assert isinstance(decoder, LengthPrefixed)
    assert decoder.size == 2


def test_one_of_a_user(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    decoder = decoder_called("mine.py:Bytes", {"shift": 1}, tmp_path)
    assert [piece.record["value"] for piece in decoder.conversation().dialed(b"\x01\x02")] == [2, 3]


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("json-line", {}, "one of etcd, json-lines"),
        ("nothing.py:Bytes", {}, "there is no decoder"),
        ("mine.py:Nothing", {}, "there is no Nothing"),
        ("mine.py:Other", {}, "is no gristmill"),
        ("bad.py:Any", {}, "cannot be loaded: NameError"),
        ("json-lines", {"size": 3}, "these options"),
        ("length-prefixed", {"length": "u7"}, "u32be"),
    ],
)
def test_mistakes(tmp_path, name, options, says):
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "bad.py").write_text("oops")
    with pytest.raises(DecodingError, match=says):
        decoder_called(name, options, tmp_path)
