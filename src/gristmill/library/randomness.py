"""The module Randomization, and TLC's RandomElement. What is drawn depends on the seed of the run, not on TLC's."""

from __future__ import annotations

from random import Random

from gristmill.library.arguments import listed, natural, wrong
from gristmill.library.declaration import CALLBACK, DOUBTFUL, Operator
from gristmill.library.effects import Effect
from gristmill.library.run import Run
from gristmill.values import (
    CrossProduct,
    EvaluationError,
    FunctionSet,
    Interval,
    PowerSet,
    RecordSet,
    Value,
    cardinality,
    explicit,
    is_finite,
    is_set,
    make_record,
    ordered,
    tabulate,
)


@Operator("TLC", "RandomElement", effects=Effect.DRAWS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def random_element(context: Run, collection: Value) -> Value:
    return _draw(context.random, collection)


def _draw(random: Random, collection: Value) -> Value:
    """Sets of functions, records and so on are not listed for it."""
    if type(collection) is FunctionSet:
        return tabulate(explicit(collection.domain), lambda _: _draw(random, collection.range))
    if type(collection) is RecordSet:
        return make_record({name: _draw(random, values) for name, values in collection.fields})
    if type(collection) is CrossProduct:
        return tuple(_draw(random, factor) for factor in collection.factors)
    if type(collection) is PowerSet:
        return frozenset(element for element in ordered(explicit(collection.base)) if random.random() < 0.5)
    if type(collection) is Interval and collection.lo <= collection.hi:
        return random.randint(collection.lo, collection.hi)
    elements = ordered(listed(collection, "RandomElement"))
    if not elements:
        raise EvaluationError("empty-set", "RandomElement of the empty set")
    return random.choice(elements)


@Operator("Randomization", "RandomSubset", effects=Effect.DRAWS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def random_subset(context: Run, size: Value, collection: Value) -> Value:
    wanted = natural(size, "RandomSubset")
    _refuse_infinite(collection, "RandomSubset")
    if type(collection) in (FunctionSet, RecordSet, CrossProduct, PowerSet) and cardinality(collection) > 4 * wanted:
        found: set[Value] = set()
        while len(found) < wanted:
            found.add(_draw(context.random, collection))
        return frozenset(found)
    elements = ordered(explicit(collection))
    return frozenset(context.random.sample(elements, min(wanted, len(elements))))


@Operator("Randomization", "RandomSetOfSubsets", effects=Effect.DRAWS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def random_set_of_subsets(context: Run, picks: Value, average: Value, collection: Value) -> Value:
    _refuse_infinite(collection, "RandomSetOfSubsets")
    size = cardinality(collection)
    expected = natural(average, "RandomSetOfSubsets")
    if expected > size:
        wrong("RandomSetOfSubsets", "a number of elements in 0..Cardinality(S)", average)
    return _subsets(context, picks, expected / size if size else 0.0, collection)


def _subsets(context: Run, picks: Value, chance: float, collection: Value) -> Value:
    elements = ordered(explicit(collection))
    count = natural(picks, "RandomSetOfSubsets")
    if count > 1 << len(elements):
        wrong("RandomSetOfSubsets", f"at most 2^{len(elements)} picks", picks)
    draw = context.random.random
    return frozenset(frozenset(element for element in elements if draw() < chance) for _ in range(count))


def _refuse_infinite(collection: Value, operator: str) -> None:
    if not is_set(collection) or not is_finite(collection):
        wrong(operator, "a finite set", collection)
