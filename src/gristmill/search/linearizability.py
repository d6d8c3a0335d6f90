"""Is there an order of concurrent operations that a sequential object explains, and that respects real time?

The search is that of Wing and Gong, with Lowe's memory of what was tried: operations taken in some order, as long as
none is taken after one that began only when it had ended; a set of operations taken together with the state it leads
to need not be tried twice. Pending operations that are the same are taken in one order only. Operations on different
keys of a map do not matter to one another (linearizability is local: Herlihy and Wing, section 3.1), so each key is
checked by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gristmill.trace.schedule import Record


class Unknown:
    """The result of an operation that has taken effect, with an unknown result."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


@dataclass(slots=True, eq=False)
class Operation:
    """`begin` and `end` are positions in the history; without an end it is pending, and may take effect or not."""

    process: str
    name: str
    argument: Any
    begin: int
    result: Any = UNKNOWN
    end: int | None = None

    def __str__(self) -> str:
        argument = "" if self.argument is None else repr(self.argument)
        result = "pending" if self.end is None else repr(self.result)
        return f"{self.process}: {self.name}({argument}) → {result}"


class Sequential(Protocol):
    """An object that does one operation after the other. States are hashable and not changed in place."""

    @property
    def initial(self) -> Hashable: ...

    def apply(self, state: Any, name: str, argument: Any) -> tuple[Hashable, Any]:
        """The next state and the result."""

    def part(self, operation: Operation) -> Hashable:
        """What the operation is about, where an object has parts that do not matter to one another."""


@dataclass(frozen=True, slots=True)
class Register:
    """`read() → value`, `write(value)`, `cas((old, new)) → bool`."""

    initial: Hashable = None

    def apply(self, state: Any, name: str, argument: Any) -> tuple[Hashable, Any]:
        match name:
            case "read":
                return state, state
            case "write":
                return argument, None
            case "cas":
                old, new = argument
                return (new, True) if state == old else (state, False)
        raise ValueError(f"a register has no operation {name!r}: read, write, cas")

    def part(self, operation: Operation) -> Hashable:
        return None


@dataclass(frozen=True, slots=True)
class Counter:
    """`add(number) → the sum so far`, `read() → the sum so far`."""

    initial: int = 0

    def apply(self, state: Any, name: str, argument: Any) -> tuple[Hashable, Any]:
        match name:
            case "read":
                return state, state
            case "add":
                return state + argument, state + argument
        raise ValueError(f"a counter has no operation {name!r}: read, add")

    def part(self, operation: Operation) -> Hashable:
        return None


@dataclass(frozen=True, slots=True)
class Queue:
    """`put(value)`, `take() → value`, or None from an empty queue."""

    initial: tuple[Hashable, ...] = ()

    def apply(self, state: Any, name: str, argument: Any) -> tuple[Hashable, Any]:
        match name:
            case "put":
                return (*state, argument), None
            case "take":
                return (state[1:], state[0]) if state else (state, None)
        raise ValueError(f"a queue has no operation {name!r}: put, take")

    def part(self, operation: Operation) -> Hashable:
        return None


@dataclass(frozen=True, slots=True)
class KeyValue:
    """`get(key) → value or None`, `set((key, value))`, `delete(key)`, `cas((key, old, new)) → bool`."""

    initial: Hashable = None  # of every key

    def apply(self, state: Any, name: str, argument: Any) -> tuple[Hashable, Any]:
        match name:
            case "get":
                return state, state
            case "set":
                return argument[1], None
            case "delete":
                return None, None
            case "cas":
                _, old, new = argument
                return (new, True) if state == old else (state, False)
        raise ValueError(f"a map has no operation {name!r}: get, set, delete, cas")

    def part(self, operation: Operation) -> Hashable:
        argument: Any = operation.argument
        key: Hashable = argument if operation.name in ("get", "delete") else argument[0]
        return key


@dataclass(frozen=True, slots=True)
class NotLinearizable:
    """No order explains these operations; every attempt ends before `stuck`."""

    operations: tuple[Operation, ...]
    stuck: Operation
    before: tuple[Operation, ...]  # the longest order that is explained

    def __str__(self) -> str:
        order = "; ".join(map(str, self.before)) or "nothing"
        return f"no order of the operations explains {self.stuck}, after {order}"


class History:
    """Collects operations as they begin and end."""

    def __init__(self, tick: Callable[[], int] | None = None) -> None:
        self.operations: list[Operation] = []
        self._count = 0
        self._tick = tick or self._next

    def begin(self, process: str, name: str, argument: Any = None) -> Operation:
        operation = Operation(process, name, argument, self._tick())
        self.operations.append(operation)
        return operation

    def end(self, operation: Operation, result: Any = None) -> None:
        operation.result, operation.end = result, self._tick()

    def withdraw(self, operation: Operation) -> None:
        """It is certain that it has had no effect, and never will."""
        self.operations.remove(operation)

    def check(self, kind: Sequential) -> NotLinearizable | None:
        return check_operations(self.operations, kind)

    def _next(self) -> int:
        self._count += 1
        return self._count


def operations(records: Iterable[Record]) -> list[Operation]:
    """Operations from records, where a process has one at a time; one that has not ended when the next begins is lost
    to us, and pending for ever.
    """
    found: list[Operation] = []
    open_: dict[str, Operation] = {}
    for position, record in enumerate(records):
        if record.kind == "invoke":
            open_[record.process] = Operation(record.process, record.operation, record.value, position)
            found.append(open_[record.process])
            continue
        operation = open_.pop(record.process, None)
        if operation is None or operation.name != record.operation:
            raise ValueError(f"{record.process} ends {record.operation}, which it has not begun")
        operation.result, operation.end = record.value, position
    return found


def linearizable(records: Iterable[Record], kind: Sequential) -> bool:
    """For a property: `history("linearizable", lambda records: linearizable(records, Register()))`."""
    return check_operations(operations(records), kind) is None


def check_operations(found: Sequence[Operation], kind: Sequential) -> NotLinearizable | None:
    parts: dict[Hashable, list[Operation]] = {}
    for operation in found:
        parts.setdefault(kind.part(operation), []).append(operation)
    for part in parts.values():
        problem = _Search(part, kind).run()
        if problem is not None:
            return problem
    return None


@dataclass(slots=True, eq=False)
class _Entry:
    """The beginning of an operation, or its end, in a list from which those that were taken are lifted out."""

    operation: Operation
    bit: int
    partner: _Entry | None = None  # of a beginning: the end
    after_these: int = 0  # of one that is pending: bits of those that must be taken before it
    before: _Entry | None = None
    after: _Entry | None = None
    is_begin: bool = True


class _Search:
    def __init__(self, found: Sequence[Operation], kind: Sequential) -> None:
        self.kind = kind
        self.found = sorted(found, key=lambda operation: operation.begin)
        self.head = _Entry(Operation("", "", None, 0), 0)
        self.left = 0  # how many that have ended are yet to be taken
        self._link()

    def _link(self) -> None:
        entries: list[tuple[int, _Entry]] = []
        for index, operation in enumerate(self.found):
            begin = _Entry(operation, 1 << index)
            entries.append((operation.begin, begin))
            if operation.end is not None:
                begin.partner = _Entry(operation, 0, is_begin=False)
                entries.append((operation.end, begin.partner))
                self.left += 1
        _order_pending([entry for _, entry in entries])
        entries.sort(key=lambda entry: entry[0])
        last = self.head
        for _, entry in entries:
            last.after, entry.before = entry, last
            last = entry

    def run(self) -> NotLinearizable | None:
        state: Any = self.kind.initial
        taken = 0
        stack: list[tuple[_Entry, Any]] = []
        tried: set[tuple[int, Any]] = set()
        best: tuple[int, Operation, tuple[Operation, ...]] = (-1, self.head.operation, ())
        entry = self.head.after
        while self.left:
            assert entry is not None  # the end of one that is left would have been met
            if entry.is_begin:
                after, result = self.kind.apply(state, entry.operation.name, entry.operation.argument)
                may_be_next = _explains(entry.operation, result) and _is_worth_taking(entry, taken, state, after)
                if may_be_next and (taken | entry.bit, after) not in tried:
                    tried.add((taken | entry.bit, after))
                    stack.append((entry, state))
                    state, taken = after, taken | entry.bit
                    self._lift(entry)
                    entry = self.head.after
                else:
                    entry = entry.after
                continue
            if len(stack) > best[0]:
                best = (len(stack), entry.operation, tuple(one.operation for one, _ in stack))
            if not stack:
                return NotLinearizable(tuple(self.found), best[1], best[2])
            entry, state = stack.pop()
            taken &= ~entry.bit
            self._put_back(entry)
            entry = entry.after
        return None

    def _lift(self, begin: _Entry) -> None:
        _unlink(begin)
        if begin.partner is not None:
            _unlink(begin.partner)
            self.left -= 1

    def _put_back(self, begin: _Entry) -> None:
        if begin.partner is not None:
            _relink(begin.partner)
            self.left += 1
        _relink(begin)


def _order_pending(entries: Sequence[_Entry]) -> None:
    """Of pending operations that are the same, one that began earlier can always stand in for a later one."""
    pending = [entry for entry in entries if entry.is_begin and entry.partner is None]
    for index, entry in enumerate(pending):
        for earlier in pending[:index]:
            same_name = earlier.operation.name == entry.operation.name
            if same_name and _is_same(earlier.operation.argument, entry.operation.argument):
                entry.after_these |= earlier.bit


def _is_worth_taking(entry: _Entry, taken: int, state: Any, after: Any) -> bool:
    """A pending operation need not be taken: without an effect it is not, and equal ones are in one order only."""
    if entry.partner is not None:
        return True
    return (taken & entry.after_these) == entry.after_these and not _is_same(after, state)


def _is_same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)  # True == 1, but is another value


def _explains(operation: Operation, result: Any) -> bool:
    if operation.end is None or operation.result is UNKNOWN:
        return True
    if isinstance(result, bool) != isinstance(operation.result, bool):  # True == 1, but is no such answer
        return False
    return bool(operation.result == result)


def _unlink(entry: _Entry) -> None:
    assert entry.before is not None
    entry.before.after = entry.after
    if entry.after is not None:
        entry.after.before = entry.before


def _relink(entry: _Entry) -> None:
    assert entry.before is not None
    entry.before.after = entry
    if entry.after is not None:
        entry.after.before = entry
