"""Properties in Python for a search in C: each is asked once for each combination of what it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ctypes import c_uint32
from typing import Any, NamedTuple

from gristmill.explore.data import Frozen
from gristmill.explore.native import library as c
from gristmill.explore.native.cells import Cell, Numbered
from gristmill.explore.program import Envelope
from gristmill.explore.views import MISSING, Checker, Violation


class Slot(NamedTuple):
    """A part of a state that a property can read: a field of a process, its status, or its inbox."""

    process: int
    part: str
    field: str = ""


class Judge:
    def __init__(self, checker: Checker, cells: Numbered[Cell], library: Any, handle: Any) -> None:
        self.checker, self.cells, self.c, self.handle = checker, cells, library, handle
        self.slots: Numbered[Slot] = Numbered()
        self.values: Numbered[tuple[int, Frozen]] = Numbered()
        # Told of every part of a state that an invariant reads, before C relies on it.
        self.on_read: Callable[[Slot], None] | None = None
        self.told: set[int] = set()

    def slot(self, slot: Slot) -> int:
        number, new = self.slots.number(slot)
        if new:
            self.c.judge_add_slot(self.handle, slot.process)
        return number

    def value(self, number: int, cell: int) -> int:
        return self.values.number((number, read(self.slots[number], self.cells[cell])))[0]

    def ask(self, which: int, state: list[int]) -> int:
        """Ask the properties about a state, tell C what they read, and give the number of the first that fails."""
        reader = _Reader(self, [self.cells[number] for number in state])
        properties = self.checker.ends if which == c.JUDGE_AT_END else self.checker.invariants
        verdict = 0
        for number, one in enumerate(properties, 1):
            if not self.checker.holds(one, reader):
                verdict = number
                break
        if which == c.JUDGE_ALWAYS:
            self.tell(reader.reads)
        slots, values = (c_uint32 * len(reader.reads))(), (c_uint32 * len(reader.reads))()
        for at, (slot, value) in enumerate(reader.reads.items()):
            slots[at], values[at] = slot, value
        self.c.judge_insert(self.handle, which, len(reader.reads), slots, values, verdict)
        return verdict

    def tell(self, slots: Iterable[int]) -> None:
        for slot in slots:
            if self.on_read is not None and slot not in self.told:
                self.told.add(slot)
                self.on_read(self.slots[slot])

    def violation(self, verdict: int, at_end: bool) -> Violation:
        if at_end:
            one = self.checker.ends[verdict - 1]
            return Violation("end", one.name, f"nothing more can happen, and {one.name} does not hold")
        one = self.checker.invariants[verdict - 1]
        return Violation("invariant", one.name, f"the invariant {one.name} does not hold")


class _Reader:
    """Reads a vector of cells, and notes what is read, in order."""

    def __init__(self, judge: Judge, cells: list[Cell]) -> None:
        self.judge, self.cells = judge, cells
        self.reads: dict[int, int] = {}

    def _read(self, slot: Slot) -> Any:
        number = self.judge.slot(slot)
        value = read(slot, self.cells[slot.process])
        self.reads.setdefault(number, self.judge.values.number((number, value))[0])
        return value

    def field(self, index: int, name: str) -> Frozen:
        return self._read(Slot(index, "field", name))

    def status(self, index: int) -> str:
        return str(self._read(Slot(index, "status")))

    def inbox(self, index: int) -> tuple[Envelope, ...]:
        found: tuple[Envelope, ...] = self._read(Slot(index, "inbox"))
        return found


def read(slot: Slot, cell: Cell) -> Any:
    if slot.part == "status":
        return cell.local.status
    if slot.part == "inbox":
        return cell.inbox
    return dict(cell.local.fields).get(slot.field, MISSING)
