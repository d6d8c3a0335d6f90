"""The reference names every option there is."""

from pathlib import Path

import click
import pytest

from gristmill.cli.bench import bench
from gristmill.cli.check import check
from gristmill.cli.compose.show import show
from gristmill.cli.compose.split import split
from gristmill.cli.eval import eval
from gristmill.cli.examples import examples
from gristmill.cli.plot import plot
from gristmill.cli.repl import repl
from gristmill.cli.simulate import simulate
from gristmill.cli.step import step

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text()


@pytest.mark.parametrize("command", [check, simulate, eval, repl, examples, plot, bench, show, split, step])
def test_options_are_documented(command: click.Command) -> None:
    options = [name for each in command.params if isinstance(each, click.Option) for name in each.opts]
    assert [name for name in options if f"`{name}" not in REFERENCE] == []
