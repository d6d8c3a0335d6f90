"""What a symmetry does to a value: does it stay as it is, and are there things in it that are permuted?"""

from __future__ import annotations

from typing import Any

from gristmill.search.memo import Remembered
from gristmill.search.symmetry import Symmetry
from gristmill.values import Boolean, Fn, Interval, ModelValue, Value
from gristmill.values.lazy import AnySet, Filter, LazySet, NumberSet, StringSet

_NOTHING_INSIDE = frozenset((int, str, Boolean, Interval, NumberSet, StringSet))


class Moved:
    """Answers about the permuted model values: `atoms`. Before they are known (None) it may be any model value."""

    def __init__(self, atoms: frozenset[Value] | None = None) -> None:
        self.atoms = atoms
        self._known = Remembered(1_000_000)

    def occur_in(self, value: Value) -> bool:
        """Whether a value, or an element of a set that is not listed, may have something in it that is permuted."""
        kind = type(value)
        if kind in _NOTHING_INSIDE:
            return False
        if kind is ModelValue:
            return self.atoms is None or value in self.atoms
        if kind in (tuple, frozenset, Fn):
            found: bool | None = self._known.get(value)
            if found is None:
                found = self._known.keep(value, any(map(self.occur_in, _parts(value))))
            return bool(found)
        if not isinstance(value, LazySet) or kind is AnySet:
            return True
        if isinstance(value, Filter):
            return self.occur_in(value.base)
        return any(map(self.occur_in, _parts_of_lazy(value)))


def is_fixed(value: Value, symmetry: Symmetry) -> bool:
    """Whether every permutation leaves a value as it is. No, in case of doubt."""
    if isinstance(value, LazySet):
        if type(value) in _NOTHING_INSIDE or type(value) is AnySet:
            return True
        if type(value) is Filter:  # its predicate may say anything, but what is not permuted stays
            return not Moved(symmetry.moved).occur_in(value.base)
        return all(is_fixed(part, symmetry) for part in _parts_of_lazy(value))
    if not _is_listed(value):
        return not Moved(symmetry.moved).occur_in(value)
    return all(permuted == (value,) for permuted in symmetry.orbit((value,)))


def _is_listed(value: Value) -> bool:
    """Nothing in it is a set that is described only, of which permutations know nothing."""
    if type(value) in (tuple, frozenset, Fn):
        return all(map(_is_listed, _parts(value)))
    return type(value) in (int, str, Boolean, ModelValue)


def _parts(value: Any) -> Any:
    return (*value, *value.values()) if type(value) is Fn else value


def _parts_of_lazy(value: LazySet) -> list[Value]:
    """The values that a set is described with."""
    found: list[Value] = []
    for name in value.parts:
        part = getattr(value, name)
        if name == "fields":
            found += [values for _, values in part]
        else:
            found += part if name == "factors" else [part]
    return found
