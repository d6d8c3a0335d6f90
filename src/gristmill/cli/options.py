"""What `check` and `simulate` share: everything a configuration file can say, as options."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import click

from gristmill.building import parsed
from gristmill.library.permissions import Permissions, permissions
from gristmill.modules.choices import NAMED, Choices, Section, named, with_added
from gristmill.source import SourceFile

Command = TypeVar("Command", bound=Callable[..., Any])

_NAME = "NAME"
_Option = tuple[tuple[str, ...], dict[str, Any]]


def _naming(section: Section) -> _Option:
    return (section.option, section.name), {"multiple": section.many, "metavar": _NAME, "help": section.help}


_MODEL: list[_Option] = [
    (("--config",), {"metavar": "FILE.cfg", "help": "What to check; by default the .cfg beside FILE.tla."}),
    (
        ("--path", "search_path"),
        {"multiple": True, "metavar": "DIR", "help": "Another folder to look for modules in."},
    ),
    (
        ("--constant", "constants"),
        {
            "multiple": True,
            "metavar": "NAME=VALUE",
            "help": 'As in a configuration: "N = 3", "S = {a, b}" (model values), "Op <- Other".',
        },
    ),
    *(_naming(section) for section in NAMED if section.help is not None),
    (
        ("--refines", "refines"),
        {
            "multiple": True,
            "metavar": _NAME,
            "help": "An instance whose Spec is to be satisfied, or a formula of one (`A!Spec`): a property, too.",
        },
    ),
    (("--no-deadlock",), {"is_flag": True, "help": "Let behaviours end."}),
]

PERMISSIONS: list[_Option] = [
    (
        ("--allow-read",),
        {"multiple": True, "metavar": "DIR", "help": "Let the specification read files there, too (docs/security.md)."},
    ),
    (
        ("--allow-write",),
        {"multiple": True, "metavar": "DIR", "help": "Let it write there, besides its folder and the working folder."},
    ),
    (
        ("--env",),
        {"multiple": True, "metavar": "NAME", "help": "Let it see this environment variable in IOEnv; '*': all."},
    ),
    (("--allow-exec",), {"is_flag": True, "help": "Let IOExec run programs."}),
]

_RUN: list[_Option] = [
    (
        ("--continue", "keep_going"),
        {"is_flag": True, "help": "Go on after a violation; exits non-zero all the same."},
    ),
    (
        ("--seconds",),
        {"type": click.FloatRange(0, min_open=True), "help": "Stop after this time with what is known."},
    ),
    (
        ("--memory",),
        {
            "metavar": "SIZE",
            "callback": lambda ctx, param, value: bytes_of(value),
            "help": "Stop when the process has this much: 500M, 2G. The native engine then keeps states on disk.",
        },
    ),
    (
        ("--workers",),
        {
            "type": click.IntRange(1),
            "default": 1,
            "metavar": "N",
            "help": "Threads of the native engine, processes of `simulate`.",
        },
    ),
    (("--seed",), {"type": int, "help": "Of everything random."}),
    *PERMISSIONS,
    (("--itf",), {"metavar": "FILE", "help": "Write the counterexample to a file, in ITF."}),
    (("--html",), {"metavar": "FILE", "help": "Write a report to a file: one page, which needs nothing else."}),
    (
        ("--coverage",),
        {"is_flag": True, "help": "Show how often actions were taken and what was never evaluated; slower."},
    ),
    (
        ("--trace",),
        {
            "type": click.Choice(["changes", "full"]),
            "default": "changes",
            "help": "Of a counterexample, what each step changes, or every state whole.",
        },
    ),
    (
        ("--trace-unchanged", "unchanged"),
        {
            "type": click.Choice(["show", "omit"]),
            "help": "Every state whole, with or without the variables that do not change.",
        },
    ),
    (
        ("--format", "output"),
        {"type": click.Choice(["text", "json"]), "default": "text", "help": "How to print the result."},
    ),
]


def model_options(command: Command) -> Command:
    return _with(_MODEL, command)


def run_options(command: Command) -> Command:
    return _with(_RUN, command)


def permission_options(command: Command) -> Command:
    return _with(PERMISSIONS, command)


def permissions_of(options: dict[str, Any]) -> Permissions:
    return permissions(options["allow_read"], options["allow_write"], options["env"], options["allow_exec"])


def _with(options: Sequence[_Option], command: Command) -> Command:
    for names, settings in reversed(options):
        command = click.option(*names, **settings)(command)
    return command


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def bytes_of(text: str | None) -> int | None:
    """`500M`, `2G`, or a plain number of bytes."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", text.strip(), re.IGNORECASE)
    if found is None or float(found[1]) == 0:
        raise click.BadParameter(f"{text!r} is no size; write 500M or 2G")
    return max(1, int(float(found[1]) * _UNITS[found[2].upper()]))


def change_of(options: dict[str, Any]) -> Callable[[Choices], Choices]:
    """What the options add to the choices of a configuration, or put in their place."""
    properties = (*options["properties"], *options["refines"])
    asked = Choices(**named({**options, "properties": properties}), check_deadlock=not options["no_deadlock"])

    def change(choices: Choices) -> Choices:
        """Values are read here, when the run has begun, because the order of strings belongs to the run."""
        given = parsed(SourceFile("--constant", "CONSTANTS\n" + "\n".join(options["constants"]))).choices()
        added = replace(
            asked,
            constants=given.constants,
            tables=given.tables,
            replacements=given.replacements,
            spans=given.spans,
        )
        return with_added(choices, added)

    return change
