"""Whether what a configuration says of a name fits that name: its kind, and how many arguments it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.ir.levels import CONSTANT
from gristmill.modules.symbols import Constant, Fact, Instanced, NamedInstance, Operator, Symbol, Variable
from gristmill.source import Diagnostic, Span
from gristmill.values import Fn

Spans = Mapping[str, Span]


def misfits(
    replacements: Mapping[Symbol, Symbol], constants: Mapping[Symbol, Any], tables: Mapping[Symbol, Fn], spans: Spans
) -> Iterator[Diagnostic]:
    """Errors, and warnings of values that have no effect or a strange one."""
    for symbol, by in replacements.items():
        yield from _replacement(symbol, by, spans)
    for symbol in constants:
        yield from _value(symbol, spans)
    for symbol, table in tables.items():
        yield from _table(symbol, table, spans)


def _replacement(symbol: Symbol, by: Symbol, spans: Spans) -> Iterator[Diagnostic]:
    if isinstance(symbol, Variable | NamedInstance):
        yield _not_replaceable(symbol, spans)
    elif _shape(symbol) != _shape(by):
        message = f"`{by.name}` takes {_arguments(by)} and cannot be put for `{symbol.name}`, which takes "
        message += _arguments(symbol)
        help = f"put a definition of the form `{_form(symbol)} == …` for it"
        yield Diagnostic("substitution-arity", message, spans.get(by.name, spans.get(symbol.name)), help=help)
    elif isinstance(symbol, Constant) and not symbol.arity and _depends_on_state(by):
        message = f"`{by.name}` depends on the state, so it cannot be put for the constant `{symbol.name}`"
        yield Diagnostic("replacement-not-constant", message, by.span)


def _value(symbol: Symbol, spans: Spans) -> Iterator[Diagnostic]:
    """The standard tools take a value for an operator's at any arguments, and overlook one of a variable."""
    if isinstance(symbol, Variable | NamedInstance):
        yield _not_replaceable(symbol, spans, severity="warning")
    elif symbol.arity:
        message = f"`{symbol.name}` takes {_arguments(symbol)}; it is taken to have this value everywhere"
        help = f"define an operator `Other{_form(symbol)[len(symbol.name) :]}` and say `{symbol.name} <- Other`"
        yield Diagnostic("value-for-operator", message, spans.get(symbol.name), severity="warning", help=help)


def _table(symbol: Symbol, table: Fn, spans: Spans) -> Iterator[Diagnostic]:
    given = {len(arguments) for arguments in table if isinstance(arguments, tuple)}
    if isinstance(symbol, Variable | NamedInstance):
        yield _not_replaceable(symbol, spans)
    elif given != {symbol.arity}:
        wrong = _count(min(given - {symbol.arity}))
        message = f"`{symbol.name}` takes {_arguments(symbol)}; its value is given at {wrong}"
        yield Diagnostic("substitution-arity", message, spans.get(symbol.name))


def _not_replaceable(symbol: Variable | NamedInstance, spans: Spans, severity: Any = "error") -> Diagnostic:
    what = "a variable" if isinstance(symbol, Variable) else "an instance"
    message = f"`{symbol.name}` is {what}; a configuration speaks of constants and definitions"
    if severity == "warning":
        message += ", so this has no effect"
    return Diagnostic("not-configurable", message, spans.get(symbol.name), severity=severity)


def _depends_on_state(symbol: Symbol) -> bool:
    if isinstance(symbol, Variable):
        return True
    levels = symbol.levels if isinstance(symbol, Operator | Instanced) else None
    return levels is not None and levels.outside.level > CONSTANT


def _shape(symbol: Symbol) -> tuple[int, ...]:
    """Of each argument, how many it takes itself."""
    params = symbol.params if isinstance(symbol, Operator | Instanced | Fact) else ()
    return tuple(param.arity for param in params) or (0,) * symbol.arity


def _form(symbol: Symbol) -> str:
    taken = ["_" if not arity else f"_({', '.join('_' * arity)})" for arity in _shape(symbol)]
    return f"{symbol.name}({', '.join(taken)})" if taken else symbol.name


def _arguments(symbol: Symbol) -> str:
    """`2 arguments`, and where some of them are operators, of which form."""
    count = _count(symbol.arity)
    return f"{count} ({_form(symbol)})" if any(_shape(symbol)) else count


def _count(number: int) -> str:
    return "no arguments" if not number else "1 argument" if number == 1 else f"{number} arguments"
