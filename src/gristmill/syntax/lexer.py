"""From text to tokens.

A module begins at the first `---- MODULE` and ends with the `====` that closes it; what stands before and after is
not TLA+. Nested modules only change the count of `====` still to come.
"""

import re
from bisect import bisect_right
from itertools import islice

from gristmill.source import Diagnostic, SourceFile, Span
from gristmill.source.diagnostic import MAX_DIAGNOSTICS
from gristmill.source.file import not_utf8
from gristmill.source.undecoded import readable, undecoded
from gristmill.syntax.columns import Columns
from gristmill.syntax.token import (
    DECIMAL,
    END,
    END_MODULE,
    IDENTIFIER,
    KEYWORDS,
    MODULE,
    NUMBER,
    SEPARATOR,
    STEP,
    STRING,
    SYMBOL_KINDS,
    UNEXPECTED,
    UNICODE_IDENTIFIERS,
    Tokens,
)

# The lookbehind keeps a long line of dashes from being tried at each of them.
MODULE_START = re.compile(r"(?<!-)----+ *MODULE(?![0-9A-Za-z_])")

_by_length = sorted(SYMBOL_KINDS, key=len, reverse=True)
_symbols = "|".join(re.escape(s) for s in _by_length if not s.endswith(("ASSUME", "PROVE")))
_TOKEN = re.compile(
    rf"""
      (?P<space>   (?:[ \t\r\n\f]+ | \\\*[^\n]*)+ )
    | (?P<comment> \(\* )
    | (?P<word>    [0-9A-Za-z_]+ )
    | (?P<module>  ----+\ *MODULE(?![0-9A-Za-z_]) )
    | (?P<line>    ----+ )
    | (?P<end>     ====+ )
    | (?P<string>  " [^"\\\n\r]* (?: \\[ntrf\\"] [^"\\\n\r]* )* " )
    | (?P<based>   \\ (?: [oO][0-7]+ | [bB][01]+ | [hH][0-9A-Fa-f]+ ) (?![0-9A-Za-z_]) )
    | (?P<step>    < (?: [0-9]+ | [+*] ) > (?: [0-9A-Za-z_]+ \.* | [*] \.* | -\.* | \.+ )? )
    | (?P<box>     (?: \[\] | □ ) (?: ASSUME | PROVE )(?![0-9A-Za-z_]) )
    | (?P<bang>    !(?=!!) )
    | (?P<named>   \\ [A-Za-z]+ )
    | (?P<symbol>  {_symbols} )
    | (?P<number_set> [{"".join(UNICODE_IDENTIFIERS)}] )
    """,
    re.VERBOSE,
)
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")
_BROKEN_STRING = re.compile(r'"[^"\\\n\r]*(?:\\[ntrf\\"][^"\\\n\r]*)*')
_FRACTION = re.compile(r"\.[0-9]+(?![0-9A-Za-z_])")
_LETTER = re.compile(r"[A-Za-z]")
_DIGITS_OR_UNDERSCORE = re.compile(r"[0-9]+|_")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_KIND_OF_GROUP = {
    "string": STRING,
    "step": STEP,
    "based": NUMBER,
    "number_set": IDENTIFIER,
    "line": SEPARATOR,
    "module": MODULE,
    "end": END_MODULE,
    "bang": "!",  # `A!!!(x, y)` is the operator `!!` of A
}
_LONGEST_KEYWORD = max(map(len, KEYWORDS))
_LONGEST_SYMBOL = max(map(len, SYMBOL_KINDS))


def lex_module(file: SourceFile) -> tuple[Tokens, list[Diagnostic]]:
    """The tokens of the first module in a file; none when there is no module."""
    start = MODULE_START.search(file.text)
    if start is None:
        tokens = Tokens(file)
        tokens.add(END, len(file.text), len(file.text), 0)
        return tokens, [not_utf8(file, at) for at in islice(undecoded(file.text), 1)]
    return _Lexer(file, start.start(), len(file.text), whole_module=True).run()


def lex(file: SourceFile, start: int = 0, end: int | None = None) -> tuple[Tokens, list[Diagnostic]]:
    """The tokens of a stretch of text: an expression, or a PlusCal algorithm."""
    return _Lexer(file, start, len(file.text) if end is None else end, whole_module=False).run()


class _Lexer:
    def __init__(self, file: SourceFile, start: int, end: int, whole_module: bool) -> None:
        self.file, self.position, self.end = file, start, end
        self.start = start
        self.tokens = Tokens(file)
        self.diagnostics: list[Diagnostic] = []
        self.open_modules = 0
        self.whole_module = whole_module
        self.line_start = file.text.rfind("\n", 0, start) + 1

    def run(self) -> tuple[Tokens, list[Diagnostic]]:
        text, end, match, tokens = self.file.text, self.end, _TOKEN.match, self.tokens
        add_kind, add_start = tokens.kinds.append, tokens.starts.append
        add_end, add_column = tokens.ends.append, tokens.columns.append
        while self.position < end:
            at = self.position
            found = match(text, at, end)
            if found is None:
                self.bad_character(at)
                continue
            group, after = found.lastgroup, found.end()
            if group == "space":
                self.space(at, after)
                continue
            if group == "word":
                word = found[0]
                kind = KEYWORDS.get(word, IDENTIFIER)
                if kind == IDENTIFIER and (word[0] not in _LETTERS or word[1:3] == "F_"):
                    self.odd_word(at, after)
                    continue
            elif group == "symbol":
                kind = SYMBOL_KINDS[found[0]]
            elif group == "comment":
                self.comment(at)
                continue
            elif group == "named":
                kind, after = _named_symbol(text, at, after)
            elif group == "box":
                kind = "[]" + found[0].lstrip("[]□")
            else:
                assert group is not None
                kind = _KIND_OF_GROUP[group]
            add_kind(kind)
            add_start(at)
            add_end(after)
            add_column(at - self.line_start)
            self.position = after
            if group in ("module", "end") and self.module_edge(kind):
                break
        tokens.add(END, self.position, self.position, self.position - self.line_start)
        if "\t" in text:
            self.expand_tabs()
        if not text.isascii():
            self.refuse_undecoded()
        return tokens, self.diagnostics

    def refuse_undecoded(self) -> None:
        """Bytes that are not UTF-8 have no meaning outside of comments, not even in a string; the first is told."""
        comments = self.tokens.comments
        starts = [start for start, _ in comments]
        for at in undecoded(self.file.text):
            before = bisect_right(starts, at) - 1
            in_comment = before >= 0 and at < comments[before][1]
            if self.start <= at < self.position and not in_comment:
                self.diagnostics.append(not_utf8(self.file, at))
                return

    def module_edge(self, kind: str) -> bool:
        """Count the modules that are open; tells whether the last one is closed now."""
        self.open_modules += 1 if kind == MODULE else -1
        return self.whole_module and self.open_modules <= 0

    def expand_tabs(self) -> None:
        columns = Columns(self.file.text)
        self.tokens.columns[:] = map(columns.column_of, self.tokens.starts)

    def space(self, start: int, end: int) -> None:
        text = self.file.text
        newline = text.rfind("\n", start, end)
        if newline >= 0:
            self.line_start = newline + 1
        at = text.find("\\*", start, end)
        while at >= 0:
            stop = text.find("\n", at, end)
            stop = end if stop < 0 else stop
            self.tokens.comments.append((at, stop))
            at = text.find("\\*", stop, end)
        self.position = end

    def comment(self, start: int) -> None:
        """Step over a block comment, which may contain others."""
        text, depth, at = self.file.text, 1, start + 2
        while depth:
            edge = _COMMENT_EDGE.search(text, at, self.end)
            if edge is None:
                span = Span(self.file, start, start + 2)
                self.report("unclosed-comment", "this comment is never closed", span, help="close it with *)")
                at = self.end
                break
            depth += 1 if edge[0] == "(*" else -1
            at = edge.end()
        newline = text.rfind("\n", start, at)
        if newline >= 0:
            self.line_start = newline + 1
        self.tokens.comments.append((start, at))
        self.position = at

    def odd_word(self, at: int, end: int) -> None:
        """`WF_vars`, `42`, `3.14`, `_`, `_x`, `1_000`: a word that may be several tokens."""
        text, add = self.file.text, self.tokens.add
        self.position = end
        while text.startswith(("WF_", "SF_"), at, end):
            add(text[at : at + 3], at, at + 3, at - self.line_start)
            at += 3
        if _LETTER.search(text, at, end):
            word = text[at:end] if end - at <= _LONGEST_KEYWORD else ""
            add(KEYWORDS.get(word, IDENTIFIER), at, end, at - self.line_start)
            return
        for part in _DIGITS_OR_UNDERSCORE.finditer(text, at, end):
            at, stop, kind = part.start(), part.end(), NUMBER
            if text[at] == "_":
                kind = "_"
            elif stop == end and (fraction := _FRACTION.match(text, end, self.end)):
                kind, stop = DECIMAL, fraction.end()
                self.position = stop
            add(kind, at, stop, at - self.line_start)

    def bad_character(self, start: int) -> None:
        """Report what is no token, once for a run of it, and go on behind it."""
        text = self.file.text
        if text[start] == '"':
            self.bad_string(start)
            return
        end = start + 1
        while end < self.end and end < start + 1000 and _TOKEN.match(text, end, self.end) is None and text[end] != '"':
            end += 1
        what = text[start]
        if what == readable(what):  # else it is told as what it is when the end is reached
            self.unexpected(what, start, end)
        self.tokens.add(UNEXPECTED, start, end, start - self.line_start)
        self.position = end

    def unexpected(self, what: str, start: int, end: int) -> None:
        shown = repr(what) if what.isprintable() else f"U+{ord(what):04X}"
        hint = "names are made of the letters A to Z and a to z, digits and _" if what.isalpha() else None
        self.report("unexpected-character", f"{shown} is not part of TLA+", Span(self.file, start, end), hint)

    def bad_string(self, start: int) -> None:
        text = self.file.text
        stop = text.find("\n", start, self.end)
        stop = self.end if stop < 0 else stop
        escape = _BROKEN_STRING.match(text, start, stop)
        assert escape is not None
        at = escape.end()
        if at < stop and text[at] == "\\":
            self.report(
                "bad-escape",
                f"\\{text[at + 1 : at + 2]} is not an escape in a string",
                Span(self.file, at, min(at + 2, stop)),
                help='the escapes are \\" \\\\ \\t \\n \\f \\r; write \\\\ for a backslash',
            )
            close = text.find('"', at + 2, stop)
            stop = close + 1 if close >= 0 else stop
        else:
            self.report(
                "unclosed-string",
                "this string is not closed on its line",
                Span(self.file, start, start + 1),
                help='close it with "',
            )
        self.tokens.add(STRING, start, stop, start - self.line_start)
        self.position = stop

    def report(self, id: str, message: str, span: Span, help: str | None = None) -> None:
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(Diagnostic(id, message, span, help=help))


def _named_symbol(text: str, start: int, end: int) -> tuple[str, int]:
    """`\\in`, `\\cup`, …: kind and end of the longest known symbol that the letters begin with; `\\` is one itself."""
    end = min(end, start + _LONGEST_SYMBOL)
    while (kind := SYMBOL_KINDS.get(text[start:end])) is None:
        end -= 1
    return kind, end
