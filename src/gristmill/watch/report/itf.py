"""The history of an alarm as a trace in ITF: what the node did, as the specification has it, up to the wrong message.

Each state is a whole state of the specification. The other nodes are as they were at the beginning, as nothing is known
of them; all that the node has received lies in the network from the start. So every step but the last is one of the
specification's, by one action of this node, and whoever follows the trace comes to the point where it departs. Which
message each step tells of stands under `#meta`, where readers of ITF do not look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.trace import Step, Trace
from gristmill.trace.itf import itf_document
from gristmill.values import Value, apply, make_function
from gristmill.watch.explaining import PathStep
from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message
from gristmill.watch.report.document import message_json
from gristmill.watch.report.words import name_of, summary


def alarm_itf(mapping: WatchMap, node: Value, alarm: Alarm, initial: Mapping[str, Value]) -> dict[str, Any]:
    """In the world of the specification. `initial`: a state that it begins with."""
    steps = [*_steps(mapping, node, alarm, initial)]
    trace = Trace(mapping.specification.variables, tuple(step for step, _ in steps))
    document = itf_document(trace, source=mapping.specification.name, result="violation")
    document["#meta"] |= {"node": name_of(node), "description": summary(node, alarm)}
    for state, (_, message) in zip(document["states"], steps, strict=True):
        if message is not None:
            state["#meta"]["message"] = message_json(message)
    document["states"][-1]["#meta"]["allowed"] = False
    return document


def _steps(
    mapping: WatchMap, node: Value, alarm: Alarm, initial: Mapping[str, Value]
) -> Iterator[tuple[Step, Message | None]]:
    path = alarm.reasons.path
    received = [step.message for step in path if step.message is not None and step.message.target == node]
    network = frozenset(each.record for each in received)
    local = alarm.reasons.start
    state = _state(mapping, node, initial, local, network)
    yield Step(state), None
    for step in path:
        if step.action is not None:
            network = _network(network, step)
            local = step.local
            yield Step(_state(mapping, node, initial, local, network), step.action, step.parameters), step.message
    last = _state(mapping, node, initial, local, network | {alarm.message.record})
    yield Step(last), alarm.message


def _network(network: frozenset[Value], step: PathStep) -> frozenset[Value]:
    """What is consumed is one of the parameters."""
    if step.gone:
        network -= {value for _, value in step.parameters}
    return network | step.sent


def _state(
    mapping: WatchMap, node: Value, initial: Mapping[str, Value], local: tuple[Value, ...], network: frozenset[Value]
) -> dict[str, Value]:
    monitor = mapping.monitor
    state = {**initial, monitor.network: network}
    for name, own in zip(monitor.local, local, strict=True):
        others = {each: apply(initial[name], each) for each in mapping.nodes}
        state[name] = make_function({**others, node: apply(own, node)}.items())
    return state
