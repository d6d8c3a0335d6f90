"""Options as TLC spells them: who is used to those is told how they are spelt here."""

import re
from typing import Any

import click

_WORD = re.compile(r"-[a-zA-Z]{2,}")

# TLC's option -> ours; what is missing has the same name.
_HERE = {
    "-deadlock": "--no-deadlock",
    "-config": "--config",
    "-workers": "--workers",
    "-continue": "--continue",
    "-coverage": "--coverage",
    "-depth": "--depth",
    "-dump": "--dump",
    "-dumpTrace": "--itf",
    "-seed": "--seed",
    "-simulate": "the verb `gristmill simulate`",
    "-generate": "the verb `gristmill simulate` with --generate",
    "-difftrace": "what is shown anyway: changed variables are marked",
    "-postCondition": "--postcondition",
    "-invlevel": "--depth",
    "-tool": "--format json",
}


class Verb(click.Command):
    """A verb that knows them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:
        for arg in args:
            if _WORD.fullmatch(arg):
                here = _HERE.get(arg)
                hint = f"here it is {here}" if here else "options have two dashes here: see --help"
                raise click.UsageError(f"{arg} is how TLC spells an option; {hint}.", ctx)
        return super().parse_args(ctx, args)
