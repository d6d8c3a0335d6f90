"""Words and signs of other languages, and what TLA+ writes for them."""

from __future__ import annotations

from typing import Final

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


def written_in_tla(word: str) -> str | None:
    """A hint about `word`, if another language uses it; else None."""
    found = _WRITTEN.get(word)
    return None if found is None else f"TLA+ writes {found} for that"
