"""Functions whose domain is not 1..n: those with such a domain are Python tuples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from gristmill.values.atoms import Value


class Fn(dict["Value", "Value"]):
    """An immutable function; a record is one with strings for its domain.

    Its items stand in the canonical order of their keys: a direct call of `Fn(…)` must ensure that, for a domain
    that is neither empty nor 1..n, and for keys and values in normal form. Everybody else calls `make_function`.
    """

    __slots__ = ("_hash",)

    _hash: int

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return self._hash
        except AttributeError:
            self._hash = result = hash(frozenset(self.items()))
            return result

    def replace(self, key: Value, value: Value) -> Fn:
        """This function with another value at a key it has."""
        result = Fn(self)
        dict.__setitem__(result, key, value)
        return result

    def __reduce__(self) -> tuple[object, ...]:
        return Fn, (dict(self),)

    def __copy__(self) -> Fn:
        return self

    def __deepcopy__(self, memo: object) -> Fn:
        return self

    def _immutable(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a TLA+ function does not change")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _immutable
    __ior__ = _immutable


class UnlistedFunction(ABC):
    """A function that cannot be written down, because its domain is infinite: it can be applied, and nothing else.

    Evaluation makes them, in a class of its own; see `values.unlisted`.
    """

    __slots__ = ()

    @abstractmethod
    def domain(self) -> Value: ...
