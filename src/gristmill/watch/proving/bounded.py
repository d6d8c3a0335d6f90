"""The bounded model that a mapping names, and all that is checked on it. Results are kept by what they depend on."""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from gristmill import api
from gristmill.source import SourceFile
from gristmill.specification import Specification
from gristmill.specification import open as opened
from gristmill.values import EvaluationError, Fn, Value, apply, make_record, show
from gristmill.watch.applying import Actions, DisagreementError
from gristmill.watch.derive import derive
from gristmill.watch.mapping import Bounded, WatchMap
from gristmill.watch.proving.growth import is_available, proved
from gristmill.watch.proving.monotone import Monotone, Refuted, monotone
from gristmill.watch.proving.past import without_effect
from gristmill.watch.proving.reductions import AtOnce, Comparing, TooManyError, conditions
from gristmill.watch.proving.walking import all_states, behaviour
from gristmill.watch.simulation import Node, State

__all__ = ["Bounded", "Checked", "checked"]

_VERSION = 5
_BEHAVIOURS, _STEPS = 100, 45
_PAIRS = 40  # states and messages that are compared, of each kind, if there are too many to compare all
_FEW_STATES, _FEW_PAIRS = 1_000, 600  # of the model, and of states and messages: so many are all looked at
_MOST_ARRIVED = 4  # messages besides that may be looked at
_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Checked:
    """`grows`: variables that only grow. `states`: of the model, in all of which that was so; `whole`: these are all
    that it has. `proved`: those of them that were proved to grow in any state, without bounds, where Z3 is there.
    `behaviours`: so many were gone through besides, at random."""

    at_once: tuple[AtOnce, ...]
    grows: tuple[str, ...]
    states: int
    whole: bool
    behaviours: int
    proved: tuple[str, ...] = ()


def checked(mapping: WatchMap, again: bool = False) -> Checked | None:
    """None if the mapping names no bounded model. What was checked before is not checked again."""
    if mapping.bounded is None:
        return None
    file = _kept(mapping)
    if not again and file.exists():
        return _read(json.loads(file.read_text()))
    found = _check(mapping, mapping.bounded)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(asdict(found)))
    return found


def known(mapping: WatchMap) -> Checked | None:
    """What was checked before, of this very specification, model and mapping."""
    if mapping.bounded is None or not _kept(mapping).exists():
        return None
    return _read(json.loads(_kept(mapping).read_text()))


def with_known(mapping: WatchMap) -> WatchMap:
    """The mapping with what was checked before: variables that grow, and messages that wait if it names none."""
    found = known(mapping)
    if found is None:
        return mapping
    unsound = frozenset(each.kind for each in found.at_once if each.lost is not None)
    monitor = replace(mapping.monitor, grows=found.grows)
    return replace(mapping, monitor=monitor, wait=mapping.wait or unsound)


def _read(said: Mapping[str, Any]) -> Checked:
    kinds = tuple(AtOnce(**{name: _frozen(value) for name, value in each.items()}) for each in said["at_once"])
    grows, proved = tuple(said["grows"]), tuple(said["proved"])
    return Checked(kinds, grows, said["states"], said["whole"], said["behaviours"], proved)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _kept(mapping: WatchMap) -> Path:
    assert mapping.bounded is not None
    constants = repr(sorted(mapping.bounded.constants.items()))
    parts = [str(_VERSION), f"smt: {is_available()}", constants, mapping.monitor.network, mapping.kind]
    folder = mapping.bounded.specification.parent
    files = sorted({*folder.glob("*.tla"), mapping.bounded.config})
    parts += [each.read_text() for each in files]
    name = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "gristmill" / "watch" / f"{name}.json"


def _check(mapping: WatchMap, bounded: Bounded) -> Checked:
    with opened(bounded.specification, config=bounded.config, constants=dict(bounded.constants)) as model:
        monitor = derive(model, mapping.monitor.network, mapping.kind)
        (first, *_) = model.initial()
        there = [each for each in first.raw.values() if isinstance(each, Fn)]
        nodes = tuple(node for node in mapping.nodes if all(node in each for each in there))
        own = replace(mapping, specification=model, monitor=monitor, nodes=nodes)
        walks = _Walks(own, model)
        with model.world.active():
            at_once = walks.compared()
        numbers = [name for name in monitor.local if name in walks.growing]
        grows, states, whole = _grows(bounded, numbers)
        certain = proved(mapping.specification, grows)
        at_once = _with_proofs(mapping, walks, at_once, certain)
    return Checked(at_once, grows, states, whole, _BEHAVIOURS, certain)


def _with_proofs(
    mapping: WatchMap, walks: _Walks, kinds: tuple[AtOnce, ...], grow: tuple[str, ...]
) -> tuple[AtOnce, ...]:
    """What is proved in any state, of the specification as it is watched by."""
    specification, monitor = mapping.specification, mapping.monitor
    fields = {kind: tuple(record.fields) for kind, record in mapping.records.items()}
    past = without_effect(specification, monitor, mapping.kind, fields, grow)
    found = []
    for each in kinds:
        proof = monotone(specification, monitor, each.kind) or Monotone((), False)
        if proof.proved and each.lost is not None:
            raise DisagreementError(f"{each.kind}: proved, but something is lost in {each.lost[0]}")
        with walks.model.world.active():
            shown = None if proof.refuted is None else walks.confirmed(each.kind, proof.refuted)
        order = proof.order if proof.proved or shown else ()
        changes = {"proved": proof.proved, "order": order, "past": past.get(each.kind, ()), "refuted": shown}
        found.append(replace(each, **changes))  # type: ignore[arg-type]
    return tuple(found)


class _Walks:
    """Local states and messages that were met together."""

    def __init__(self, mapping: WatchMap, model: Specification) -> None:
        self.mapping, self.model = mapping, model
        actions = Actions(model, mapping.monitor)
        with model.world.active():
            self.nodes = {node: Node(mapping, actions, node) for node in mapping.nodes}
            for node in mapping.nodes:
                actions.initial(node)
        self.growing = set(mapping.monitor.local)
        self.pairs: dict[str, dict[tuple[Value, State, Value, tuple[Value, ...]], None]] = defaultdict(dict)
        every = all_states(model, _FEW_STATES)
        self.states = 0 if every is None else len(every)
        with model.world.active():
            for each in every or ():
                self._meet(each.raw)
        for seed in range(_BEHAVIOURS):
            states = [each.raw for each in behaviour(model, mapping.monitor, seed, _STEPS)]
            with model.world.active():
                for before, after in pairwise(states):
                    self._grow(before, after)
                for state in states[:: max(1, len(states) // 8)] if every is None else ():
                    self._meet(state)

    def _grow(self, before: Mapping[str, Value], after: Mapping[str, Value]) -> None:
        for name in list(self.growing):
            one, other = before[name], after[name]
            assert isinstance(one, Fn)
            assert isinstance(other, Fn)
            for node in self.mapping.nodes:
                old, new = one[node], other[node]
                if type(old) is not int or type(new) is not int or new < old:
                    self.growing.discard(name)

    def _meet(self, state: Mapping[str, Value]) -> None:
        network = state[self.mapping.monitor.network]
        assert isinstance(network, frozenset)
        for name, node in self.nodes.items():
            parts = (state[variable] for variable in self.mapping.monitor.local)
            local = node.local(Fn({name: part[name]}) for part in parts if isinstance(part, Fn))
            arrived = sorted((m for m in network if isinstance(m, Fn) and m[self.mapping.target] == name), key=show)
            for message in arrived:
                others = tuple(each for each in arrived if each != message)[:_MOST_ARRIVED]
                self.pairs[node.kind_of(message)][name, State(local), message, others] = None

    def compared(self) -> tuple[AtOnce, ...]:
        return tuple(self._kind(kind) for kind in sorted(self.pairs))

    def _kind(self, kind: str) -> AtOnce:
        compared, cut, lost = 0, 0, None
        good: dict[str, None] = {}
        bad: set[str] = set()
        whole = self.states > 0 and len(self.pairs[kind]) <= _FEW_PAIRS
        for name, state, message, others in self.pairs[kind]:
            node = self.nodes[name]
            comparing = Comparing(node)
            if (compared + cut >= _PAIRS and not whole) or not comparing.has_effect(state, message):
                continue
            arrived = {each: number for number, each in enumerate((message, *others), 1)}
            try:
                found = comparing.lost(state, message, arrived)
            except (TooManyError, EvaluationError):
                cut += 1
                continue
            compared += 1
            said = list(conditions(node, state, message))
            if found is None:
                good |= dict.fromkeys(said)
            else:
                bad |= set(said)
                lost = lost or (self._state(node, state), show(message), show(found))
        where = tuple(each for each in good if each not in bad) if lost else ()
        return AtOnce(kind, compared, cut, lost, where, self.states if whole else 0)

    def confirmed(self, kind: str, refuted: Refuted) -> tuple[str, str, str] | None:
        """A counterexample of Z3 to A.3, as the reference evaluator has it. None if it is none of numbers."""
        for name, state, message, _ in self.pairs[kind]:
            node = self.nodes[name]
            names = node.monitor.local
            parts = {each: apply(part, name) for each, part in zip(names, state.local, strict=True)}
            assert isinstance(message, Fn)
            numbers = [parts[each] for each in refuted.state] + [message[each] for each in refuted.message]
            if any(type(each) is not int for each in numbers):
                return None
            own = State(node.local(Fn({name: part}) for part in {**parts, **refuted.state}.values()))
            asked = make_record({**{str(each): value for each, value in message.items()}, **refuted.message})
            place = names.index(refuted.variable)
            for after in node.consume(own, asked, 0):
                less = apply(after.local[place], name)
                assert type(less) is int
                if less < refuted.state[refuted.variable]:
                    return self._state(node, own), show(asked), f"{refuted.variable} = {less}"
            message_text = f"{kind}: Z3 has a counterexample that the reference evaluator does not have: {refuted}"
            raise DisagreementError(message_text)
        return None

    def _state(self, node: Node, state: State) -> str:
        parts = zip(node.monitor.local, state.local, strict=True)
        return ", ".join(f"{name} = {show(part[node.name])}" for name, part in parts if isinstance(part, Fn))


def _grows(bounded: Bounded, names: list[str]) -> tuple[tuple[str, ...], int, bool]:
    """Action properties, by the checker."""
    if not names:
        return (), 0, True
    said = "\n".join(f"Grows_{name} == [][\\A n \\in DOMAIN {name} : {name}'[n] >= {name}[n]]_{name}" for name in names)
    module = f"---- MODULE WatchGrows ----\nEXTENDS {bounded.specification.stem}\n{said}\n====\n"
    found = api.check(
        SourceFile("WatchGrows.tla", module),
        config=bounded.config,
        constants=dict(bounded.constants),
        properties=[f"Grows_{name}" for name in names],
        path=[bounded.specification.parent],
        continue_=True,
        deadlock=False,
        seconds=_SECONDS,
    )
    if found.verdict == "error":
        return (), 0, False
    broken = {each.property for each in found.violations}
    return tuple(name for name in names if f"Grows_{name}" not in broken), found.distinct, found.verdict != "incomplete"
