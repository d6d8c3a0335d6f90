"""Types as class files write them, and as people do: `(J[Ljava/lang/String;)V` is `(long, String[])`."""

from __future__ import annotations

import re

_PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
    "V": "void",
}
_TYPE = re.compile(r"(\[*)(?:([BCDFIJSZV])|L([^;]+);)")


def arguments(descriptor: str) -> list[str]:
    """The descriptors of a method's arguments."""
    return [found[0] for found in _TYPE.finditer(descriptor[1 : descriptor.index(")")])]


def readable(descriptor: str) -> str:
    """The name of a type, with dots."""
    found = _TYPE.fullmatch(descriptor)
    if found is None:
        return descriptor
    name = _PRIMITIVES[found[2]] if found[2] else found[3].replace("/", ".")
    return name + "[]" * len(found[1])


def short(name: str) -> str:
    """A class without its package."""
    return name.rpartition(".")[2]


def signature(name: str) -> str:
    """The descriptor of a class by its name with dots."""
    return f"L{name.replace('.', '/')};"


def readable_arguments(descriptor: str) -> str:
    return "(" + ", ".join(short(readable(each)) for each in arguments(descriptor)) + ")"


def slots(descriptor: str, static: bool) -> list[tuple[int, str]]:
    """The number of the local variable of each argument, and its descriptor: long and double take two."""
    found, at = [], 0 if static else 1
    for each in arguments(descriptor):
        found.append((at, each))
        at += 2 if each in "JD" else 1
    return found
