"""The comment that belongs to a definition: right above it, or behind a declaration on its line."""

from __future__ import annotations

import re

from gristmill.syntax.token import Tokens

# What may stand before a name that is declared or defined at the beginning of its line.
_BEGINS_HERE = re.compile(r"\s*(?:(?:CONSTANTS?|VARIABLES?|LOCAL|variables?|RECURSIVE)\s+)?")
_FRAME = re.compile(r"^\*{3,}$")


def comment_above(text: str, tokens: Tokens, start: int) -> str | None:
    """The words of the comments that end right above the line of an offset."""
    line = text.rfind("\n", 0, start) + 1
    if not _BEGINS_HERE.fullmatch(text, line, start):
        return None
    found: list[str] = []
    for first, last in reversed([each for each in tokens.comments if each[1] <= line]):
        between = text[last:line]
        own_line = not text[text.rfind("\n", 0, first) + 1 : first].strip()
        if not own_line or between.strip() or between.count("\n") > 1:
            break
        found.append(words_of(text[first:last]))
        line = text.rfind("\n", 0, first) + 1
    told = "\n".join(part for part in reversed(found) if part)
    return told or None


def comment_behind(text: str, tokens: Tokens, end: int) -> str | None:
    """The words of a comment on the same line, behind a declaration."""
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    for first, last in tokens.comments:
        if end <= first < stop and not text[end:first].strip(" \t,;"):
            return words_of(text[first:last]) or None
    return None


def words_of(comment: str) -> str:
    """The text of a comment without what marks it as one."""
    if comment.startswith("\\*"):
        lines = [comment.lstrip("\\").lstrip("*")]
    else:
        lines = comment.removeprefix("(*").removesuffix("*)").splitlines()
    stripped = [_unframed(line) for line in lines]
    return "\n".join(stripped).strip("\n").strip()


def _unframed(line: str) -> str:
    """A line of a comment without the frame that people draw around them."""
    line = line.strip()
    if _FRAME.match(line):
        return ""
    if line.startswith("(*"):
        line = line[2:].removesuffix("*)").strip()
    elif line.startswith("*") and not line.startswith("**"):
        line = line[1:].strip()
    return "" if _FRAME.match(line) else line
