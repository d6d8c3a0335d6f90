"""Actions as native code: the same as by the reference evaluator, on recordings of etcd, on mutations of them, and on
message traces of the specification itself; also when native code begins anew all the time, or is given up."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from specification_traces import Walker, message_of, opened
from watch_mutations import MUTATIONS

from gristmill.cc import NoCompilerError, find_compiler
from gristmill.values import Fn, Value, from_python, to_python
from gristmill.watch import compiled
from gristmill.watch.applying import Actions, By, DisagreementError
from gristmill.watch.compiled import NativeActions
from gristmill.watch.judging import Alarm, NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording

HERE = Path(__file__).parent
MAPPING = HERE.parents[1] / "examples" / "etcd" / "watch.map.toml"
RECORDING = HERE / "recordings" / "etcd-3.5.trace.xz"

# As the bounded model is made: one entry to begin with, and one that is remembered.
_THREE = '{"s1", "s2", "s3"}'
ONE_ENTRY = {"Server": _THREE, "Founders": f"{{{_THREE}}}", "Seeded": "FALSE", "Retain": "1"}


@pytest.fixture(scope="module")
def mapping() -> WatchMap:
    return read_watch_map(MAPPING)


@pytest.fixture(scope="module")
def messages(mapping: WatchMap) -> list[Message]:
    with mapping.specification.world.active():
        return list(Reading(mapping).messages(read_recording(RECORDING)))


def monitor(mapping: WatchMap, node: Value, messages: list[Message], by: By) -> NodeMonitor:
    """Of one node, which has seen its messages."""
    with mapping.specification.world.active():
        found = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor, by), node)
        for each in messages:
            if node in (each.source, each.target):
                found.see(each)
        found.decide()
    return found


def told(found: NodeMonitor) -> object:
    """What must not depend on who evaluates."""
    end = found.end
    states = {(tuple(state.local), state.owed, state.used) for state in found.states}
    if isinstance(end, Alarm):
        return end.message, end.confirmed, end.window, end.candidates, states, found.counts
    return end, states, found.counts


def test_both_evaluators_agree_on_a_recording(mapping: WatchMap, messages: list[Message]) -> None:
    for node in mapping.nodes[:3]:  # the others are no members
        found = monitor(mapping, node, messages, "both")
        assert found.end is None
        assert found.node.actions.not_native == {}
        assert found.node.actions.evaluations > 100


@pytest.mark.parametrize("name", ["commit_beyond_acknowledged", "vote_for_older_log"])
def test_an_alarm_is_the_same(mapping: WatchMap, messages: list[Message], name: str) -> None:
    """With its exact searches, which evaluate far more than a healthy run does."""
    mutation = next(each for each in MUTATIONS if each.__name__ == name)
    with mapping.specification.world.active():
        made = mutation(messages, 120) or mutation(messages, 0)
    assert made is not None
    mutated, wrong = made
    mutated = mutated[: wrong.number]
    native = monitor(mapping, wrong.source, mutated, "native")
    assert isinstance(native.end, Alarm)
    with mapping.specification.world.active():
        assert told(native) == told(monitor(mapping, wrong.source, mutated, "reference"))


def test_both_evaluators_agree_on_traces_of_the_specification() -> None:
    mapping = read_watch_map(MAPPING, ONE_ENTRY)
    with opened() as specification:
        traces = [Walker(specification).trace(seed, 20) for seed in range(15)]
    evaluations = 0
    for trace in traces:
        with mapping.specification.world.active():
            own = [message_of(each.number, from_python(to_python(each.record))) for each in trace]
        for node in mapping.nodes[:3]:  # the others are no members
            found = monitor(mapping, node, own, "both")
            assert found.end is None
            evaluations += found.node.actions.evaluations
    assert evaluations > 300


def test_that_they_are_compared(mapping: WatchMap, messages: list[Message], monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of native code does not pass."""
    monkeypatch.setattr(NativeActions, "take", lambda *_: ())
    follower = next(each.target for each in messages if each.kind == "MsgApp")
    with pytest.raises(DisagreementError):
        monitor(mapping, follower, messages, "both")


def test_native_code_begins_anew(mapping: WatchMap, messages: list[Message], monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps values for ever: so it is left and made anew, with the states that are still held."""
    renewed = []
    renew = NativeActions.renew
    monkeypatch.setattr(NativeActions, "renew", lambda self: (renew(self), renewed.append(self.taker.heap_bytes)))
    monkeypatch.setattr(compiled, "_MOST_BYTES", 1 << 16)
    monkeypatch.setattr(compiled, "_LOOK", 16)
    for node in mapping.nodes[:3]:  # the others are no members
        found = monitor(mapping, node, messages, "native")
        with mapping.specification.world.active():
            assert told(found) == told(monitor(mapping, node, messages, "reference"))
    assert len(renewed) > 10
    assert max(renewed) < 2 << 20


def test_equal_states_are_one_object(mapping: WatchMap, messages: list[Message]) -> None:
    found = monitor(mapping, mapping.nodes[0], messages, "native")
    actions, (state, *_) = found.node.actions, found.states
    with mapping.specification.world.active():
        values = tuple(state.local)
        assert actions.local(found.name, values) is state.local
        assert all(type(each) is Fn and [*each] == [found.name] for each in values)
        other = values[0].replace(found.name, 77)  # type: ignore[union-attr]
        assert actions.local(found.name, (other, *values[1:])) is not state.local
        assert actions.local(found.name, (other, *values[1:]))[0] == other


def test_a_value_that_is_too_large_for_native_code(mapping: WatchMap, messages: list[Message]) -> None:
    """The node goes on with the reference evaluator, from the same states."""
    found = monitor(mapping, mapping.nodes[0], messages, "native")
    actions, (state, *_) = found.node.actions, found.states
    with mapping.specification.world.active():
        values = tuple(state.local)
        large = values[0].replace(found.name, 1 << 70)  # type: ignore[union-attr]
        assert actions.local(found.name, (large, *values[1:]))[0] == large
        assert "no native form" in actions.not_native[found.name]
        assert tuple(state.local) == values
        assert actions.local(found.name, values) is state.local


def test_native_code_is_compiled_when_it_pays(messages: list[Message], monkeypatch: pytest.MonkeyPatch) -> None:
    mapping = read_watch_map(MAPPING)  # for which nothing was compiled before
    made: list[Value] = []
    program = Actions.program
    monkeypatch.setattr(Actions, "program", lambda self, node: (made.append(node), program(self, node))[1])
    monitor(mapping, mapping.nodes[0], messages[:20], "auto")
    assert made == []
    monkeypatch.setattr("gristmill.watch.applying._PAYS", 10)
    found = monitor(mapping, mapping.nodes[0], messages, "auto")
    assert made == [mapping.nodes[0]]
    assert found.end is None


def test_native_code_is_freed(mapping: WatchMap, messages: list[Message], monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    close = compiled.Taker.close
    monkeypatch.setattr(compiled.Taker, "close", lambda self: (close(self), closed.append(self)))
    found = monitor(mapping, mapping.nodes[0], messages[:50], "native")
    assert not closed
    del found
    gc.collect()
    assert len(closed) == 1


SANITIZED = """
import sys
from dataclasses import replace
from pathlib import Path
from gristmill.watch import compiled
from gristmill.watch.applying import Actions
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.messages import Reading
from gristmill.watch.recording import read_recording
compiled._MOST_BYTES, compiled._LOOK = 1 << 16, 64
mapping = read_watch_map(sys.argv[1])
with mapping.specification.world.active():
    messages = list(Reading(mapping).messages(read_recording(Path(sys.argv[2]))))
    node = mapping.nodes[0]
    monitor = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor, "native"), node)
    for each in messages:
        if node in (each.source, each.target):
            monitor.see(each)
    sys.path.insert(0, sys.argv[3])
    from followed_twin import compared_packed
    followed = compared_packed(mapping, list(read_recording(Path(sys.argv[2]))), node, seed=1)
print("well", monitor.end, monitor.counts.sent > 50, monitor.node.actions.not_native, followed > 100)
"""


def test_under_sanitizers(tmp_path: Path) -> None:
    try:
        compiler = find_compiler()
    except NoCompilerError:
        pytest.skip("there is no C compiler")
    asked = [*compiler.command, "-print-file-name=libasan.so"]
    library = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not os.path.isabs(library) or sys.platform != "linux":
        pytest.skip("the compiler has no AddressSanitizer")
    environment = {
        **os.environ,
        "GRISTMILL_CFLAGS": "-g -fsanitize=address,undefined -fno-sanitize-recover=undefined",
        "XDG_CACHE_HOME": str(tmp_path),
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1",
        "PYTHONMALLOC": "malloc",
    }
    command = [sys.executable, "-c", SANITIZED, str(MAPPING), str(RECORDING), str(Path(__file__).parent)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
    assert (ended.returncode, ended.stdout) == (0, "well None True {} True\n"), ended.stderr[-3000:]
