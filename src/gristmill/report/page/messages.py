"""The messages of a trace, for a sequence chart: records that say where they come from and where they go.

A message is sent by the step after which it is in some variable: in a set, a bag, a sequence, or a function of these.
It is received by the step that takes it out, or that is taken with it as a parameter. Fields are known by the names
that specifications have for them; where there are none, there is no chart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gristmill.report.page.elide import elided, shortened
from gristmill.report.page.lifelines import Mark
from gristmill.trace import Step, Trace
from gristmill.values import Fn, ModelValue, Value, show

_ENDS = (
    *(("from", to) for to in ("to", "dst", "dest", "target", "receiver")),
    *((source, to) for source in ("src", "source") for to in ("dst", "dest", "destination", "target", "to")),
    *(("sender", to) for to in ("receiver", "to", "dest", "dst", "recipient")),
    *(("msource", to) for to in ("mdest", "mdestination", "mtarget")),
    *(("mfrom", "mto"), ("msrc", "mdst"), ("source", "receiver"), ("frm", "to")),
)
_KINDS = ("type", "kind", "mtype", "t", "tag", "name", "msg", "label", "op", "cmd")
_MOST_NODES = 9
_DEEPEST = 3  # functions of functions of sets of messages
_LONGEST_LABEL = 24
_LONGEST_TITLE = 600

Message = tuple[str, str, str, str]  # from, to, what kind it is, and all of it


@dataclass(frozen=True, slots=True)
class Messages:
    """`nodes`: none if there are no messages, or too many nodes to draw."""

    nodes: tuple[str, ...]
    sent: Sequence[Counter[Message]]
    received: Sequence[Counter[Message]]
    steps: Sequence[Step]

    def marks(self, number: int) -> list[Mark]:
        """What a step draws; where it moves no message, the action itself, at the node that takes it."""
        if not self.nodes:
            return []
        found = [_mark("message", each) for each in self.received[number]]
        found += [_mark("sent", each) for each in self.sent[number]]
        return found or list(self._acting(self.steps[number]))

    def _acting(self, step: Step) -> Iterator[Mark]:
        for _, value in step.parameters:
            name = _name(value)
            if name in self.nodes and step.action is not None:
                yield Mark("note", name, shortened(step.action, _LONGEST_LABEL), step.action)
                return


def _mark(kind: str, message: Message) -> Mark:
    source, target, label, whole = message
    return Mark("sent" if kind == "sent" else "message", target, label, f"{source} → {target}: {whole}", source)


def messages_of(trace: Trace) -> Messages:
    """In the world of the trace."""
    held = [_in_state(step.state) for step in trace.steps]
    sent, received = [Counter[Message]()], [Counter[Message]()]
    for number, step in enumerate(trace.steps[1:], 1):
        sent.append(held[number] - held[number - 1])
        gone = held[number - 1] - held[number]
        used = [made for _, value in step.parameters if (made := _message(value)) is not None]
        received.append(gone + Counter(each for each in used if not gone[each]))
    nodes = _nodes([*held, *received])
    return Messages(nodes if len(nodes) <= _MOST_NODES else (), sent, received, trace.steps)


def _nodes(all_messages: Sequence[Counter[Message]]) -> tuple[str, ...]:
    names = {end for messages in all_messages for message in messages for end in message[:2]}
    return tuple(sorted(names, key=lambda name: (len(name), name)))


def _in_state(state: Mapping[str, object]) -> Counter[Message]:
    found: Counter[Message] = Counter()
    for value in state.values():
        _collect(value, found, _DEEPEST)
    return found


def _collect(value: object, found: Counter[Message], depth: int) -> None:
    if isinstance(value, frozenset | tuple):
        for each in value:
            made = _message(each)
            if made is not None:
                found[made] += 1
            elif depth and isinstance(each, frozenset | tuple):
                _collect(each, found, depth - 1)
    elif isinstance(value, Fn):
        for key, each in value.items():
            made = _message(key)
            if made is not None and type(each) is int:
                found[made] += each  # a bag
            elif depth:
                _collect(each, found, depth - 1)


def _message(value: object) -> Message | None:
    if not isinstance(value, Fn):
        return None
    for source, target in _ENDS:
        if source in value and target in value:
            ends = value[source], value[target]
            if all(isinstance(end, str | int | ModelValue) for end in ends):
                whole = elided(show(value), _LONGEST_TITLE)
                return _name(ends[0]), _name(ends[1]), _label(value, (source, target)), whole
    return None


def _name(node: Value) -> str:
    """Strings without their quotes: as people name nodes."""
    return node if isinstance(node, str) else show(node)


def _label(message: Mapping[Value, Value], ends: tuple[str, str]) -> str:
    kind = next((message[name] for name in _KINDS if name in message and name not in ends), None)
    if kind is None:
        kind = next((v for k, v in message.items() if k not in ends and isinstance(v, str | ModelValue)), None)
    if kind is not None:
        return shortened(show(kind).strip('"'), _LONGEST_LABEL)
    rest = ", ".join(f"{key} {show(value)}" for key, value in message.items() if key not in ends)
    return shortened(rest or "message", _LONGEST_LABEL)
