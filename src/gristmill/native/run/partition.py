"""One part of a search that several processes share: `runtime/partition/partition.h`, from Python."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from enum import IntEnum
from typing import Any

from gristmill.native.codec import decode_several, encode
from gristmill.native.errors import LeaveToReferenceError, MisfitInRunError
from gristmill.native.plan.layout import Layout, Parts, different
from gristmill.native.run.engine import Engine
from gristmill.native.run.symmetry import Permutation
from gristmill.search.core.search import CoreLimits, NativeSearch, Outcome
from gristmill.search.model import State
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import EvaluationError, Value, current

SENT, SAVED, INITIAL, MOVED = range(4)  # enum gm_partition_kind
_ALL_BITS = (1 << 64) - 1
_SAMPLE = 20_000  # states that are looked at to find out which slots have many values


class GapError(Exception):
    """A batch of a stream has not come: what it has defined is not known."""


class _Answer(IntEnum):
    """`gm_partition_answer`"""

    OK = 0
    MISFIT = 1
    NO_MEMORY = 2
    DAMAGED = 3
    FAILED = 4
    GAP = 5
    DOUBT = 6


class Counts(Structure):
    """`gm_partition_counts`: of the last call."""

    _fields_ = tuple(
        (name, c_uint64)
        for name in ("expanded", "generated", "cut", "unknown", "repeated", "received", "fresh", "events", "defined")
    )


@dataclass(frozen=True, slots=True)
class Record:
    """A state that any layout can read. `parent`: its number everywhere, None of an initial state."""

    parent: int | None
    action: int
    state: bytes


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "gm_partition_new": (
        c_void_p,
        (c_void_p, c_void_p, c_uint32, c_uint32, c_bool, POINTER(c_uint64), c_uint32),
    ),
    "gm_partition_free": (None, (c_void_p,)),
    "gm_partition_factor": (c_uint64, (c_void_p, c_char_p, c_size_t)),
    "gm_partition_factors": (None, (c_void_p, POINTER(c_uint64))),
    "gm_partition_forget": (None, (c_void_p,)),
    "gm_partition_expand": (c_int, (c_void_p, c_uint64, c_uint64, c_size_t, POINTER(c_uint64))),
    "gm_partition_insert": (c_int, (c_void_p, c_char_p, c_size_t, c_int, c_uint32, POINTER(c_size_t))),
    "gm_partition_translate": (c_int, (c_void_p, c_char_p, c_size_t)),
    "gm_partition_read": (None, (c_void_p, POINTER(Counts))),
    "gm_partition_stored": (c_uint64, (c_void_p,)),
    "gm_partition_taken": (POINTER(c_uint64), (c_void_p,)),
    "gm_partition_batch": (c_void_p, (c_void_p, c_uint32, POINTER(c_size_t), POINTER(c_uint64))),
    "gm_partition_events": (c_void_p, (c_void_p, POINTER(c_size_t))),
    "gm_partition_save": (c_int, (c_void_p, c_uint64, c_uint64)),
    "gm_partition_saved": (c_void_p, (c_void_p, POINTER(c_size_t))),
    "gm_partition_found": (None, (c_void_p, c_uint64, c_uint64, POINTER(c_uint64))),
}


class NativePartition:
    """The states that number `own` of `owners` processes owns. `group`: of the symmetry. Close it before its engine."""

    def __init__(self, engine: Engine, owners: int, own: int, group: Sequence[Permutation] = ()) -> None:
        self.engine, self.owners = engine, owners
        self._library = engine.library
        for name, (returned, taken) in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.restype, function.argtypes = returned, taken
        self.core = NativeSearch(engine.library, engine.model(), CoreLimits(foreign_parents=True))
        engine.searches.append(self.core)
        engine.alone = False  # what must grow does so between two states
        classes = _classes(group)
        self._handle: int | None = self._library.gm_partition_new(
            engine.handle,
            self.core.handle,
            owners,
            own,
            engine.searchable.check_deadlock,
            (c_uint64 * max(1, len(classes)))(*classes),
            len(classes),
        )
        factors = list(self._factors())
        self._library.gm_partition_factors(self._handle, (c_uint64 * max(1, len(factors)))(*factors))
        self._actions = len(engine.searchable.actions)

    def _factors(self) -> Iterator[int]:
        """Of each slot: what the variable and all arguments on the way to it contribute to the hash of a state."""
        for number, layout in enumerate(self.engine.generated.layouts):
            yield from self._factors_in(layout, self._factor(number))

    def _factors_in(self, layout: Layout, factor: int) -> Iterator[int]:
        if not isinstance(layout, Parts):
            yield factor
            return
        for key, child in zip(layout.keys, layout.children, strict=True):
            yield from self._factors_in(child, factor * self._factor(key) & _ALL_BITS)

    def _factor(self, argument: Value) -> int:
        data = encode(argument)
        found = int(self._library.gm_partition_factor(self._handle, data, len(data)))
        if not found:
            raise LeaveToReferenceError("an argument of a function has no native form")
        return found

    def close(self) -> None:
        if self._handle:
            self._library.gm_partition_free(self._handle)
            self._handle = None

    @property
    def stored(self) -> int:
        return int(self._library.gm_partition_stored(self._handle))

    def forget(self) -> None:
        """What others have been sent: the level begins once more."""
        self._library.gm_partition_forget(self._handle)

    def expand(self, start: int, end: int, most: int) -> int:
        """Expand states until about `most` were generated; where to go on. Raises `MisfitInRunError`."""
        following = c_uint64(start)
        answer = self._library.gm_partition_expand(self._handle, start, end, most, byref(following))
        self._judge(answer, lambda: self._misfits_of(following.value))
        return following.value

    def insert(self, data: bytes, kind: int, sender: int = 0) -> None:
        """Store the states of a batch, or of records. Raises `MisfitInRunError`, `GapError`."""
        at = c_size_t(0)
        of_stream = kind in (SENT, SAVED)
        sender = self.owners if kind == SAVED else sender
        answer = self._library.gm_partition_insert(self._handle, data, len(data), kind, sender, byref(at))
        self._judge(answer, lambda: [] if of_stream else [self.decoded(next(records(data[at.value :])).state)])

    def translated(self, data: bytes) -> bytes:
        """A batch of the file as records, for a partition with another layout."""
        self._judge(self._library.gm_partition_translate(self._handle, data, len(data)), list)
        return self._saved()

    def _judge(self, answer: int, misfits: Callable[[], list[State]]) -> None:
        failure = self.engine.failure
        if isinstance(failure, KeyboardInterrupt | MemoryError):
            raise failure
        if failure is not None:
            raise LeaveToReferenceError(str(failure)) from failure
        match _Answer(answer):
            case _Answer.MISFIT:
                full = self.engine.full
                counts = self._different() if full else ()
                raise MisfitInRunError(self.engine.misfit, full, [] if full else misfits(), counts)
            case _Answer.NO_MEMORY:
                raise MemoryError("there is no room for a state")
            case _Answer.DAMAGED:
                raise LeaveToReferenceError("a batch of states is not as it was written")
            case _Answer.FAILED:
                raise LeaveToReferenceError("a state has no native form")
            case _Answer.GAP:
                raise GapError("a batch of states has not come")
            case _Answer.DOUBT:
                raise RuntimeError("who owns a state was computed in two ways, with two results")

    def _different(self) -> list[int]:
        """How many different values each slot has, in some of the states."""
        count = self.stored
        numbers = range(0, count, max(1, count // _SAMPLE))
        states = (array("I", self.core.state(number)).tobytes() for number in numbers)
        return different(states, self.engine.generated.widths)

    def _misfits_of(self, number: int) -> list[State]:
        """Successors of a state, some of which do not fit."""
        found = list(self.engine.misfits)
        try:
            for _, successors in self.engine.searchable.successors(self.engine.state(self.core.state(number))):
                found += successors
        except EvaluationError:
            pass
        return found

    def decoded(self, state: bytes) -> State:
        return tuple(decode_several(state, len(self.engine.generated.layouts)))

    # ------------------------------------------------------------------------------------------------ what came of it

    def counts(self) -> Counts:
        now = Counts()
        self._library.gm_partition_read(self._handle, byref(now))
        return now

    def taken(self) -> list[int]:
        """States generated by the last call, by action."""
        return list(self._library.gm_partition_taken(self._handle)[: self._actions])

    def batch(self, owner: int) -> tuple[bytes, int]:
        """What the last call has for another owner, and how many states these are."""
        size, count = c_size_t(0), c_uint64(0)
        data = self._library.gm_partition_batch(self._handle, owner, byref(size), byref(count))
        return (ctypes.string_at(data, size.value) if size.value else b""), count.value

    def events(self) -> list[tuple[Outcome, Record]]:
        size = c_size_t(0)
        data = self._library.gm_partition_events(self._handle, byref(size))
        reader = _Reader(ctypes.string_at(data, size.value) if size.value else b"")
        found = []
        while reader.at < len(reader.data):
            kind = Outcome(reader.varint())
            found.append((kind, reader.record()))
        return found

    def saved(self, start: int, end: int) -> bytes:
        """States for the file, for `insert` as SAVED: what was saved before must be read before."""
        self._judge(self._library.gm_partition_save(self._handle, start, end), list)
        return self._saved()

    def _saved(self) -> bytes:
        size = c_size_t(0)
        data = self._library.gm_partition_saved(self._handle, byref(size))
        return ctypes.string_at(data, size.value) if size.value else b""

    def found(self, start: int, end: int) -> list[int]:
        """By which action states were found."""
        counts = (c_uint64 * max(1, self._actions))()
        self._library.gm_partition_found(self._handle, start, end, counts)
        return list(counts[: self._actions])


def _classes(group: Sequence[Permutation]) -> list[int]:
    """For each name, the first of those that a symmetry exchanges it with, which is hashed in its place."""
    world = current()
    pairs = [(world.register(a.name), world.register(b.name)) for each in group for a, b in each.items()]
    classes = list(range(len(world.positions)))
    for one, other in pairs:
        first, second = classes[one], classes[other]
        if first != second:
            classes = [min(first, second) if each in (first, second) else each for each in classes]
    return classes


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def varint(self) -> int:
        result = shift = 0
        while (byte := self.data[self.at]) >= 128:
            result |= (byte & 127) << shift
            shift += 7
            self.at += 1
        self.at += 1
        return result | byte << shift

    def record(self) -> Record:
        size, parent, action = self.varint(), self.varint(), self.varint()
        self.at += size
        return Record(None if parent == 0 else parent - 1, action, self.data[self.at - size : self.at])


def records(data: bytes) -> Iterator[Record]:
    reader = _Reader(data)
    while reader.at < len(data):
        yield reader.record()


def record_of_initial(state: bytes) -> bytes:
    out = bytearray()
    size = len(state)
    while size >= 128:
        out.append(size & 127 | 128)
        size >>= 7
    return bytes((*out, size, 0, 0)) + state
