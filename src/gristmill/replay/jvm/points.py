"""The language of places in a program, as `at` of a point has it:

    CLASS.METHOD[(ARGTYPES)] entry | exit[#n] | call NAME[#n] | after NAME[#n] | line N

- `entry`: before the first instruction. `exit`: before every return, or before the n-th of them, as they stand in the
  bytecode. A method that ends by an exception passes no `exit`.
- `call NAME`: before every call of a method of that name, or before the n-th. NAME may have a class: `Socket.close`.
- `after NAME`: behind the call. If its result is put into a local variable, behind that, so that it can be read. Other
  branches of the method may lead to the same instruction, and are then held as well.
- `line N`: the last resort, as lines differ from version to version.

CLASS may begin with a name of `[alias]`; classes inside of classes have `$`. Constructors are called `<init>`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from gristmill.replay.driver import DriverError
from gristmill.replay.jvm.descriptors import short
from gristmill.source import Span

Kind = Literal["entry", "exit", "call", "after", "line"]

_GRAMMAR = "write CLASS.METHOD entry | exit | exit#2 | call NAME | call NAME#2 | after NAME | line N"
_PLACE = re.compile(r"(?P<target>[\w$.<>]+)\s*(?:\((?P<arguments>[^()]*)\))?\s+(?P<what>\S.*)")
_WHAT = re.compile(r"(?P<kind>[a-z]+)\s*(?P<name>[\w$.<>]+)?\s*(?:#\s*(?P<number>\d+))?")


@dataclass(frozen=True, slots=True)
class Place:
    class_name: str  # with dots, and without an alias
    method: str
    arguments: tuple[str, ...] | None  # None: whatever they are
    kind: Kind
    name: str | None = None  # of the method that is called
    number: int | None = None  # which of them, from 1; or the line
    span: Span | None = None

    def __str__(self) -> str:
        what = " ".join(each for each in (self.kind, self.name) if each)
        number = "" if self.number is None else f" {self.number}" if self.kind == "line" else f"#{self.number}"
        return f"{short(self.class_name)}.{self.method} {what}{number}"


def unaliased(name: str, aliases: Mapping[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return aliases.get(first, first) + dot + rest


def parse_place(text: str, aliases: Mapping[str, str], span: Span | None = None) -> Place:
    """Raises `DriverError`."""
    found = _PLACE.fullmatch(text.strip())
    if found is None:
        raise DriverError(f"this is no place in a Java program: {text!r}", _GRAMMAR, span)
    class_name, _, method = unaliased(found["target"], aliases).rpartition(".")
    if not class_name:
        raise DriverError(f"{text!r} has no class", _GRAMMAR, span)
    arguments = found["arguments"]
    types = None if arguments is None else tuple(each.strip() for each in arguments.split(",") if each.strip())
    return _what(Place(class_name, method, types, "entry", span=span), found["what"])


def _what(place: Place, text: str) -> Place:
    found = _WHAT.fullmatch(text.strip())
    kind = found["kind"] if found else text
    if found is None or kind not in get_args(Kind):
        help = suggestion(kind.split()[0], get_args(Kind)) or _GRAMMAR
        raise DriverError(f"{text!r} is no place in a method", help, place.span)
    name: str | None = found["name"]
    digits: str | None = found["number"]
    number = int(digits) if digits else None
    if kind == "line" and name is not None and name.isdigit() and number is None:
        number, name = int(name), None
    elif kind == "line" or number == 0 or (name is None) != (kind in ("entry", "exit")) or (kind == "entry" and number):
        raise DriverError(f"{text!r} is no place in a method", _GRAMMAR, place.span)
    return Place(place.class_name, place.method, place.arguments, kind, name, number, place.span)  # type: ignore[arg-type]


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """The names that may have been meant, or all, if there are few."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name, names, 3, 0.6)
    if close:
        return "did you mean " + " or ".join(close) + "?"
    return "there are " + ", ".join(sorted(names)) if 0 < len(names) <= 12 else None
