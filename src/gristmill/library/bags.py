"""The modules Bags and BagsExt. A bag is a function from its elements to positive numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gristmill.library.arguments import listed, pairs, wrong
from gristmill.library.declaration import ALIKE, CALLBACK, DOUBTFUL, Folds, Operator
from gristmill.library.effects import NONE
from gristmill.values import Fn, Value, domain, enumerate_set, equal, make_function, normalize, ordered

_FUNCTIONS = (tuple, Fn)


def _is_bag(value: Value) -> bool:
    return type(value) in _FUNCTIONS and all(type(count) is int and count > 0 for _, count in pairs(value, "IsABag"))


def _bag(value: Value, operator: str) -> list[tuple[Value, int]]:
    if not _is_bag(value):
        wrong(operator, "a bag", value)
    return [(element, count) for element, count in pairs(value, operator) if type(count) is int]


def _counts(value: Value, operator: str) -> dict[Value, int]:
    """TLC does not check everywhere that the numbers are positive."""
    found: dict[Value, int] = {}
    for element, count in pairs(value, operator):
        if type(count) is not int:
            wrong(operator, "a bag", value)
        found[element] = count
    return found


@Operator("Bags", "IsABag", effects=NONE, equivariance=ALIKE, c="gm_is_bag", boolean=True)
def is_a_bag(value: Value) -> bool:
    return _is_bag(value)


@Operator("Bags", "EmptyBag", effects=NONE, equivariance=ALIKE, c=CALLBACK, cheap=True)
def empty_bag() -> Value:
    return ()


@Operator("Bags", "BagToSet", effects=NONE, equivariance=ALIKE, c="gm_domain")
def bag_to_set(bag: Value) -> Value:
    return domain(bag)


@Operator("Bags", "SetToBag", effects=NONE, equivariance=ALIKE, c="gm_set_to_bag")
def set_to_bag(collection: Value) -> Value:
    return make_function((element, 1) for element in enumerate_set(collection))


@Operator("Bags", "BagIn", effects=NONE, equivariance=ALIKE, c="gm_bag_in", boolean=True)
def bag_in(element: Value, bag: Value) -> bool:
    return copies_in(element, bag) > 0


@Operator("Bags", "CopiesIn", effects=NONE, equivariance=ALIKE, c="gm_copies_in")
def copies_in(element: Value, bag: Value) -> int:
    element = normalize(element)
    found = dict(pairs(bag, "CopiesIn"))
    if element not in found:
        for other in found:
            equal(element, other)  # an error, if they cannot be compared
        return 0
    count = found[element]
    if type(count) is not int:
        wrong("CopiesIn", "a bag", bag)
    return int(count)


@Operator("Bags", "\\oplus", effects=NONE, equivariance=ALIKE, c="gm_bag_sum")
def bag_cup(left: Value, right: Value) -> Value:
    return _sum((_bag(left, "(+)"), _bag(right, "(+)")))


def _sum(bags: Iterable[Iterable[tuple[Value, int]]]) -> Value:
    result: dict[Value, int] = {}
    for bag in bags:
        for element, count in bag:
            result[element] = result.get(element, 0) + count
    return make_function(result.items())


@Operator("Bags", "\\ominus", effects=NONE, equivariance=ALIKE, c="gm_bag_difference")
def bag_difference(left: Value, right: Value) -> Value:
    taken = _counts(right, "(-)")
    rest = ((element, count - taken.get(element, 0)) for element, count in _counts(left, "(-)").items())
    return make_function((element, count) for element, count in rest if count > 0)


@Operator("Bags", "\\sqsubseteq", effects=NONE, equivariance=ALIKE, c="gm_bag_included", boolean=True)
def bag_included(left: Value, right: Value) -> bool:
    there = _counts(right, "\\sqsubseteq")
    return all(count <= there.get(element, 0) for element, count in _counts(left, "\\sqsubseteq").items())


@Operator("Bags", "BagUnion", effects=NONE, equivariance=ALIKE, c="gm_bag_union")
def bag_union(bags: Value) -> Value:
    return _sum(_counts(bag, "BagUnion").items() for bag in ordered(listed(bags, "BagUnion")))


@Operator("Bags", "BagCardinality", effects=NONE, equivariance=ALIKE, c="gm_bag_cardinality")
def bag_cardinality(bag: Value) -> Value:
    return sum(count for _, count in _bag(bag, "BagCardinality"))


@Operator("Bags", "BagOfAll", effects=NONE, equivariance=DOUBTFUL, c="gm_bag_of_all")
def bag_of_all(operator: Callable[[Value], Value], bag: Value) -> Value:
    return _sum([(normalize(operator(element)), count)] for element, count in _counts(bag, "BagOfAll").items())


@Operator("BagsExt", "FoldBag", effects=NONE, equivariance=Folds(accumulator=0), c="gm_fold_bag")
def fold_bag(operator: Callable[[Value, Value], Value], base: Value, bag: Value) -> Value:
    result = base
    for element, count in _bag(bag, "FoldBag"):
        for _ in range(count):
            result = operator(result, element)
    return result
