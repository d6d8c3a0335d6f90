"""What `--derive` prints. `GRISTMILL_UPDATE_GOLDEN=1 pytest …` writes the expected text anew; read the difference."""

import json
import os
from pathlib import Path

from click.testing import CliRunner

from gristmill.cli.watch import watch

HERE = Path(__file__).parent
GOLDEN = HERE / "derived"
LOCK = HERE / "lock.map.toml"
ETCD = HERE.parents[1] / "examples" / "etcd" / "watch.map.toml"


def derived(mapping: Path, *options: str) -> str:
    result = CliRunner().invoke(watch, [str(mapping), "--derive", *options])
    assert result.exit_code == 0
    return result.stdout


def test_the_monitor_of_the_lock() -> None:
    file = GOLDEN / "lock.txt"
    found = derived(LOCK)
    if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(found)
    assert found == file.read_text()


def test_all_is_there_of_raft() -> None:
    text, found = derived(ETCD), json.loads(derived(ETCD, "--format", "json"))
    for action in found["actions"]:
        assert f"\n  {action['name']}({', '.join(action['parameters'])})\n" in text
        for sent in action["sends"]:
            assert f"    sends {sent['kind']}\n" in text
    actions = {each["name"]: each for each in found["actions"]}
    assert actions["HandleVote"]["at_once"] is False
    assert actions["HandleAppend"]["at_once"] is True
    assert actions["HandleAppend"]["consumes"] == {"parameter": "m", "kinds": ["MsgApp"]}
    (append,) = actions["SendAppend"]["sends"]
    assert append["reveals"]["commit"] == "committed"
    assert "committed <= commit[i]" in [each["text"] for each in actions["SendHeartbeat"]["needs"]]
    (_, ways) = actions["HandlePreVoteResp"]["needs"]
    assert [way[0]["text"] for way in ways["either"]] == ["m.granted", "~m.granted"]
