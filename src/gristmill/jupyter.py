"""TLA+ in a notebook: `%load_ext gristmill.jupyter`, then `%%tla` at the head of a cell.

A cell with a module in it is checked, with the options of `gristmill check` behind `%%tla`; its configuration may stand
in the cell, behind the module (`---- CONFIG Name ----`). The result is what `gristmill.check` returns: the value of the
cell, which the notebook shows with the counterexample, and `_tla` afterwards. Any other cell is an expression, which is
evaluated, or definitions, which are remembered. `%tla FILE.tla [options]` checks a file.
"""

from __future__ import annotations

import html
import re
import shlex
from typing import TYPE_CHECKING, Any

import click
from IPython.core.error import UsageError
from IPython.display import HTML, display

from gristmill.api import Result, run
from gristmill.building import Built, Source, build
from gristmill.cli.check import check_options, refuse_combinations, search_options
from gristmill.cli.options import change_of
from gristmill.repl.session import Session
from gristmill.report.progress import progress_line
from gristmill.search.progress import Progress
from gristmill.source import SourceError, SourceFile
from gristmill.source.render import render_text

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_MODULE = re.compile(r"^-{4,}\s*MODULE\s+(\w+)", re.MULTILINE)
RESULT = "_tla"  # the name of the last result
_EVERY = 0.5  # seconds between two looks at how far a search is


@click.command()
@check_options
def _options(**options: Any) -> dict[str, Any]:
    return options


class ProgressCell:
    """How far a search is, in the output of its cell; it is gone when the search has ended."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        if progress.seconds - (self._last.seconds if self._last else 0.0) < _EVERY:
            return
        shown = HTML(f"<code>{html.escape(progress_line(progress, self._last))}</code>")
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)
        self._last = progress

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update(HTML(""))


class TlaMagic:
    """One of a notebook: what is defined in one cell is known in the next."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.session = Session(names_model_values=True)

    def cell(self, line: str, cell: str) -> Result | None:
        """A module to check, an expression to evaluate, or definitions."""
        module = _MODULE.search(cell)
        if module is not None:
            return self._checked(SourceFile(f"{module[1]}.tla", cell), shlex.split(line))
        if line.strip():
            raise UsageError("options are for cells with a module; there is none in this one")
        self._entered(cell)
        return None

    def line(self, line: str) -> Result:
        """`%tla FILE.tla [options of check]`."""
        words = shlex.split(line)
        if not words or words[0].startswith("-"):
            raise UsageError("%tla FILE.tla [options of gristmill check]")
        return self._checked(words[0], words[1:])

    def _checked(self, source: Source, words: list[str]) -> Result:
        options = read_options(words)
        change, progress = change_of(options), ProgressCell()

        def built() -> Built:
            return build(source, config=options["config"], search_path=options["search_path"], change=change)

        try:
            result = run(built, search_options({**options, "output": "text"}, progress))
        finally:
            progress.close()
        self.shell.user_ns[RESULT] = result
        return result

    def _entered(self, text: str) -> None:
        try:
            shown = self.session.enter_to_show(text.strip())
        except SourceError as error:
            raise UsageError(render_text(error.diagnostics)) from None
        if shown is not None:
            print(shown)


def read_options(words: list[str]) -> dict[str, Any]:
    """Options of `check`. Those that write to the terminal or to files have no meaning here, and are refused."""
    try:
        options: dict[str, Any] = _options.main(args=words, standalone_mode=False)
        refuse_combinations(options)
    except click.ClickException as error:
        raise UsageError(error.format_message()) from None
    for name in ("sweeps", "dump", "itf", "junit", "github", "emit_ir", "emit_c"):
        if options[name]:
            raise UsageError(f"--{name.replace('_', '-')} is for the command line; the result has everything here")
    return options


def load_ipython_extension(shell: InteractiveShell) -> None:
    magic = TlaMagic(shell)
    register: Any = shell.register_magic_function  # its declared type is that of a function without its object
    register(magic.cell, "cell", "tla")
    register(magic.line, "line", "tla")
