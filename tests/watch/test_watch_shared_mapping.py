"""One mapping for `replay` and `watch`."""

from pathlib import Path

from lock_recordings import MAPPING

from gristmill.replay.mapping import read_mapping
from gristmill.watch.mapping import read_watch_map

DRIVEN = """
[program]
file = "lock.py:system"
"""
NAMES = ("messages", "highest", "current", "held")
ACTIONS = ("Assign", "Acquire", "Release", "Ask")


def test_each_leaves_the_tables_of_the_other_alone(tmp_path: Path) -> None:
    for name in ("Lock.tla", "Lock.cfg"):
        (tmp_path / name).write_text(MAPPING.with_name(name).read_text())
    mapping = tmp_path / "lock.map.toml"
    driven = MAPPING.read_text().replace('nodes = "Server"\n', 'nodes = "Server"\ndriver = "program"\n') + DRIVEN
    driven += "".join(f'[variable.{name}]\nunobserved = "nobody tells it"\n' for name in NAMES)
    mapping.write_text(driven + "".join(f"[action.{name}]\ndo = []\n" for name in ACTIONS))
    assert read_watch_map(mapping).records.keys() >= {"Assign", "Acquire"}
    assert read_mapping(mapping).variables.keys() == set(NAMES)
