"""Reading inputs of one or more lines, and printing what comes of them."""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from gristmill.repl.inputs import wants_more
from gristmill.repl.session import Session
from gristmill.source import SourceError
from gristmill.source.render import render_text

PROMPT, MORE = "tla> ", "...> "

HELP = """\
An expression is evaluated:         Cardinality({1, 2} \\cup {2, 3})
A definition is remembered:         Double(x) == 2 * x       (again: it is replaced)
More modules:                       EXTENDS Bags, SequencesExt
What cannot be complete goes on in the next line, as do lists of /\\ and \\/; an empty line ends them.
:list shows what was defined, :reset forgets it, :help this, :quit or end of file ends."""

Read = Callable[[str], str | None]  # from a prompt to a line, or None at the end
Write = Callable[[str], None]


def run_loop(session: Session, read: Read, write: Write, write_error: Write) -> int:
    """Until the end of the input; how many inputs were mistaken."""
    mistakes = 0
    while (text := read_lines(read)) is not None:
        command = text.strip()
        if command in (":quit", ":q"):
            break
        if not command or not _obey(session, command, write):
            mistakes += bool(command) and not _enter(session, text, write, write_error)
    return mistakes


def read_lines(read: Read) -> str | None:
    """An input with all of its lines."""
    line = read(PROMPT)
    if line is None or line.strip().startswith(":"):
        return line
    lines = [line]
    while wants_more(lines):
        following = read(MORE)
        if following is None:
            break
        lines.append(following)
    return "\n".join(lines)


def _obey(session: Session, command: str, write: Write) -> bool:
    """Whether it was a command."""
    match command:
        case ":help" | ":h" | "?":
            write(HELP)
        case ":list":
            for text in [f"EXTENDS {', '.join(session.modules)}"] if session.modules else []:
                write(text)
            for each in session.definitions:
                write(each.text.rstrip())
        case ":reset":
            session.definitions.clear()
        case _ if command.startswith(":"):
            write(f"there is no command {command.split()[0]}; :help lists them")
        case _:
            return False
    return True


def _enter(session: Session, text: str, write: Write, write_error: Write) -> bool:
    """Whether it was in order."""
    try:
        shown = session.enter_to_show(text.rstrip())
    except SourceError as error:
        write_error(render_text(error.diagnostics))
        return False
    except KeyboardInterrupt:
        write_error("interrupted")
        return False
    if shown is not None:
        write(shown)
    return True


# ------------------------------------------------------------------------------------------------------- terminals


def terminal_reader() -> Read:
    """Lines from a person, with what they have typed before to be found again."""
    history = _history_file()
    try:
        import readline
    except ImportError:  # where there is none, lines can still be read
        return _ask
    readline.set_history_length(1000)
    with contextlib.suppress(OSError):  # a history that cannot be read or kept is no reason to complain
        readline.read_history_file(history)
    atexit.register(_write_history, readline.write_history_file, history)
    return _ask


def _write_history(write: Callable[[Path], None], history: Path) -> None:
    with contextlib.suppress(OSError):
        history.parent.mkdir(parents=True, exist_ok=True)
        write(history)


def _history_file() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "gristmill" / "history"


def _ask(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        print()
        return None
    except KeyboardInterrupt:  # forget the line, and go on
        print()
        return ""
