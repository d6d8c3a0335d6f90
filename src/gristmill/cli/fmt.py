"""`gristmill fmt`: Unicode and ASCII symbols."""

import os
import sys
import tempfile
from pathlib import Path

import click

from gristmill.cli.named import module_file
from gristmill.cli.output import print_diagnostics
from gristmill.source import Diagnostic, SourceError, read_source
from gristmill.source.file import encode_source
from gristmill.syntax.parser import parse_module
from gristmill.syntax.respell import respell_verified


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", callback=module_file)
@click.option("--unicode", "unicode", flag_value=True, type=bool, default=None, help="Write symbols such as ∈ ∧ ≜ ∀.")
@click.option("--ascii", "unicode", flag_value=False, type=bool, help=r"Write symbols such as \in /\ == \A.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--stdout", is_flag=True, help="Print the result instead of rewriting the file.")
def fmt(files: tuple[str, ...], unicode: bool | None, check: bool, stdout: bool) -> None:
    """Rewrite modules with Unicode or ASCII symbols.

    Comments, line breaks and indentation stay; what has to stay aligned stays aligned. A file is rewritten only if
    its new text parses to the very same module.
    """
    if unicode is None:
        raise click.UsageError("say --unicode or --ascii")
    results = [rewrite(name, unicode, check, stdout) for name in files]
    sys.exit(0 if all(results) else 1)


def rewrite(name: str, unicode: bool, check: bool, stdout: bool) -> bool:
    """Whether a file is in order, now or already before."""
    try:
        file = read_source(name)
        parsed = parse_module(file)
        if parsed.module is None or parsed.diagnostics:
            raise SourceError(parsed.diagnostics)
        text = respell_verified(file, parsed, unicode)
        if stdout:
            click.echo(encode_source(text), nl=False)
        elif text != file.text and check:
            click.echo(f"would rewrite {name}", err=True)
        elif text != file.text:
            write_atomically(Path(name), text)
            click.echo(f"rewrote {name}", err=True)
    except SourceError as error:
        print_diagnostics(error.diagnostics)
        return False
    return not check or text == file.text


def write_atomically(path: Path, text: str) -> None:
    """Replace a file by a complete new one, or not at all; its permissions stay."""
    target = path.resolve()
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}"
        raise SourceError(Diagnostic("file-not-writable", message)) from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(encode_source(text))
        os.chmod(temporary, target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
