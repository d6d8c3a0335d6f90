"""The language of values, as `bind` of a point and `path` of a variable have it:

    START then any of  .field  .method()  [*]  [n]  {key}  {*}  .size  .length  .keys  .values

- START, where a thread is held: `this`; an argument or a local variable (arguments are also called `arg0`, `arg1` …, as
  some classes are compiled without names); `thread` (its name); `caller` (the name of the calling method); `callers`
  (all of them, innermost first). Anywhere: a class, for its static fields and methods, or else for its live instances:
  `Q.Learner.sock` is of the first, `Q.Learner[*].sock` of all. With `root`, a path starts at an instance of that class.
- `[*]`: every element of a collection, as a tuple of what follows; of a map, every value. `[n]`: one of them, from 0;
  from the end if negative. `{key}`: what a map has for a key; `{*}`: a function from every key to what follows.
- `.size` and `.length` count; `.keys` and `.values` are those of a map.
- `.method()` has no arguments, and can only be called where a thread of the node is held.

null on the way is null in the end. Of alternatives `a | b`, or a list of paths, the first that is not null counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias


class PathError(Exception):
    """A path that cannot be understood or followed. With a remedy."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.message, self.help = message, help


class Name(NamedTuple):
    """A field; at the beginning, a variable or a part of a class's name."""

    name: str

    def __str__(self) -> str:
        return "." + self.name


class Call(NamedTuple):
    method: str

    def __str__(self) -> str:
        return f".{self.method}()"


class Index(NamedTuple):
    number: int

    def __str__(self) -> str:
        return f"[{self.number}]"


class Key(NamedTuple):
    key: str | int | bool

    def __str__(self) -> str:
        return f"{{{self.key}}}"


class Each(NamedTuple):
    """Every element, or, with keys, every value of a map."""

    keys: bool

    def __str__(self) -> str:
        return "{*}" if self.keys else "[*]"


Step: TypeAlias = Name | Call | Index | Key | Each


class Path(NamedTuple):
    text: str
    steps: tuple[Step, ...]

    @property
    def calls(self) -> bool:
        """Whether a method has to be called."""
        return any(isinstance(step, Call) for step in self.steps)

    @property
    def first(self) -> str | None:
        """The name that it starts with."""
        return self.steps[0].name if isinstance(self.steps[0], Name) else None


_STEP = re.compile(
    r"(?P<dot>\.)?(?P<name>[A-Za-z_$][\w$]*)(?P<call>\(\s*\))?"
    r"|\[\s*(?P<index>\*|-?\d+)\s*\]"
    r"|\{\s*(?P<key>\*|-?\d+|\"[^\"]*\"|'[^']*'|[^{}\"']+?)\s*\}"
)
_GRAMMAR = "a path is like name.field[*].other or field.method()"


def parse_paths(text: str | Sequence[str]) -> tuple[Path, ...]:
    """The alternatives. Raises `PathError`."""
    texts = text.split("|") if isinstance(text, str) else [part for each in text for part in each.split("|")]
    return tuple(parse_path(each.strip()) for each in texts)


def parse_path(text: str) -> Path:
    steps: list[Step] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None or bool(found["dot"]) != bool(found["name"] and steps):
            raise PathError(f"the path {text!r} cannot be understood from {text[at:]!r} on", _GRAMMAR)
        steps.append(_step(found))
        at = found.end()
    if not steps:
        raise PathError("the path is empty", _GRAMMAR)
    return Path(text, tuple(steps))


def _step(found: re.Match[str]) -> Step:
    name, index, key = found["name"], found["index"], found["key"]
    if name:
        return Call(name) if found["call"] else Name(name)
    if index:
        return Each(False) if index == "*" else Index(int(index))
    return Each(True) if key == "*" else Key(_literal(key))


def _literal(text: str) -> str | int | bool:
    if text[0] in "\"'":
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text
