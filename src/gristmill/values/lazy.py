"""Sets that are described, not listed: enumerated only when they must be, and some of them infinite.

What can be asked of a set is in `sets`, one table a question; these classes only hold the parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from gristmill.values.atoms import Value


class LazySet:
    """`explicit` caches the elements once all of them were needed.

    Python's equality here is that of the descriptions. It serves the sets that never become explicit, which can stand
    inside other values; `equal` is the one of TLA+.
    """

    __slots__ = ("explicit",)
    parts: ClassVar[tuple[str, ...]] = ()

    explicit: frozenset[Value] | None

    def __init__(self) -> None:
        self.explicit = None

    def _key(self) -> tuple[object, ...]:
        return tuple(getattr(self, part) for part in self.parts)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self._key() == other._key())

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._key()))})"


class Interval(LazySet):
    """`lo..hi`, empty when `hi < lo`."""

    __slots__ = ("hi", "lo")
    parts = ("lo", "hi")

    def __init__(self, lo: int, hi: int) -> None:
        self.explicit = None
        self.lo = lo
        self.hi = hi


class PowerSet(LazySet):
    """`SUBSET base`."""

    __slots__ = ("base",)
    parts = ("base",)

    def __init__(self, base: Value) -> None:
        self.explicit = None
        self.base = base


class FunctionSet(LazySet):
    """`[domain -> range]`."""

    __slots__ = ("domain", "range")
    parts = ("domain", "range")

    def __init__(self, domain: Value, range: Value) -> None:
        self.explicit = None
        self.domain = domain
        self.range = range


class RecordSet(LazySet):
    """`[a: S, b: T]`; the fields in canonical order (`record_set` sees to it)."""

    __slots__ = ("fields",)
    parts = ("fields",)

    def __init__(self, fields: tuple[tuple[str, Value], ...]) -> None:
        self.explicit = None
        self.fields = fields


class CrossProduct(LazySet):
    """`S \\X T \\X …`."""

    __slots__ = ("factors",)
    parts = ("factors",)

    def __init__(self, factors: tuple[Value, ...]) -> None:
        self.explicit = None
        self.factors = factors


class SequenceSet(LazySet):
    """`Seq(base)`."""

    __slots__ = ("base",)
    parts = ("base",)

    def __init__(self, base: Value) -> None:
        self.explicit = None
        self.base = base


class Filter(LazySet):
    """`{x \\in base : predicate(x)}`; `text` is what to print when it cannot be enumerated."""

    __slots__ = ("base", "predicate", "text")
    parts = ("base", "predicate")

    def __init__(self, base: Value, predicate: Callable[[Value], bool], text: str = "…") -> None:
        self.explicit = None
        self.base = base
        self.predicate = predicate
        self.text = text


class _Pair(LazySet):
    __slots__ = ("left", "right")
    parts = ("left", "right")

    def __init__(self, left: Value, right: Value) -> None:
        self.explicit = None
        self.left = left
        self.right = right


class LazyUnion(_Pair):
    """`left \\cup right` where one of them is itself lazy."""

    __slots__ = ()


class LazyIntersection(_Pair):
    """`left \\cap right` where both are lazy."""

    __slots__ = ()


class LazyDifference(_Pair):
    """`left \\ right` where the left one is lazy."""

    __slots__ = ()


class BigUnion(LazySet):
    """`UNION base` where the base, or one of its elements, is lazy."""

    __slots__ = ("base",)
    parts = ("base",)

    def __init__(self, base: Value) -> None:
        self.explicit = None
        self.base = base


class _Named(LazySet):
    __slots__ = ("name",)
    parts = ("name",)

    def __init__(self, name: str) -> None:
        self.explicit = None
        self.name = name

    def __repr__(self) -> str:
        return self.name


class NumberSet(_Named):
    """Nat, Int or Real."""

    __slots__ = ()


class StringSet(_Named):
    __slots__ = ()


class AnySet(_Named):
    """TLC's `Any`, of which everything is an element."""

    __slots__ = ()


NAT: Final = NumberSet("Nat")
INT: Final = NumberSet("Int")
REAL: Final = NumberSet("Real")
STRING: Final = StringSet("STRING")
ANY: Final = AnySet("ANY")

LAZY_TYPES: Final[frozenset[type[LazySet]]] = frozenset(
    (
        Interval,
        PowerSet,
        FunctionSet,
        RecordSet,
        CrossProduct,
        SequenceSet,
        Filter,
        LazyUnion,
        LazyIntersection,
        LazyDifference,
        BigUnion,
        NumberSet,
        StringSet,
        AnySet,
    )
)
