"""The specification that a mapping is about: a module, or a mix of a system that `compose` knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import gristmill.specification as specifications
from gristmill.building import parsed
from gristmill.compose.build.composer import composition
from gristmill.compose.build.sources import config_source, module_source
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import Mix, System
from gristmill.source import Diagnostic, SourceError, SourceFile
from gristmill.source.toml_reader import Reader, suggestion
from gristmill.specification import Specification
from gristmill.values import World, to_python

_SAY = 'write specification = "FILE.tla" in [system], or the manifest of a composed system'


Engine: TypeAlias = Literal["auto", "native"]
Output: TypeAlias = Callable[[str], None]


def opened(
    reader: Reader,
    other: str | None,
    mix: str | None,
    constants: Mapping[str, str],
    only: Sequence[str] = (),
    engine: Engine = "auto",
    output: Output = print,
) -> tuple[Specification, Mix]:
    """What `[system]` names, or the `other` file; `mix` and `constants` go over it, too. Raises `SourceError`.

    With the grain of each module, if it is a mix.
    """
    file = reader.file_of("system", "specification") if other is None else Path(other)
    config = reader.file_of("system", "config")
    if file is None:
        span = reader.places.key("system")
        raise SourceError(Diagnostic("no-specification", "the mapping names no specification", span, help=_SAY))
    if reader.diagnostics:
        raise SourceError(reader.diagnostics)
    given = {**reader.texts_by_name("system", "constants"), **constants}
    if file.suffix == ".toml":
        system, chosen = read_manifest(file), mix or reader.text("system", "mix")
        module, own, path, grains = _composed(reader, system, chosen, given, only)
        made = specifications.open(module, config=own, path=path, engine=engine, output=output)
        _check_constants(made, constants, reader)  # those of the mapping may be for other mixes
        return made, grains
    values, replacements = read_constants(given)
    made = specifications.open(
        file, config=config, constants=values, replacements=replacements, engine=engine, output=output
    )
    _check_constants(made, given, reader)
    return made, {}


def _check_constants(made: Specification, given: Mapping[str, str], reader: Reader) -> None:
    """Of a value for something that is not there, the specification only warns: but it was given for this one."""
    unknown = [each for each in made.model.warnings if each.id == "unknown-constant"]
    for name in given:
        for each in unknown:
            if each.message.startswith(f"`{name}` "):
                made.close()
                in_mapping = name in reader.table("system", "constants")
                span = reader.places.value("system", "constants", name) if in_mapping else None
                raise SourceError(replace(each, severity="error", span=span))


def read_constants(given: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Constants written as in a configuration, as Python objects; and operators that others take the place of."""
    lines = [f"{name} {text}" if text.startswith("<-") else f"{name} = {text}" for name, text in given.items()]
    with World().active():
        said = parsed(SourceFile("[system.constants]", "CONSTANTS\n" + "\n".join(lines))).choices()
        values = {name: to_python(value) for (_, name), value in said.constants.items()}
    return values, {name: other for (_, name), other in said.replacements.items()}


def _composed(
    reader: Reader, system: System, mix: str, constants: Mapping[str, str], only: Sequence[str]
) -> tuple[SourceFile, SourceFile, Sequence[Path], Mix]:
    """The module of a mix, its configuration, where it finds others, and the grain of each module of the system."""
    if mix and mix not in system.mixes:
        span = reader.places.value("system", "mix")
        help = suggestion(mix, system.mixes)
        raise SourceError(Diagnostic("unknown-mix", f"there is no mix `{mix}`", span, help=help))
    system = replace(system, constants={**system.constants, **constants})
    if only:
        system = replace(system, invariants=tuple(each for each in system.invariants if each.name in only))
    chosen = system.mixes[mix] if mix else {}
    composed = composition(system, chosen)
    return module_source(composed), config_source(composed), composed.search_path, composed.mix
