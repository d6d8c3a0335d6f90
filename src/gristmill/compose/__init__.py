"""Multi-grained specifications: a system of modules, each written at several grains, composed and verified.

system = read_manifest("Raft.toml")
composed = composition(system, {"Vote": "coarse"})
gristmill.check(composed.text, config=composed.config, path=composed.search_path)
"""

from gristmill.compose.build.composer import composition
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import Composition, Mix, System

__all__ = ["Composition", "Mix", "System", "composition", "read_manifest"]
