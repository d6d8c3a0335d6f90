"""Specifications of protocols that others have written, within bounds of our own: the second table of `against_tlc.py`.

They are not in this repository. Of checkouts in a folder, as `OWNER+NAME`, what a configuration needs is copied to
another folder, with the module and the bounds from `protocols/` beside it. Of configurations that come with a
specification, what asks for more than the search itself is left out (symmetry, temporal properties, coverage).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_OWN = Path(__file__).parent / "protocols"
_EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Protocol:
    """`files`: of the checkout. `config`: one of them, without the statements in `without`; "" if it is ours."""

    name: str
    checkout: str
    files: str
    config: str = ""
    without: tuple[str, ...] = ()
    module: str = "MC.tla"


_ALL = (
    Protocol("raft2", "ongardie+raft.tla", "raft.tla"),
    Protocol("raft3", "ongardie+raft.tla", "raft.tla"),
    Protocol("zab", "apache+zookeeper", "zookeeper-specifications/protocol-spec/*.tla"),
    Protocol("zookeeper", "apache+zookeeper", "zookeeper-specifications/system-spec/zk-3.7/*.tla"),
    Protocol("etcdraft", "etcd-io+raft", "tla/*etcdraft.*", "MCetcdraft.cfg", ("SYMMETRY", "VIEW")),
    Protocol(
        "ccf_consensus",
        "microsoft+CCF",
        "tla/consensus/*.*",
        "MCccfraft.cfg",
        ("SYMMETRY", "VIEW", "POSTCONDITION", "CONSTRAINTS", "PROPERTIES"),
    ),
    Protocol("ccf_consistency", "microsoft+CCF", "tla/consistency/*.*", "MCMultiNode.cfg", (), "MCMultiNode.tla"),
)
# Our own. ZooKeeper has bugs that mSpec-3 finds: of its invariants, two that hold are checked.
_MIXES: dict[str, dict[str, str]] = {
    "mSpec-1": {},
    "mSpec-3": {
        r"(?m)^INVARIANTS .*$": "INVARIANTS PrimaryUniqueness Integrity",
        r"MaxCrashes = \d+": "MaxCrashes = 1",
    },
}
_STATEMENT = re.compile(r"^(?=[A-Z_]{4,}\b)", re.MULTILINE)


def laid_out(checkouts: Path, folder: Path) -> list[dict[str, str]]:
    """The protocols whose checkouts are there, each in a folder of its own: as `against_tlc` has its models."""
    found = [_laid_out(each, checkouts, folder / each.name) for each in _ALL if (checkouts / each.checkout).is_dir()]
    return [*found, *(_mix(mix, changes, folder / mix) for mix, changes in _MIXES.items())]


def _laid_out(protocol: Protocol, checkouts: Path, folder: Path) -> dict[str, str]:
    folder.mkdir(parents=True)
    for each in (checkouts / protocol.checkout).glob(protocol.files):
        shutil.copy(each, folder)
    own = _OWN / protocol.name
    for each in own.iterdir() if own.is_dir() else ():
        shutil.copy(each, folder)
    config = folder / "MC.cfg"
    if protocol.config:
        text = "".join(
            statement
            for statement in _STATEMENT.split((folder / protocol.config).read_text())
            if not statement.startswith(protocol.without or ("\0",))
        )
        bounds = folder / "bounds.cfg"
        config.write_text(text + "\n" + (bounds.read_text() if bounds.exists() else ""))
    return {"dir": str(folder), "tla": protocol.module, "cfg": "MC.cfg", "name": protocol.name}


def _mix(mix: str, changes: dict[str, str], folder: Path) -> dict[str, str]:
    folder.mkdir(parents=True)
    manifest = _EXAMPLES / "zookeeper" / "zookeeper.toml"
    command = [sys.executable, "-m", "gristmill.cli", "compose", "build", str(manifest), "--mix", mix]
    subprocess.run([*command, "-o", str(folder / "MC.tla")], check=True, capture_output=True)
    config = folder / "MC.cfg"
    for pattern, text in changes.items():
        config.write_text(re.sub(pattern, text, config.read_text()))
    return {"dir": str(folder), "tla": "MC.tla", "cfg": "MC.cfg", "name": mix}
