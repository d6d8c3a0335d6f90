"""What the commands share: the manifest, and which grain of each module is meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import click

from gristmill.compose.manifest.fields import listed, suggestion
from gristmill.compose.system import Mix, System

Command = TypeVar("Command", bound=Callable[..., Any])

MANIFEST = click.argument("manifest", metavar="SYSTEM.toml")

_GRAIN = click.option(
    "--grain",
    "grains",
    multiple=True,
    metavar="MODULE=GRAIN",
    help="The grain of a module; of those that are not named, the finest.",
)
_MIX = click.option("--mix", metavar="NAME", help="A mix that the manifest names; --grain changes it.")


_ONLY = click.option(
    "--only",
    multiple=True,
    metavar="INVARIANT",
    help="Of the manifest's invariants, only this one. Can be repeated.",
)


def only_option(command: Command) -> Command:
    return _ONLY(command)


def with_only(system: System, names: Sequence[str]) -> System:
    """The system with these of its invariants; with all of them if none is named."""
    known = {each.name: each for each in system.invariants}
    for name in names:
        if name not in known:
            raise click.BadParameter(_unknown(f"there is no invariant {name!r}", name, known), param_hint="--only")
    return replace(system, invariants=tuple(known[name] for name in dict.fromkeys(names))) if names else system


def mix_options(command: Command) -> Command:
    return _GRAIN(_MIX(command))


def mix_of(system: System, mix: str | None, grains: Sequence[str]) -> Mix:
    """What the options ask for."""
    chosen: dict[str, str] = {}
    if mix is not None:
        if mix not in system.mixes:
            raise click.BadParameter(_unknown(f"there is no mix {mix!r}", mix, system.mixes), param_hint="--mix")
        chosen |= system.mixes[mix]
    for text in grains:
        module, equals, grain = (part.strip() for part in text.partition("="))
        if not equals or not module or not grain:
            raise click.BadParameter(f"{text!r}: write MODULE=GRAIN, such as Election=coarse", param_hint="--grain")
        if module not in system.modules:
            message = _unknown(f"there is no module {module!r}", module, system.modules)
            raise click.BadParameter(message, param_hint="--grain")
        known = system.modules[module].grains
        if grain not in known:
            message = _unknown(f"the module {module!r} has no grain {grain!r}", grain, known)
            raise click.BadParameter(message, param_hint="--grain")
        chosen[module] = grain
    return chosen


def _unknown(message: str, name: str, known: Mapping[str, object]) -> str:
    return f"{message}; {suggestion(name, known) or f'there are {listed(known)}' if known else 'there is none'}"


_CONSTANT = re.compile(r"\s*(\w+)\s*(=|<-)\s*(.+?)\s*", re.DOTALL)


def with_constants(system: System, texts: Sequence[str]) -> System:
    """The system with the constants of the command line over its own."""
    given: dict[str, str] = {}
    for text in texts:
        found = _CONSTANT.fullmatch(text)
        if found is None:
            raise click.BadParameter(f"{text!r}: write NAME=VALUE", param_hint="--constant")
        given[found[1]] = found[3] if found[2] == "=" else f"<- {found[3]}"
    return replace(system, constants={**system.constants, **given})
