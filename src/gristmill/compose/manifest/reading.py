"""The manifest of a system: a TOML file beside the TLA+ files that it speaks of.

`read_manifest` looks at the manifest alone, and at whether its files are there; what is in them is for `build`. All
mistakes are reported at once, each with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from gristmill.building import parsed
from gristmill.compose.manifest.fields import Reader
from gristmill.compose.manifest.grains import grains_of, with_counterparts
from gristmill.compose.system import ENVIRONMENT, FINE, Grain, Invariant, Mix, Module, System, holder
from gristmill.source import Diagnostic, SourceError, SourceFile, Span, read_source
from gristmill.source.toml_reader import parsed_document
from gristmill.values import World

_TOP = ("system", "constants", "domain", "invariant", "module", "environment", "mix")
_SYSTEM = ("name", "root", "init", "next", "config", "ghost", "invariants", "slice", "keep")
_ENVIRONMENT = ("file", "actions", "init", "next")
_INVARIANT = ("file", "grains")


def read_manifest(source: str | Path | SourceFile) -> System:
    """Raises `SourceError` with everything that is wrong with the manifest."""
    file = source if isinstance(source, SourceFile) else read_source(source)
    reader = Reader(file, parsed_document(file), Path(file.path).parent)
    if "system" not in reader.document and "module" not in reader.document:
        reader.error("no-system", "this manifest describes no system", file.span(0, 0), _BEGINS)
    system = _system(reader)
    if reader.diagnostics:
        raise SourceError(sorted(reader.diagnostics, key=lambda each: each.span.start if each.span else 0))
    return system


_BEGINS = "a manifest has a table [system], and a table [module.NAME] for each module"


def _system(reader: Reader) -> System:
    reader.known((), _TOP)
    reader.known(("system",), _SYSTEM)
    root = reader.file_of("system", "root")
    init, next_ = reader.text("system", "init", default="Init"), reader.text("system", "next", default="Next")
    modules = _modules(reader, root, init, next_)
    return System(
        name=reader.text("system", "name", default=_name(root, reader.file)),
        source=reader.file,
        folder=reader.folder,
        modules=modules,
        environment=_environment(reader, root, init, next_),
        invariants=_invariants(reader, root, modules),
        root=root,
        init=init,
        next=next_,
        config=reader.file_of("system", "config"),
        constants=reader.texts_by_name("constants"),
        domains=reader.texts_by_name("domain"),
        ghosts=reader.texts("system", "ghost"),
        slices=reader.texts_by_name("system", "slice"),
        keep=reader.texts("system", "keep"),
        mixes=_mixes(reader, modules),
        places=reader.places,
    )


def _name(root: Path | None, file: SourceFile) -> str:
    stem = Path(file.path).stem if root is None else root.stem
    return re.sub(r"\W", "_", stem) or "System"


# ----------------------------------------------------------------------------------------------- modules, environment


def _modules(reader: Reader, root: Path | None, init: str, next_: str) -> dict[str, Module]:
    modules: dict[str, Module] = {}
    for name in reader.table("module"):
        span = reader.places.key("module", name)
        if not re.fullmatch(r"\w+", name):
            reader.error("module-name", f"`{name}` is no name of a module", span, "use letters, digits and `_`")
        elif name == ENVIRONMENT:
            reader.error("module-name", "`environment` is no name of a module", span, "use the table [environment]")
        grains = grains_of(reader, name, root, init, next_)
        if not grains:
            if isinstance(reader.get("module", name), dict):
                reader.error(
                    "module-without-grain",
                    f"the module `{name}` has no grain",
                    span,
                    "say which actions of the root are its own: actions = [...], or give it a grain with a file:"
                    ' grain.coarse = { file = "…", actions = [...] }',
                )
            continue
        modules[name] = Module(name, grains, span)
    if not modules and not reader.diagnostics:
        reader.error("no-modules", "the system has no modules", reader.places.key("system"), _BEGINS)
    return with_counterparts(reader, modules)


def _environment(reader: Reader, root: Path | None, init: str, next_: str) -> Module | None:
    if "environment" not in reader.document:
        return None
    path = ("environment",)
    span = reader.places.key(*path)
    reader.known(path, _ENVIRONMENT)
    file = reader.file_of(*path, "file") or root
    if file is None:
        reader.error("no-file", "there is no file to take these actions from", span, 'add file = "…", or a root')
        return None
    grain = Grain(
        FINE,
        ENVIRONMENT,
        file,
        reader.patterns(*path, "actions"),
        span,
        init=reader.text(*path, "init", default=init),
        next=reader.text(*path, "next", default=next_),
    )
    return Module(ENVIRONMENT, {FINE: grain}, span)


# --------------------------------------------------------------------------------------------------------- invariants


def _invariants(reader: Reader, root: Path | None, modules: Mapping[str, Module]) -> tuple[Invariant, ...]:
    found: dict[str, Invariant] = {}
    for number, name in enumerate(reader.texts("system", "invariants")):
        span = reader.places.value("system", "invariants", number)
        if root is None:
            reader.error(
                "no-file", f"no file is named that defines `{name}`", span, f'write [invariant.{name}] file = "…"'
            )
        else:
            found[name] = Invariant(name, root, span)
    for name in reader.table("invariant"):
        path = ("invariant", name)
        span = reader.places.key(*path)
        reader.known(path, _INVARIANT)
        file = reader.file_of(*path, "file") or root
        grains = _grains_of_invariant(reader, name, modules)
        if file is None:
            reader.error("no-file", f"no file is named that defines `{name}`", span, 'add file = "…"')
        else:
            found[name] = Invariant(name, file, span, grains)
    for name in _configured_invariants(reader):
        if root is not None:
            found.setdefault(name, Invariant(name, root, reader.places.value("system", "config")))
    return tuple(found.values())


def _configured_invariants(reader: Reader) -> tuple[str, ...]:
    """Those of the configuration of the root. What is wrong with that is told by whoever needs its constants."""
    name = reader.text("system", "config")
    if not name or not (reader.folder / name).is_file():
        return ()
    with World().active():
        try:
            return tuple(parsed(read_source(reader.folder / name)).choices().invariants)
        except SourceError:
            return ()


def _grains_of_invariant(reader: Reader, name: str, modules: Mapping[str, Module]) -> dict[str, tuple[str, ...]]:
    found = {}
    for module in reader.table("invariant", name, "grains"):
        path = ("invariant", name, "grains", module)
        grains = reader.texts(*path)
        if known_module(reader, module, modules, reader.places.key(*path)):
            for number, grain in enumerate(grains):
                known_grain(reader, modules[module], grain, reader.places.value(*path, number))
        found[module] = grains
    return found


# -------------------------------------------------------------------------------------------------------------- mixes


def _mixes(reader: Reader, modules: Mapping[str, Module]) -> dict[str, Mix]:
    mixes: dict[str, Mix] = {}
    for name in reader.table("mix"):
        mix: dict[str, str] = {}
        for module in reader.table("mix", name):
            path = ("mix", name, module)
            grain = reader.text(*path)
            known = known_module(reader, module, modules, reader.places.key(*path)) and grain
            if known and known_grain(reader, modules[module], grain, reader.places.value(*path)):
                mix[module] = grain
        if not reader.diagnostics:
            reader.diagnostics += conflicts(modules, completed(modules, mix), reader.places.key("mix", name))
        mixes[name] = mix
    return mixes


def completed(modules: Mapping[str, Module], mix: Mix) -> dict[str, str]:
    """A grain for every module: where a mix says nothing, the finest, unless a coarse grain covers it already."""
    full = dict(mix)
    taken = {holder(modules[name].grains[grain]) for name, grain in mix.items()}
    for name, module in modules.items():
        covered = (grain.name for grain in module.grains.values() if grain.covered_by in taken)
        full.setdefault(name, next(covered, module.finest.name))
    return {name: full[name] for name in modules}


def conflicts(modules: Mapping[str, Module], mix: Mix, span: Span | None) -> Iterable[Diagnostic]:
    """A coarse grain that covers several modules stands for all of them, or for none."""
    for name, grain_name in mix.items():
        grain = modules[name].grains[grain_name]
        if grain.covered_by is not None and mix[grain.covered_by[0]] != grain.covered_by[1]:
            yield _split_cover(name, grain_name, *grain.covered_by, span)
        for covered in grain.covers:
            other = modules[covered].grains[mix[covered]]
            if covered != name and other.covered_by != (name, grain_name):
                yield Diagnostic(
                    "grain-covers",
                    f"`{name}` at the grain `{grain_name}` is `{covered}`, too, which is there at the grain"
                    f" `{other.name}` besides",
                    span,
                    help=f"leave `{covered}` out of the mix, or take another grain of `{name}`",
                )


def _split_cover(name: str, grain: str, by: str, by_grain: str, span: Span | None) -> Diagnostic:
    return Diagnostic(
        "grain-covered",
        f"`{name}` at the grain `{grain}` is part of `{by}` at the grain `{by_grain}`, which is not in this mix",
        span,
        help=f'add {by} = "{by_grain}"',
    )


def known_module(reader: Reader, name: str, modules: Mapping[str, Module], span: Span) -> bool:
    if name in modules:
        return True
    reader.unknown("unknown-module", f"there is no module `{name}`", span, name, modules)
    return False


def known_grain(reader: Reader, module: Module, name: str, span: Span) -> bool:
    if name in module.grains:
        return True
    reader.unknown("unknown-grain", f"the module `{module.name}` has no grain `{name}`", span, name, module.grains)
    return False
