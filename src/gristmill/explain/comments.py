"""What a specification says in words: the comment that belongs to a formula or a definition."""

from __future__ import annotations

from gristmill.source import Span

_MARK = "\\*"


def comment_of(span: Span) -> str | None:
    r"""The comment behind it on its last line, or else the lines of comments right above it.

    Of comments of the form `\* …`. What stands between ` (* ` and `*)` is about more than one thing, most of the time.
    """
    return _behind(span) or _above(span)


def _behind(span: Span) -> str | None:
    text = span.file.text
    end = text.find("\n", span.end)
    rest = text[span.end : end if end >= 0 else len(text)]
    before, mark, words = rest.partition(_MARK)
    return words.strip() or None if mark and not before.strip(" \t)],}") else None


def _above(span: Span) -> str | None:
    lines: list[str] = []
    number = span.line - 1
    while number > 0 and (line := span.file.line_text(number).strip()).startswith(_MARK):
        lines.insert(0, line.removeprefix(_MARK).strip())
        number -= 1
    return " ".join(lines).strip() or None
