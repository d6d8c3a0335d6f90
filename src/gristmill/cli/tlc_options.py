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
    "-recover": "--resume, with --checkpoint DIR",
    "-checkpoint": "--checkpoint DIR, with --checkpoint-minutes",
    "-view": "--view, or VIEW in the configuration",
    "-maxSetSize": "not needed: a set that is too large is an error with its place",
    "-dfid": "not needed: memory is bounded by --memory",
    "-lncheck": "not needed: temporal properties are looked at during the search, and decided at its end",
    "-generateSpecTE": "--itf, which writes the counterexample to a file",
}

# TLC's options for which there is nothing to choose here.
_NOT_HERE = (
    "-aril -cleanup -debug -debugger -fp -fpbits -fpmem -gzip -metadir -noGenerateSpecTE -nowarning -teSpecOutDir"
    " -terse -userFile"
).split()


class Verb(click.Command):
    """A verb that knows them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:
        for arg in args:
            if _WORD.fullmatch(arg):
                raise click.UsageError(_message(arg), ctx)
        return super().parse_args(ctx, args)


def _message(option: str) -> str:
    if option in _HERE:
        return f"{option} is how TLC spells an option; here it is {_HERE[option]}."
    if option in _NOT_HERE:
        return f"{option} is an option of TLC that there is no need for here: leave it out."
    return f"there is no option {option}; options have two dashes: see --help."
