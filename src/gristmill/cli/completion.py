"""`gristmill completion`: scripts with which a shell completes verbs, options, choices and files."""

import re
from typing import Any

import click
from click.shell_completion import get_completion_class

VARIABLE = "_GRISTMILL_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
_FILES = re.compile(r"FILE|DIR|PATH|LOG|\.(tla|cfg|toml|svg|html)")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes `gristmill` in a shell.

    \b
    bash   gristmill completion bash > ~/.local/share/bash-completion/completions/gristmill
    zsh    gristmill completion zsh > DIR/_gristmill, where DIR is a folder of $fpath
    fish   gristmill completion fish > ~/.config/fish/completions/gristmill.fish
    """
    made_by = get_completion_class(shell)
    assert made_by is not None
    click.echo(made_by(context.find_root().command, {}, "gristmill", VARIABLE).source())


class _File(click.Path):
    """Completed as a path, and nothing else: whether it can be read is told by who reads it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value


def with_files(command: click.Command) -> click.Command:
    """The command, with parameters that are named after files completed by files. What they accept stays the same."""
    if isinstance(command, click.Group):
        for each_command in command.commands.values():
            with_files(each_command)
    for each in command.params:
        if each.type is click.STRING and _FILES.search(each.metavar or ""):
            each.type = _File()
    return command
