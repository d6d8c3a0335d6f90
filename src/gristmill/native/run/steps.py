"""The steps of states by native code, a batch in one call: for those who follow a model rather than search it.

States are handed out packed, as the bytes that native code works on: equal states have equal bytes, and `values`
unpacks them. What native code cannot hold or answer is the reference evaluator's, state by state; a state that has no
packed form is a tuple of values, as everywhere else.

Native code is compiled for states as they looked when it was made. Where many do not fit, `renew` has it made again,
for those as well. States that were packed before then are still understood: each program has a length of its own for
them.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from ctypes import byref, c_uint8, c_uint64, string_at
from typing import Any, TypeAlias

from gristmill.native.codec import decode, encode
from gristmill.native.errors import NoNativeFormError
from gristmill.native.run.compiled import BatchResult
from gristmill.native.run.engine import Engine, FullError, MisfitError
from gristmill.reference.model import SpecificationModel
from gristmill.search.model import Action, Failure, Model, Parameters, Position, State, Taken
from gristmill.source import Span
from gristmill.trace import Blocked
from gristmill.values import Value

Packed: TypeAlias = Any  # bytes, or a `State` that has no packed form

_UNSET = 7  # GM_UNSET
_WORD = 8  # bytes of a value
_MOST_UNPACKED = 50_000  # states that are remembered as Python has them
_MOST_PARAMETERS = 100_000
_LARGEST_BATCH = 4_096  # states in one call, so that what comes of it has room
_MANY_MISFITS = 200  # states that did not fit, from which on it may pay to compile anew
_OFTEN = 20  # if there was one among so many
_MOST_MISFITS = 2_000  # that are kept to learn from
_MOST_PROGRAMS = 5

Learn = Callable[[Sequence[State]], Engine | None]  # a program for such states as well; None if there cannot be one


class NativeSteps(Model):
    """A model whose steps native code takes. `engine` must have been generated with parameters; it is closed with this.

    Several threads may use it; they take turns. The world of the specification is active while it works. `lock`: of
    those who use the same reference evaluator. `learn` makes another engine, for states that did not fit this one.
    """

    def __init__(self, engine: Engine, lock: threading.RLock | None = None, learn: Learn | None = None) -> None:
        self.engine = engine
        self._learn = learn
        self.world = engine.world
        self.searchable: SpecificationModel = engine.searchable
        self.variables: Sequence[str] = self.searchable.variables
        self.actions: Sequence[Action] = self.searchable.actions
        self.errors = self.searchable.errors
        self.alias = self._alias if self.searchable.alias is not None else None
        specified = self.searchable.specified.actions
        self._names = [tuple(name for name, _ in action.parameters) for action in specified]
        self._most = max(map(len, self._names), default=0)
        self._batch: int | None = None
        self._lock = lock or threading.RLock()
        self._by_length: dict[int, Engine] = {}  # engines, by the length of their packed states
        self._padding = b""  # of packed states, if an earlier engine has the same length
        self._misfits: list[State] = []  # since the engine was made
        self._misfit_count = 0
        self._asked_before = 0  # when the engine was made
        self._unpacked: dict[bytes, State] = {}
        self._decoded: dict[bytes, Value] = {}  # values of variables, by how they are encoded
        self._parameters: dict[tuple[int, bytes], Parameters] = {}
        self.asked = 0  # states whose steps were asked for
        self.left = 0  # of these, states that were the reference evaluator's
        self._use(engine)

    def _use(self, engine: Engine) -> None:
        self.engine = engine
        self._batch = engine.library.gm_batch_new(engine.handle, self._most)
        length = 4 * engine.words
        while length in self._by_length:
            length += 1
        self._padding = bytes(length - 4 * engine.words)
        self._by_length[length] = engine
        self._parameters.clear()  # these are known by their place in the memory of an engine

    def close(self) -> None:
        with self._lock:
            self._free_batch()
            while self._by_length:
                self._by_length.popitem()[1].close()

    def _free_batch(self) -> None:
        if self._batch is not None:
            self.engine.library.gm_batch_free(self._batch)
            self._batch = None

    # -------------------------------------------------------------------------------------------------------- learning

    def renew(self) -> int:
        """Have native code made anew, if it has often met states that do not fit. It may take seconds."""
        if self._pays_to_learn():
            with self._lock, self.world.active():
                self._renew()
        return len(self._by_length)

    def _renew(self) -> None:
        if self._learn is None or not self._pays_to_learn():  # another thread has done it
            return
        engine = self._learn(self._misfits)
        if engine is None:
            self._learn = None
        else:
            self._free_batch()
            self._use(engine)
        self._misfits, self._misfit_count, self._asked_before = [], 0, self.asked

    def _pays_to_learn(self) -> bool:
        if self._learn is None or self._batch is None or len(self._by_length) >= _MOST_PROGRAMS:
            return False
        return self._misfit_count >= _MANY_MISFITS and self.asked - self._asked_before <= self._misfit_count * _OFTEN

    # ------------------------------------------------------------------------------------------------------- states

    def initial_states(self) -> list[Packed]:
        with self._lock, self.world.active():
            return [self.pack(state) for state in self.searchable.initial_states()]

    def pack(self, state: Packed) -> Packed:
        """The form in which a state is handed out; itself if it has no shorter one."""
        if isinstance(state, bytes):
            if self._by_length.get(len(state)) is self.engine:
                return state
            state = self.values(state)
        try:
            with self._lock, self.world.active():
                return self._bytes(self.engine.encoded(state))
        except MisfitError:
            self._misfit_count += 1
            if len(self._misfits) < _MOST_MISFITS:
                self._misfits.append(state)
        except (FullError, NoNativeFormError):
            pass
        self.engine.misfits.clear()
        return state

    def _bytes(self, words: Any) -> bytes:
        return string_at(words, 4 * self.engine.words) + self._padding

    def values(self, state: Packed) -> tuple[Value, ...]:
        if not isinstance(state, bytes):
            return tuple(state)
        found = self._unpacked.get(state)
        if found is None:
            with self._lock:
                if len(self._unpacked) >= _MOST_UNPACKED:
                    self._unpacked.clear()
                found = self._unpacked[state] = tuple(self._decode(state, range(len(self.variables))))
        return found

    def some_values(self, state: Packed, which: Sequence[int]) -> tuple[Value | None, ...]:
        if not isinstance(state, bytes) or state in self._unpacked:
            return self.values(state)
        found: list[Value | None] = [None] * len(self.variables)
        for index, value in zip(which, self._decode(state, which), strict=True):
            found[index] = value
        return tuple(found)

    def _decode(self, state: bytes, which: Sequence[int]) -> list[Value]:
        """Most variables stay as they are from state to state: what has been decoded once is looked up."""
        engine, found = self._by_length[len(state)], []
        words = (ctypes.c_uint32 * max(1, engine.words)).from_buffer_copy(state or bytes(4))
        with self._lock, self.world.active():
            if len(self._decoded) >= _MOST_UNPACKED:
                self._decoded.clear()
            for data in engine.encoded_parts(words, which):
                value = self._decoded.get(data)
                if value is None:
                    value = self._decoded[data] = decode(data)
                found.append(value)
        return found

    # -------------------------------------------------------------------------------------------------------- steps

    def successors(self, state: Packed) -> Iterator[tuple[int, Sequence[Packed]]]:
        return ((taken.action, [taken.state]) for taken in self.steps(state))

    def steps(self, state: Packed) -> Sequence[Taken]:
        return self.steps_from([state])[0]

    def take(self, state: Packed, action: str, parameters: Mapping[str, Any] = {}) -> Sequence[Taken]:
        return self.take_from([state], action, parameters)[0]

    def steps_from(self, states: Sequence[Packed]) -> list[list[Taken]]:
        return self._all(states, None, None, self.searchable.steps)

    def take_from(
        self,
        states: Sequence[Packed],
        action: str,
        parameters: Mapping[str, Any] = {},
    ) -> list[list[Taken]]:
        def by_reference(state: State) -> Sequence[Taken]:
            return self.searchable.take(state, action, parameters)

        wanted = bytes(self._may_be(number, action, parameters) for number in range(len(self.actions)))
        with self._lock, self.world.active():
            table = self._table(parameters)
            if table is None:  # a value that native code does not know
                return [self._packed(by_reference(self.values(state))) for state in states]
            found = self._all(states, wanted, table, by_reference)
        if not parameters:
            return found
        return [[each for each in steps if self.is_instance(each, action, parameters)] for steps in found]

    def _may_be(self, number: int, action: str, parameters: Mapping[str, Any]) -> bool:
        """Whether an action has this name and these parameters; the process of an algorithm is looked at later."""
        names = self._names[number]
        return self.actions[number].name == action and (not names or parameters.keys() <= set(names))

    def _table(self, parameters: Mapping[str, Value]) -> Any:
        """The wanted values of the parameters of each action; None if one has no native form."""
        if not parameters:
            return b""
        values = {}
        for name, value in parameters.items():
            try:
                data = encode(value)
            except NoNativeFormError:
                return None
            values[name] = self.engine.library.gm_engine_keep(self.engine.handle, data, len(data))
            if values[name] == _UNSET:
                return None
        table = (c_uint64 * max(1, len(self._names) * self._most))(*[_UNSET] * (len(self._names) * self._most))
        for action, names in enumerate(self._names):
            for place, name in enumerate(names):
                if name in values:
                    table[action * self._most + place] = values[name]
        return table

    def _all(self, states: Sequence[Packed], wanted: bytes | None, table: Any, by_reference: Any) -> list[list[Taken]]:
        with self._lock, self.world.active():
            found: list[list[Taken]] = []
            for start in range(0, len(states), _LARGEST_BATCH):
                found += self._some(states[start : start + _LARGEST_BATCH], wanted, table, by_reference)
            return found

    def _some(self, states: Sequence[Packed], wanted: bytes | None, table: Any, by_reference: Any) -> list[list[Taken]]:
        states = [self.pack(state) for state in states]
        native = [state for state in states if isinstance(state, bytes)]
        answers = iter(self._run(native, wanted, table or None))
        found = []
        self.asked += len(states)
        for state in states:
            steps = next(answers) if isinstance(state, bytes) else None
            if steps is None:
                self.left += 1
                steps = self._packed(by_reference(self.values(state)))
            found.append(steps)
        return found

    def _packed(self, steps: Iterable[Taken]) -> list[Taken]:
        return [Taken(each.action, each.parameters, self.pack(each.state)) for each in steps]

    def _run(self, states: list[bytes], wanted: bytes | None, table: Any) -> Iterator[list[Taken] | None]:
        """The steps of each state, None where native code has no answer."""
        library, result = self.engine.library, BatchResult()
        assert self._batch is not None, "it is closed"
        size, padding = 4 * self.engine.words, self._padding
        data = b"".join([state[:size] for state in states] if padding else states)
        if not library.gm_batch_run(self._batch, data, len(states), wanted, table):
            raise MemoryError("the steps of these states")
        self._raise_failure()
        library.gm_batch_read(self._batch, byref(result))
        first, left, actions = result.first, result.left[: len(states)], result.actions
        count, width = first[len(states)], _WORD * self._most
        data = string_at(result.states, count * size) if count else b""
        values = string_at(result.parameters, count * width) if count and width else b""
        taken = [
            Taken(
                action,
                self._parameters_of(action, values[number * width : (number + 1) * width]),
                data[number * size : (number + 1) * size] + padding,
            )
            for number, action in enumerate(actions[:count])
        ]
        for number in range(len(states)):
            yield None if left[number] else taken[first[number] : first[number + 1]]

    def _raise_failure(self) -> None:
        """Of the program itself, inside a callback."""
        failure, self.engine.failure = self.engine.failure, None
        if failure is not None:
            raise failure

    def _parameters_of(self, action: int, words: bytes) -> Parameters:
        found = self._parameters.get((action, words))
        if found is None:
            if len(self._parameters) >= _MOST_PARAMETERS:
                self._parameters.clear()
            names = self._names[action]
            values = (c_uint64 * self._most).from_buffer_copy(words) if self._most else ()
            found = tuple((name, self._value(value)) for name, value in zip(names, values, strict=False))
            found = found or self.searchable.parameters_of(action)
            self._parameters[action, words] = found
        return found

    def _value(self, word: int) -> Value:
        room = 256
        while True:
            out = (c_uint8 * room)()
            needed = self.engine.library.gm_engine_value(self.engine.handle, word, out, room)
            if 0 < needed <= room:
                return decode(bytes(out[:needed]))
            if needed == 0:
                raise MemoryError("a value cannot be decoded")
            room = needed

    # ---------------------------------------------------------------------------- what the reference evaluator tells

    def _alias(self, state: Packed, following: Packed) -> Mapping[str, Any]:
        assert self.searchable.alias is not None
        with self._lock, self.world.active():
            return self.searchable.alias(self.values(state), self.values(following))  # type: ignore[no-any-return]

    def blocked(
        self,
        state: Packed,
        action: str | None = None,
        parameters: Mapping[str, Any] = {},
    ) -> list[Blocked]:
        with self._lock, self.world.active():
            return list(self.searchable.blocked(self.values(state), action, parameters))

    def parameters(self, state: Packed, action: int, successor: Packed) -> Parameters:
        with self._lock, self.world.active():
            return self.searchable.parameters(self.values(state), action, self.values(successor))

    def place_in_algorithm(self, action: int) -> Span | None:
        return self.searchable.place_in_algorithm(action)

    def failure(self, error: Exception) -> Failure:
        return self.searchable.failure(error)

    def reseed(self, seed: str) -> None:
        self.searchable.reseed(seed)

    def follow(self, position: Position) -> None:
        self.searchable.follow(position)

    def undisturbed(self) -> AbstractContextManager[None]:
        return self.searchable.undisturbed()


__all__ = ["NativeSteps", "Packed"]
