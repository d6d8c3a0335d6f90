"""The actions of a node as native code: the rewritten actions compiled, and applied to packed local states.

Native code is generated for one node, as its states have that node alone in the domain of every function. The C text is
the same for all nodes, so it is compiled once. What native code refuses, or what there is none for, is the reference
evaluator's.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from struct import Struct

from gristmill.cc import CacheError, CompilerError
from gristmill.checking.steps import without_properties
from gristmill.checking.suitability import in_order
from gristmill.evaluate import Evaluator
from gristmill.ir import nodes
from gristmill.ir.model import Action, Model
from gristmill.ir.nodes import Code
from gristmill.native.emit.generate import Generated, generate
from gristmill.native.errors import NoNativeFormError, Unsupported
from gristmill.native.plan.layout import LEAF, Parts
from gristmill.native.run.compiled import compile_text
from gristmill.native.run.engine import Engine, MisfitError
from gristmill.native.run.taking import Taker
from gristmill.reference.model import SpecificationModel
from gristmill.specification import Specification
from gristmill.values import TRUE, Fn, Value
from gristmill.watch.derive import Event
from gristmill.watch.local_states import Local, LocalStates
from gristmill.watch.rewriting import Rewriting

_MOST_BYTES = 24 << 20  # of values that native code keeps, before it begins anew
_MOST_PARTS = 4_096  # records whose parts are remembered
_LOOK = 512  # actions: how often that is looked at


class NotNativeError(Exception):
    """Why there is no native code for the actions of a node."""


@dataclass(frozen=True)
class Program:
    """`variants`: the number of an action in native code, by event and the parameters that are known besides the node.
    `left`: actions that there is no native code for, each with the reason."""

    node: Value
    usual: tuple[Value, ...]
    places: tuple[int, ...]
    rewriting: Rewriting
    searchable: SpecificationModel
    generated: Generated
    variants: Mapping[tuple[int, tuple[str, ...]], int]

    @property
    def left(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((name, why) for sort, name, why in self.generated.left if sort == "action"))

    @cached_property
    def library(self) -> Path:
        """Compiled when it is needed. Raises `NotNativeError`."""
        try:
            return compile_text(self.generated.text, self.generated.cost)
        except (CompilerError, CacheError) as error:
            raise NotNativeError(str(error)) from error

    def taker(self) -> Taker:
        """Raises `NotNativeError`."""
        engine = Engine(self.generated, self.library, self.searchable)
        try:
            return Taker(engine, self.usual, self.places, self.rewriting.network, self.rewriting.first)
        except (NoNativeFormError, MisfitError) as error:
            engine.close()
            raise NotNativeError(f"an initial state has no native form: {error}") from None
        except BaseException:
            engine.close()
            raise


def program(
    specification: Specification, rewriting: Rewriting, evaluator: Evaluator, node: Value, usual: Sequence[Value]
) -> Program:
    """`usual`: values of all variables, ours included, in a state of this node alone. Raises `NotNativeError`."""
    variants = list(dict.fromkeys(_keys(rewriting)))
    by_key = {(id(event), given): (event, given) for event, given in rewriting.variants()}
    actions = tuple(replace(rewriting.action(*by_key[key]), parameters=(), domains=()) for key in variants)
    places = tuple(specification.variables.index(name) for name in rewriting.monitor.local)
    model = _model(specification.model, rewriting.names, actions)
    if model.asks_search or in_order(model):
        raise NotNativeError("evaluating it has effects, or depends on a search")
    layouts = [Parts((node,), (LEAF,), False) if at in places else LEAF for at in range(len(rewriting.names))]
    try:
        generated = generate(
            model, layouts, (4,) * len(layouts), lambda code: evaluator.value(code)(), with_parameters=True
        )
    except (Unsupported, NoNativeFormError) as error:
        raise NotNativeError(str(error)) from error
    searchable = SpecificationModel(model, evaluator)
    numbers = {key: number for number, key in enumerate(variants)}
    return Program(node, tuple(usual), places, rewriting, searchable, generated, numbers)


def _keys(rewriting: Rewriting) -> list[tuple[int, tuple[str, ...]]]:
    return [(id(event), given) for event, given in rewriting.variants()]


def _model(model: Model, names: tuple[str, ...], actions: tuple[Action, ...]) -> Model:
    """Whatever it begins with: states come from outside."""
    assert model.init is not None
    anything = Code(nodes.Literal(TRUE, model.init.span), 0, model.init.name, model.init.span)
    return without_properties(replace(model, variables=names, actions=actions, init=anything))


class NativeActions:
    """The actions of one node, applied to its `states`, which are packed from now on.

    Raises `NotNativeError` if one of the states that are held cannot be.
    """

    def __init__(self, program: Program, states: LocalStates) -> None:
        self.program, self.states, self.variants = program, states, program.variants
        self._packs = [Struct(f"<{count}I").pack for count in range(program.rewriting.count + 1)]
        self._until_look = _LOOK
        self._end: weakref.finalize[[], LocalStates] | None = None  # frees native code that is not used any more
        self._plans: dict[tuple[object, ...], int] = {}  # by whether a record arrives, its kind and its fields
        self._parts: dict[Fn, bytes] = {}  # of records that are asked for again and again
        self._use(program.taker())

    def _use(self, taker: Taker) -> None:
        try:
            self.states.move_to(taker)
            self._node = taker.number(self.program.node)
        except (NoNativeFormError, MisfitError) as error:
            taker.close()
            raise NotNativeError(f"a state has no native form: {error}") from None
        self.taker = taker
        self._plans.clear()
        self._parts.clear()
        if self._end is not None:
            self._end()
        self._end = weakref.finalize(self.states, taker.close)

    def keeps_too_much(self) -> bool:
        """Whoever remembers local states should forget them, and then `renew` this."""
        self._until_look -= 1
        if self._until_look:
            return False
        self._until_look = _LOOK
        return self.is_large

    @property
    def is_large(self) -> bool:
        return self.taker.heap_bytes > _MOST_BYTES

    def renew(self) -> None:
        """Keep no more than what is held. Raises `NotNativeError`."""
        self._use(self.program.taker())

    def take(
        self, event: Event, local: Local, given: Mapping[str, Value], arrived: Value | None
    ) -> tuple[tuple[Local, frozenset[Value], bool], ...] | None:
        """None if the reference evaluator must be asked."""
        branch = self.variants.get((id(event), tuple(given)))
        if branch is None:
            return None
        taker = self.taker
        number = taker.number
        try:
            message = 0 if arrived is None else number(arrived)
            numbers = [self._node, *map(number, given.values())]
        except NoNativeFormError:
            return None
        found = taker.take(branch, local.packed, message, self._packs[len(numbers)](*numbers))
        if found is None:
            return None
        packed, value = self.states.packed, taker.value
        outcomes = [(packed(state), frozenset(map(value, sent)), gone) for state, gone, sent in found]
        return tuple(outcomes) if len(outcomes) < 2 else tuple(dict.fromkeys(outcomes))

    def follow(
        self, events: tuple[Event, ...], local: Local, kind: str, record: Fn, arrives: bool, again: bool = False
    ) -> tuple[tuple[Local, frozenset[Value], bool], ...] | None:
        """Every way to take one of these actions, which are all that may consume this kind of messages, or else send
        it; what the message reveals of their parameters are its parts. None if the reference evaluator must be asked.

        `again`: the same is asked of this message in many states.
        """
        taker, states = self.taker, self.states
        try:
            key = (arrives, kind, *record)
            plan = self._plans.get(key)
            if plan is None:
                plan = self._plans[key] = self._plan(events, record, arrives)
            if not plan:
                return None if events else ()
            parts = self._parts_again(record) if again else taker.parts(record)
            found = taker.follow(plan, local.packed, parts)
        except NoNativeFormError:
            return None
        if found is None:
            return None
        made, steps = found
        value = taker.value
        outcomes = [
            (states.packed(packed), frozenset([record if each == made else value(each) for each in sent]), gone)
            for packed, gone, sent in steps
        ]
        return tuple(outcomes) if len(outcomes) < 2 else tuple(dict.fromkeys(outcomes))

    def _parts_again(self, record: Fn) -> bytes:
        found = self._parts.get(record)
        if found is None:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            found = self._parts[record] = self.taker.parts(record)
        return found

    def plan_for(self, events: tuple[Event, ...], record: Fn, arrives: bool) -> int | None:
        """What is to be done with records of this form, even if that is nothing; None if the reference evaluator must
        be asked. Good until this is renewed. Raises `NoNativeFormError`."""
        if not events:
            return self.taker.plan((), self._node, tuple(record), arrives)
        return self._plan(events, record, arrives) or None

    def _plan(self, events: tuple[Event, ...], record: Fn, arrives: bool) -> int:
        """0 if there is nothing to do, or no native code for some of it."""
        ways: list[tuple[int, Sequence[int]]] = []
        for event in events:
            if not arrives:
                ways += self._ways_to_send(event, record)
                continue
            assert event.consumes is not None
            branch = self.variants.get((id(event), (event.consumes,)))
            if branch is None:
                return 0
            ways.append((branch, [0, 1]))
        return self.taker.plan(ways, self._node, tuple(record), arrives) if events else 0

    def _ways_to_send(self, event: Event, record: Fn) -> list[tuple[int, list[int]]]:
        """The actions in native code that may send such a record, with where their parameters come from."""
        fields = tuple(record)
        found = []
        for template in event.sends_like(record):
            revealed = {name: field for name, field in template.reveals.items() if name != event.node}
            sources = [0, *[2 + fields.index(field) for field in revealed.values()]]
            found.append((self.variants[id(event), tuple(revealed)], sources))
        return [way for number, way in enumerate(found) if way not in found[:number]]
