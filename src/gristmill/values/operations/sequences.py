"""The operators of the module Sequences. As in TLC, some of them take strings, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from gristmill.values.atoms import Value
from gristmill.values.errors import EvaluationError
from gristmill.values.kinds import kind
from gristmill.values.operations.construct import part
from gristmill.values.world import current


def length(sequence: Value) -> int:
    if type(sequence) is not tuple and type(sequence) is not str:
        _not_a_sequence(sequence, "Len")
    return len(sequence)


def concat(left: Value, right: Value) -> Value:
    """`left \\o right`."""
    if type(left) is tuple and type(right) is tuple:
        return left + right
    if type(left) is str and type(right) is str:
        return _new_string(left + right)
    _not_a_sequence(left if type(left) not in (tuple, str) else right, "\\o")


def append(sequence: Value, value: Value) -> tuple[Value, ...]:
    if type(sequence) is not tuple:
        _not_a_sequence(sequence, "Append")
    return (*sequence, part(value))


def head(sequence: Value) -> Value:
    if type(sequence) is not tuple:
        _not_a_sequence(sequence, "Head")
    if not sequence:
        _empty("Head")
    return sequence[0]


def tail(sequence: Value) -> Value:
    if type(sequence) is not tuple and type(sequence) is not str:
        _not_a_sequence(sequence, "Tail")
    if not sequence:
        _empty("Tail")
    return _of_string(sequence[1:])


def subseq(sequence: Value, first: Value, last: Value) -> Value:
    """`SubSeq(sequence, first, last)`: empty when `last < first`, otherwise both must be indices."""
    if type(sequence) is not tuple and type(sequence) is not str:
        _not_a_sequence(sequence, "SubSeq")
    if type(first) is not int:
        _not_an_index("second", first)
    if type(last) is not int:
        _not_an_index("third", last)
    if last < first:
        return _of_string(sequence[:0])
    for which, index in (("second", first), ("third", last)):
        if not 0 < index <= len(sequence):
            raise EvaluationError(
                "not-in-domain",
                f"the {which} argument of SubSeq is {{index}}, no index of {{sequence}}",
                index=index,
                sequence=sequence,
            )
    return _of_string(sequence[first - 1 : last])


def _not_an_index(which: str, index: Value) -> NoReturn:
    raise EvaluationError("not-an-integer", f"the {which} argument of SubSeq is {kind(index)}: {{index}}", index=index)


def select_seq(sequence: Value, test: Callable[[Value], bool]) -> tuple[Value, ...]:
    if type(sequence) is not tuple:
        _not_a_sequence(sequence, "SelectSeq")
    return tuple(filter(test, sequence))


def _of_string(result: Value) -> Value:
    return _new_string(result) if type(result) is str else result


def _new_string(text: str) -> str:
    """A string that no text of the specification holds appears now, which fixes its place in the order."""
    current().register(text)
    return text


def _not_a_sequence(value: Value, operation: str) -> NoReturn:
    raise EvaluationError("not-a-sequence", f"{operation} needs a sequence, not {kind(value)}: {{value}}", value=value)


def _empty(operation: str) -> NoReturn:
    raise EvaluationError("empty-sequence", f"{operation} of the empty sequence")
