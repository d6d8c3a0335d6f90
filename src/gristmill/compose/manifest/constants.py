"""The constants of a system: those of its configuration, and those of its manifest over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gristmill.building import parsed
from gristmill.compose.system import System
from gristmill.modules.choices import Choices, with_added
from gristmill.source import ConfigurationError, Diagnostic, SourceError, SourceFile, read_source
from gristmill.values.show import show


@dataclass(frozen=True, slots=True)
class Configured:
    """What the files of a system are read with. `sentences`: `Name = value`, by name, as for a configuration.

    The others are what the configuration file asks for besides: it may be that of the root.
    """

    choices: Choices
    sentences: Mapping[str, str]
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()

    @property
    def replacements(self) -> dict[str, str]:
        return {name: by for (_, name), by in self.choices.replacements.items()}


def configured(system: System) -> Configured:
    """Raises `SourceError`. In the world of a run, because values are made."""
    file = Choices() if system.config is None else parsed(read_source(system.config)).choices()
    _refuse(system, file)
    given = Choices()
    sentences = _sentences(file)
    for name, text in system.constants.items():
        sentence = f"{name} {text}" if text.lstrip().startswith("<-") else f"{name} = {text}"
        given = with_added(given, _parsed(system, name, sentence))
        sentences[name] = sentence
    constants_only = Choices(constants=file.constants, tables=file.tables, replacements=file.replacements)
    return Configured(
        with_added(constants_only, given),
        sentences,
        tuple(file.constraints),
        tuple(file.action_constraints),
        (*file.properties, *file.postconditions, *file.possible),
    )


def _parsed(system: System, name: str, sentence: str) -> Choices:
    try:
        return parsed(SourceFile("", f"CONSTANTS\n{sentence}")).choices()
    except SourceError as error:
        first = error.diagnostics[0]
        message = f"the value of the constant `{name}` cannot be read: {first.message}"
        help = first.help or 'write it as in a configuration: Server = "{s1, s2}", N = "3", Op = "<- Definition"'
        raise ConfigurationError(
            Diagnostic("constant-value", message, system.place("constants", name), help=help)
        ) from None


def _sentences(choices: Choices) -> dict[str, str]:
    found = {name: f"{name} = {show(value)}" for (_, name), value in choices.constants.items()}
    found |= {name: f"{name} <- {by}" for (_, name), by in choices.replacements.items()}
    for name, table in choices.tables.items():
        found[name] = "\n    ".join(
            f"{name}({', '.join(show(each) for each in arguments)}) = {show(value)}"
            for arguments, value in table.items()
            if isinstance(arguments, tuple)
        )
    return found


def _refuse(system: System, choices: Choices) -> None:
    """What a configuration may say of a specification, and not of a composition."""
    place = system.place("system", "config")
    modules = [module for module, _ in (*choices.constants, *choices.replacements) if module is not None]
    if choices.symmetry is not None:
        raise ConfigurationError(
            Diagnostic(
                "compose-symmetry",
                f"the configuration declares a symmetry, `{choices.symmetry}`, which a composition need not have",
                place,
                help="leave it out; `gristmill check` can be given --symmetry for a composition that was built",
            )
        )
    if choices.view is not None:
        raise ConfigurationError(
            Diagnostic(
                "compose-view",
                f"the configuration has a view, `{choices.view}`, which may not be one of a composition",
                place,
                help="name history variables in `ghost`; variables that nobody reads are left out of states anyway",
            )
        )
    if modules:
        raise ConfigurationError(
            Diagnostic(
                "compose-qualified-constant",
                f"the configuration gives a value to a name of the module {modules[0]} alone",
                place,
                help="a composition is one module: define the name there",
            )
        )
