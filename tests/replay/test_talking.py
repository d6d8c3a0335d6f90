"""What a mapping can say of nodes that are processes, and cannot of those that are not: files, and messages changed."""

from __future__ import annotations

from pathlib import Path

from talking import MAPPING, write_talking

from gristmill.replay.coordinator import Coordinator
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import read_mapping
from gristmill.replay.result import Run
from gristmill.replay.steps import ModelStep, of_transition

KILL = '[action.Kill]\ndo = [{ fault = "kill", on = \'"b"\' }]\n[action.Tell]\n'
ON_DISK = 'function = "disk.py:heard"\nnull = []\ndown = true\n'
DISK = """
import json

def heard(folder, node):
    file = folder / "state.json"
    return tuple(json.loads(file.read_text())) if file.exists() else None

def tell(node, ports, told):
    ports.tell(told)
"""


def run(folder: Path, mapping: str, *actions: str) -> Run:
    write_talking(folder, mapping)
    (folder / "disk.py").write_text(DISK)
    module = folder / "Talk.tla"
    module.write_text(module.read_text().replace("Next ==", "Kill == UNCHANGED <<sent, heard>>\nNext == Kill \\/"))
    read = read_mapping(folder / "talk.map.toml")
    with Coordinator(read, driver_of(read)) as coordinator:
        (state,) = read.specification.initial()
        steps = [ModelStep(state)]
        for action in actions:
            (taken,) = read.specification.take(steps[-1].state, action, {})
            steps.append(of_transition(taken))
        return coordinator.run("trace", steps)


def test_a_message_is_changed_on_its_way(tmp_path: Path) -> None:
    mapping = MAPPING.replace("[action.Tell]\n", KILL)
    mapping = mapping.replace('from = "told"', "from = \"told\"\nset = { number = 'heard + 7' }")
    mapping = mapping.replace("Len(numbers)", "numbers")
    mapping = mapping.replace('model = "heard"', 'model = "SubSeq(<<7, 8>>, 1, heard)"')
    done = run(tmp_path, mapping, "Tell", "Hear", "Tell", "Hear")
    assert done.conforms, done.discrepancy
    assert done.steps[-1].comparisons[0].real == "<<7, 8>>"


def test_what_is_down_can_be_read_from_its_files(tmp_path: Path) -> None:
    """If the reading says so; and a file that is not there is what `null` says."""
    mapping = MAPPING.replace("[action.Tell]\n", KILL).replace('http = "/state"\npath = "heard"\n', ON_DISK)
    done = run(tmp_path, mapping, "Tell", "Hear", "Kill")
    assert done.conforms, done.discrepancy
    assert [each.real for each in done.steps[-1].comparisons if each.variable == "heard"] == ["1"]
    without = run(tmp_path, mapping.replace("down = true\n", ""), "Tell", "Hear", "Kill")
    assert without.conforms, without.discrepancy
    assert [each.variable for each in without.steps[-1].comparisons] == ["sent"]


def test_a_function_of_a_client_that_fails(tmp_path: Path) -> None:
    """The system may be down, which is no mistake; but whoever wonders why nothing comes is told."""
    mapping = MAPPING.replace("[action.Tell]\n", KILL).replace("patience = 0.2", "patience = 0.2\nseconds = 0.5")
    mapping = mapping.replace('http = "/tell"\nbody = { number = "{told}" }', 'function = "disk.py:tell"')
    done = run(tmp_path, mapping, "Tell")
    assert done.discrepancy is not None
    assert done.discrepancy.kind == "never-came"
    told = "a client has failed at tell on a: 'dict' object has no attribute 'tell'"
    assert any(each == told for each in done.discrepancy.doing), done.discrepancy.doing
