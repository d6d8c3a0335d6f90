"""The specification that ZooKeeper is watched by is safe, within small bounds; and checking it can fail."""

from pathlib import Path

import pytest

import gristmill
from gristmill.source import SourceFile

ZAB = Path(__file__).parents[2] / "examples" / "zookeeper"
CONFIG = ZAB / "ZabMessagesBounded.cfg"
TWO_LEADERS = {
    "Leaders": {"2", "3"}, "Followers": {"1"}, "MaxEpoch": 1, "MaxCounter": 0, "MaxLinks": 2, "MaxMessages": 12,
}  # fmt: skip


def test_zab_is_safe() -> None:
    """After an epoch whose leader had a transaction that nobody else has: the next one is led by another server."""
    result = gristmill.check(ZAB / "ZabMessagesBounded.tla", config=CONFIG, constants={"MaxMessages": 6})
    assert result.verdict == "ok"
    assert result.distinct > 500
    assert all(each.generated > 0 for each in result.coverage if each.name in ("SendDiff", "SendTrunc", "SendSnap"))


@pytest.mark.parametrize(
    ("config", "actions"),
    [
        ("Observer", {"SendObserverInfo", "SendInform", "HandleInform"}),
        ("Members", {"SendReconfig", "SendCommitAndActivate", "HandleCommitAndActivate"}),
    ],
)
def test_observers_and_members(config: str, actions: set[str]) -> None:
    """After a leader has begun to serve; up to six messages take minutes (391,734 and 91,990 states)."""
    file, few = ZAB / f"ZabMessages{config}.cfg", {"MaxMessages": 4 if config == "Observer" else 5}
    result = gristmill.check(ZAB / "ZabMessagesBounded.tla", config=file, constants=few)
    assert result.verdict == "ok"
    assert result.distinct > 10_000
    assert actions <= {each.name for each in result.coverage if each.generated > 0}


def test_one_follower_and_two_leaders() -> None:
    """Both begin with the first epoch; the follower promises it to one of them."""
    config = SourceFile("two.cfg", CONFIG.read_text().replace("INIT AfterOne", "INIT FromNothing"))
    result = gristmill.check(ZAB / "ZabMessagesBounded.tla", config=config, constants=TWO_LEADERS)
    assert result.verdict == "ok"


def test_a_promise_that_is_given_twice_is_found(tmp_path: Path) -> None:
    zab = (ZAB / "ZabMessages.tla").read_text()
    promise, asked = "ELSE epoch = -1\n", "down[i][k].accepted < epoch\n"
    assert promise in zab
    assert asked in zab
    twice = zab.replace(promise, "ELSE epoch = current[i]\n").replace(asked, "down[i][k].accepted <= epoch\n")
    (tmp_path / "ZabMessages.tla").write_text(twice)
    (tmp_path / "ZabMessagesBounded.tla").write_text((ZAB / "ZabMessagesBounded.tla").read_text())
    config = SourceFile("two.cfg", CONFIG.read_text().replace("INIT AfterOne", "INIT FromNothing"))
    result = gristmill.check(tmp_path / "ZabMessagesBounded.tla", config=config, constants=TWO_LEADERS)
    assert result.verdict == "invariant"
    assert result.property == "ElectionSafety"
