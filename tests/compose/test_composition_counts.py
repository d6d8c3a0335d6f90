"""A composition of everything is the specification that it was cut from; and what is left out changes nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from random_systems import VARIABLES, Maker, reachable

import gristmill
from gristmill.compose import composition, read_manifest
from gristmill.compose.manifest.constants import configured
from gristmill.compose.system import Composition, System
from gristmill.examples.catalogue import BOOK
from gristmill.source import SourceError, SourceFile
from gristmill.values import World

EXAMPLES = Path(__file__).parents[2] / "examples"
DEPTH = 5
NOT_COMPOSED = {"compose-symmetry", "compose-view"}


def module_of(config: Path) -> Path:
    own = config.with_suffix(".tla")
    return own if own.exists() else config.with_name(f"{config.stem.partition('-')[0]}.tla")


def has_next(module: Path) -> bool:
    """Written, or translated from PlusCal."""
    text = module.read_text()
    return "--algorithm" in text or "--fair" in text or re.search(r"^Next\s*==", text, re.MULTILINE) is not None


CONFIGURATIONS = [
    config for config in (*sorted(BOOK.glob("*/*.cfg")), *sorted(EXAMPLES.glob("*.cfg"))) if has_next(module_of(config))
]


def one_module(config: Path) -> SourceFile:
    """A manifest with one module, which is all of the specification."""
    module = module_of(config)
    text = f'[system]\nroot = "{module.name}"\nconfig = "{config.name}"\n[module.All]\nactions = ["*"]\n'
    return SourceFile(str(config.parent / "all.toml"), text)


def check(source: Path | str, config: str, **options: object) -> gristmill.Result:
    result = gristmill.check(
        source,
        config=config,
        depth=DEPTH,
        engine="python",
        output=lambda text: None,
        **options,  # type: ignore[arg-type]
    )
    assert result.status is None, result
    return result


def configuration(system: System, composed: Composition) -> str:
    """That of the composition, for the whole file: constants that only unused definitions speak of have values, too."""
    with World().active():
        sentences = configured(system).sentences
    more = [text for name, text in sentences.items() if f"    {name} " not in composed.config]
    return composed.config + "".join(f"CONSTANTS\n    {sentence}\n" for sentence in more)


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_composition_of_everything_is_the_whole(config: Path) -> None:
    system = read_manifest(one_module(config))
    try:
        composed = composition(system, {}, keep=["*"])
    except SourceError as error:
        found = {each.id for each in error.diagnostics}
        if found & NOT_COMPOSED:
            pytest.skip(error.diagnostics[0].message)
        raise
    assert system.root is not None
    whole = check(system.root, configuration(system, composed))
    own = check(composed.text, composed.config, path=composed.search_path)
    assert (own.verdict, own.property) == (whole.verdict, whole.property)
    if whole.trace is None:
        assert (own.distinct, own.generated, own.depth) == (whole.distinct, whole.generated, whole.depth)
    else:  # actions may come in another order, so another behaviour of that length may be found first
        assert own.trace is not None
        assert len(own.trace.steps) == len(whole.trace.steps)


def test_what_is_left_out_changes_nothing_else(tmp_path: Path) -> None:
    """Of random systems: the states of a composition are those of the whole, on the variables that are left."""
    left_out = 0
    for seed in range(40):
        made = Maker(seed).system()
        folder = tmp_path / str(seed)
        folder.mkdir()
        composed = composition(read_manifest(made.write(folder)), {})
        left_out += bool(composed.dropped)
        places = [VARIABLES.index(name) for name in composed.variables]
        whole = reachable(made.initial, made.actions(list(made.modules)))
        states = {tuple(state[place] for place in places) for state in whole}
        found = gristmill.check(composed.text, config=composed.config, engine="python", path=composed.search_path)
        assert found.distinct == len(states), seed
    assert left_out > 5
