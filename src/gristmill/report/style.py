"""Colour where there is a terminal, and nothing on it that could move its cursor."""

from __future__ import annotations

from typing import Literal

Role = Literal["good", "bad", "warning", "heading", "changed", "dim"]

_CODES: dict[Role, str] = {
    "good": "\x1b[1;32m",
    "bad": "\x1b[1;31m",
    "warning": "\x1b[33m",
    "heading": "\x1b[1m",
    "changed": "\x1b[1;33m",
    "dim": "\x1b[2m",
}
_RESET = "\x1b[0m"


class Style:
    """Paints text, line by line, if there is colour."""

    def __init__(self, color: bool) -> None:
        self.color = color

    def paint(self, role: Role, text: str) -> str:
        return f"{_CODES[role]}{text}{_RESET}" if self.color and text else text


def printable(text: str) -> str:
    """Text from a specification, without control characters other than line ends and tabs."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
