"""Packets, byte by byte."""

import pytest

from gristmill.replay.jvm.protocol import INVALID_OBJECT, THREAD_RESUME
from gristmill.replay.jvm.wire import Command, JdwpError, Location, Packer, Ref, Reply, Sizes, Value, packet

EIGHT = Sizes()
SMALL = Sizes(field=4, method=4, object=4, type=4, frame=4)


def test_a_command_has_a_header_of_eleven_bytes() -> None:
    sent = packet(7, Command(THREAD_RESUME, b"\0\0\0\0\0\0\0\x2a"))
    assert sent == b"\0\0\0\x13" + b"\0\0\0\x07" + b"\0" + b"\x0b\x03" + b"\0\0\0\0\0\0\0\x2a"


@pytest.mark.parametrize(
    ("tag", "value", "data"),
    [
        ("Z", True, b"\1"),
        ("B", -2, b"\xfe"),
        ("C", "é", b"\0\xe9"),
        ("S", -3, b"\xff\xfd"),
        ("I", 70_000, b"\0\1\x11\x70"),
        ("J", -1, b"\xff" * 8),
        ("F", 1.5, b"\x3f\xc0\0\0"),
        ("D", -2.0, b"\xc0" + b"\0" * 7),
        ("L", Ref("L", 5), b"\0" * 7 + b"\5"),
        ("s", Ref("s", 6), b"\0" * 7 + b"\6"),
        ("[", None, b"\0" * 8),
    ],
)
def test_values_are_written_and_read(tag: str, value: Value, data: bytes) -> None:
    assert Packer(EIGHT).value(tag, value) == tag.encode() + data
    assert Reply(tag.encode() + data, EIGHT).value() == value


@pytest.mark.parametrize(
    ("tag", "value"),
    [("I", True), ("Z", 1), ("B", 200), ("I", "text"), ("I", None), ("J", Ref("L", 1)), ("L", 3), ("C", 1.5)],
)
def test_what_is_no_value_of_a_type_is_refused(tag: str, value: Value) -> None:
    with pytest.raises(ValueError, match=r"no value of the type|no object"):
        Packer(EIGHT).value(tag, value)


def test_ids_have_the_sizes_that_the_machine_says() -> None:
    place = Location(1, 2, 3, 4)
    for sizes, length in ((EIGHT, 1 + 8 + 8 + 8), (SMALL, 1 + 4 + 4 + 8)):
        data = Packer(sizes).location(place)
        assert len(data) == length
        assert Reply(data, sizes).location() == place


def test_arrays_have_one_tag_for_numbers_and_one_each_for_objects() -> None:
    assert Reply(b"S\0\0\0\2\0\1\xff\xff", EIGHT).array() == [1, -1]
    objects = b"L\0\0\0\3" + b"s\0\0\0\1" + b"L\0\0\0\0" + b"t\0\0\0\2"
    assert Reply(objects, SMALL).array() == [Ref("s", 1), None, Ref("t", 2)]


def test_texts_are_utf_8() -> None:
    data = Packer(EIGHT).text("naïve ✓")
    assert data == b"\0\0\0\x0a" + "naïve ✓".encode()
    assert Reply(data, EIGHT).text() == "naïve ✓"


def test_an_error_says_what_it_means() -> None:
    with pytest.raises(JdwpError, match="the object has been collected"):
        Reply(b"", EIGHT, INVALID_OBJECT).checked()
    with pytest.raises(JdwpError, match="error 9999 of the debug protocol"):
        Reply(b"", EIGHT, 9999).checked()
