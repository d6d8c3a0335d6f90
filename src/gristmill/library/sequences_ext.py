"""The module SequencesExt.

Where TLC evaluates a definition, whose errors can be observed, the same is composed of the operators of Sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from itertools import combinations, permutations

from gristmill.library.arguments import integer, listed, sequence, truth, wrong
from gristmill.library.declaration import ALIKE, DOUBTFUL, Folds, Operator
from gristmill.library.effects import NONE
from gristmill.library.functions import fold_function
from gristmill.library.tlc import sort_seq
from gristmill.values import (
    EvaluationError,
    Value,
    append,
    apply,
    concat,
    current,
    domain,
    enumerate_set,
    equal,
    except_at,
    length,
    make_function,
    make_set,
    normalize,
    ordered,
    subseq,
)

Test = Callable[[Value], Value]
Binary = Callable[[Value, Value], Value]

# --- sets and bags ---------------------------------------------------------------------------------------------------


@Operator("SequencesExt", "ToSet", effects=NONE, equivariance=ALIKE, c="gm_to_set")
def to_set(items: Value) -> Value:
    if type(items) is tuple:
        return make_set(items)
    return make_set(apply(items, argument) for argument in enumerate_set(domain(items)))


@Operator("SequencesExt", "ToBag", effects=NONE, equivariance=ALIKE, c="gm_to_bag")
def to_bag(items: Value) -> Value:
    counts: dict[Value, int] = {}
    for item in sequence(items, "ToBag"):
        counts[item] = counts.get(item, 0) + 1
    return make_function(counts.items())


@Operator("SequencesExt", "SetToSeq", effects=NONE, equivariance=DOUBTFUL, c="gm_set_to_seq")
def set_to_seq(collection: Value) -> Value:
    return ordered(listed(collection, "SetToSeq"))


@Operator("SequencesExt", "SetToSeqs", effects=NONE, equivariance=ALIKE, c="gm_set_to_seqs")
def set_to_seqs(collection: Value) -> Value:
    return frozenset(permutations(ordered(listed(collection, "SetToSeqs"))))


@Operator("SequencesExt", "SetToSortSeq", effects=NONE, equivariance=DOUBTFUL, c="gm_set_to_sort_seq")
def set_to_sort_seq(collection: Value, precedes: Binary) -> Value:
    return sort_seq(set_to_seq(collection), precedes)


@Operator("SequencesExt", "SetToAllKPermutations", effects=NONE, equivariance=ALIKE, c="gm_set_to_all_k_permutations")
def set_to_all_k_permutations(collection: Value) -> Value:
    elements = ordered(listed(collection, "SetToAllKPermutations"))
    return frozenset(choice for size in range(len(elements) + 1) for choice in permutations(elements, size))


# --- search ----------------------------------------------------------------------------------------------------------


@Operator("SequencesExt", "Contains", effects=NONE, equivariance=ALIKE, c="gm_contains", boolean=True)
def contains_item(items: Value, wanted: Value) -> bool:
    return any(equal(item, wanted) for item in sequence(items, "Contains"))


@Operator("SequencesExt", "SelectInSeq", effects=NONE, equivariance=ALIKE, c="gm_select_in_seq")
def select_in_seq(items: Value, test: Test) -> Value:
    return _first(enumerate(sequence(items, "SelectInSeq"), 1), test)


@Operator("SequencesExt", "SelectLastInSeq", effects=NONE, equivariance=ALIKE, c="gm_select_last_in_seq")
def select_last_in_seq(items: Value, test: Test) -> Value:
    found = sequence(items, "SelectLastInSeq")
    return _first(zip(range(len(found), 0, -1), reversed(found), strict=True), test)


@Operator("SequencesExt", "SelectInSubSeq", effects=NONE, equivariance=ALIKE, c="gm_select_in_subseq")
def select_in_subseq(items: Value, first: Value, last: Value, test: Test) -> Value:
    return _first(_part(items, first, last, "SelectInSubSeq"), test)


@Operator("SequencesExt", "SelectLastInSubSeq", effects=NONE, equivariance=ALIKE, c="gm_select_last_in_subseq")
def select_last_in_subseq(items: Value, first: Value, last: Value, test: Test) -> Value:
    return _first(reversed(_part(items, first, last, "SelectLastInSubSeq")), test)


def _part(items: Value, first: Value, last: Value, operator: str) -> list[tuple[int, Value]]:
    """The elements between two positions, both included, with their positions."""
    found = sequence(items, operator)
    low, high = integer(first, operator), integer(last, operator)
    if low > high:
        return []
    for index in (low, high):
        if not 0 < index <= len(found):
            raise EvaluationError(
                "not-in-domain", f"{operator}: {{index}} is no index of {{sequence}}", index=index, sequence=items
            )
    return [(index, found[index - 1]) for index in range(low, high + 1)]


def _first(items: Iterable[tuple[int, Value]], test: Test) -> int:
    return next((index for index, item in items if truth(test(item))), 0)


# --- changes ---------------------------------------------------------------------------------------------------------


@Operator("SequencesExt", "Reverse", effects=NONE, equivariance=ALIKE, c="gm_reverse")
def reverse(items: Value) -> Value:
    return sequence(items, "Reverse")[::-1]


@Operator("SequencesExt", "Remove", effects=NONE, equivariance=ALIKE, c="gm_remove")
def remove(items: Value, unwanted: Value) -> Value:
    return tuple(item for item in sequence(items, "Remove") if not equal(item, unwanted))


@Operator("SequencesExt", "ReplaceAll", effects=NONE, equivariance=ALIKE, c="gm_replace_all")
def replace_all(items: Value, old: Value, new: Value) -> Value:
    new = normalize(new)
    return tuple(new if equal(item, old) else item for item in sequence(items, "ReplaceAll"))


@Operator("SequencesExt", "InsertAt", effects=NONE, equivariance=ALIKE, c="gm_insert_at")
def insert_at(items: Value, index: Value, item: Value) -> Value:
    before = append(subseq(items, 1, integer(index, "InsertAt") - 1), item)
    return concat(before, subseq(items, index, length(items)))


@Operator("SequencesExt", "ReplaceAt", effects=NONE, equivariance=ALIKE, c="gm_replace_at")
def replace_at(items: Value, index: Value, item: Value) -> Value:
    return except_at(items, index, item)


@Operator("SequencesExt", "RemoveAt", effects=NONE, equivariance=ALIKE, c="gm_remove_at")
def remove_at(items: Value, index: Value) -> Value:
    at = integer(index, "RemoveAt")
    return concat(subseq(items, 1, at - 1), subseq(items, at + 1, length(items)))


@Operator("SequencesExt", "RemoveFirst", effects=NONE, equivariance=ALIKE, c="gm_remove_first")
def remove_first(items: Value, unwanted: Value) -> Value:
    found = sequence(items, "RemoveFirst")
    return _without(found, next((at for at, item in enumerate(found) if equal(item, unwanted)), None))


@Operator("SequencesExt", "RemoveFirstMatch", effects=NONE, equivariance=ALIKE, c="gm_remove_first_match")
def remove_first_match(items: Value, test: Test) -> Value:
    found = sequence(items, "RemoveFirstMatch")
    return _without(found, next((at for at, item in enumerate(found) if truth(test(item))), None))


def _without(items: tuple[Value, ...], at: int | None) -> tuple[Value, ...]:
    return items if at is None else items[:at] + items[at + 1 :]


@Operator("SequencesExt", "Cons", effects=NONE, equivariance=ALIKE, c="gm_cons")
def cons(item: Value, items: Value) -> Value:
    return (normalize(item), *sequence(items, "Cons"))


@Operator("SequencesExt", "Snoc", effects=NONE, equivariance=ALIKE, c="gm_snoc")
def snoc(item: Value, items: Value) -> Value:
    return append(items, item)


@Operator("SequencesExt", "Front", effects=NONE, equivariance=ALIKE, c="gm_front")
def front(items: Value) -> Value:
    return subseq(items, 1, length(items) - 1)


@Operator("SequencesExt", "Last", effects=NONE, equivariance=ALIKE, c="gm_last")
def last(items: Value) -> Value:
    return apply(items, length(items))


@Operator("SequencesExt", "FlattenSeq", effects=NONE, equivariance=ALIKE, c="gm_flatten_seq")
def flatten_seq(items: Value) -> Value:
    found = sequence(items, "FlattenSeq")
    return reduce(concat, found) if found else ()


@Operator("SequencesExt", "Zip", effects=NONE, equivariance=ALIKE, c="gm_zip")
def zip_seqs(left: Value, right: Value) -> Value:
    return tuple(zip(sequence(left, "Zip"), sequence(right, "Zip"), strict=False))


# --- parts -----------------------------------------------------------------------------------------------------------


@Operator("SequencesExt", "IsPrefix", effects=NONE, equivariance=ALIKE, c="gm_is_prefix", boolean=True)
def is_prefix(part: Value, whole: Value) -> bool:
    if type(part) is str and type(whole) is str:
        return whole.startswith(part)
    small, large = sequence(part, "IsPrefix"), sequence(whole, "IsPrefix")
    return len(small) <= len(large) and all(map(equal, small, large))


@Operator("SequencesExt", "IsStrictPrefix", effects=NONE, equivariance=ALIKE, c="gm_is_strict_prefix", boolean=True)
def is_strict_prefix(part: Value, whole: Value) -> bool:
    return not equal(part, whole) and is_prefix(part, whole)


@Operator("SequencesExt", "IsSuffix", effects=NONE, equivariance=ALIKE, c="gm_is_suffix", boolean=True)
def is_suffix(part: Value, whole: Value) -> bool:
    if type(part) is str and type(whole) is str:
        return whole.endswith(part)
    small, large = sequence(part, "IsSuffix"), sequence(whole, "IsSuffix")
    return len(small) <= len(large) and all(map(equal, small, large[len(large) - len(small) :]))


@Operator("SequencesExt", "IsStrictSuffix", effects=NONE, equivariance=ALIKE, c="gm_is_strict_suffix", boolean=True)
def is_strict_suffix(part: Value, whole: Value) -> bool:
    return not equal(part, whole) and is_suffix(part, whole)


@Operator("SequencesExt", "Prefixes", effects=NONE, equivariance=ALIKE, c="gm_prefixes")
def prefixes(items: Value) -> Value:
    found = sequence(items, "Prefixes")
    return frozenset(found[:size] for size in range(len(found) + 1))


@Operator("SequencesExt", "Suffixes", effects=NONE, equivariance=ALIKE, c="gm_suffixes")
def suffixes(items: Value) -> Value:
    found = sequence(items, "Suffixes")
    return frozenset(found[start:] for start in range(len(found) + 1))


@Operator("SequencesExt", "SubSeqs", effects=NONE, equivariance=ALIKE, c="gm_subseqs")
def subseqs(items: Value) -> Value:
    found = sequence(items, "SubSeqs")
    size = len(found)
    return frozenset(found[start:end] for start in range(size + 1) for end in range(start, size + 1))


@Operator("SequencesExt", "AllSubSeqs", effects=NONE, equivariance=ALIKE, c="gm_all_subseqs")
def all_subseqs(items: Value) -> Value:
    found = sequence(items, "AllSubSeqs")
    return frozenset(part for size in range(len(found) + 1) for part in combinations(found, size))


@Operator("SequencesExt", "LongestCommonPrefix", effects=NONE, equivariance=ALIKE, c="gm_longest_common_prefix")
def longest_common_prefix(collection: Value) -> Value:
    found = listed(collection, "LongestCommonPrefix")
    sequences = [each for each in found if isinstance(each, tuple | str)]
    if not found or len(sequences) < len(found) or len(set(map(type, sequences))) > 1:
        wrong("LongestCommonPrefix", "a non-empty set of sequences", collection)
    first = min(sequences, key=len)
    size = 0
    while size < len(first) and all(equal(each[size], first[size]) for each in sequences):
        size += 1
    return _string_or_sequence(first[:size])


def _string_or_sequence(result: Value) -> Value:
    if type(result) is str:
        current().register(result)
    return result


@Operator("SequencesExt", "ReplaceFirstSubSeq", effects=NONE, equivariance=ALIKE, c="gm_replace_first_subseq")
def replace_first_subseq(new: Value, old: Value, items: Value) -> Value:
    if type(new) is str and type(old) is str and type(items) is str:
        return _string_or_sequence(items.replace(old, new, 1))
    whole, part = sequence(items, "ReplaceFirstSubSeq"), sequence(old, "ReplaceFirstSubSeq")
    for start in range(len(whole) - len(part) + 1):
        if equal(whole[start : start + len(part)], part):
            return whole[:start] + sequence(new, "ReplaceFirstSubSeq") + whole[start + len(part) :]
    return whole


@Operator("SequencesExt", "ReplaceAllSubSeqs", effects=NONE, equivariance=ALIKE, c="gm_replace_all_subseqs")
def replace_all_subseqs(new: Value, old: Value, items: Value) -> Value:
    if type(new) is str and type(old) is str and type(items) is str:
        return _string_or_sequence(items.replace(old, new) if old else new + new.join(items))
    whole, part = sequence(items, "ReplaceAllSubSeqs"), sequence(old, "ReplaceAllSubSeqs")
    replacement = sequence(new, "ReplaceAllSubSeqs")
    if equal(part, whole):
        return replacement
    if not part:
        return tuple(piece for item in whole for piece in (*replacement, item))
    result: list[Value] = []
    at = 0
    while at < len(whole):
        if at + len(part) <= len(whole) and equal(whole[at : at + len(part)], part):
            result += replacement
            at += len(part)
        else:
            result.append(whole[at])
            at += 1
    return tuple(result)


# --- folds -----------------------------------------------------------------------------------------------------------


# of a function that is no sequence, the values in the order of its arguments
@Operator("SequencesExt", "FoldSeq", effects=NONE, equivariance=Folds(accumulator=1), c="gm_fold_function")
def fold_seq(operator: Binary, base: Value, items: Value) -> Value:
    return fold_function(operator, base, items)


@Operator("SequencesExt", "FoldLeft", effects=NONE, equivariance=ALIKE, c="gm_fold_left")
def fold_left(operator: Binary, base: Value, items: Value) -> Value:
    return reduce(operator, sequence(items, "FoldLeft"), base)


@Operator("SequencesExt", "FoldRight", effects=NONE, equivariance=ALIKE, c="gm_fold_right")
def fold_right(operator: Binary, items: Value, base: Value) -> Value:
    return reduce(lambda result, item: operator(item, result), reversed(sequence(items, "FoldRight")), base)


@Operator("SequencesExt", "FoldLeftDomain", effects=NONE, equivariance=ALIKE, c="gm_fold_left_domain")
def fold_left_domain(operator: Binary, base: Value, items: Value) -> Value:
    return reduce(operator, range(1, len(sequence(items, "FoldLeftDomain")) + 1), base)


@Operator("SequencesExt", "FoldRightDomain", effects=NONE, equivariance=ALIKE, c="gm_fold_right_domain")
def fold_right_domain(operator: Binary, items: Value, base: Value) -> Value:
    positions = range(len(sequence(items, "FoldRightDomain")), 0, -1)
    return reduce(lambda result, position: operator(position, result), positions, base)
