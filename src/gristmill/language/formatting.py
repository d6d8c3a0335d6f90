"""`gristmill fmt` for an editor: the symbols of a module in Unicode or in ASCII, everything else as it was."""

from __future__ import annotations

from typing import Literal

from gristmill.language.analysis import Analysis
from gristmill.language.workspace import Workspace
from gristmill.source import SourceError
from gristmill.syntax.respell import respell_verified
from gristmill.syntax.token import SYMBOL_KINDS

Symbols = Literal["unicode", "ascii", "as written"]


def formatted(workspace: Workspace, analysis: Analysis, symbols: Symbols) -> str:
    """The new text. Raises `SourceError` if the old one does not parse.

    `as written` makes a text that has both kinds of symbols uniform: of the kind that it has more of.
    """
    parsed = workspace.files.parse(analysis.file)
    if parsed.module is None or parsed.diagnostics:
        raise SourceError(parsed.diagnostics)
    unicode = symbols == "unicode" if symbols != "as written" else _mostly_unicode(analysis)
    return respell_verified(analysis.file, parsed, unicode)


def _mostly_unicode(analysis: Analysis) -> bool:
    tokens = analysis.tokens
    ascii_symbols = unicode_symbols = 0
    for index in range(len(tokens)):
        text = tokens.text(index)
        if text in _WITH_BOTH:
            ascii_symbols += text.isascii()
            unicode_symbols += not text.isascii()
    return unicode_symbols > ascii_symbols


_UNICODE_KINDS = {kind for symbol, kind in SYMBOL_KINDS.items() if not symbol.isascii()}
_WITH_BOTH = frozenset(symbol for symbol, kind in SYMBOL_KINDS.items() if kind in _UNICODE_KINDS)
