"""Actions applied to the local state of one node: what `apply` is in the paper, evaluated from the specification.

A state has one node in the domain of each function: an action that reads another node's part fails, and cannot pass
unnoticed. The reference evaluator says what an action does. It is slow; so as soon as there is much to do, the actions
are compiled (`compiled.py`), and it is left with what native code cannot answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias

from gristmill.evaluate import Context, Evaluator
from gristmill.explain.branches import Branch, branches
from gristmill.native.errors import NoNativeFormError
from gristmill.native.run.engine import MisfitError
from gristmill.specification import Specification
from gristmill.values import Fn, Value, apply
from gristmill.watch.compiled import NativeActions, NotNativeError, Program, program
from gristmill.watch.derive import Event, Monitor
from gristmill.watch.local_states import Local, LocalStates
from gristmill.watch.rewriting import Rewriting

__all__ = ["Actions", "By", "DisagreementError", "Local", "Outcome"]

# The local state after an action, what it sends, and whether the message that it consumes is gone.
Outcome: TypeAlias = tuple[Local, frozenset[Value], bool]
# "auto": the reference evaluator, and native code once it pays. "both": the two compared, for tests.
By: TypeAlias = Literal["auto", "reference", "native", "both"]

_MOST_KEPT = 10_000  # results that are remembered
_PAYS = 1_000  # actions from which on it pays to compile them


class DisagreementError(Exception):
    """Native code and the reference evaluator do not say the same: a mistake of ours."""


class Actions:
    """The actions of a monitor, ready to be applied. For one thread."""

    def __init__(self, specification: Specification, monitor: Monitor, by: By = "auto") -> None:
        self.specification, self.monitor, self.by = specification, monitor, by
        self.variables = specification.variables
        self.rewriting = Rewriting(specification, monitor)
        names = self.rewriting.names
        self.evaluator = Evaluator(names, Context(names))
        self.network = self.rewriting.network
        self.places = [self.variables.index(name) for name in monitor.local]
        self.template: list[Value] = [0] * len(names)
        self.kept: dict[object, tuple[Outcome, ...]] = {}
        self.kept_reactions: dict[object, tuple[Outcome, ...]] = {}
        self.evaluations = 0
        self._compiled: dict[tuple[int, tuple[str, ...]], Callable[[tuple[Value, ...]], list[tuple[Value, ...]]]] = {}
        self._states: dict[Value, LocalStates] = {}
        self._native: dict[Value, NativeActions] = {}
        self.not_native: dict[Value, str] = {}  # why there is no native code for a node

    # ---------------------------------------------------------------------------------------------------- local states

    def initial(self, node: Value) -> list[Local]:
        """What a node may begin with, each once."""
        specified = self.specification.model
        assert specified.init is not None
        found = Evaluator(self.variables, Context(self.variables)).initial_states(specified.init)()
        for name in self.monitor.ghosts:
            place = self.variables.index(name)
            self.template[place] = found[0][place]
        states = [tuple(Fn({node: apply(state[at], node)}) for at in self.places) for state in found]
        return list(dict.fromkeys(self.local(node, each) for each in states))

    def local(self, node: Value, values: Sequence[Value]) -> Local:
        """The local state with these values of the local variables, each a function of the node."""
        states = self._states.get(node)
        if states is None:
            states = self._states[node] = LocalStates()
        try:
            return states.of(values)
        except (MisfitError, NoNativeFormError):
            self._give_up(node, "a local state has no native form")
            return states.of(values)

    # --------------------------------------------------------------------------------------------------------- applying

    def take(
        self, event: Event, local: Local, node: Value, given: Mapping[str, Value], arrived: Value | None = None
    ) -> tuple[Outcome, ...]:
        """Every way to take an action. `arrived`: the message that it consumes, if it does."""
        if arrived is not None and [*given.values()] == [arrived]:
            key: tuple[object, ...] = (id(event), local, arrived)
        else:
            key = (id(event), local, arrived, *given.items())
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) > _MOST_KEPT:
                self.kept.clear()
            self.evaluations += 1
            found = self.kept[key] = self._take(event, self.local(node, local), node, given, arrived)
        return found

    def send(self, event: Event, local: Local, node: Value, record: Fn) -> tuple[Outcome, ...]:
        """Every way to take an action by which this message is sent, and all that it sends."""
        outcomes = [each for given in event.unified(record) for each in self.take(event, local, node, given)]
        return tuple(dict.fromkeys(each for each in outcomes if record in each[1]))

    def follow(
        self, events: tuple[Event, ...], local: Local, node: Value, record: Fn, kind: str, arrives: bool, remember: bool
    ) -> tuple[Outcome, ...] | None:
        """By native code, as one: every way to take one of the actions that may consume this message, or else send it.
        None if there is none: then each of them must be asked (`take`, `send`). `remember`: this may be asked again."""
        native = self._native_code(node)
        if native is None:
            return None
        if not remember:
            found = native.follow(events, local, kind, record, arrives)
        else:
            key = (arrives, local, record)
            found = self.kept_reactions.get(key)
            if found is not None:
                return found
            if len(self.kept_reactions) > _MOST_KEPT:
                self.kept_reactions.clear()
            found = native.follow(events, local, kind, record, arrives, again=True)
            if found is not None:
                self.kept_reactions[key] = found
        if found is not None:
            self.evaluations += len(events)
            if self.by == "both":
                self._compare(events, local, node, record, arrives, found)
        return found

    def _compare(
        self,
        events: tuple[Event, ...],
        local: Local,
        node: Value,
        record: Fn,
        arrives: bool,
        found: tuple[Outcome, ...],
    ) -> None:
        known = [
            each
            for event in events
            for each in (
                self.take(event, local, node, {event.consumes: record}, record)
                if arrives and event.consumes is not None
                else self.send(event, local, node, record)
            )
        ]
        if {*found} != {*known}:
            what = "when this comes" if arrives else "to send this"
            raise DisagreementError(f"at {local}, {what}: {record}: {found}, but by the reference {known}")

    def _take(
        self, event: Event, local: Local, node: Value, given: Mapping[str, Value], arrived: Value | None
    ) -> tuple[Outcome, ...]:
        native = self._native_code(node)
        found = None if native is None else native.take(event, local, given, arrived)
        if found is not None and self.by != "both":
            return found
        known = self._by_reference(event, local, node, given, arrived)
        if found is not None and {(each.values, sent, gone) for each, sent, gone in found} != {*known}:
            raise DisagreementError(f"{event.name} at {local}, given {given}: {found}, but by the reference {known}")
        return tuple((self.local(node, after), sent, gone) for after, sent, gone in known)

    def _by_reference(
        self, event: Event, local: Local, node: Value, given: Mapping[str, Value], arrived: Value | None
    ) -> list[tuple[tuple[Value, ...], frozenset[Value], bool]]:
        network: frozenset[Value] = frozenset() if arrived is None else frozenset((arrived,))
        places, at = self.places, self.network
        found: dict[tuple[tuple[Value, ...], frozenset[Value], bool], None] = {}
        for after in self._finder(event, tuple(given))(self._state(local, node, given, network)):
            sent = after[at]
            assert isinstance(sent, frozenset)
            found[tuple([after[place] for place in places]), sent - network, not network <= sent] = None
        return list(found)

    def branches(
        self, event: Event, local: Local, node: Value, given: Mapping[str, Value], arrived: Value | None = None
    ) -> Sequence[Branch]:
        """The ways through an action, whether they can be taken or not, with what the network becomes."""
        network: frozenset[Value] = frozenset() if arrived is None else frozenset((arrived,))
        action = self.rewriting.action(event, tuple(given))
        state = self._state(self.local(node, local), node, given, network)
        return branches(self.evaluator, action, state, self.network)

    def _finder(self, event: Event, given: tuple[str, ...]) -> Callable[[tuple[Value, ...]], list[tuple[Value, ...]]]:
        find = self._compiled.get((id(event), given))
        if find is None:
            find = self.evaluator.successors(self.rewriting.action(event, given).code)
            self._compiled[id(event), given] = find
        return find

    def _state(
        self, local: Local, node: Value, given: Mapping[str, Value], network: frozenset[Value]
    ) -> tuple[Value, ...]:
        state = self.template[:]
        state[self.network] = network
        for place, value in zip(self.places, local.values, strict=True):
            state[place] = value
        first = len(self.variables)
        state[first : first + 1 + len(given)] = (node, *given.values())
        return tuple(state)

    # ------------------------------------------------------------------------------------------------------ native code

    def _native_code(self, node: Value) -> NativeActions | None:
        native = self._native.get(node)
        if native is None:
            return self._begin(node)
        return self._renewed(native) if native.keeps_too_much() else native

    def native(self, node: Value) -> NativeActions | None:
        """Native code for this node, if it is in use."""
        return self._native.get(node)

    def renewed(self, native: NativeActions) -> NativeActions | None:
        """It keeps no more than what is held, or is given up."""
        return self._renewed(native)

    def _begin(self, node: Value) -> NativeActions | None:
        """Native code, if it is wanted and there is any."""
        if self.by == "reference" or node in self.not_native:
            return None
        if self.by == "auto" and self.evaluations < _PAYS and node not in self.monitor.programs:
            return None
        try:
            found = self._native[node] = NativeActions(self.program(node), self._states[node])
        except NotNativeError as error:
            self._give_up(node, str(error))
            return None
        return found

    def program(self, node: Value) -> Program:
        """What is compiled for a node, once for a monitor. Raises `NotNativeError`."""
        found = self.monitor.programs.get(node)
        if found is None:
            (first, *_) = self.initial(node)
            usual = list(self._state(first, node, {}, frozenset()))
            found = self.monitor.programs[node] = program(
                self.specification, self.rewriting, self.evaluator, node, usual
            )
        assert isinstance(found, Program)
        return found

    def prepare(self, nodes: Iterable[Value]) -> None:
        """Have native code compiled now, so that nobody who judges these nodes must wait for it."""
        for node in nodes:
            with suppress(NotNativeError):  # then it is said when it is needed
                _ = self.program(node).library

    def without_native_code(self, node: Value) -> Sequence[tuple[str, str]]:
        """The actions that only the reference evaluator can take, each with the reason."""
        try:
            return self.program(node).left
        except NotNativeError as error:
            return [(event.name, str(error)) for event in self.monitor.events]

    def _renewed(self, native: NativeActions) -> NativeActions | None:
        """What is remembered need not be kept."""
        self.kept.clear()
        self.kept_reactions.clear()
        try:
            native.renew()
        except NotNativeError as error:
            self._give_up(native.program.node, str(error))
            return None
        return native

    def _give_up(self, node: Value, why: str) -> None:
        self.not_native[node] = why
        self._native.pop(node, None)
        self._states[node].unpack()
