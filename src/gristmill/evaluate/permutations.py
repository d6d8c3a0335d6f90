"""SYMMETRY: the representative of a state under permutations of model values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Named
from gristmill.search import State
from gristmill.values import EvaluationError, Fn, ModelValue, Value, enumerate_set, make_function, sort_key

Permutation = Mapping[Value, Value]


def symmetry_of(symmetry: Named | None, evaluator: Evaluator) -> Callable[[State], State] | None:
    """The function that maps a state to the least of its permutations; None if there is nothing to permute."""
    if symmetry is None:
        return None
    permutations = group([_as_permutation(p) for p in enumerate_set(evaluator.value(symmetry.code)())])
    if not permutations:
        return None
    permuters = [Permuter(permutation) for permutation in permutations]
    known: dict[State, State] = {}

    def representative(state: State) -> State:
        found = known.get(state)
        if found is None:
            candidates = [state, *(permuter.state(state) for permuter in permuters)]
            found = min(candidates, key=lambda candidate: tuple(map(sort_key, candidate)))
            if len(known) > 100_000:
                known.clear()
            known[state] = found
        return found

    return representative


def _as_permutation(value: Value) -> Permutation:
    if value == ():
        return {}
    if not isinstance(value, Fn) or set(value) != set(value.values()):
        raise EvaluationError(
            "not-a-permutation", "SYMMETRY must be a set of permutations, but has {value}", value=value
        )
    if not all(isinstance(key, ModelValue) for key in value):
        raise EvaluationError("not-a-permutation", "SYMMETRY may permute only model values, not {value}", value=value)
    return value


def group(generators: list[Permutation]) -> list[Permutation]:
    """Everything the generators generate by composition, without the identity."""
    found: dict[frozenset[tuple[Value, Value]], Permutation] = {}
    pending = [_moved(g) for g in generators]
    while pending:
        permutation = pending.pop()
        key = frozenset(permutation.items())
        if not permutation or key in found:
            continue
        found[key] = permutation
        pending += [_moved(_compose(permutation, g)) for g in generators]
    return list(found.values())


def _moved(permutation: Permutation) -> dict[Value, Value]:
    return {key: value for key, value in permutation.items() if key is not value}


def _compose(first: Permutation, second: Permutation) -> dict[Value, Value]:
    keys = {*first, *second}
    return {key: second.get(first.get(key, key), first.get(key, key)) for key in keys}


class Permuter:
    """Applies one permutation to values, remembering what it did."""

    def __init__(self, permutation: Permutation) -> None:
        self.permutation = permutation
        self.known: dict[Value, Value] = {}

    def state(self, state: State) -> State:
        return tuple(map(self.value, state))

    def value(self, value: Value) -> Value:
        kind = type(value)
        if kind is ModelValue:
            return self.permutation.get(value, value)
        if kind not in (tuple, frozenset, Fn):
            return value
        found = self.known.get(value)
        if found is None:
            found = self.known[value] = self.rebuild(value)
            if len(self.known) > 200_000:
                self.known.clear()
        return found

    def rebuild(self, value: Any) -> Value:
        if type(value) is tuple:
            return tuple(map(self.value, value))
        if type(value) is frozenset:
            return frozenset(map(self.value, value))
        return make_function((self.value(key), self.value(item)) for key, item in value.items())
