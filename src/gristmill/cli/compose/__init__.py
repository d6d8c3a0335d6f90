"""`gristmill compose`: systems of modules, each written at several grains. One file a command, imported when used."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

import click

# Command -> one line about it. The function of the same name stands in the module of the same name.
COMMANDS = {
    "show": "Show modules, actions and variables, and what modules have in common.",
    "verify": "Verify that coarse grains can stand in for fine ones.",
    "build": "Write one specification, made of a grain of each module.",
    "check": "Check a mix of grains, or each module with the others coarse.",
    "plan": "Choose grains by what they cost.",
    "split": "Propose modules for a specification.",
}


class Commands(click.Group):
    """Loads the module of a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if find_spec(f"{__name__}.{name}") is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = getattr(importlib.import_module(f"{__name__}.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.command(cls=Commands)
def compose() -> None:
    """Specify a system as modules, each at several grains, and check it module by module.

    SYSTEM.toml, the manifest, names the modules and their grains: docs/reference/compose.md.
    """
