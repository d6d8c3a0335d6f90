"""`gristmill translate`: PlusCal to TLA+, in place."""

import sys
from pathlib import Path

import click

from gristmill.cli.fmt import write_atomically
from gristmill.cli.named import module_file
from gristmill.cli.output import has_errors, print_diagnostics
from gristmill.pluscal import prepare, translation_state
from gristmill.pluscal import translate as translate_file
from gristmill.source import SourceFile, read_source
from gristmill.source.file import encode_source

_BOM = "\ufeff"
_UP_TO_DATE = ("fresh", "edited", "unknown")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", callback=module_file)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a translation is missing or out of date.")
@click.option("--stdout", is_flag=True, help="Print the new text of the file instead of rewriting the file.")
@click.option("-o", "--output", metavar="PATH", help="Write the new text to PATH, for a single FILE.")
def translate(files: tuple[str, ...], check: bool, stdout: bool, output: str | None) -> None:
    """Translate PlusCal algorithms to TLA+.

    The translation of the algorithm in each FILE goes between the lines `\\* BEGIN TRANSLATION` and
    `\\* END TRANSLATION`, which are added behind the algorithm's comment if they are not there. Everything else in
    the file stays as it is.

    Exit status: 0 if everything is in order, 1 if there is an error, or with --check something to translate.
    """
    if output is not None and len(files) != 1:
        raise click.UsageError("-o takes a single FILE")
    if check:
        results = [check_one(read_source(name)) for name in files]
    else:
        results = [translate_one(read_source(name), stdout, output) for name in files]
    sys.exit(0 if all(results) else 1)


def check_one(file: SourceFile) -> bool:
    """Whether the translation in a file is up to date, as far as its checksums tell."""
    state = translation_state(file)
    if state in _UP_TO_DATE:
        _, messages = prepare(file)
        print_diagnostics(messages)
        return not has_errors(messages)
    result = translate_file(file)
    print_diagnostics(result.diagnostics)
    if not has_errors(result.diagnostics):
        click.echo(f"{file.path}: the translation is {'missing' if state == 'missing' else 'out of date'}", err=True)
    return False


def translate_one(file: SourceFile, stdout: bool, output: str | None) -> bool:
    result = translate_file(file)
    print_diagnostics(result.diagnostics)
    if result.text is None:
        return False
    if stdout:
        click.echo(encode_source(result.text), nl=False)
    elif output is not None:
        Path(output).write_bytes(encode_source(result.text))
    elif result.text != file.text:
        write_atomically(Path(file.path), with_byte_order_mark(file.path, result.text))
        click.echo(f"translated {file.path}", err=True)
    return True


def with_byte_order_mark(path: str, text: str) -> str:
    """Some editors begin a file with one; reading dropped it, writing must not."""
    with open(path, "rb") as file:
        return _BOM + text if file.read(3) == _BOM.encode() else text
