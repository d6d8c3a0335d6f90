"""Functions, sequences and records applied, changed and taken apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from gristmill.values.atoms import Value
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.kinds import is_function, is_record, kind
from gristmill.values.lazy import LAZY_TYPES, Interval
from gristmill.values.operations.construct import make_function, part
from gristmill.values.operations.sets import contains, normalize
from gristmill.values.order import remember_order


def apply(function: Value, argument: Value) -> Value:
    """`function[argument]`."""
    if type(function) is tuple:
        if type(argument) is int and 0 < argument <= len(function):
            return function[argument - 1]
    elif type(function) is Fn:
        if type(argument) in LAZY_TYPES:
            argument = normalize(argument)
        try:
            return function[argument]
        except KeyError:
            pass
    _cannot_apply(function, argument)


def _cannot_apply(function: Value, argument: Value) -> NoReturn:
    if not is_function(function):
        raise EvaluationError(
            "not-a-function",
            f"{kind(function)} is applied like a function: {{function}}[{{argument}}]",
            function=function,
            argument=argument,
        )
    if is_record(function) and type(argument) is str:
        raise EvaluationError(
            "no-such-field", "the record {record} has no field {field}", record=function, field=argument
        )
    what = "index" if type(function) is tuple else "argument"
    raise EvaluationError(
        "not-in-domain",
        f"the {what} {{argument}} is not in the domain of {{function}}",
        argument=argument,
        function=function,
    )


def domain(function: Value) -> Value:
    """`DOMAIN function`."""
    if type(function) is tuple:
        return Interval(1, len(function))
    if type(function) is not Fn:
        raise EvaluationError(
            "not-a-function", f"DOMAIN needs a function, not {kind(function)}: {{function}}", function=function
        )
    result = frozenset(function)
    if len(result) > 1:
        remember_order(result, tuple(function))
    return result


def select(function: Value, argument: Value) -> Value | None:
    """What EXCEPT finds at an argument: None outside the domain, an error where TLC cannot compare."""
    if type(function) is tuple:
        if type(argument) is not int:
            _cannot_apply(function, argument)
        return function[argument - 1] if 0 < argument <= len(function) else None
    if type(function) is not Fn:
        raise EvaluationError(
            "not-a-function", f"EXCEPT needs a function, not {kind(function)}: {{function}}", function=function
        )
    argument = normalize(argument)
    if argument in function:
        return function[argument]
    contains(frozenset(function), argument)
    return None


def except_path(
    function: Value,
    path: Sequence[Value],
    change: Callable[[Value], Value],
    warn: Callable[[Value, Value], None] | None = None,
) -> Value:
    """`[function EXCEPT ![path[0]][path[1]]… = change(@)]`.

    Outside the domain nothing changes; `warn` is then called with the function and the argument it does not have.
    """
    found: list[Value] = [function]
    for argument in path:
        inner = select(found[-1], argument)
        if inner is None:
            if warn is not None:
                warn(found[-1], argument)
            return function
        found.append(inner)
    result = part(change(found.pop()))
    for outer, argument in zip(reversed(found), reversed(path), strict=True):
        result = _replace(outer, argument, result)
    return result


def except_at(
    function: Value, argument: Value, value: Value, warn: Callable[[Value, Value], None] | None = None
) -> Value:
    """`[function EXCEPT ![argument] = value]`."""
    if select(function, argument) is None:
        if warn is not None:
            warn(function, argument)
        return function
    return _replace(function, argument, part(value))


def _replace(function: Value, argument: Value, value: Value) -> Value:
    if type(function) is tuple and type(argument) is int:
        return (*function[: argument - 1], value, *function[argument:])
    if type(function) is Fn:
        return function.replace(normalize(argument), value)
    _cannot_apply(function, argument)


# --- operators of the module TLC -------------------------------------------------------------------------------------


def single(argument: Value, value: Value) -> Value:
    """`argument :> value`."""
    return make_function(((argument, value),))


def merge(first: Value, second: Value) -> Value:
    """`first @@ second`: where both have a value, that of the first."""
    return make_function([*_items(second, "@@"), *_items(first, "@@")])


def _items(function: Value, operation: str) -> list[tuple[Value, Value]]:
    if type(function) is tuple:
        return list(enumerate(function, 1))
    if type(function) is Fn:
        return list(function.items())
    raise EvaluationError(
        "not-a-function", f"{operation} needs a function, not {kind(function)}: {{function}}", function=function
    )
