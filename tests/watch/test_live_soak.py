"""etcd and ZooKeeper for some minutes, with nodes that are killed, stopped, cut off, slow, away and back, and members
that come and go: watched live, there is no alarm, and nearly all is judged. Other tests run meanwhile (`soaks`)."""

import pytest
from soaks import SYSTEMS, Soaks

pytestmark = pytest.mark.servers


@pytest.mark.parametrize("soaked", SYSTEMS)
def test_minutes_of_faults(soaks: Soaks, soaked: str) -> None:
    found = soaks.result(soaked)
    if "skipped" in found:
        pytest.skip(found["skipped"])
    log = found["log"][-6000:]
    assert "failed" not in found, log
    assert (found["alarms"], found["trouble"]) == ([], []), log
    assert log.count(" was ") >= 8, f"too few faults: {log}"
    nodes = found["ended"]["nodes"]
    sent, unjudged = (sum(node[key] for node in nodes) for key in ("sent", "learning"))
    assert found["answered"] > 200, log
    assert sent > 2_000, log
    assert unjudged < 0.15 * sent, f"{unjudged} of {sent} were not judged: {log}"
