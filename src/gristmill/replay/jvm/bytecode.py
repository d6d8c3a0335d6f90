"""Instructions of methods: where they begin, which of them call or return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gristmill.replay.jvm.pool import BadClassFile, Pool

_RETURNS = range(0xAC, 0xB2)
_CALLS = range(0xB6, 0xBB)
_TABLESWITCH, _LOOKUPSWITCH, _WIDE, _IINC = 0xAA, 0xAB, 0xC4, 0x84
_CHECKCAST, _DUP, _DUP2 = 0xC0, 0x59, 0x5C
_LONG_STORES, _SHORT_STORES = range(0x36, 0x3B), range(0x3B, 0x4F)  # with the number of the variable, or without

# How many bytes follow an opcode, if any.
_OPERANDS = {
    **dict.fromkeys([0x10, 0x12, *range(0x15, 0x1A), *range(0x36, 0x3B), 0xA9, 0xBC], 1),
    **dict.fromkeys([0x11, 0x13, 0x14, _IINC, *range(0x99, 0xA9), *range(0xB2, 0xB9), 0xBB, 0xBD], 2),
    **dict.fromkeys([_CHECKCAST, 0xC1, 0xC6, 0xC7], 2),
    0xC5: 3,
    **dict.fromkeys([0xB9, 0xBA, 0xC8, 0xC9], 4),
}
_LAST_OPCODE = 0xC9


class Call(NamedTuple):
    """`after`: the instruction behind the call, or, if its result is put into a local variable, the one behind that."""

    offset: int
    owner: str  # the class, with dots
    name: str
    after: int


def instructions(code: bytes) -> Iterator[tuple[int, int, int]]:
    """Index, opcode, and the index of the next instruction."""
    at = 0
    while at < len(code):
        end = _end(code, at)
        if end > len(code):
            raise BadClassFile("an instruction goes beyond the end of its method")
        yield at, code[at], end
        at = end


def _end(code: bytes, at: int) -> int:
    opcode = code[at]
    if opcode > _LAST_OPCODE:
        raise BadClassFile(f"the unknown instruction {opcode:#x}")
    if opcode == _WIDE:
        return at + (6 if code[at + 1] == _IINC else 4)
    if opcode in (_TABLESWITCH, _LOOKUPSWITCH):
        operands = (at + 4) & ~3  # they begin at a multiple of four
        if opcode == _LOOKUPSWITCH:
            return operands + 8 + 8 * _number(code, operands + 4)
        low, high = _number(code, operands + 4), _number(code, operands + 8)
        return operands + 12 + 4 * (high - low + 1)
    return at + 1 + _OPERANDS.get(opcode, 0)


def _number(code: bytes, at: int) -> int:
    return int.from_bytes(code[at : at + 4], "big", signed=True)


def returns(code: bytes) -> list[int]:
    return [index for index, opcode, _ in instructions(code) if opcode in _RETURNS]


def calls(code: bytes, pool: Pool) -> list[Call]:
    found = []
    for index, opcode, end in instructions(code):
        if opcode in _CALLS:
            owner, name = pool.member(int.from_bytes(code[index + 1 : index + 3], "big"))
            found.append(Call(index, owner, name, _behind_store(code, end)))
    return found


def _behind_store(code: bytes, after: int) -> int:
    """A call's result is cast, perhaps kept on the stack as well, and put into a local: only then has it a name."""
    at = after
    for optional in ((_CHECKCAST,), (_DUP, _DUP2)):
        if at < len(code) and code[at] in optional:
            at = _end(code, at)
    if at < len(code) and (code[at] in _LONG_STORES or code[at] in _SHORT_STORES):
        return _end(code, at)
    if at + 1 < len(code) and code[at] == _WIDE and code[at + 1] in _LONG_STORES:
        return _end(code, at)
    return after
