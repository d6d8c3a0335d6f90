"""What must be true first of all, asked before the loops of an action rather than inside all of them.

`\\E a \\in A, b \\in B, c \\in C : Send(a, b, c)`, where `Send` begins with guards about `a` alone, goes through all
of A, B and C. Here these are evaluated for each element of A first; loops then pass over what they are false for, from
the outermost one on of which that can be told. The sets are constants and not empty, so nothing is evaluated that would
not be evaluated anyway; what is evaluated before the guards, they need. They stay where they are, too: the ways to
satisfy them count. `ir/passes/hoist_guards` moves guards that can be seen from the quantifier, and this is for those
inside of definitions and LET.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import prod
from typing import Any

from gristmill.evaluate.dependencies import CURRENT, Analysis
from gristmill.ir.nodes import (
    And,
    Bound,
    Call,
    Disjunct,
    Expression,
    Let,
    LocalOperator,
    OperatorArgument,
    PrimitiveOperator,
    Quantified,
)
from gristmill.native.emit.binders import Numbered, columns, take
from gristmill.native.emit.emitter import Emitter
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Value

_MOST = 256  # times that a guard is evaluated ahead
_WORTH = 4  # it is evaluated so many times less than it would be

Slots = frozenset[int]  # of the quantifier
Frame = dict[int, Slots | None]  # what slots depend on; None: on more than these, or nobody can tell


@dataclass(frozen=True, slots=True)
class Loop:
    slot: int
    domain: str  # the C expression
    elements: frozenset[Value]
    size: int
    matters: bool  # to the guard


@dataclass(frozen=True, slots=True)
class Ahead:
    """`guard`: the formula with its first conjuncts only. `loops`: from the outermost on."""

    guard: Expression
    loops: tuple[Loop, ...]

    @property
    def sizes(self) -> list[int]:
        return [loop.size for loop in self.loops if loop.matters]


def find(emitter: Emitter, node: Quantified) -> Ahead | None:
    """The guard to be evaluated ahead, if there is one and it pays."""
    if emitter.mode.initial or emitter.is_ordered(node):
        return None
    sizes = [_size(emitter, bound) for bound in node.bounds]
    slots = [(number, each[0]) for number, each, _ in reversed(columns(node.bounds))]
    if not all(sizes):
        return None
    own: Frame = {slot: frozenset({slot}) for _, slot in slots}

    def times(needed: Iterable[int]) -> int:
        return prod(sizes[number] for number, slot in slots if slot in needed)

    def pays(needed: Slots) -> bool:
        return times(needed) <= _MOST and times(needed) * _WORTH <= times(own)

    found = _Leading(emitter.program.analysis, pays).part(node.body, own)
    if found is None:
        return None
    guard, needed = found
    domains = [emitter.keep(emitter.value(bound.domain)) for bound in node.bounds if bound.domain is not None]
    elements = [emitter.fold(bound.domain) for bound in node.bounds]
    loops = (Loop(slot, domains[number], elements[number], sizes[number], slot in needed) for number, slot in slots)
    return Ahead(guard, tuple(loops))


def _size(emitter: Emitter, bound: Bound) -> int:
    """Of a constant set; 0 if it is none that will do."""
    domain = None if bound.domain is None or bound.is_tuple else emitter.fold(bound.domain)
    return len(domain) if isinstance(domain, frozenset) else 0


class _Leading:
    """Takes formulas apart, as far as it `pays`."""

    def __init__(self, analysis: Analysis, pays: Callable[[Slots], bool]) -> None:
        self._analysis, self._pays = analysis, pays

    def part(self, node: Expression, frame: Frame) -> tuple[Expression, Slots] | None:
        """A formula with its first conjuncts only, and what they depend on."""
        match node:
            case Disjunct(body=body):
                return self.part(body, frame)
            case And(items=items):
                return self._conjuncts(node, items, frame)
            case Let(slots=slots, values=values, body=body):
                inside = dict(frame)
                for slot, value in zip(slots, values, strict=True):
                    inside[slot] = self._needed(value, inside)
                found = self.part(body, inside)
                return None if found is None else (replace(node, body=found[0]), found[1])
            case Call(definition=definition, args=args):
                if definition.nested or definition.recursive or definition.body is None:
                    return None
                inside = {slot: self._needed(arg, frame) for slot, arg in enumerate(args)}
                found = self.part(definition.body, inside)
                if found is None:
                    return None
                return replace(node, definition=replace(definition, body=found[0])), found[1]
        return None

    def _conjuncts(self, node: And, items: Sequence[Expression], frame: Frame) -> tuple[Expression, Slots] | None:
        taken: list[Expression] = []
        needed: Slots = frozenset()
        for item in items:
            own = self._needed(item, frame)
            if own is None or not self._pays(needed | own):
                break
            taken.append(item)
            needed |= own
        return (replace(node, items=tuple(taken)), needed) if taken else None

    def _needed(self, node: Any, frame: Frame) -> Slots | None:
        """Names from further outside are the same all the time."""
        found = self._analysis.of(node)
        if found.bits & ~CURRENT or isinstance(node, OperatorArgument | LocalOperator | PrimitiveOperator):
            return None
        needed: Slots = frozenset()
        for depth, slot in found.locals:
            own = frame.get(slot, frozenset()) if depth == 0 else frozenset()
            if own is None:
                return None
            needed |= own
        return needed


# --- C ---------------------------------------------------------------------------------------------------------------


class Table:
    """In the frame: for each prefix of the loops that matter, whether the guard is true of any elements in the rest."""

    def __init__(self, emitter: Emitter, ahead: Ahead) -> None:
        self.ahead = ahead
        counts = [prod(ahead.sizes[:length]) for length in range(len(ahead.sizes) + 1)]
        self._first = emitter.space.reserve(sum(counts))
        self._starts = [self._first + sum(counts[:number]) for number in range(len(counts))]
        self._at = emitter.space.reserve(len(counts))  # the places that the elements at hand have
        emitter.put(f"memset(f + {self._first}, 0, {sum(counts)} * sizeof(V));")

    @contextmanager
    def filling(self, emitter: Emitter) -> Iterator[None]:
        """Loops over what matters; the others have their first element."""
        emitter.put(f"f[{self._at}] = {self._starts[0]};")
        for loop in self.ahead.loops:
            if not loop.matters:
                take(emitter, (loop.slot,), False, f"gm_object_of({loop.domain})->items[0]")
        with emitter.counting(), ExitStack() as nest:
            matter = [loop for loop in self.ahead.loops if loop.matters]
            for number, (_, place) in enumerate(self._loops(emitter, nest, matter), 1):
                emitter.put(f"f[{self._at + number}] = {place};")
            yield

    def note(self, emitter: Emitter) -> None:
        """The guard is true."""
        for number in range(len(self._starts)):
            emitter.put(f"f[f[{self._at + number}]] = 1;")

    @contextmanager
    def passing_over(self, emitter: Emitter) -> Iterator[None]:
        """The loops of the quantifier, without what the guard is false for."""
        with emitter.counting(), ExitStack() as nest:
            nest.enter_context(emitter.block(f"if (f[{self._starts[0]}])"))
            for loop, place in self._loops(emitter, nest, self.ahead.loops):
                if loop.matters:
                    emitter.put(f"if (!f[{place}]) continue;")
            yield

    def _loops(self, emitter: Emitter, nest: ExitStack, loops: Sequence[Loop]) -> Iterator[tuple[Loop, str]]:
        """Begin one after the other; each with the place in the table of what has been chosen so far."""
        number, chosen = 0, "0"
        for loop in loops:
            index = emitter.fresh("i")
            nest.enter_context(emitter.block(f"for (uint32_t {index} = 0; {index} < {loop.size}; {index}++)"))
            if loop.matters:
                number += 1
                chosen = emitter.keep(f"{chosen} * {loop.size} + {index}", "uint32_t")
            yield loop, f"{self._starts[number]} + {chosen}"
            element = f"gm_object_of({loop.domain})->items[{index}]"
            take(emitter, (loop.slot,), False, element, Numbered(loop.elements, index))
