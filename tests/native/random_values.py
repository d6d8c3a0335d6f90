"""Random values of all kinds, small and alike enough for interesting things to happen to them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from gristmill.values import (
    FALSE,
    INT,
    NAT,
    STRING,
    TRUE,
    CrossProduct,
    EvaluationError,
    FunctionSet,
    Interval,
    ModelValue,
    PowerSet,
    SequenceSet,
    Value,
    big_union,
    current,
    difference,
    elements,
    intersect,
    make_function,
    make_record,
    make_set,
    make_tuple,
    record_set,
    union,
)

UNTYPED = [ModelValue(name) for name in ("m2", "m1", "m3")]
TYPED = [ModelValue(name) for name in ("a_1", "b_1", "a_2", "b_2")]
STRINGS = ["c", "a", "b", "", 'say "x"\n']
FIELDS = ["f", "e", "g"]


def register_names(rng: Random) -> None:
    names = [*(value.name for value in UNTYPED + TYPED), *STRINGS, *FIELDS]
    rng.shuffle(names)
    current().register_all(names)


class Values:
    """`typed`: with model values that have a type. Most values drawn in a row are of one shape."""

    def __init__(self, rng: Random, typed: bool = False) -> None:
        self.rng = rng
        self.model_values = UNTYPED + TYPED if typed else UNTYPED
        self.shape: Callable[[], Value] = self.atom

    def integer(self) -> int:
        return self.rng.randint(-1, 4)

    def atom(self) -> Value:
        rng = self.rng
        return rng.choice(
            [self.integer, lambda: rng.choice(STRINGS), lambda: rng.choice((FALSE, TRUE)), self.model_value]
        )()

    def model_value(self) -> Value:
        return self.rng.choice(self.model_values)

    def new_shape(self, depth: int = 2) -> None:
        self.shape = self._shape(depth)

    def value(self) -> Value:
        """Mostly of the current shape."""
        while True:
            try:
                return self.shape() if self.rng.random() < 0.85 else self.anything(2)
            except EvaluationError:
                continue

    def several(self, most: int = 4) -> list[Value]:
        return [self.value() for _ in range(self.rng.randint(0, most))]

    def _shape(self, depth: int) -> Callable[[], Value]:
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            kinds: list[Callable[[], Value]] = [
                self.integer,
                lambda: rng.choice(STRINGS),
                lambda: rng.choice((FALSE, TRUE)),
                self.model_value,
                lambda: self.model_value() if rng.random() < 0.3 else self.integer(),
            ]
            return rng.choice(kinds)
        part, key = self._shape(depth - 1), self._shape(0)
        many = lambda: [part() for _ in range(rng.randint(0, 3))]  # noqa: E731
        length = rng.randint(0, 3)
        fields = rng.sample(FIELDS, rng.randint(1, 3))
        shapes: list[Callable[[], Value]] = [
            lambda: make_set(many()),
            lambda: make_tuple(many()),
            lambda: make_tuple(part() for _ in range(length)),
            lambda: make_record({name: part() for name in fields}),
            lambda: make_record({name: part() for name in rng.sample(FIELDS, rng.randint(1, 2))}),
            lambda: make_function([(key(), part()) for _ in range(rng.randint(0, 3))]),
        ]
        return rng.choice(shapes)

    def anything(self, depth: int) -> Value:
        return self._shape(depth)()

    # --- sets ---

    def listed(self) -> Value:
        return make_set(self.several())

    def collection(self, depth: int = 2) -> Value:
        """A set, often lazy."""
        rng = self.rng
        while True:
            try:
                return self.listed() if depth == 0 or rng.random() < 0.4 else rng.choice(self._lazy)(self, depth - 1)
            except EvaluationError:
                continue

    def _interval(self, depth: int) -> Value:
        low = self.integer()
        return Interval(low, low + self.rng.randint(-2, 3))

    def _small(self, depth: int) -> Value:
        return self._interval(0) if self.rng.random() < 0.5 else make_set(self.several(2))

    _lazy: tuple[Callable[[Values, int], Value], ...] = (
        _interval,
        _interval,
        lambda self, depth: PowerSet(self._small(depth) if depth else self.collection(0)),
        lambda self, depth: FunctionSet(self._small(depth), self._small(depth)),
        lambda self, depth: FunctionSet(make_set(self.rng.sample(STRINGS, 2)), self.collection(depth)),
        lambda self, depth: record_set({name: self._small(depth) for name in self.rng.sample(FIELDS, 2)}),
        lambda self, depth: CrossProduct((self._small(depth), self._small(depth))),
        lambda self, depth: SequenceSet(self.collection(depth)),
        lambda self, depth: self.rng.choice((NAT, INT, STRING)),
        lambda self, depth: union(self.collection(depth), self.collection(depth)),
        lambda self, depth: intersect(self.collection(depth), self.collection(depth)),
        lambda self, depth: difference(self.collection(depth), self.collection(depth)),
        lambda self, depth: big_union(PowerSet(self._small(depth))),
    )

    def element_like(self, collection: Value) -> Value:
        """A value that may well be an element."""
        try:
            found = [each for each, _ in zip(elements(collection), range(40), strict=False)]
        except EvaluationError:
            found = []
        return self.rng.choice(found) if found and self.rng.random() < 0.6 else self.value()
