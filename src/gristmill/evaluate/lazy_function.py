"""Functions evaluated argument by argument: recursive ones, those on infinite domains, and those only applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from gristmill.values import (
    CrossProduct,
    EvaluationError,
    Value,
    contains,
    is_enumerable,
    normalize,
    tabulate,
)
from gristmill.values.function import UnlistedFunction
from gristmill.values.unlisted import cannot_be_listed


class FunctionCode:
    """`[x \\in S, <<y, z>> \\in T |-> body]`, compiled. A column is what one component of the argument binds."""

    __slots__ = ("action", "applied", "bind", "body", "name", "node", "reads", "scope", "self_slot")

    def __init__(
        self,
        node: Any,
        bind: Callable[[list[Any], Value], None],
        body: Callable[[list[Any]], Value],
        applied: Callable[[list[Any]], Value],
        reads: list[int],
        scope: frozenset[int],
    ) -> None:
        self.node = node
        self.bind = bind
        self.body = body
        self.applied = applied  # the body where its value is only applied
        self.reads = reads
        self.scope = scope
        self.action: Callable[[list[Any]], None] | None = None
        self.self_slot: int | None = node.self_slot
        self.name: str = node.name or "[…]"


class LazyFunction(UnlistedFunction):
    """Values are kept once computed, unless they depend on variables that may still change.

    Those that are needed only to be applied may be lazy again. `overrides` is what EXCEPT has changed.
    """

    __slots__ = ("_known", "_known_applied", "code", "domains", "frame", "overrides")

    def __init__(self, code: FunctionCode, frame: list[Any], domains: Sequence[Value]) -> None:
        if code.self_slot is not None:
            frame = frame[:]
            frame[code.self_slot] = self
        self.code = code
        self.frame = frame
        self.domains = domains
        self._known: dict[Value, Value] = {}
        self._known_applied: dict[Value, Value] = {}
        self.overrides: dict[Value, Value] = {}

    def __repr__(self) -> str:
        return " ".join(self.code.node.span.text.split())

    def apply(self, argument: Value) -> Value:
        argument = normalize(argument)
        found = self._known.get(argument)
        if found is not None:
            return found
        if not self.has(argument):
            self._outside(argument)
        return self._at(argument)

    def apply_to_apply(self, argument: Value) -> Value:
        """Where the result is only applied."""
        argument = normalize(argument)
        found = self._known_applied.get(argument)
        if found is not None:
            return found
        if not self.has(argument):
            self._outside(argument)
        if argument in self.overrides:
            return self.overrides[argument]
        return self._evaluate(argument, self.code.applied, self._known_applied)

    def select(self, argument: Value) -> Value | None:
        """What EXCEPT finds at an argument: None outside the domain."""
        argument = normalize(argument)
        return self._at(argument) if self.has(argument) else None

    def is_changed_at(self, argument: Value) -> bool:
        """Whether EXCEPT has put a value there, so that the body says nothing."""
        return bool(self.overrides) and normalize(argument) in self.overrides

    def bound_to(self, argument: Value) -> list[Any]:
        """A frame for the body. A new one: the body may apply the function again, and a loop around it may go on."""
        argument = normalize(argument)
        if not self.has(argument):
            self._outside(argument)
        frame = self.frame[:]
        self.code.bind(frame, argument)
        return frame

    def _at(self, argument: Value) -> Value:
        if argument in self.overrides:
            value = self.overrides[argument]
            return value.as_value() if type(value) is LazyFunction else value
        return self._evaluate(argument, self.code.body, self._known)

    def _evaluate(self, argument: Value, body: Callable[[list[Any]], Value], known: dict[Value, Value]) -> Value:
        frame, reads = self.frame[:], self.code.reads
        self.code.bind(frame, argument)
        before = reads[0]
        value = body(frame)
        if reads[0] == before:
            known[argument] = value
        return value

    def has(self, argument: Value) -> bool:
        """Whether an argument is in the domain."""
        if len(self.domains) == 1:
            return contains(self.domains[0], argument)
        if type(argument) is not tuple or len(argument) != len(self.domains):
            self._outside(argument)
        return all(map(contains, self.domains, argument))

    def domain(self) -> Value:
        return self.domains[0] if len(self.domains) == 1 else CrossProduct(tuple(self.domains))

    def replace(self, argument: Value, value: Value) -> LazyFunction:
        """With another value at an argument of the domain."""
        result = LazyFunction(self.code, self.frame, self.domains)
        result.frame = self.frame  # a recursive function still calls the unchanged one
        result.overrides = {**self.overrides, normalize(argument): value}
        return result

    def as_value(self) -> Value:
        """The function with its values listed; itself if that cannot be done."""
        if all(map(is_enumerable, self.domains)):
            return tabulate(self.domain(), self._known_or_at)
        return self

    def _known_or_at(self, argument: Value) -> Value:
        argument = normalize(argument)
        found = self._known.get(argument)
        return self._at(argument) if found is None else found

    def _outside(self, argument: Value) -> NoReturn:
        raise EvaluationError(
            "not-in-domain",
            f"the argument {{argument}} is not in the domain of the function {self.code.name}, which is {{domain}}",
            argument=argument,
            domain=self.domain(),
        )


cannot_be_listed(LazyFunction)
