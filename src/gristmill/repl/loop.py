"""Reading inputs of one or more lines, and printing what comes of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from gristmill.repl.completion import Completer, readline_completer
from gristmill.repl.history import History
from gristmill.repl.inputs import wants_more
from gristmill.repl.session import Session
from gristmill.source import Diagnostic, SourceError
from gristmill.source.render import render_text

PROMPT, MORE = "tla> ", "...> "

HELP = """\
An expression is evaluated:         Cardinality({1, 2} \\cup {2, 3})
A definition is remembered:         Double(x) == 2 * x       (again: it is replaced)
More modules:                       EXTENDS Bags, SequencesExt
Model values:                       CONSTANTS p1, p2         (those of a configuration are there already)
What cannot be complete goes on in the next line, as do lists of /\\ and \\/; an empty line ends them.
:load FILE.tla [FILE.cfg] reads a specification; expressions are then evaluated in one of its states.
:states lists its initial states, :step what is possible next; with a number, or the name of an action, they go there.
:back goes back. :list shows what was defined, :reset forgets it, :help this, :quit or end of file ends.
Tab completes names, operators (\\in), commands and files."""

COMMANDS = (":help", ":list", ":load", ":quit", ":reset")

Read = Callable[[str], str | None]  # from a prompt to a line, or None at the end
Write = Callable[[str], None]


Commands = Mapping[str, Callable[[str], None]]  # by name; what follows the name is given to them


def run_loop(session: Session, read: Read, write: Write, write_error: Write, commands: Commands | None = None) -> int:
    """Until the end of the input; how many inputs were mistaken. `commands`: besides those that every loop has."""
    mistakes = 0
    own = {**_own_commands(session, write), **(commands or {})}
    while (text := read_lines(read)) is not None:
        command = text.strip()
        if command in (":quit", ":q"):
            break
        if command:
            mistakes += not _obey_or_enter(session, command, text, own, write, write_error)
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


def _own_commands(session: Session, write: Write) -> Commands:
    def list_all(argument: str) -> None:
        for text in [f"EXTENDS {', '.join(session.modules)}"] if session.modules else []:
            write(text)
        for text in [f"CONSTANTS {', '.join(session.model_values)}"] if session.model_values else []:
            write(text)
        for each in session.definitions:
            write(each.text.rstrip())

    def reset(argument: str) -> None:
        session.definitions.clear()
        session.model_values.clear()

    def load(argument: str) -> None:
        file, _, config = argument.partition(" ")
        if not file:
            raise SourceError(Diagnostic("no-file", "nothing is named to load", help=":load FILE.tla [FILE.cfg]"))
        session.load(Path(file), Path(config.strip()) if config.strip() else None)

    def help_(argument: str) -> None:
        write(HELP)

    return {":list": list_all, ":reset": reset, ":load": load, ":help": help_, ":h": help_, "?": help_}


def _obey_or_enter(
    session: Session, command: str, text: str, commands: Commands, write: Write, write_error: Write
) -> bool:
    """Whether it was in order."""
    name, _, argument = command.partition(" ")
    try:
        if name in commands:
            commands[name](argument.strip())
            return True
        if name.startswith(":"):
            write(f"there is no command {name}; :help lists them")
            return True
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


def terminal_reader(completer: Completer) -> Read:
    """Lines from a person, with what they have typed before to be found again: whole entries, not their lines."""
    try:
        import readline
    except ImportError:  # where there is none, lines can still be read
        return _ask
    history = History(_history_file())
    for entry in history.entries():
        readline.add_history(entry)
    readline.set_auto_history(False)
    readline.set_completer_delims(" \t\n\"'`@$><=;|&{}()[]!,~#^+*%")
    readline.set_completer(readline_completer(completer, lambda: readline.get_line_buffer()[: readline.get_endidx()]))
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")

    def remember(entry: str) -> None:
        readline.add_history(entry)
        history.add(entry)

    return Remembering(_ask, remember)


class Remembering:
    """Reads lines, and remembers each entry as a whole when the next one begins."""

    def __init__(self, read: Read, remember: Write) -> None:
        self._read, self._remember = read, remember
        self._lines: list[str] = []

    def __call__(self, prompt: str) -> str | None:
        if prompt == PROMPT:
            self._lines = []
        line = self._read(prompt)
        if line is not None and line.strip():
            self._lines.append(line)
            if not wants_more(self._lines) or line.startswith(":"):
                self._remember("\n".join(self._lines))
        elif self._lines and line is not None:  # an empty line ends a list
            self._remember("\n".join(self._lines))
            self._lines = []
        return line


def _history_file() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "gristmill" / "history.jsonl"


def _ask(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        print()
        return None
    except KeyboardInterrupt:  # forget the line, and go on
        print()
        return ""
