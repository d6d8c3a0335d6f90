"""Making values of parts, in normal form. Everything that is not a constant goes through here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from gristmill.values.atoms import Value
from gristmill.values.function import Fn
from gristmill.values.lazy import LAZY_TYPES, Interval, RecordSet
from gristmill.values.operations.sets import check_set, enumerate_set, has_comparable_elements, normalize
from gristmill.values.order import sort_key
from gristmill.values.world import current, suspect


def part(value: Value) -> Value:
    """A value as it stands inside another: in normal form."""
    if type(value) not in LAZY_TYPES:
        return value
    value = normalize(value)
    if type(value) in LAZY_TYPES:
        suspect()
    return value


def make_set(items: Iterable[Value]) -> frozenset[Value]:
    """`{a, b, …}`. As in TLC, elements that cannot be compared are an error only when they are compared."""
    result = frozenset(map(part, items))
    if len(result) > 1 and not has_comparable_elements(result):
        suspect()
    return result


def make_tuple(items: Iterable[Value]) -> tuple[Value, ...]:
    """`<<a, b, …>>`."""
    return tuple(map(part, items))


def make_record(fields: Mapping[str, Value]) -> Value:
    """`[a |-> 1, b |-> 2]`."""
    if not fields:
        return ()
    return Fn((name, part(fields[name])) for name in sorted(fields, key=current().positions.__getitem__))


def make_function(pairs: Iterable[tuple[Value, Value]]) -> Value:
    """The function with these arguments and values; of two values for one argument, the last.

    An error if the arguments cannot be compared with one another.
    """
    table = {part(key): part(value) for key, value in pairs}
    if _is_sequence_domain(table):
        return tuple(table[index] for index in range(1, len(table) + 1))
    check_set(frozenset(table))
    keys = list(map(sort_key, table))
    if all(a < b for a, b in pairwise(keys)):
        return Fn(table)
    return Fn(sorted(table.items(), key=lambda item: sort_key(item[0])))


def _is_sequence_domain(table: dict[Value, Value]) -> bool:
    return all(type(key) is int and 0 < key <= len(table) for key in table)


def tabulate(domain: Value, body: Callable[[Value], Value]) -> Value:
    """`[x \\in domain |-> body(x)]`."""
    if type(domain) is Interval and domain.lo == 1:
        return tuple(part(body(index)) for index in range(1, domain.hi + 1))
    arguments = tuple(enumerate_set(domain))
    values = [part(body(argument)) for argument in arguments]
    if _is_one_to_n(arguments):
        return tuple(values)
    return Fn(zip(map(part, arguments), values, strict=True))


def _is_one_to_n(arguments: tuple[Value, ...]) -> bool:
    """In canonical order, the last argument tells."""
    return not arguments or (type(arguments[0]) is int and arguments[0] == 1 and arguments[-1] == len(arguments))


def record_set(fields: Mapping[str, Value]) -> RecordSet:
    """`[a: S, b: T]`."""
    return RecordSet(tuple((name, fields[name]) for name in sorted(fields, key=current().positions.__getitem__)))
