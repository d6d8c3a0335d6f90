"""Expressions and values as a person wants to read them in an explanation: on one line, cut if too long."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gristmill.ir import nodes
from gristmill.ir.levels import ACTION, level
from gristmill.values import (
    CrossProduct,
    EvaluationError,
    Fn,
    FunctionSet,
    PowerSet,
    RecordSet,
    SequenceSet,
    Value,
    contains,
    enumerate_set,
    explicit,
    is_enumerable,
    is_function,
    is_set,
    show,
)

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\\\*[^\n]*|\(\*.*?\*\)', re.DOTALL)
_LONGEST = 1_000


def one_line(text: str) -> str:
    """Without comments and line ends. What stands in a string stays."""
    without = _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    return " ".join(without.split())


def text_of(node: nodes.Argument) -> str:
    """A node as it is written. The prime of what is primed as a whole stands outside its span."""
    text = one_line(node.span.text)
    if isinstance(node, nodes.Variable) and node.primed:
        return f"{node.name}'"
    if isinstance(node, nodes.Variable):
        return node.name if text.endswith("'") else text
    if "'" not in text and isinstance(node, _PLAIN) and level(node) == ACTION:
        return f"({text})'" if " " in text else f"{text}'"
    return text


_PLAIN = nodes.Primitive | nodes.FunctionApply | nodes.FieldAccess


def value_text(value: Value) -> str:
    text = show(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


# --- what an expression is made of -----------------------------------------------------------------------------------


def operands(node: nodes.Argument) -> Iterator[nodes.Expression]:
    """The expressions whose values tell why a formula is true or false, or what another one is."""
    match node:
        case nodes.Equal(left, right) | nodes.Member(left, right) | nodes.Equivalent(left, right):
            yield left
            yield right
        case nodes.Not(operand):
            yield from operands(operand)
        case nodes.Primitive(_, args) | nodes.Call(_, args) | nodes.CallLocal(_, _, _, args):
            yield from (arg for arg in args if isinstance(arg, nodes.Expression))
        case nodes.FunctionApply(function, argument):
            yield from () if _is_plain(argument) else (argument,)
            yield from () if isinstance(function, nodes.Variable) else operands(function)
        case nodes.FieldAccess(record):
            yield from operands(record)


def _is_plain(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Local | nodes.Literal | nodes.TupleLiteral)


def says_itself(node: nodes.Expression, value: str) -> bool:
    """A number, a string: what is written is the value."""
    return text_of(node) == value or isinstance(node, nodes.TupleLiteral | nodes.RecordLiteral | nodes.SetEnumeration)


# --- why something is no element -------------------------------------------------------------------------------------


def why_outside(value: Value, collection: Value, name: str) -> str | None:
    """The part of a value that keeps it out of a set: an image of a function, a field, an element."""
    try:
        part = _outside(value, collection, name)
    except EvaluationError:
        return None
    return None if part is None or part[0] == name else _sentence(*part)


def _sentence(name: str, value: Value, collection: Value) -> str:
    text = value_text(value)
    return f"{text if text == name else f'{name} = {text}'} is not in {value_text(collection)}"


def _outside(value: Value, collection: Value, name: str) -> tuple[str, Value, Value] | None:
    """The innermost part that is not where it should be, with its place and the set it should be in."""
    for at, part, home in _parts(value, collection, name):
        if not contains(home, part):
            return _outside(part, home, at) or (at, part, home)
    return None


def _parts(value: Value, collection: Value, name: str) -> Iterator[tuple[str, Value, Value]]:
    match collection:
        case FunctionSet():
            if is_function(value):
                mapping = _mapping(value)
                yield f"DOMAIN {name}", frozenset(mapping), PowerSet(collection.domain)
                if frozenset(mapping) != explicit(collection.domain):
                    yield f"DOMAIN {name}", frozenset(mapping), frozenset((explicit(collection.domain),))
                for key, each in mapping.items():
                    yield f"{name}[{show(key)}]", each, collection.range
        case RecordSet():
            fields: dict[Value, Value] = dict(collection.fields)
            if isinstance(value, Fn):
                yield f"DOMAIN {name}", frozenset(value), frozenset((frozenset(fields),))
                for key, each in value.items():
                    yield f"{name}.{key}", each, fields[key]
        case CrossProduct() if isinstance(value, tuple) and len(value) == len(collection.factors):
            for number, (each, home) in enumerate(zip(value, collection.factors, strict=True), 1):
                yield f"{name}[{number}]", each, home
        case SequenceSet() if isinstance(value, tuple):
            for number, each in enumerate(value, 1):
                yield f"{name}[{number}]", each, collection.base
        case PowerSet() if is_set(value) and is_enumerable(value):
            for each in enumerate_set(value):
                yield _named_by_itself(each, name), each, collection.base


def _named_by_itself(element: Value, collection: str) -> str:
    text = value_text(element)
    return text if len(text) <= 60 else f"(an element of {collection})"


def _mapping(function: tuple[Value, ...] | Fn) -> dict[Value, Value]:
    return dict(enumerate(function, 1)) if isinstance(function, tuple) else dict(function)
