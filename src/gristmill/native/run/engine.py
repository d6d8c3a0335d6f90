"""A compiled model: states between Python and C, and the reference evaluator behind it.

The reference evaluator is asked by callback, from the threads of the search, one at a time.
"""

from __future__ import annotations

import ctypes
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from ctypes import byref, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from gristmill.evaluate.journal import Journal, Point, silent
from gristmill.native.codec import decode_all, decode_several, encode, encode_several
from gristmill.native.emit.generate import Generated, Predicates
from gristmill.native.errors import NoNativeFormError, OrderMattersError
from gristmill.native.plan.printing import ByPython
from gristmill.native.plan.traps import TRAPPED
from gristmill.native.run.compiled import (
    ExpandCall,
    PredicateCall,
    PrimitiveCall,
    Reference,
    SaidCall,
    TakeCall,
    UndoCall,
    open_library,
)
from gristmill.native.run.output import Output, text_said
from gristmill.native.run.position import NativePosition
from gristmill.native.run.predicates import FurtherPredicates
from gristmill.native.run.symmetry import Elements, Permutation, permuted_sets, slot_moves, slots_in_order
from gristmill.reference.model import SpecificationModel
from gristmill.search.core.search import GmModel, Mark, NativeSearch
from gristmill.search.model import ActionPredicate, State, StatePredicate
from gristmill.search.profile import Costs, Kind, Memory, What
from gristmill.values import EvaluationError, ModelValue, Value, current

_OK, _STOP, _AGAIN, _MISFIT = range(4)  # enum gm_status
_FULL = 5  # of enum gm_failure


class FullError(Exception):
    """A table of the runtime must grow first."""


class MisfitError(Exception):
    """A state does not fit the layout."""


class Engine:
    """`searchable` is the same model for the reference evaluator. Close it when done."""

    def __init__(
        self,
        generated: Generated,
        library: Path,
        searchable: SpecificationModel,
        journal: Journal | None = None,
        in_order: bool = True,
    ) -> None:
        """`journal`: of a model that evaluating has effects. Its search is one `in_order`, or it only prints."""
        self.generated = generated
        self.journal = journal if in_order else None  # of a search in order
        self.output = None if journal is None or in_order else Output(searchable, journal.print)
        self.searchable = searchable
        self.world = searchable.specified.world
        self._loaded = [open_library(library)]
        self.library = self._loaded[0].library
        self.has_initial = not any(sort == "initial" for sort, _, _ in generated.left)  # native code for initial states
        self.failure: BaseException | None = None  # of the program itself, inside a callback
        self.asked = Costs()  # of the reference evaluator, with the way there and back
        self.alone = True  # no worker of a search runs
        self._expects_names = True
        self.position: NativePosition | None = None  # where the search is, if the model asks for it
        self.representatives = ""  # under symmetry: which, and how they are found
        self.misfits: list[State] = []  # states that did not fit the layout
        self.searches: list[NativeSearch] = []  # that use it, and are closed before it
        self.layouts = 1  # how many its states have had
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        self.primitives = generated.primitives
        self.further = FurtherPredicates(self)
        self._lock = threading.RLock()
        self._buffer = (c_uint8 * 65536)()
        self._reference = Reference(
            ExpandCall(self._expand),
            TakeCall(self._take),
            PredicateCall(self._predicate),
            PrimitiveCall(self._primitive),
            UndoCall(self._undo),
            SaidCall(self._hear),
        )
        spec = c_void_p.in_dll(self.library, "gm_generated")
        widths = generated.widths
        (c_uint8 * len(widths)).in_dll(self.library, "gm_widths")[:] = list(widths)
        self._engine: int | None = self.library.gm_engine_new(byref(spec), byref(self._reference), 0)
        self.words = int(self.library.gm_engine_words_count(self._engine))
        self.slots = sum(layout.size for layout in generated.layouts)
        self._families: tuple[tuple[Kind, Sequence[StatePredicate | ActionPredicate]], ...] = (
            ("invariant", searchable.invariants),
            ("implied_init", searchable.implied_inits),
            ("constraint", searchable.constraints),
            ("action_constraint", searchable.action_constraints),
            ("implied_action", searchable.implied_actions),
            ("obligation", list(chain.from_iterable(map(self._alternatives, range(len(searchable.actions)))))),
        )
        self._turn = self.library.gm_engine_turn(self._engine)
        self._touched = 0  # the last turn that had effects
        self._mark: Point | None = None  # where it began
        self._functions: dict[ByPython, Callable[..., Value]] = {}  # primitives
        self._waiting: bytes | None = None  # the value of a primitive, for which there was no room
        self.error: EvaluationError | None = None  # of the last turn that had effects
        if self.journal is not None:
            self.library.gm_engine_in_order(self._engine)
        if self.output is not None:
            self.library.gm_engine_aloud(self._engine)
        self._link()

    def _alternatives(self, action: int) -> Sequence[ActionPredicate]:
        """What steps by an action must satisfy one of."""
        duty = self.searchable.obligation_of(action)
        return () if duty is None else duty.alternatives

    @property
    def met(self) -> dict[int, set[int]]:
        """For each action with an obligation, the alternatives that were the first to hold of some step."""
        found, at = {}, 0
        flags = self.library.gm_engine_met(self._engine)
        for action in range(len(self.searchable.actions)):
            count = len(self._alternatives(action))
            if count:
                found[action] = {number for number in range(count) if flags[at + number]}
            at += count
        return found

    def close(self) -> None:
        for search in self.searches:
            search.close()
        if self._engine:
            self.library.gm_engine_free(self._engine)
            self._engine = None
            for loaded in self._loaded:
                loaded.close()
        if self._spill is not None:
            self._spill.cleanup()

    def _link(self) -> None:
        data = b"".join(map(encode, self.generated.constants))
        if self.library.gm_engine_link(self._engine, data, len(data), len(self.generated.constants)) != 0:
            raise NoNativeFormError("a constant has no native form")

    @property
    def handle(self) -> int:
        """The `gm_engine`, for those who speak to it from C."""
        assert self._engine is not None
        return self._engine

    def add_predicates(self, predicates: Predicates, path: Path) -> list[int | None]:
        """Link another library that has predicates of these states; their addresses."""
        self._loaded.append(open_library(path))
        library = self._loaded[-1].library
        data = b"".join(map(encode, predicates.constants))
        spec = c_void_p.in_dll(library, "gm_generated")
        if self.library.gm_engine_link_more(self.handle, byref(spec), data, len(data), len(predicates.constants)) != 0:
            raise NoNativeFormError("a constant has no native form")
        self.primitives = predicates.primitives
        return list((c_void_p * max(1, predicates.count)).in_dll(library, "gm_predicates"))[: predicates.count]

    def exchange(self, path: Path) -> bool:
        """Go on with the same program in another library, compiled otherwise. No search may run meanwhile."""
        other = open_library(path)
        self._loaded.append(other)
        widths = self.generated.widths
        (c_uint8 * len(widths)).in_dll(other.library, "gm_widths")[:] = list(widths)
        data = b"".join(map(encode, self.generated.constants))
        spec = c_void_p.in_dll(other.library, "gm_generated")
        count = len(self.generated.constants)
        return bool(self.library.gm_engine_exchange(self.handle, byref(spec), data, len(data), count) == 0)

    def widen(self, widths: Sequence[int]) -> None:
        """Other widths for slots. A search that was opened before cannot go on: see `take_over`."""
        self.generated = replace(self.generated, widths=tuple(widths))
        self.library.gm_engine_widen(self.handle, (c_uint8 * len(widths))(*widths))
        self.words = int(self.library.gm_engine_words_count(self._engine))
        self.layouts += 1

    def take_over(self, before: NativeSearch, after: NativeSearch) -> bool:
        """A search goes on in another, which has no states yet; False if they do not fit the new widths, either."""
        done = bool(self.library.gm_engine_take_over(self.handle, before.handle, after.handle))
        if done:
            self.searches.remove(before)
            before.close()
        return done

    def spill_folder(self) -> Path:
        """Where states go that memory has no room for."""
        if self._spill is None:
            self._spill = tempfile.TemporaryDirectory(prefix="gristmill-", ignore_cleanup_errors=True)
        return Path(self._spill.name)

    # ---------------------------------------------------------------------------------------------------- for the core

    def model(self) -> GmModel:
        model = GmModel()
        self.library.gm_engine_model(self._engine, byref(model))
        model.check_deadlock = self.searchable.check_deadlock
        return model

    def follow(self, core: NativeSearch) -> None:
        """What is evaluated from now on may ask where this search is."""
        if self.searchable.follows_search:
            self.library.gm_engine_follow(self._engine, core.handle)
            self.position = NativePosition(core, self.state, self._turn if self.journal is not None else None)
            self.searchable.follow(self.position)

    def add_initial(self, core: int) -> int:
        """See `gm_engine_initial`."""
        return int(self.library.gm_engine_initial(self._engine, core))

    def refused_initial(self) -> State:
        return self.state(self.library.gm_engine_bad(self._engine))

    @property
    def heap_bytes(self) -> int:
        return int(self.library.gm_heap_bytes(self.library.gm_engine_heap(self._engine)))

    def memory(self) -> Memory:
        table = self.searches[-1].bytes if self.searches else 0
        return Memory(4 * self.words, table, self.heap_bytes)

    @property
    def fallbacks(self) -> int:
        return int(self.library.gm_engine_fallbacks(self._engine))

    @property
    def between(self) -> int:
        """States between the two actions of `A \\cdot B`, which TLC counts."""
        return int(self.library.gm_engine_between(self._engine))

    def expect_no_names(self) -> None:
        """They would appear in another order: the reference evaluator is not to make any in a search, either."""
        self._expects_names = False

    @property
    def is_trapped(self) -> bool:
        """What has ended the search is no value: something with effects was to be evaluated."""
        return self.misfit == TRAPPED

    @property
    def misfit(self) -> int:
        return int(self.library.gm_engine_misfit(self._engine))

    @property
    def full(self) -> int:
        """The width of slots for which there were too many values; 0 if there were not."""
        return int(self.library.gm_engine_full(self._engine))

    # ------------------------------------------------------------------------------------------------------- symmetry

    def set_symmetry(self, group: Sequence[Permutation], by_sorting: bool = True, order: Sequence[int] = ()) -> None:
        """Permutations of model values, all of a group but the identity.

        `by_sorting`: find representatives by sorting, where these are all permutations of some sets; else try them all.
        `order`: of the variables, where representatives must be the first in the order of values, for a VIEW of them.
        """
        self._tell_types(value for permutation in group for value in permutation)
        sets = permuted_sets(group) if by_sorting and not order else None
        self.representatives = f"sorted {sets}" if sets is not None else f"tried {group} {order}"
        if sets is not None:
            elements = Elements(self.generated.layouts, sets)
            self.library.gm_engine_canonical(self._engine, byref(elements.c))
        else:
            self._set_permutations(group)
        if order:
            slots = slots_in_order(self.generated.layouts, order)
            self.library.gm_engine_order(self._engine, (c_uint32 * max(1, len(slots)))(*slots))

    def _tell_types(self, values: Iterable[ModelValue]) -> None:
        """Of model values that a representative may have, and nothing else mentions."""
        heap = self.library.gm_engine_heap(self._engine)
        for value in values:
            if value.type is not None:
                self.library.gm_set_model_value_type(heap, current().register(value.name), ord(value.type))

    def _set_permutations(self, group: Sequence[Permutation]) -> None:
        heap = self.library.gm_engine_heap(self._engine)
        pointers = (c_void_p * max(1, len(group)))()
        moves = (c_uint32 * max(1, len(group) * self.slots))()
        for number, permutation in enumerate(group):
            pairs = [(current().register(a.name), current().register(b.name)) for a, b in permutation.items()]
            sources = (c_uint64 * len(pairs))(*(a for a, _ in pairs))
            targets = (c_uint64 * len(pairs))(*(b for _, b in pairs))
            pointers[number] = self.library.gm_permutation_new(heap, sources, targets, len(pairs))
            places = slot_moves(self.generated.layouts, permutation)
            moves[number * self.slots : (number + 1) * self.slots] = places  # type: ignore[assignment]
        self.library.gm_engine_symmetry(self._engine, pointers, moves, len(group))

    # ----------------------------------------------------------------------------------------------------- states

    def state(self, words: Any) -> State:
        """The values of all variables; `words` is a pointer or a sequence."""
        if isinstance(words, tuple | list):
            words = (c_uint32 * max(1, len(words)))(*words)
        with self._lock:
            needed = self.library.gm_engine_values(self._engine, words, self._buffer, len(self._buffer))
            if needed > len(self._buffer):
                self._buffer = (c_uint8 * (2 * needed))()
                needed = self.library.gm_engine_values(self._engine, words, self._buffer, len(self._buffer))
            if not needed and self.generated.layouts:
                raise MemoryError("a state cannot be decoded")
            data = bytes(memoryview(self._buffer)[:needed])
        return tuple(decode_several(data, len(self.generated.layouts)))

    def encoded_parts(self, words: Any, which: Sequence[int]) -> list[bytes]:
        """The values of some variables, by their indices, each encoded."""
        count = len(which)
        indices, ends = (c_uint32 * max(1, count))(*which), (c_size_t * max(1, count))()
        with self._lock:
            while True:
                buffer = self._buffer
                needed = self.library.gm_engine_some_values(
                    self._engine, words, indices, count, buffer, len(buffer), ends
                )
                if needed <= len(buffer):
                    break
                self._buffer = (c_uint8 * (2 * needed))()
            if not needed and count:
                raise MemoryError("a state cannot be decoded")
            data = bytes(memoryview(self._buffer)[:needed])
        return [data[start:end] for start, end in pairwise((0, *ends[:count]))]

    def encoded(self, state: State) -> Any:
        """The words of a state, for C. Raises `MisfitError`, `FullError`."""
        try:
            return self.encoded_bytes(encode_several(state))
        except MisfitError:
            self.misfits.append(state)
            raise

    def encoded_bytes(self, data: bytes) -> Any:
        """The same of the values of all variables, encoded."""
        words = (c_uint32 * max(1, self.words))()
        with self._lock:
            answer = self.library.gm_engine_words(self._engine, data, len(data), words)
            if answer == _FULL and self.alone:
                self.library.gm_grow(self.library.gm_engine_heap(self._engine))
                return self.encoded_bytes(data)
        if answer == _FULL:
            raise FullError
        if answer != 0:
            raise MisfitError
        return words

    # -------------------------------------------------------------------------------------- the reference evaluator

    def _touch(self) -> None:
        """Something may have effects now: if it is the first in this turn, remember how things were."""
        if self.journal is not None and self._touched != self._turn.contents.number:
            self._touched, self._mark, self.error = self._turn.contents.number, self.journal.point(), None

    def _undo(self) -> None:
        if self.journal is not None and self._mark is not None and self._touched == self._turn.contents.number:
            self.journal.undo(self._mark)

    @property
    def has_touched(self) -> bool:
        """Whether something may have had effects since the state that is being expanded was begun with."""
        return self.journal is not None and self._touched >= self._turn.contents.first

    @property
    def failed(self) -> EvaluationError | None:
        """What has failed in this turn, in a search in order."""
        return self.error if self._touched == self._turn.contents.number else None

    @property
    def refused(self) -> StatePredicate | ActionPredicate:
        """The predicate that was evaluated last, in a search in order."""
        _, predicates = self._families[int(self._turn.contents.family)]
        return predicates[int(self._turn.contents.refused)]

    def between_questions(self) -> AbstractContextManager[object]:
        """While nothing is asked of the reference evaluator: it is the caller's."""
        return self._lock

    def _guarded(self, what: What, answer: Callable[[], int], otherwise: int) -> int:
        """An exception cannot pass through C: it is kept, and ends the search."""
        with self._lock, self.world.active():  # the threads of a search have no context
            started, names = time.perf_counter(), len(self.world.positions)
            self._touch()
            try:
                found = answer()
                if len(self.world.positions) != names and not self._expects_names:
                    raise OrderMattersError
                return found
            except FullError:
                self._undo()
                return _AGAIN
            except MisfitError:
                return _MISFIT
            except BaseException as error:
                if self.failure is None:
                    self.failure = error
                return otherwise
            finally:
                self.asked.add(what, time.perf_counter() - started)

    def _expand(self, sink: int, words: Any) -> int:
        def answer() -> int:
            state = self.state(words)
            return self._emit_all(sink, state, self.searchable.successors(state))

        return self._guarded(("state", ""), answer, _STOP)

    def _take(self, sink: int, branch: int, words: Any) -> int:
        def answer() -> int:
            state = self.state(words)
            return self._emit_all(sink, state, self.searchable.successors_by(state, (branch,)))

        return self._guarded(("action", self.searchable.specified.branches[branch].code.name), answer, _STOP)

    def _emit_all(self, sink: int, state: State, steps: Iterator[tuple[int, Sequence[State]]]) -> int:
        if self.output is not None:
            steps = self.output.overheard(steps, partial(self._say, sink))
        try:
            for action, successors in steps:
                for successor in successors:
                    words = self.encoded(successor)
                    marks = self._marks(state, action, successor) if self.journal is None else 0  # it is judged later
                    self.library.gm_emit(sink, action, words, marks)
        except EvaluationError as error:
            self.error = error
            return _STOP
        except NoNativeFormError as error:
            self.failure = error
            return _STOP
        return _OK

    def _say(self, sink: int, lines: Sequence[str]) -> None:
        """What a branch has printed, before its successors are emitted."""
        self.library.gm_begin_branch(sink)
        for line in lines:
            data = text_said(line)
            self.library.gm_say(sink, data, len(data))

    def _hear(self, data: int, size: int) -> None:
        """What was printed, in order. Without what it is made of, the reference evaluator must say what is wrong."""
        assert self.output is not None
        if self.failure is not None:
            return
        with self._lock, self.world.active():
            try:
                self.output.hear(ctypes.string_at(data, size), self.primitives, self.asked)
            except BaseException as error:
                self.failure = error
                self.searches[-1].interrupt()

    def quietly(self) -> AbstractContextManager[None]:
        """What is evaluated meanwhile was evaluated in a search, and has printed what it prints."""
        return nullcontext() if self.output is None else silent(self.searchable.evaluator.context)

    def _marks(self, state: State, action: int, successor: State) -> int:
        searchable = self.searchable
        marks = 0
        try:
            with self.looking_at(successor):
                inside = all(each.holds(successor) for each in searchable.constraints)
            if not (inside and all(each.holds(state, successor) for each in searchable.action_constraints)):
                marks |= Mark.CUT
        except EvaluationError:
            return Mark.UNKNOWN
        try:
            if not all(each.holds(state, successor) for each in searchable.implied_actions):
                marks |= Mark.BAD_STEP
            if not self._is_met(state, action, successor):
                marks |= Mark.UNMET
        except EvaluationError:
            marks |= Mark.UNKNOWN_STEP
        return marks

    def _is_met(self, state: State, action: int, successor: State) -> bool:
        duty = self.searchable.obligation_of(action)
        by = None if duty is None else duty.met_by(state, successor)
        if by is not None:
            before = sum(len(self._alternatives(each)) for each in range(action))
            self.library.gm_engine_met(self._engine)[before + by] = 1
        return duty is None or by is not None

    def looking_at(self, state: State) -> AbstractContextManager[None]:
        return nullcontext() if self.position is None else self.position.looking_at(state)

    def evaluating(self, predicate: StatePredicate | ActionPredicate, state: State) -> AbstractContextManager[None]:
        """A predicate is evaluated; if it is one of states, of this one."""
        return self.looking_at(state) if isinstance(predicate, StatePredicate) else nullcontext()

    def _predicate(self, family: int, index: int, words: Any, following: Any) -> int:
        kind, predicates = self._families[family]
        predicate = predicates[index]

        def answer() -> int:
            state = self.state(words)
            try:
                with self.evaluating(predicate, state):
                    states = [state, self.state(following)] if isinstance(predicate, ActionPredicate) else [state]
                    return int(predicate.holds(*states))
            except EvaluationError as error:
                self.error = error
                return -1

        return self._guarded((kind, predicate.name), answer, -1)

    def _primitive(self, number: int, data: Any, size: int, out: Any, room: int) -> int:
        operator = self.primitives[number]

        def answer() -> int:
            result, self._waiting = self._waiting, None
            try:
                if result is None:
                    result = encode(self._function(operator)(*decode_all(ctypes.string_at(data, size))))
            except (EvaluationError, NoNativeFormError):
                return 0
            if len(result) <= room:
                ctypes.memmove(out, result, len(result))
            elif self.journal is not None:  # it must not be evaluated again
                self._waiting = result
            return len(result)

        return self._guarded(("operator", str(operator)), answer, 0)

    def _function(self, operator: ByPython) -> Callable[..., Value]:
        function = self._functions.get(operator)
        if function is None:
            function = self._functions[operator] = operator.function_to_value(self.searchable.evaluator.context)
        return function


__all__ = ["Engine", "MisfitError"]
