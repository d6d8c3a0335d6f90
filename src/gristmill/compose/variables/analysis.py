"""The variables of a system: its modules at the grains of a mix, analysed as one specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gristmill.building import build
from gristmill.compose.build.composer import composition
from gristmill.compose.build.files import Files
from gristmill.compose.build.origins import Origins
from gristmill.compose.build.parts import Selection, check_partition, grains_in, selected
from gristmill.compose.build.sources import config_source, module_source
from gristmill.compose.manifest.constants import configured
from gristmill.compose.manifest.reading import completed
from gristmill.compose.system import Mix, System
from gristmill.compose.variables.modules import Variables, analyse
from gristmill.ir.model import Model
from gristmill.source import SourceFile
from gristmill.source.stack import with_deep_stack
from gristmill.values import World


def variables_of(system: System, mix: Mix, *, suggest: bool = True) -> Variables:
    """What the modules read, write and share; where the mix says nothing of one, at its finest grain.

    No variable is left out, also those that a composition would drop as nobody reads them. Raises `SourceError`.
    """
    mix = completed(system.modules, mix)
    config, selection = with_deep_stack(lambda: _selection(system, mix))
    root = system.root
    if root is not None and not selection.calls and all(each.file.path == root for each in selection.chosen):
        actions = {name: grain.module for each in selection.chosen for name, grain in each.wanted.values()}
        model = build(root, config=config).model
        found = _analysed(system, model, actions, None, suggest)
    else:
        composed = composition(system, mix, keep=["*"])
        actions = {each.name: each.module for each in composed.actions}
        source = module_source(composed)
        model = build(source, config=config_source(composed), search_path=composed.search_path).model
        found = _analysed(system, model, actions, Origins(composed, source), suggest)
    return replace(found, name=system.name)


def _selection(system: System, mix: Mix) -> tuple[SourceFile, Selection]:
    """The actions of the mix in their files, and a configuration of the root."""
    with World().active():
        settings = configured(system)
        files = Files(system, settings.choices)
        check_partition(system, files)
        lines = ["CONSTANTS", *settings.sentences.values()] if settings.sentences else []
        lines += [f"INIT {system.init}", f"NEXT {system.next}"]
        lines += [f"INVARIANT {each.name}" for each in system.invariants if each.file == system.root]
        return SourceFile(f"{system.name}.cfg", "\n".join(lines) + "\n"), selected(files, grains_in(system, mix))


def _analysed(
    system: System, model: Model, actions: Mapping[str, str], origins: Origins | None, suggest: bool
) -> Variables:
    names = dict.fromkeys((*system.modules, *actions.values()))
    modules: dict[str, list[str]] = {name: [] for name in names}
    for action in dict.fromkeys(each.name for each in model.actions):
        if action in actions:
            modules[actions[action]].append(action)
    return analyse(
        model,
        {name: found for name, found in modules.items() if found},
        ghosts=[name for name in system.ghosts if name in model.variables],
        slices=system.slices,
        suggest=suggest,
        locate=None if origins is None else origins.locate,
    )
