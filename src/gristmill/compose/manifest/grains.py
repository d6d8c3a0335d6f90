"""The grains of modules in a manifest, and which of them is the coarse counterpart of which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gristmill.compose.manifest.fields import Reader, suggestion
from gristmill.compose.system import FINE, Grain, Module

_MODULE = ("actions", "grain", "file", "init", "next")
_GRAIN = ("file", "actions", "of", "refines", "map", "covered-by", "init", "next")


def grains_of(reader: Reader, module: str, root: Path | None, init: str, next_: str) -> dict[str, Grain]:
    path = ("module", module)
    reader.known(path, _MODULE)
    grains: dict[str, Grain] = {}
    if "actions" in reader.table(*path):
        span = reader.places.key(*path, "actions")
        file = reader.file_of(*path, "file") or root
        actions = reader.patterns(*path, "actions")
        if file is None:
            reader.error("no-file", "there is no file to take these actions from", span, 'add root = "…" to [system]')
        else:
            grains[FINE] = Grain(
                FINE,
                module,
                file,
                actions,
                span,
                covers=(module,),
                init=reader.text(*path, "init", default=init),
                next=reader.text(*path, "next", default=next_),
            )
    for name in reader.table(*path, "grain"):
        if name in grains:
            where = reader.places.key(*path, "grain", name)
            reader.error(
                "grain-twice", f"`{module}` has the grain `{FINE}` already: its `actions`", where, "name it otherwise"
            )
        else:
            grains |= _grain(reader, module, name, root, init, next_)
    return grains


def _grain(reader: Reader, module: str, name: str, root: Path | None, init: str, next_: str) -> dict[str, Grain]:
    path = ("module", module, "grain", name)
    span = reader.places.key(*path)
    reader.known(path, _GRAIN)
    if not isinstance(reader.get(*path), dict):
        return {}
    covered = reader.text(*path, "covered-by")
    if covered:
        return {name: Grain(name, module, Path(), (), span, covered_by=_reference(covered))}
    file = reader.file_of(*path, "file") or root
    if file is None:
        reader.error("no-file", f"the grain `{name}` has no file", span, 'add file = "…"')
        return {}
    return {
        name: Grain(
            name,
            module,
            file,
            reader.patterns(*path, "actions"),
            span,
            covers=(module,),
            action_map=_action_map(reader, path),
            init=reader.text(*path, "init", default=init),
            next=reader.text(*path, "next", default=next_),
        )
    }


def _reference(text: str) -> tuple[str, str]:
    """`Module.grain`."""
    module, _, grain = text.partition(".")
    return module, grain


def _action_map(reader: Reader, path: tuple[str, ...]) -> dict[str, tuple[str, ...]] | None:
    """A name or a list of names for each name or glob; None where nothing is said."""
    if reader.get(*path, "map") is None:
        return None
    found = {}
    for key, value in reader.table(*path, "map").items():
        found[key] = (value,) if isinstance(value, str) else reader.texts(*path, "map", key)
    return found


# ------------------------------------------------------------------------------------------------------- counterparts


def with_counterparts(reader: Reader, modules: dict[str, Module]) -> dict[str, Module]:
    """The modules with `of`, `refines` and `covered-by` looked up."""
    for module in modules.values():
        _covered(reader, module, modules)
    modules = {name: _with_covers(module, modules) for name, module in modules.items()}
    modules = {name: _with_order(reader, module) for name, module in modules.items()}
    return {name: module for name, module in modules.items() if not _is_cyclic(reader, module)}


def _covered(reader: Reader, module: Module, modules: Mapping[str, Module]) -> None:
    for grain in module.grains.values():
        if grain.covered_by is None:
            continue
        span = reader.places.value("module", module.name, "grain", grain.name, "covered-by")
        other, name = grain.covered_by
        if other == module.name or other not in modules:
            help = suggestion(other, [each for each in modules if each != module.name])
            reader.error("unknown-module", f"there is no other module `{other}`", span, help or 'write "Module.grain"')
        elif name not in modules[other].grains or modules[other].grains[name].covered_by:
            own = [each.name for each in modules[other].grains.values() if not each.covered_by]
            reader.unknown("unknown-grain", f"the module `{other}` has no grain `{name}` of its own", span, name, own)


def _with_covers(module: Module, modules: Mapping[str, Module]) -> Module:
    grains = {}
    for name, grain in module.grains.items():
        key = (module.name, name)
        others = [m.name for m in modules.values() if any(g.covered_by == key for g in m.grains.values())]
        held = modules.get(grain.covered_by[0]) if grain.covered_by else None
        file = held.grains[grain.covered_by[1]].file if held and grain.covered_by[1] in held.grains else grain.file  # type: ignore[index]
        grains[name] = replace(grain, covers=(*grain.covers, *others), file=file)
    return replace(module, grains=grains)


def _with_order(reader: Reader, module: Module) -> Module:
    """`of` names the finer one, `refines` the coarser one; a grain called `coarse` is that of the finest by default."""
    finer: dict[str, str] = {}

    def add(coarse: str, fine: str, key: str, of: str) -> None:
        span = reader.places.value("module", module.name, "grain", of, key)
        named = fine if key == "of" else coarse
        if named not in module.grains or named == of:
            known = [name for name in module.grains if name != of]
            reader.unknown(
                "unknown-grain", f"the module `{module.name}` has no other grain `{named}`", span, named, known
            )
        elif finer.get(coarse, fine) != fine:
            reader.error(
                "two-counterparts",
                f"`{coarse}` is the coarse counterpart of `{finer[coarse]}` already",
                span,
                "a grain stands in for one finer grain; let these refine each other, one after the other",
            )
        else:
            finer[coarse] = fine

    for name in module.grains:
        path = ("module", module.name, "grain", name)
        of, refines = reader.text(*path, "of"), reader.text(*path, "refines")
        if of:
            add(name, of, "of", name)
        if refines:
            add(refines, name, "refines", name)
    if len(module.grains) > 1:
        _default_order(module, finer)
    return replace(
        module, grains={name: replace(grain, counterpart=finer.get(name)) for name, grain in module.grains.items()}
    )


def _default_order(module: Module, finer: dict[str, str]) -> None:
    """Where nothing is said of a grain called `coarse`, or of one that another covers, or of one beside the root's
    own actions, it stands in for the first grain that nothing else is finer than."""
    unplaced = [name for name in module.grains if name not in finer and name not in finer.values()]
    for name in unplaced:
        grain = module.grains[name]
        others = [each for each in module.grains if each != name and each not in finer]
        if (name == "coarse" or grain.covered_by or FINE in module.grains) and name != FINE and others:
            # What is called fine comes first; of a family, the end of the chain that is there already.
            target = FINE if FINE in others else others[0]
            finer[name] = _coarsest_below(target, finer)


def _coarsest_below(fine: str, finer: Mapping[str, str]) -> str:
    coarser = {value: key for key, value in finer.items()}
    seen = {fine}
    while fine in coarser and coarser[fine] not in seen:
        fine = coarser[fine]
        seen.add(fine)
    return fine


def _is_cyclic(reader: Reader, module: Module) -> bool:
    for start in module.grains.values():
        seen, grain = [start.name], start
        while grain.counterpart is not None and grain.counterpart in module.grains:
            grain = module.grains[grain.counterpart]
            if grain.name in seen:
                ring = " -> ".join([*seen[seen.index(grain.name) :], grain.name])
                reader.error(
                    "counterpart-cycle",
                    f"these grains of `{module.name}` stand in for each other: {ring}",
                    start.span,
                    "one of them has to be the finest: it has neither `of` nor is it named by a `refines`",
                )
                return True
            seen.append(grain.name)
    return False
