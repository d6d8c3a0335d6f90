"""Mutations judged without judging all that comes before them again: a monitor of the healthy run is forked there."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass

from mutating import Mutation

from gristmill.values import Value
from gristmill.watch.anchoring import Anchoring
from gristmill.watch.applying import Actions
from gristmill.watch.debts import Debts
from gristmill.watch.judging import Alarm, Lost, NodeMonitor
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message

_AFTER = 300  # messages of the node behind the wrong one, at which an alarm still counts


@dataclass(frozen=True, slots=True)
class Case:
    """A mutation at one place of a run. `begins`: where the mutated run departs from the healthy one."""

    mutation: Mutation
    messages: Sequence[Message]
    wrong: Message
    begins: int

    @property
    def node(self) -> Value:
        return self.wrong.source


@dataclass(frozen=True, slots=True)
class Judged:
    """`delay`: messages of the node from the wrong one to the alarm; None if there was no alarm."""

    case: Case
    end: Alarm | Lost | None
    delay: int | None


def cases(mutations: Iterable[Mutation], run: Sequence[Message], places: Iterable[int]) -> Iterator[Case]:
    """Each mutation at each place where there is something to mutate, and each message once."""
    for mutation in mutations:
        seen: set[int] = set()
        for place in places:
            try:
                found = mutation(run, place)
            except LookupError:  # there is no message to make it of
                continue
            if found is not None and found[1].number not in seen:
                seen.add(found[1].number)
                messages, wrong = found
                yield Case(mutation, messages, wrong, _departs(run, messages))


def _departs(run: Sequence[Message], other: Sequence[Message]) -> int:
    pairs = enumerate(zip(run, other, strict=False))
    return next((at for at, (one, two) in pairs if one.record is not two.record), min(len(run), len(other)))


def judged_cases(mapping: WatchMap, run: Sequence[Message], found: Iterable[Case]) -> Iterator[Judged]:
    """In the world of the specification. The healthy run is judged once for each node that is concerned."""
    actions = Actions(mapping.specification, mapping.monitor)
    by_node: dict[Value, list[Case]] = {}
    for case in found:
        by_node.setdefault(case.node, []).append(case)
    for node, own in by_node.items():
        monitor, at = NodeMonitor(mapping, actions, node), 0
        for case in sorted(own, key=lambda each: each.begins):
            for message in run[at : case.begins]:
                _see(monitor, message)
            at = max(at, case.begins)
            assert monitor.end is None, "the healthy run raises an alarm"
            yield _judged(_forked(monitor), case)


def _judged(monitor: NodeMonitor, case: Case) -> Judged:
    behind = 0
    for message in case.messages[case.begins :]:
        if not _see(monitor, message):
            continue
        if message.number > case.wrong.number:
            behind += 1
        if monitor.end is not None or (behind > _AFTER and monitor.suspicion is None):
            break
    monitor.decide()
    end = monitor.ends[0] if monitor.ends else None
    return Judged(case, end, _delay(case, end.message) if isinstance(end, Alarm) else None)


def _delay(case: Case, called_wrong: Message) -> int:
    """Messages of the node from the one that is wrong to the one that was called so."""
    later = (each for each in case.messages if case.wrong.number < each.number <= called_wrong.number)
    return sum(case.node in (each.source, each.target) for each in later)


def _see(monitor: NodeMonitor, message: Message) -> bool:
    concerned = monitor.name in (message.source, message.target)
    if concerned:
        monitor.see(message)
    return concerned


def _forked(monitor: NodeMonitor) -> NodeMonitor:
    """Shares nothing that changes."""
    fork = copy.copy(monitor)
    for name, value in vars(monitor).items():
        is_counts = is_dataclass(value) and name == "counts"
        if isinstance(value, list | dict | set | deque) or is_counts:
            setattr(fork, name, copy.copy(value))
    fork.backlog, fork.connections = copy.deepcopy(monitor.backlog), copy.deepcopy(monitor.connections)
    fork.allowance, fork.debts = copy.copy(monitor.allowance), Debts(monitor.mapping.kind, monitor.mapping.target)
    fork.debts.owed, fork.debts.paid = dict(monitor.debts.owed), dict(monitor.debts.paid)
    fork.anchoring = None if monitor.mapping.anchors is None else Anchoring(fork, monitor.mapping.anchors)
    return fork
