"""Global states as properties see them, and what properties say of them."""

from __future__ import annotations

import dis
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from gristmill.explore.data import Frozen, thaw
from gristmill.explore.model import State
from gristmill.explore.program import Envelope
from gristmill.explore.properties import Property
from gristmill.explore.transitions import Rules, sent
from gristmill.search.budget.deadline import UNLIMITED, call
from gristmill.search.budget.limits import LimitReached
from gristmill.source import Diagnostic, SourceError
from gristmill.source.from_here import from_here
from gristmill.trace.schedule import Sent


class Reader(Protocol):
    """A global state, part by part. What a property depends on is what it reads."""

    def field(self, index: int, name: str) -> Frozen: ...
    def status(self, index: int) -> str: ...
    def inbox(self, index: int) -> tuple[Envelope, ...]: ...


class StateReader(NamedTuple):
    state: State

    def field(self, index: int, name: str) -> Frozen:
        return dict(self.state.locals[index].fields).get(name, MISSING)

    def status(self, index: int) -> str:
        return self.state.locals[index].status

    def inbox(self, index: int) -> tuple[Envelope, ...]:
        return self.state.inboxes[index]


MISSING = ("missing",)


class StateView:
    """See `properties.View`."""

    def __init__(self, rules: Rules, reader: Reader) -> None:
        self._rules, self._reader = rules, reader

    def __getitem__(self, name: str) -> ProcessState:
        index = self._rules.index.get(name)
        if index is None:
            raise KeyError(f"there is no process {name!r}")
        return ProcessState(self._rules, self._reader, index)

    def of(self, kind: type) -> list[ProcessState]:
        return [self[program.name] for program in self._rules.programs if issubclass(program.kind, kind)]

    @property
    def processes(self) -> list[ProcessState]:
        return [self[name] for name in self._rules.names]

    @property
    def network(self) -> list[Sent]:
        return [sent(envelope) for index in range(len(self._rules.names)) for envelope in self._reader.inbox(index)]


class ProcessState:
    """A process in a global state. One that is down is seen as it would come up again."""

    __slots__ = ("_index", "_reader", "_rules")
    _rules: Rules
    _reader: Reader
    _index: int

    def __init__(self, rules: Rules, reader: Reader, index: int) -> None:
        object.__setattr__(self, "_rules", rules)
        object.__setattr__(self, "_reader", reader)
        object.__setattr__(self, "_index", index)

    @property
    def name(self) -> str:
        return self._rules.names[self._index]

    @property
    def up(self) -> bool:
        return self._reader.status(self._index) == "up"

    def __getattr__(self, field: str) -> Any:
        program = self._rules.programs[self._index]
        if field in program.constants:
            return thaw(program.constants[field])
        value = self._reader.field(self._index, field)
        if value is MISSING or value == MISSING:
            value = dict(program.first.fields).get(field, MISSING)
        if value == MISSING:
            raise AttributeError(f"process {program.name} has no field {field!r}")
        return thaw(value)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError("a property can read a state, not change it")


class _Told(NamedTuple):
    """A reader that tells which fields are read."""

    reader: Reader
    hear: Callable[[int, str], None]

    def field(self, index: int, name: str) -> Frozen:
        self.hear(index, name)
        return self.reader.field(index, name)

    def status(self, index: int) -> str:
        return self.reader.status(index)

    def inbox(self, index: int) -> tuple[Envelope, ...]:
        return self.reader.inbox(index)


class Violation(NamedTuple):
    kind: Literal["invariant", "end", "eventually", "linearizability"]
    name: str
    message: str


class Checker:
    """Asks a system's properties about its states."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        properties = rules.system.properties
        self.invariants = [one for one in properties if one.kind == "invariant"]
        self.ends = [one for one in properties if one.kind == "end"]
        self.eventualities = [one for one in properties if one.kind == "eventually"]
        self.on_read: Callable[[int, str], None] | None = None  # told of every field that a property reads
        self.histories = [one for one in properties if one.kind == "history"]

    def violation(self, state: State) -> Violation | None:
        """The first invariant that does not hold."""
        for one in self.invariants:
            if not self.holds(one, StateReader(state)):
                why = self._asserted(one, state)
                return Violation("invariant", one.name, f"the invariant {one.name} does not hold{why}")
        return None

    def _asserted(self, one: Property, state: State) -> str:
        """What an `assert` of a property says that is false in a state."""
        try:
            one.holds(StateView(self.rules, StateReader(state)))
        except AssertionError as error:
            said = str(error).partition("\n")[0]  # pytest adds lines
            return f": {said}" if said else ""
        except Exception:  # told when the property was asked
            return ""
        return ""

    def violation_at_end(self, state: State) -> Violation | None:
        for one in self.ends:
            if not self.holds(one, StateReader(state)):
                why = self._asserted(one, state)
                return Violation("end", one.name, f"nothing more can happen, and {one.name} does not hold{why}")
        for one in self.histories:
            if not ask(one.name, one.holds, list(state.history)):
                return Violation("linearizability", one.name, f"the operations recorded do not satisfy {one.name}")
        return None

    def holds(self, one: Property, reader: Reader) -> bool:
        told = reader if self.on_read is None else _Told(reader, self.on_read)
        return ask(one.name, one.holds, StateView(self.rules, told))


class StartAnew(Exception):
    """What a property reads shows that the search rests on something wrong."""


def ask(name: str, test: Callable[[Any], object], about: StateView | Sequence[object]) -> bool:
    """An `assert` in a property that fails says that it does not hold; if all hold, it need not return anything."""
    try:
        answer = call(UNLIMITED, test, about)
        return _asserts(test) if answer is None else bool(answer)
    except (SourceError, StartAnew, LimitReached):
        raise
    except AssertionError:
        return False
    except (Exception, SystemExit) as error:
        code = getattr(test, "__code__", None)
        where = f" ({from_here(code.co_filename)}:{code.co_firstlineno})" if code else ""
        problem = f"the property {name}{where} raised {type(error).__name__}: {error}"
        raise SourceError(Diagnostic("explore-property-raised", problem)) from None


def _asserts(test: Callable[[Any], object]) -> bool:
    """Whether there is an `assert` in a function. One without, that returns nothing, has forgotten its `return`."""
    code = getattr(test, "__code__", None)
    if code is None:
        return False
    # As Python compiles it, and as pytest rewrites it.
    known = (AssertionError, "AssertionError")
    return any(each.opname == "LOAD_ASSERTION_ERROR" or each.argval in known for each in dis.get_instructions(code))
