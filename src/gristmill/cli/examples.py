"""`gristmill examples`: the designs of the book, to be listed, run, and copied to be broken and repaired."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from gristmill.cli.output import print_diagnostics
from gristmill.examples.catalogue import Example, Run, find
from gristmill.examples.catalogue import examples as all_examples
from gristmill.examples.running import Engine, found, run
from gristmill.search.budget.limits import NO_MEMORY

# Why a run did not end, though its configuration sets no such limit: also an example that is expected to be incomplete
# has then not shown what it is to show.
_STOPS_ALL = (NO_MEMORY, "Interrupted")


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Run all of them.")
@click.option("--copy", metavar="DIR", help="Copy them into a folder of DIR instead of running them.")
@click.option("--engine", type=click.Choice(["auto", "native", "python"]), default="auto", help="As of `check`.")
def examples(names: Sequence[str], everything: bool, copy: str | None, engine: Engine) -> None:
    """List, run or copy the examples: the designs of "Correct by Design with TLA+".

    NAME is a name of the list or the number of a chapter. Each configuration of an example says what is expected of it;
    the exit status is 1 if something else comes out, and 3 if memory runs out or Ctrl-C ends it. Without NAME, the
    examples are listed.
    """
    if everything and names:
        raise click.UsageError("either names of examples or --all")
    chosen = list(all_examples()) if everything or (copy and not names) else [named(name) for name in names]
    if copy is not None:
        copy_examples(chosen, Path(copy))
    elif chosen:
        wrong = sum(run_example(example, engine) for example in chosen)
        sys.exit(1 if wrong else 0)
    else:
        list_examples()


def named(name: str) -> Example:
    example = find(name)
    if example is None:
        raise click.UsageError(f"there is no example {name}; `gristmill examples` lists them")
    return example


def list_examples() -> None:
    width = max(len(example.name) for example in all_examples())
    for example in all_examples():
        click.echo(f"{example.number:>2}  {example.name:<{width}}  {example.title}")
    click.echo("\n`gristmill examples NAME` runs one, `gristmill examples NAME --copy .` copies it here.")


def run_example(example: Example, engine: Engine) -> int:
    """How many of its configurations did not come out as expected."""
    click.echo(f"{example.number} {example.title}")
    runs = example.runs()
    width = max(len(each.name) for each in runs)
    return sum(not _as_expected(each, width, engine) for each in runs)


def _as_expected(each: Run, width: int, engine: Engine) -> bool:
    result = run(each, engine)
    if result.verdict == "incomplete" and result.message in _STOPS_ALL:
        click.echo(f"error: {result.message}", err=True)
        sys.exit(result.exit_code)
    outcome = found(result, each.expected)
    right = outcome == each.expected
    click.echo(f"  {each.name:<{width}}  {outcome!s:<32}  {result.seconds:.2f} s")
    if not right:
        click.echo(f"  {'':<{width}}  expected: {each.expected}")
        print_diagnostics(result.diagnostics)
    return right


def copy_examples(chosen: Sequence[Example], folder: Path) -> None:
    for example in chosen:
        target = folder / example.folder.name
        if target.exists():
            raise click.ClickException(f"{target} is there already; nothing was copied over it")
        try:
            shutil.copytree(example.folder, target)
        except OSError as error:
            raise click.ClickException(f"{target} cannot be written: {error.strerror or error}") from None
        for path in example.files:
            click.echo(target / path.name)
