"""A source text and the way from an offset in it to a line and a column."""

import os
from bisect import bisect_right
from itertools import islice
from pathlib import Path

from gristmill.source.diagnostic import Diagnostic, SourceError
from gristmill.source.span import Span

# A TLA+ module of this size is data in disguise; reading it token by token would take gigabytes.
MAX_BYTES = 32 * 1024 * 1024

_MOST_FILES = 10_000  # of a folder, among which a similar name is looked for
_SAVE = "save the file as UTF-8"


class SourceFile:
    """A named text. Offsets count characters, so columns do too; lines and columns start at 1."""

    __slots__ = ("_line_starts", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._line_starts: list[int] | None = None

    def __repr__(self) -> str:
        return f"SourceFile({self.path!r}, {len(self.text)} characters)"

    @property
    def line_starts(self) -> list[int]:
        """Offsets at which lines begin; built when a position is first needed."""
        if self._line_starts is None:
            starts = [0]
            find, at = self.text.find, 0
            while (at := find("\n", at) + 1) > 0:
                starts.append(at)
            self._line_starts = starts
        return self._line_starts

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset, both from 1."""
        starts = self.line_starts
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        starts = self.line_starts
        start = starts[line - 1]
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def span(self, start: int, end: int) -> Span:
        return Span(self, start, end)

    def original(self, span: Span) -> Span:
        """The place that a person knows for a place in this text: another one if this text was made of theirs."""
        return span


def _similar(name: str) -> str | None:
    """A file of the same folder that may have been meant."""
    import difflib

    folder, wanted = Path(name).parent, Path(name).name
    try:
        there = [each for each in islice(os.listdir(folder), _MOST_FILES) if (folder / each).is_file()]
    except (OSError, ValueError):
        return None if folder == Path() else f"there is no folder {folder}"
    close = difflib.get_close_matches(wanted, there, 1, 0.7)
    return f"did you mean `{folder / close[0]}`?" if close else None


def read_source(path: str | Path) -> SourceFile:
    """Read a file. Raises `SourceError` with one diagnostic when that cannot be done. See `undecoded`."""
    name = str(path)
    try:
        size = Path(path).stat().st_size
        if size > MAX_BYTES:
            raise SourceError(
                Diagnostic(
                    "file-too-large",
                    f"{name} has {size:,} bytes; modules of up to {MAX_BYTES:,} bytes are read",
                    help="keep data out of the module: read it with JsonDeserialize of the module Json",
                )
            )
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise SourceError(Diagnostic("file-not-found", f"there is no file {name}", help=_similar(name))) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SourceError(Diagnostic("file-not-readable", f"{name} cannot be read: {reason}")) from None
    except ValueError as error:  # a NUL in the path
        raise SourceError(Diagnostic("file-not-readable", f"{name!r} cannot be read: {error}")) from None
    return decode_source(name, data)


def decode_source(name: str, data: bytes) -> SourceFile:
    """Bytes that are no UTF-8 become characters that stand for them; who reads the text knows if they matter there."""
    return SourceFile(name, data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))


def encode_source(text: str) -> bytes:
    """The bytes that a text was read from."""
    return text.encode("utf-8", "surrogateescape")


def not_utf8(file: SourceFile, at: int) -> Diagnostic:
    message = f"{_byte(file, at)} is not part of a UTF-8 text"
    return Diagnostic("not-utf8", message, file.span(at, at + 1), help=_SAVE)


def not_utf8_in_comment(file: SourceFile, at: int) -> Diagnostic:
    message = f"{_byte(file, at)} is not part of a UTF-8 text; in a comment, that does no harm"
    return Diagnostic("comment-not-utf8", message, file.span(at, at + 1), severity="warning", help=_SAVE)


def _byte(file: SourceFile, at: int) -> str:
    return f"byte 0x{ord(file.text[at]) - 0xDC00:02x}"
