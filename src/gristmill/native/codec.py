"""Values as bytes and back, for the native code: the format of runtime/values/codec.c.

One byte for the kind, then numbers as varints (integers zigzag), then the parts; the elements of sets and the arguments
of functions in canonical order. Names are their positions in the `World` of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gristmill.native.errors import NoNativeFormError
from gristmill.values import (
    FALSE,
    INT,
    NAT,
    STRING,
    TRUE,
    BigUnion,
    Boolean,
    CrossProduct,
    EvaluationError,
    Fn,
    FunctionSet,
    Interval,
    ModelValue,
    PowerSet,
    RecordSet,
    SequenceSet,
    Value,
    current,
    ordered,
)
from gristmill.values.lazy import LazyDifference, LazyIntersection, LazyUnion, NumberSet, StringSet
from gristmill.values.order import remember_order

LARGEST = (1 << 60) - 1  # of integers in native code

(
    _FALSE,
    _TRUE,
    _INTEGER,
    _STRING,
    _MODEL_VALUE,
    _SET,
    _SEQUENCE,
    _FUNCTION,
    _INTERVAL,
    _SUBSETS,
    _FUNCTIONS,
    _RECORDS,
    _PRODUCT,
    _SEQUENCES,
    _UNION,
    _NAT,
    _INT,
    _STRINGS,
    _INTERSECTION,
    _DIFFERENCE,
    _BIG_UNION,
    _TYPED_MODEL_VALUE,
    _WIDE_INTEGER,
) = range(23)


# --- writing ---------------------------------------------------------------------------------------------------------


def encode(value: Value) -> bytes:
    out = bytearray()
    _put(out, value)
    return bytes(out)


def encode_all(values: Sequence[Value]) -> bytes:
    """How many there are, then each: the arguments of a call."""
    out = bytearray()
    _put_varint(out, len(values))
    _put_each(out, values)
    return bytes(out)


def _put(out: bytearray, value: Value) -> None:
    put = _PUT.get(type(value))
    if put is None:
        raise NoNativeFormError(f"no native form: {value!r}")
    put(out, value)


def _put_varint(out: bytearray, number: int) -> None:
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def _put_zigzag(out: bytearray, number: int) -> None:
    if not -LARGEST - 1 <= number <= LARGEST:
        raise NoNativeFormError(f"{number} is beyond 61 bits")
    _put_varint(out, number << 1 if number >= 0 else ~(number << 1))


def _put_each(out: bytearray, values: Iterable[Value]) -> None:
    for value in values:
        _put(out, value)


def _put_integer(out: bytearray, value: int) -> None:
    out.append(_INTEGER)
    _put_zigzag(out, value)


def _put_boolean(out: bytearray, value: Boolean) -> None:
    out.append(_TRUE if value.truth else _FALSE)


def _put_string(out: bytearray, value: str) -> None:
    out.append(_STRING)
    _put_varint(out, current().positions[value])


def _put_model_value(out: bytearray, value: ModelValue) -> None:
    out.append(_MODEL_VALUE if value.type is None else _TYPED_MODEL_VALUE)
    _put_varint(out, current().positions[value.name])
    if value.type is not None:
        _put_varint(out, ord(value.type))


def _put_set(out: bytearray, value: frozenset[Value]) -> None:
    try:
        elements = ordered(value)
    except EvaluationError as error:
        raise NoNativeFormError("a set of elements that cannot be compared") from error
    out.append(_SET)
    _put_varint(out, len(elements))
    _put_each(out, elements)


def _put_sequence(out: bytearray, value: tuple[Value, ...]) -> None:
    out.append(_SEQUENCE)
    _put_varint(out, len(value))
    _put_each(out, value)


def _put_function(out: bytearray, value: Fn) -> None:
    out.append(_FUNCTION)
    _put_varint(out, len(value))
    _put_each(out, value)
    _put_each(out, value.values())


def _put_interval(out: bytearray, value: Interval) -> None:
    out.append(_INTERVAL)
    _put_zigzag(out, value.lo)
    _put_zigzag(out, value.hi)


def _put_records(out: bytearray, value: RecordSet) -> None:
    out.append(_RECORDS)
    _put_varint(out, len(value.fields))
    for name, _ in value.fields:
        _put_varint(out, current().positions[name])
    _put_each(out, (values for _, values in value.fields))


def _put_product(out: bytearray, value: CrossProduct) -> None:
    out.append(_PRODUCT)
    _put_varint(out, len(value.factors))
    _put_each(out, value.factors)


def _put_named(out: bytearray, value: NumberSet | StringSet) -> None:
    code = {NAT: _NAT, INT: _INT, STRING: _STRINGS}.get(value)
    if code is None:
        raise NoNativeFormError(f"no native form: {value!r}")
    out.append(code)


def _with_parts(code: int) -> Callable[[bytearray, Any], None]:
    def put(out: bytearray, value: Any) -> None:
        out.append(code)
        _put_each(out, (getattr(value, part) for part in value.parts))

    return put


_PUT: dict[type, Callable[[bytearray, Any], None]] = {
    int: _put_integer,
    Boolean: _put_boolean,
    str: _put_string,
    ModelValue: _put_model_value,
    frozenset: _put_set,
    tuple: _put_sequence,
    Fn: _put_function,
    Interval: _put_interval,
    RecordSet: _put_records,
    CrossProduct: _put_product,
    NumberSet: _put_named,
    StringSet: _put_named,
    PowerSet: _with_parts(_SUBSETS),
    FunctionSet: _with_parts(_FUNCTIONS),
    SequenceSet: _with_parts(_SEQUENCES),
    LazyUnion: _with_parts(_UNION),
    LazyIntersection: _with_parts(_INTERSECTION),
    LazyDifference: _with_parts(_DIFFERENCE),
    BigUnion: _with_parts(_BIG_UNION),
}

# --- reading ---------------------------------------------------------------------------------------------------------


def decode(data: bytes) -> Value:
    return _Reader(data).value()


def decode_all(data: bytes) -> list[Value]:
    """What `encode_all` wrote."""
    reader = _Reader(data)
    return reader.values(reader.varint())


def decode_call(data: bytes) -> tuple[int, list[Value]]:
    """A number, then what `encode_all` wrote."""
    reader = _Reader(data)
    return reader.varint(), reader.values(reader.varint())


class _Reader:
    __slots__ = ("at", "data", "world")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.world = current()

    def varint(self) -> int:
        data, at = self.data, self.at
        result = shift = 0
        while (byte := data[at]) >= 128:
            result |= (byte & 127) << shift
            shift += 7
            at += 1
        self.at = at + 1
        return result | byte << shift

    def integer(self) -> int:
        number = self.varint()
        return number >> 1 if not number & 1 else ~(number >> 1)

    def name(self) -> str:
        return self.world.name_at(self.varint())

    def values(self, count: int) -> list[Value]:
        return [self.value() for _ in range(count)]

    def value(self) -> Value:
        code = self.data[self.at]
        self.at += 1
        return _GET[code](self)


def _get_wide(reader: _Reader) -> Value:
    start, reader.at = reader.at, reader.at + 8
    return int.from_bytes(reader.data[start : reader.at], "little", signed=True)


def _get_set(reader: _Reader) -> Value:
    elements = tuple(reader.values(reader.varint()))
    result = frozenset(elements)
    if len(elements) > 1:
        remember_order(result, elements)
    return result


def _get_function(reader: _Reader) -> Value:
    count = reader.varint()
    arguments = reader.values(count)
    return Fn(zip(arguments, reader.values(count), strict=True))


def _get_typed_model_value(reader: _Reader) -> Value:
    value = ModelValue(reader.name())
    reader.varint()  # its type, which its name tells
    return value


def _get_records(reader: _Reader) -> Value:
    names = [reader.name() for _ in range(reader.varint())]
    return RecordSet(tuple(zip(names, reader.values(len(names)), strict=True)))


_GET: list[Callable[[_Reader], Value]] = [
    lambda reader: FALSE,
    lambda reader: TRUE,
    _Reader.integer,
    _Reader.name,
    lambda reader: ModelValue(reader.name()),
    _get_set,
    lambda reader: tuple(reader.values(reader.varint())),
    _get_function,
    lambda reader: Interval(reader.integer(), reader.integer()),
    lambda reader: PowerSet(reader.value()),
    lambda reader: FunctionSet(reader.value(), reader.value()),
    _get_records,
    lambda reader: CrossProduct(tuple(reader.values(reader.varint()))),
    lambda reader: SequenceSet(reader.value()),
    lambda reader: LazyUnion(reader.value(), reader.value()),
    lambda reader: NAT,
    lambda reader: INT,
    lambda reader: STRING,
    lambda reader: LazyIntersection(reader.value(), reader.value()),
    lambda reader: LazyDifference(reader.value(), reader.value()),
    lambda reader: BigUnion(reader.value()),
    _get_typed_model_value,
    _get_wide,
]


# --- several values, one behind the other ----------------------------------------------------------------------------


def encode_several(values: Sequence[Value]) -> bytes:
    out = bytearray()
    _put_each(out, values)
    return bytes(out)


def decode_several(data: bytes, count: int) -> list[Value]:
    return _Reader(data).values(count)


# --- many values that are alike --------------------------------------------------------------------------------------

_MOST_KNOWN = 4_096


class Encoder:
    """As `encode`, faster where records with the same fields come again and again. For one world, which is active."""

    def __init__(self) -> None:
        self._names: dict[str, bytes] = {}
        self._domains: dict[tuple[Value, ...], bytes] = {}  # what functions begin with

    def encode(self, value: Value) -> bytes:
        parts: list[bytes] = []
        self._add(parts, value)
        return b"".join(parts)

    def _add(self, parts: list[bytes], value: Value) -> None:
        if type(value) is int:
            if not -LARGEST - 1 <= value <= LARGEST:
                raise NoNativeFormError(f"{value} is beyond 61 bits")
            parts.append(_WIDE + value.to_bytes(8, "little", signed=True))
        elif type(value) is str:
            parts.append(self._names.get(value) or self._name(value))
        elif type(value) is Fn:
            arguments = tuple(value)
            parts.append(self._domains.get(arguments) or self._domain(arguments))
            self._add_all(parts, value.values())
        elif type(value) is tuple:
            parts.append(_head(_SEQUENCE, len(value)))
            self._add_all(parts, value)
        else:
            parts.append(encode(value))

    def _add_all(self, parts: list[bytes], values: Iterable[Value]) -> None:
        names = self._names
        for value in values:
            if type(value) is int and 0 <= value <= LARGEST:
                parts.append(_WIDE + value.to_bytes(8, "little"))
            elif type(value) is str and value in names:
                parts.append(names[value])
            else:
                self._add(parts, value)

    def _name(self, name: str) -> bytes:
        if len(self._names) >= _MOST_KNOWN:
            self._names.clear()
        found = self._names[name] = encode(name)
        return found

    def _domain(self, arguments: tuple[Value, ...]) -> bytes:
        if len(self._domains) >= _MOST_KNOWN:
            self._domains.clear()
        found = self._domains[arguments] = _head(_FUNCTION, len(arguments)) + encode_several(arguments)
        return found


_WIDE = bytes((_WIDE_INTEGER,))


def _head(code: int, count: int) -> bytes:
    out = bytearray((code,))
    _put_varint(out, count)
    return bytes(out)
