"""What is true of which state and of which step: bits in large numbers, so that all steps are looked at at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from gristmill.search.liveness.core import core
from gristmill.search.liveness.formula import And, Atom, Formula, Not, Or
from gristmill.search.liveness.graph import StepGraph


@dataclass(frozen=True, slots=True)
class StateTruth:
    """Of a predicate of states: bit s is 1 if it is true in state s."""

    states: int


@dataclass(frozen=True, slots=True)
class StepTruth:
    """Of a predicate of steps: bit e of `edges` for edge e, bit s of `stuttering` for the step that stays in s."""

    edges: int
    stuttering: int


Truth: TypeAlias = StateTruth | StepTruth

_MOST_REMEMBERED = 1 << 28  # bytes; beyond that, what is made of atoms is made again

_AS_DIGITS = bytes.maketrans(b"\0\1", b"01")
_AS_BYTES = bytes.maketrans(b"01", b"\0\1")


def bits_of(values: Iterable[int]) -> int:
    """Truth values, 0 or 1 or bool, as the bits of a number, the first one lowest."""
    digits = bytes(values)[::-1].translate(_AS_DIGITS)
    return int(digits, 2) if digits else 0


def bytes_of(packed: bytes, count: int) -> bytes:
    """Packed bits, one a byte."""
    return format(int.from_bytes(packed, "little"), f"0{count}b")[::-1].encode().translate(_AS_BYTES) if count else b""


class Truths(Protocol):
    """Whether atoms are true of steps: all that a single behaviour needs."""

    def holds(self, atom: int, step: int) -> bool: ...


class AtomTruths(Protocol):
    """The truth of atoms by number, asked for when it is needed."""

    def __getitem__(self, atom: int, /) -> Truth: ...


class Valuation:
    """The truth of propositions about steps, from that of their atoms. What it was asked for, it remembers."""

    def __init__(self, graph: StepGraph, atoms: AtomTruths) -> None:
        self._graph, self._atoms = graph, atoms
        self._size = (graph.steps + 7) // 8
        self._ones = (1 << graph.steps) - 1
        self._known: dict[Formula, bytes] = {}

    def packed(self, proposition: Formula) -> bytes:
        """Bit e % 8 of byte e / 8 is 1 if the proposition is true of step e."""
        found = self._known.get(proposition)
        if found is None:
            found = self._bits(proposition).to_bytes(self._size, "little")
            if not isinstance(proposition, Atom) and self._size * len(self._known) > _MOST_REMEMBERED:
                self._known = {each: bits for each, bits in self._known.items() if isinstance(each, Atom)}
            self._known[proposition] = found
        return found

    def unpacked(self, proposition: Formula) -> bytes:
        """Byte e is 1 if it is, else 0."""
        return bytes_of(self.packed(proposition), self._graph.steps)

    def holds(self, atom: int, step: int) -> bool:
        return bool(self.packed(Atom(atom))[step >> 3] >> (step & 7) & 1)

    def ever(self, proposition: Formula) -> bool:
        """Whether it is true of some step."""
        return any(self.packed(proposition))

    def _bits(self, proposition: Formula) -> int:
        match proposition:
            case Atom(number):
                return self._of_steps(self._atoms[number])
            case Not(operand):
                return self._part(operand) ^ self._ones
            case And(items):
                bits = self._ones
                for item in items:
                    bits &= self._part(item)
                return bits
            case Or(items):
                bits = 0
                for item in items:
                    bits |= self._part(item)
                return bits
        raise AssertionError(f"not a proposition: {proposition}")

    def _part(self, proposition: Formula) -> int:
        """Atoms are remembered, what lies between them and what was asked for is not."""
        if isinstance(proposition, Atom):
            return int.from_bytes(self.packed(proposition), "little")
        return self._bits(proposition)

    def _of_steps(self, truth: Truth) -> int:
        match truth:
            case StepTruth(edges, stuttering):
                return edges | stuttering << self._graph.edges
            case StateTruth(states):
                return _spread(self._graph, states)


def _spread(graph: StepGraph, states: int) -> int:
    """A predicate of states as one of steps."""
    native = core(graph)
    if native is not None:
        return native.spread(graph, states)
    first, values = graph.first, bytes_of(states.to_bytes((graph.states + 7) // 8, "little"), graph.states)
    rows = (values[state : state + 1] * (first[state + 1] - first[state]) for state in range(graph.states))
    return bits_of(b"".join(rows)) | states << graph.edges
