"""SYMMETRY: permutations of model values, applied to states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Named
from gristmill.search.memo import Remembered
from gristmill.search.symmetry import Symmetry, generated_group
from gristmill.values import EvaluationError, Fn, ModelValue, Value, enumerate_set, make_function, sort_key

Permutation = Mapping[ModelValue, ModelValue]

_REMEMBERED = 1_000_000  # parts of values


def symmetry_of(symmetry: Named | None, evaluator: Evaluator, order: Sequence[int] = ()) -> Symmetry | None:
    """The symmetry that a set of permutations generates; None if there is nothing to permute.

    `order`: of the variables, if it matters which states are the representatives; then they are the first in the order
    of values.
    """
    group = permutation_group(symmetry, evaluator)
    moved = frozenset(atom for permutation in group for atom in permutation)
    most = _REMEMBERED // max(len(group), 1)
    key = sort_key if order else Keys().key
    return Symmetry([Permuter(each, most).value for each in group], key, moved, order) if group else None


def permutation_group(symmetry: Named | None, evaluator: Evaluator) -> list[dict[ModelValue, ModelValue]]:
    """All permutations of the group that a set of them generates, but the one that changes nothing."""
    if symmetry is None:
        return []
    return generated_group(_as_permutation(each) for each in enumerate_set(evaluator.value(symmetry.code)()))


def _as_permutation(value: Value) -> Permutation:
    if value == ():
        return {}
    if not isinstance(value, Fn) or set(value) != set(value.values()):
        raise EvaluationError(
            "not-a-permutation", "SYMMETRY must be a set of permutations, but has {value}", value=value
        )
    permutation = {a: b for a, b in value.items() if type(a) is ModelValue and type(b) is ModelValue}
    if len(permutation) < len(value):
        raise EvaluationError("not-a-permutation", "SYMMETRY may permute only model values, not {value}", value=value)
    return permutation


class Keys:
    """An order of values that is quick to compute, for the choice of representatives: any order serves for that.

    What has parts is ordered by its kind, its size, and the keys of its parts, which are remembered.
    """

    def __init__(self) -> None:
        self.known = Remembered(_REMEMBERED)

    def key(self, value: Value) -> tuple[Any, ...]:
        kind = type(value)
        if kind is int or kind is str:
            return (0 if kind is int else 1, value)
        if type(value) is ModelValue:
            return (2, value.name)
        if kind not in (tuple, frozenset, Fn):
            return (6, sort_key(value))
        found: tuple[Any, ...] | None = self.known.get(value)
        return self.known.keep(value, self.of_parts(value)) if found is None else found

    def of_parts(self, value: Any) -> tuple[Any, ...]:
        key = self.key
        if type(value) is tuple:
            return (3, len(value), *map(key, value))
        if type(value) is frozenset:
            return (4, len(value), *sorted(map(key, value)))
        return (5, len(value), *sorted((key(argument), key(item)) for argument, item in value.items()))


class Permuter:
    """Applies one permutation to values, remembering what it did: values share most of their parts."""

    def __init__(self, permutation: Permutation, most: int) -> None:
        self.permutation = permutation
        self.known = Remembered(most)

    def value(self, value: Value) -> Value:
        if type(value) is ModelValue:
            return self.permutation.get(value, value)
        if type(value) not in (tuple, frozenset, Fn):
            return value
        found: Value | None = self.known.get(value)
        return self.known.keep(value, self.rebuild(value)) if found is None else found

    def rebuild(self, value: Any) -> Value:
        if type(value) is tuple:
            return tuple(map(self.value, value))
        if type(value) is frozenset:
            return frozenset(map(self.value, value))
        return make_function((self.value(key), self.value(item)) for key, item in value.items())
