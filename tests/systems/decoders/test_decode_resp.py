"""RESP, the protocol of Redis."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pieces import fed, records

from gristmill.systems.decoders import DecodingError
from gristmill.systems.decoders.resp import Resp

COMMANDS = b"*3\r\n$3\r\nset\r\n$1\r\nx\r\n$4\r\na\r\nb\r\n*1\r\n$4\r\nPING\r\nINFO raft\r\n"
ANSWERS = b"+OK\r\n-ERR no\r\n*4\r\n:-7\r\n$-1\r\n*1\r\n$2\r\nxy\r\n-MOVED\r\n"


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_commands_and_their_answers(sizes):
    conversation = Resp().conversation()
    commands = fed(conversation.dialed, COMMANDS, sizes)
    assert records(commands) == [
        {"kind": "SET", "words": ("set", "x", "a\r\nb")},
        {"kind": "PING", "words": ("PING",)},
        {"kind": "INFO", "words": ("INFO", "raft")},
    ]
    answers = fed(conversation.answered, ANSWERS, sizes)
    assert records(answers) == [
        {"kind": "reply", "to": "SET", "value": "OK"},
        {"kind": "reply", "to": "PING", "error": "ERR no"},
        {"kind": "reply", "to": "INFO", "value": (-7, None, ("xy",), "MOVED")},
    ]
    assert b"".join(each.wire for each in commands) == COMMANDS
    assert b"".join(each.wire for each in answers) == ANSWERS


def test_a_command_can_be_changed():
    (piece, *_) = fed(Resp().conversation().dialed, COMMANDS)
    changed = piece.encode({**piece.record, "words": ("GET", "äx")})
    assert changed == b"*2\r\n$3\r\nGET\r\n$3\r\n\xc3\xa4x\r\n"


def test_what_is_no_resp():
    with pytest.raises(DecodingError, match="a number was expected"):
        Resp().conversation().dialed(b"*x\r\n")
