"""Words and signs of other languages, and what TLA+ writes for them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from gristmill.syntax.operators import SPELLING_TO_NAME

_WRITTEN: Final = {
    "&&": "`/\\`",
    "and": "`/\\`",
    "||": "`\\/`",
    "or": "`\\/`",
    "not": "`~`",
    "!": "`~`",
    "in": "`\\in`",
    "!=": "`#` or `/=`",
    "true": "`TRUE`",
    "True": "`TRUE`",
    "false": "`FALSE`",
    "False": "`FALSE`",
    "union": "`\\cup`",
    "if": "`IF … THEN … ELSE …`",
    "mod": "`%`",
    "forall": "`\\A x \\in S : …`",
    "exists": "`\\E x \\in S : …`",
}
_NOTHING: Final = {
    ";": "TLA+ ends nothing with `;`: leave it out (PlusCal does, inside of an algorithm)",
}
_USUAL: Final = ("in", "notin", "cup", "cap", "union", "intersect", "subseteq", "div", "o", "A", "E", "leq", "geq", "X")


def written_in_tla(word: str) -> str | None:
    """A hint about `word`, if another language uses it; else None."""
    found = _WRITTEN.get(word)
    return _NOTHING.get(word) if found is None else f"TLA+ writes {found} for that"


def meant_operator(word: str) -> str | None:
    """A hint about `word`, a backslash with letters that is no operator, if it is like one."""
    known = [each for each in SPELLING_TO_NAME if each.startswith("\\") and each[1:].isalpha()]
    close = get_close_matches(word, [f"\\{each}" for each in _USUAL], 1, 0.6) or get_close_matches(word, known, 1)
    return f"there is no operator `{word}`: did you mean `{close[0]}`?" if close else written_in_tla(word[1:])
