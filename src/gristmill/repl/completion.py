"""What Tab can make of a word: names, keywords, operators, commands, files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from gristmill.repl.session import Session
from gristmill.syntax.operators import SPELLING_TO_NAME
from gristmill.syntax.token import KEYWORDS

_WORD = re.compile(r"(?:\\)?\w*\Z")


class Completer:
    """Names are looked up again only when something was defined or loaded since."""

    def __init__(self, session: Session, commands: Sequence[str]) -> None:
        self._session, self._commands = session, sorted(commands)
        self._known: tuple[object, list[str]] = (None, [])

    def words(self, line: str) -> list[str]:
        """What the last word of a line may become, each in place of that word."""
        command, space, rest = line.partition(" ")
        if line.startswith(":") and not space:
            return [each for each in self._commands if each.startswith(command)]
        if command == ":load":
            return files(rest)
        found = _WORD.search(line)
        begun = found[0] if found else ""
        if begun.startswith("\\"):
            return sorted(each for each in SPELLING_TO_NAME if each.startswith(begun))
        return sorted({each for each in (*self._names(), *KEYWORDS) if each.startswith(begun)}) if begun else []

    def _names(self) -> list[str]:
        session = self._session
        now = (session.specification, tuple(session.modules), tuple(session.definitions), tuple(session.model_values))
        if self._known[0] != now:
            self._known = now, session.names()
        return self._known[1]


def files(begun: str) -> list[str]:
    """Modules, and folders to look for them in."""
    folder, name = os.path.split(begun)
    try:
        entries = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    found = [each for each in entries if each.name.startswith(name) and (each.is_dir() or each.suffix == ".tla")]
    return [os.path.join(folder, each.name) + ("/" if each.is_dir() else "") for each in found]


def readline_completer(completer: Completer, line: Callable[[], str]) -> Callable[[str, int], str | None]:
    """In the form that readline asks in. `line`: what stands before the cursor."""
    found: list[str] = []

    def complete(word: str, number: int) -> str | None:
        nonlocal found
        if number == 0:
            text = line()
            cut = len(text) - len(word)
            begun = _begun(completer, text)
            found = [text[: len(text) - len(begun)][cut:] + each for each in completer.words(text)]
        return found[number] if number < len(found) else None

    return complete


def _begun(completer: Completer, line: str) -> str:
    """The part of a line that a completion replaces."""
    if line.startswith(":load "):
        return line.partition(" ")[2]
    if line.startswith(":"):
        return line
    found = _WORD.search(line)
    return found[0] if found else ""
