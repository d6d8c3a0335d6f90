"""The modules Functions, Folds and FiniteSetsExt."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import combinations

from gristmill.library.arguments import integer, listed, pairs, truth, wrong
from gristmill.library.declaration import ALIKE, DOUBTFUL, Folds, Operator
from gristmill.library.effects import NONE
from gristmill.values import (
    EvaluationError,
    Value,
    add,
    apply,
    big_union,
    cardinality,
    domain,
    enumerate_set,
    equal,
    make_function,
    make_set,
    multiply,
    ordered,
    tabulate,
)

Test = Callable[[Value], Value]
Unary = Callable[[Value], Value]
Binary = Callable[[Value, Value], Value]

# --- Functions -------------------------------------------------------------------------------------------------------


@Operator("Functions", "Restrict", effects=NONE, equivariance=ALIKE, c="gm_restrict")
def restrict(function: Value, arguments: Value) -> Value:
    return tabulate(arguments, lambda argument: apply(function, argument))


@Operator("Functions", "RestrictDomain", effects=NONE, equivariance=ALIKE, c="gm_restrict_domain")
def restrict_domain(function: Value, test: Test) -> Value:
    found = pairs(function, "RestrictDomain")
    return make_function((argument, value) for argument, value in found if truth(test(argument)))


@Operator("Functions", "RestrictValues", effects=NONE, equivariance=ALIKE, c="gm_restrict_values")
def restrict_values(function: Value, test: Test) -> Value:
    found = pairs(function, "RestrictValues")
    return make_function((argument, value) for argument, value in found if truth(test(value)))


@Operator("Functions", "Range", effects=NONE, equivariance=ALIKE, c="gm_range")
def range_of(function: Value) -> Value:
    return make_set(value for _, value in pairs(function, "Range"))


@Operator("Functions", "AntiFunction", effects=NONE, equivariance=DOUBTFUL, c="gm_anti_function")
def anti_function(function: Value) -> Value:
    """Of several arguments with one value, the first."""
    return make_function((value, argument) for argument, value in reversed(pairs(function, "AntiFunction")))


@Operator("Functions", "IsInjective", effects=NONE, equivariance=ALIKE, c="gm_is_injective", boolean=True)
def is_injective(function: Value) -> bool:
    values = [value for _, value in pairs(function, "IsInjective")]
    return not any(equal(one, other) for one, other in combinations(values, 2))


@Operator("Functions", "ExistsInjection", effects=NONE, equivariance=ALIKE, c="gm_exists_injection", boolean=True)
def exists_injection(source: Value, target: Value) -> bool:
    return cardinality(source) <= cardinality(target)


@Operator("Functions", "ExistsSurjection", effects=NONE, equivariance=ALIKE, c="gm_exists_surjection", boolean=True)
def exists_surjection(source: Value, target: Value) -> bool:
    size, wanted = cardinality(source), cardinality(target)
    return size >= wanted and (wanted > 0 or size == 0)


@Operator("Functions", "ExistsBijection", effects=NONE, equivariance=ALIKE, c="gm_exists_bijection", boolean=True)
def exists_bijection(source: Value, target: Value) -> bool:
    return cardinality(source) == cardinality(target)


@Operator(
    "Functions", "FoldFunctionOnSet", effects=NONE, equivariance=Folds(accumulator=1), c="gm_fold_function_on_set"
)
def fold_function_on_set(operator: Binary, base: Value, function: Value, arguments: Value) -> Value:
    result = base
    for argument in enumerate_set(arguments):
        result = operator(apply(function, argument), result)
    return result


@Operator("Functions", "FoldFunction", effects=NONE, equivariance=Folds(accumulator=1), c="gm_fold_function")
def fold_function(operator: Binary, base: Value, function: Value) -> Value:
    return fold_function_on_set(operator, base, function, domain(function))


@Operator("Functions", "SumFunctionOnSet", effects=NONE, equivariance=ALIKE, c="gm_sum_function_on_set")
def sum_function_on_set(function: Value, arguments: Value) -> Value:
    return fold_function_on_set(add, 0, function, arguments)


@Operator("Functions", "SumFunction", effects=NONE, equivariance=ALIKE, c="gm_sum_function")
def sum_function(function: Value) -> Value:
    return fold_function(add, 0, function)


# --- Folds -----------------------------------------------------------------------------------------------------------


@Operator("Folds", "MapThenFoldSet", effects=NONE, equivariance=Folds(accumulator=1), c="gm_map_then_fold_set")
def map_then_fold_set(operator: Binary, base: Value, map_: Unary, choose: Unary, collection: Value) -> Value:
    """op(f(x), op(f(y), … base)), where x, y, … are chosen one after the other."""
    rest = listed(collection, "MapThenFoldSet")
    chosen: list[Value] = []
    while rest:
        element = choose(rest)
        if element not in rest:
            wrong("MapThenFoldSet", "a choice of an element of the set", element)
        chosen.append(element)
        rest -= {element}
    return reduce(lambda result, element: operator(map_(element), result), reversed(chosen), base)


# --- FiniteSetsExt ---------------------------------------------------------------------------------------------------


@Operator("FiniteSetsExt", "FoldSet", effects=NONE, equivariance=Folds(accumulator=1), c="gm_fold_set")
def fold_set(operator: Binary, base: Value, collection: Value) -> Value:
    return reduce(lambda result, element: operator(element, result), enumerate_set(collection), base)


@Operator("FiniteSetsExt", "ReduceSet", effects=NONE, equivariance=Folds(accumulator=1), c="gm_reduce_set")
def reduce_set(operator: Binary, collection: Value, base: Value) -> Value:
    return fold_set(operator, base, collection)


@Operator("FiniteSetsExt", "SumSet", effects=NONE, equivariance=ALIKE, c="gm_sum_set")
def sum_set(collection: Value) -> Value:
    return fold_set(add, 0, collection)


@Operator("FiniteSetsExt", "ProductSet", effects=NONE, equivariance=ALIKE, c="gm_product_set")
def product_set(collection: Value) -> Value:
    return fold_set(multiply, 1, collection)


@Operator("FiniteSetsExt", "MapThenSumSet", effects=NONE, equivariance=ALIKE, c="gm_map_then_sum_set")
def map_then_sum_set(map_: Unary, collection: Value) -> Value:
    return reduce(lambda result, element: add(map_(element), result), enumerate_set(collection), 0)


@Operator("FiniteSetsExt", "FlattenSet", effects=NONE, equivariance=ALIKE, c="gm_big_union")
def flatten_set(collection: Value) -> Value:
    return big_union(collection)


@Operator("FiniteSetsExt", "Quantify", effects=NONE, equivariance=ALIKE, c="gm_quantify")
def quantify(collection: Value, test: Test) -> Value:
    return sum(truth(test(element)) for element in enumerate_set(collection))


@Operator("FiniteSetsExt", "kSubset", effects=NONE, equivariance=ALIKE, c="gm_k_subset")
def k_subset(size: Value, collection: Value) -> Value:
    elements = ordered(listed(collection, "kSubset"))
    wanted = integer(size, "kSubset")
    return frozenset(map(frozenset, combinations(elements, wanted))) if wanted >= 0 else frozenset()


@Operator("FiniteSetsExt", "Max", effects=NONE, equivariance=ALIKE, c="gm_greatest")
def maximum(collection: Value) -> Value:
    return max(_numbers(collection, "Max"))


@Operator("FiniteSetsExt", "Min", effects=NONE, equivariance=ALIKE, c="gm_least")
def minimum(collection: Value) -> Value:
    return min(_numbers(collection, "Min"))


def _numbers(collection: Value, operator: str) -> list[int]:
    found = listed(collection, operator)
    if not found:
        raise EvaluationError("choose-without-witness", f"the empty set has no {operator}")
    return [integer(number, operator) for number in found]
