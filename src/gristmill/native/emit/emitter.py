"""Writing one C function, statement by statement.

Every node of the IR is written in the form in which it is used, from one table a form, as in the reference evaluator:

- `value`: statements, and a C expression for the value.
- `test`: the same for formulas, a C expression for a bool.
- `applied`: a value where a function may be one that is evaluated argument by argument.
- `action`: statements that go on with a continuation for every way to satisfy the formula; see `actions`.

The forms are in the other modules of this package, sorted by what they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gristmill.evaluate.dependencies import OPEN
from gristmill.ir.alike import structure_with_slots
from gristmill.ir.nodes import Argument, Expression, Local, LocalOperator, OperatorArgument, PrimitiveOperator
from gristmill.native.emit.finishing import copies
from gristmill.native.emit.program import Program
from gristmill.native.emit.scope import Place, Scope
from gristmill.native.errors import Unsupported
from gristmill.native.plan.effects import ORDERED
from gristmill.values import TRUE, Boolean

ValueForm = Callable[["Emitter", Any], str]


@dataclass(frozen=True)
class Mode:
    """What variables mean here.

    `initial`: unprimed variables are being assigned, and are kept where next values are. `assigned`: the variables that
    have a (next) value here; None if that is known only when it runs: they are then looked at before they are read.
    `untouched`: slots of those whose next value is the one they have, and need not be where next values are.
    """

    initial: bool = False
    assigned: frozenset[int] | None = frozenset()
    untouched: frozenset[int] = frozenset()


@dataclass
class Space:
    """The frame of an action and of the definitions written out in it: how large it must be."""

    size: int
    watched: set[int] = field(default_factory=set)  # variables that are looked at before they are read

    def reserve(self, size: int) -> int:
        start, self.size = self.size, self.size + size
        return start


@dataclass(frozen=True)
class Position:
    """Which element of a constant set a value is, while its elements are gone through. Both are C expressions."""

    elements: str
    index: str


class Emitter:
    values: ClassVar[dict[type, ValueForm]] = {}
    tests: ClassVar[dict[type, ValueForm]] = {}
    applications: ClassVar[dict[type, ValueForm]] = {}
    places: ClassVar[dict[type, Callable[[Emitter, Any], Place | None]]] = {}

    def __init__(self, program: Program, scope: Scope, mode: Mode, space: Space) -> None:
        self.program = program
        self.scope = scope
        self.mode = mode
        self.space = space
        self.lines: list[str] = []
        self.untouched: set[int] | None = None  # while a variable is assigned: see `store`
        self.copies = 1  # of what is being written, in loops that are written out
        self.depth = 1
        self.positions: dict[str, Position] = {}  # of values, by their C expressions
        self.is_lasting = False  # what is written comes to the same in every state
        self._temporaries = 0

    # ------------------------------------------------------------------------------------------------------- text

    def put(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def fresh(self, prefix: str = "t") -> str:
        self._temporaries += 1
        return f"{prefix}{self._temporaries}"

    def keep(self, expression: str, kind: str = "V") -> str:
        """The expression, evaluated here once."""
        name = self.fresh()
        self.put(f"{kind} {name} = {expression};")
        if expression in self.positions:
            self.positions[name] = self.positions[expression]
        return name

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        self.put(f"{head} {{" if head else "{")
        self.depth += 1
        yield
        self.depth -= 1
        self.put("}")

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Loops: positions that become known here are so no longer behind it."""
        before, self.positions = self.positions, dict(self.positions)
        try:
            yield
        finally:
            self.positions = before

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """Collect statements, to be put into a block if there are any."""
        before, self.lines = self.lines, []
        collected = self.lines
        try:
            yield collected
        finally:
            self.lines = before

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        before, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = before

    def body(self) -> str:
        return "\n".join(self.lines) + "\n"

    def elsewhere(self, scope: Scope, mode: Mode | None = None, space: Space | None = None) -> Emitter:
        """For another C function."""
        inner = Emitter(self.program, scope, mode or self.mode, space or Space(scope.size + 1))
        inner.copies = self.copies
        return inner

    # -------------------------------------------------------------------------------------------------- the forms

    def resolved(self, node: Expression) -> Expression:
        """What a name stands for, where that is known."""
        if isinstance(node, Local):
            found = self.scope.up(node.depth).known.get(node.slot)
            if found is not None and found.expression is not None:
                return found.expression
        return node

    def value(self, node: Expression) -> str:
        node = self.resolved(node)
        constant = self.program.constants.fold(node, self.scope)
        if constant is not None:
            return self.program.constants.text(constant)
        if self.program.constants.is_lasting(node) and not self.is_lasting:
            return self.keep(f"{self._lasting(node)}(w)")
        form = self.values.get(type(node))
        self.program.cost += 1
        if form is not None:
            return form(self, node)
        if type(node) in self.tests:
            return f"gm_bool({self.tests[type(node)](self, node)})"
        raise Unsupported(f"{type(node).__name__}")

    def test(self, node: Expression) -> str:
        node = self.resolved(node)
        constant = self.program.constants.fold(node, self.scope)
        if isinstance(constant, Boolean):
            return "true" if constant is TRUE else "false"
        is_form = constant is None and type(node) in self.tests
        self.program.cost += 1
        if is_form and (self.is_lasting or not self.program.constants.is_lasting(node)):
            return self.tests[type(node)](self, node)
        return f"gm_truth(w, {self.value(node)})"

    def _lasting(self, node: Expression) -> str:
        """The C function for a value that is the same in every state; it finds it once."""

        def write(name: str) -> None:
            scope = Scope("f", self.scope.size, self.scope.lazy)
            inner = Emitter(self.program, scope, Mode(), Space(scope.size + 1))
            inner.is_lasting = True
            result = inner.value(node)
            inner.put(f"V value = gm_lasting(w, {self.program.last()}, {result});")
            known = f"w->lasting[{self.program.lasting - 1}]"
            frame = f"if ({known}) return {known};\n  V f[{inner.space.size}];\n  f[0] = 0;"
            function(inner, f"static V {name}(gm_worker *w)", returns="value", frame=frame)

        return self.program.once(("lasting", id(node)), "c", write, node)

    def applied(self, node: Expression) -> str:
        node = self.resolved(node)
        form = self.applications.get(type(node))
        if form is None or self.fold(node) is not None:
            return self.value(node)
        return form(self, node)

    def place(self, node: Expression) -> Place | None:
        """The slots of the state that hold the value of an expression."""
        node = self.resolved(node)
        form = self.places.get(type(node))
        return None if form is None else form(self, node)

    def fold(self, node: Expression | None) -> Any:
        return None if node is None else self.program.constants.fold(node, self.scope)

    def is_ordered(self, node: Any) -> bool:
        """Whether it matters when something is evaluated."""
        found = self.program.analysis.of(node)
        if found.bits & ORDERED:
            return True
        return any(slot in self.scope.up(depth).ordered for depth, slot in found.locals)

    def key(self, kind: str, node: Any) -> Hashable:
        """The same where one C function does for several: they say the same, and so does what is known of their names.

        They use the frame of the code around them, so they must bind the same slots.
        """
        found = self.program.analysis.of(node)
        if found.bits & OPEN:  # it may read anything around
            return (kind, id(node), id(self.scope), self.fresh())
        names = tuple((depth, slot, self.scope.up(depth).content(slot)) for depth, slot in sorted(found.locals))
        return (kind, structure_with_slots(node), self.mode.initial, self.scope.size, names)

    def constant(self, value: Any) -> str:
        return self.program.constants.text(value)

    def several(self, items: Sequence[Expression]) -> str:
        """An array with the values of expressions."""
        values = [self.value(item) for item in items]
        if not values:
            return "NULL"
        name = self.fresh("a")
        self.put(f"V {name}[{len(values)}] = {{{', '.join(values)}}};")
        return name

    def fail(self) -> None:
        self.put("gm_fail(w, GM_ERROR);")

    def require(self, index: int) -> None:
        """A next value is read here: it must be there."""
        assigned = self.mode.assigned
        if assigned is None:
            slot, _ = self.program.slot_of(index)
            self.put(f"if (w->next[{slot}] == GM_UNSET) gm_fail(w, GM_ERROR);")
        elif index not in assigned:
            self.fail()
        else:
            self.complete(index)

    def complete(self, index: int) -> None:
        """Put the slots of an assigned variable that were left out where next values are."""
        first, layout = self.program.slot_of(index)
        self.copy(slot for slot in range(first, first + layout.size) if slot in self.mode.untouched)

    def copy(self, slots: Iterable[int]) -> None:
        """From this state to the next one."""
        for line in copies(slots):
            self.put(line)

    def watch(self, node: Any) -> None:
        """Something is written elsewhere that may read next values, maybe before they are assigned."""
        if self.mode.assigned is None:
            return
        primed = self.program.primed(node)
        missing = primed - self.mode.assigned
        self.space.watched |= missing
        self.forget(missing)
        for index in sorted(primed & self.mode.assigned):
            self.complete(index)

    def forget(self, variables: Iterable[int]) -> None:
        for index in sorted(variables):
            self.put(f"w->next[{self.program.slot_of(index)[0]}] = GM_UNSET;")


def operand(argument: Argument) -> Expression:
    """An argument that is a value."""
    if isinstance(argument, OperatorArgument | LocalOperator | PrimitiveOperator):
        raise Unsupported("an operator in the place of a value")
    return argument


def negated(test: str) -> str:
    return {"true": "false", "false": "true"}.get(test, f"!{test}")


def function(emitter: Emitter, head: str, *, returns: str | None = None, frame: str | None = None) -> None:
    """Finish the C function that an emitter has written. `frame`: how it gets one, if it needs one of its own."""
    body = emitter.body()
    if frame:
        body = f"  {frame}\n" + body
    if returns is not None:
        body += f"  return {returns};\n"
    emitter.program.add(head, "  (void)w;\n" + body)
