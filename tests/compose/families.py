"""The families of examples/ in tests: systems with other constants, compositions as sides of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gristmill.building import build
from gristmill.checking.graphs import state_graph
from gristmill.checking.options import Options
from gristmill.compose.build.composer import composition
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import System
from gristmill.compose.verify.sides import Side
from gristmill.search import Limits

EXAMPLES = Path(__file__).parents[2] / "examples"
MANIFESTS = {"raft": "Raft.toml", "parallelraft": "ParallelRaft.toml"}
OPTIONS = Options(limits=Limits(seconds=120), output=lambda text: None)


def family(name: str, constants: Mapping[str, str] | None = None) -> System:
    return with_values(read_manifest(EXAMPLES / name / MANIFESTS[name]), constants or {})


def with_values(system: System, constants: Mapping[str, str]) -> System:
    return replace(system, constants={**system.constants, **constants})


def side_of(system: System, mix: str) -> Side:
    composed = composition(system, system.mixes[mix])
    model = build(composed.text, config=composed.config, search_path=composed.search_path).model
    graph = state_graph(model, OPTIONS)
    modules = {each.name: each.module for each in composed.actions}
    return Side(mix, model, graph, [modules[each.name] for each in graph.actions])
