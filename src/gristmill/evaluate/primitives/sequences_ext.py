"""The module SequencesExt.

Where TLC evaluates a definition, whose errors can be observed, the same is composed of the operators of Sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from itertools import combinations, permutations

from gristmill.evaluate.primitives.arguments import integer, listed, sequence, truth, wrong
from gristmill.evaluate.primitives.functions import fold_function
from gristmill.evaluate.primitives.registry import primitive
from gristmill.evaluate.primitives.tlc import sort_seq
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


@primitive("SequencesExt!ToSet")
def to_set(items: Value) -> Value:
    if type(items) is tuple:
        return make_set(items)
    return make_set(apply(items, argument) for argument in enumerate_set(domain(items)))


@primitive("SequencesExt!ToBag")
def to_bag(items: Value) -> Value:
    counts: dict[Value, int] = {}
    for item in sequence(items, "ToBag"):
        counts[item] = counts.get(item, 0) + 1
    return make_function(counts.items())


@primitive("SequencesExt!SetToSeq")
def set_to_seq(collection: Value) -> Value:
    return ordered(listed(collection, "SetToSeq"))


@primitive("SequencesExt!SetToSeqs")
def set_to_seqs(collection: Value) -> Value:
    return frozenset(permutations(ordered(listed(collection, "SetToSeqs"))))


@primitive("SequencesExt!SetToSortSeq")
def set_to_sort_seq(collection: Value, precedes: Binary) -> Value:
    return sort_seq(set_to_seq(collection), precedes)


@primitive("SequencesExt!SetToAllKPermutations")
def set_to_all_k_permutations(collection: Value) -> Value:
    elements = ordered(listed(collection, "SetToAllKPermutations"))
    return frozenset(choice for size in range(len(elements) + 1) for choice in permutations(elements, size))


# --- search ----------------------------------------------------------------------------------------------------------


@primitive("SequencesExt!Contains", boolean=True)
def contains_item(items: Value, wanted: Value) -> bool:
    return any(equal(item, wanted) for item in sequence(items, "Contains"))


@primitive("SequencesExt!SelectInSeq")
def select_in_seq(items: Value, test: Test) -> Value:
    return _first(enumerate(sequence(items, "SelectInSeq"), 1), test)


@primitive("SequencesExt!SelectLastInSeq")
def select_last_in_seq(items: Value, test: Test) -> Value:
    found = sequence(items, "SelectLastInSeq")
    return _first(zip(range(len(found), 0, -1), reversed(found), strict=True), test)


@primitive("SequencesExt!SelectInSubSeq")
def select_in_subseq(items: Value, first: Value, last: Value, test: Test) -> Value:
    return _first(_part(items, first, last, "SelectInSubSeq"), test)


@primitive("SequencesExt!SelectLastInSubSeq")
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


@primitive("SequencesExt!Reverse")
def reverse(items: Value) -> Value:
    return sequence(items, "Reverse")[::-1]


@primitive("SequencesExt!Remove")
def remove(items: Value, unwanted: Value) -> Value:
    return tuple(item for item in sequence(items, "Remove") if not equal(item, unwanted))


@primitive("SequencesExt!ReplaceAll")
def replace_all(items: Value, old: Value, new: Value) -> Value:
    new = normalize(new)
    return tuple(new if equal(item, old) else item for item in sequence(items, "ReplaceAll"))


@primitive("SequencesExt!InsertAt")
def insert_at(items: Value, index: Value, item: Value) -> Value:
    before = append(subseq(items, 1, integer(index, "InsertAt") - 1), item)
    return concat(before, subseq(items, index, length(items)))


@primitive("SequencesExt!ReplaceAt")
def replace_at(items: Value, index: Value, item: Value) -> Value:
    return except_at(items, index, item)


@primitive("SequencesExt!RemoveAt")
def remove_at(items: Value, index: Value) -> Value:
    at = integer(index, "RemoveAt")
    return concat(subseq(items, 1, at - 1), subseq(items, at + 1, length(items)))


@primitive("SequencesExt!RemoveFirst")
def remove_first(items: Value, unwanted: Value) -> Value:
    found = sequence(items, "RemoveFirst")
    return _without(found, next((at for at, item in enumerate(found) if equal(item, unwanted)), None))


@primitive("SequencesExt!RemoveFirstMatch")
def remove_first_match(items: Value, test: Test) -> Value:
    found = sequence(items, "RemoveFirstMatch")
    return _without(found, next((at for at, item in enumerate(found) if truth(test(item))), None))


def _without(items: tuple[Value, ...], at: int | None) -> tuple[Value, ...]:
    return items if at is None else items[:at] + items[at + 1 :]


@primitive("SequencesExt!Cons")
def cons(item: Value, items: Value) -> Value:
    return (normalize(item), *sequence(items, "Cons"))


@primitive("SequencesExt!Snoc")
def snoc(item: Value, items: Value) -> Value:
    return append(items, item)


@primitive("SequencesExt!Front")
def front(items: Value) -> Value:
    return subseq(items, 1, length(items) - 1)


@primitive("SequencesExt!Last")
def last(items: Value) -> Value:
    return apply(items, length(items))


@primitive("SequencesExt!FlattenSeq")
def flatten_seq(items: Value) -> Value:
    found = sequence(items, "FlattenSeq")
    return reduce(concat, found) if found else ()


@primitive("SequencesExt!Zip")
def zip_seqs(left: Value, right: Value) -> Value:
    return tuple(zip(sequence(left, "Zip"), sequence(right, "Zip"), strict=False))


# --- parts -----------------------------------------------------------------------------------------------------------


@primitive("SequencesExt!IsPrefix", boolean=True)
def is_prefix(part: Value, whole: Value) -> bool:
    if type(part) is str and type(whole) is str:
        return whole.startswith(part)
    small, large = sequence(part, "IsPrefix"), sequence(whole, "IsPrefix")
    return len(small) <= len(large) and all(map(equal, small, large))


@primitive("SequencesExt!IsStrictPrefix", boolean=True)
def is_strict_prefix(part: Value, whole: Value) -> bool:
    return not equal(part, whole) and is_prefix(part, whole)


@primitive("SequencesExt!IsSuffix", boolean=True)
def is_suffix(part: Value, whole: Value) -> bool:
    if type(part) is str and type(whole) is str:
        return whole.endswith(part)
    small, large = sequence(part, "IsSuffix"), sequence(whole, "IsSuffix")
    return len(small) <= len(large) and all(map(equal, small, large[len(large) - len(small) :]))


@primitive("SequencesExt!IsStrictSuffix", boolean=True)
def is_strict_suffix(part: Value, whole: Value) -> bool:
    return not equal(part, whole) and is_suffix(part, whole)


@primitive("SequencesExt!Prefixes")
def prefixes(items: Value) -> Value:
    found = sequence(items, "Prefixes")
    return frozenset(found[:size] for size in range(len(found) + 1))


@primitive("SequencesExt!Suffixes")
def suffixes(items: Value) -> Value:
    found = sequence(items, "Suffixes")
    return frozenset(found[start:] for start in range(len(found) + 1))


@primitive("SequencesExt!SubSeqs")
def subseqs(items: Value) -> Value:
    found = sequence(items, "SubSeqs")
    size = len(found)
    return frozenset(found[start:end] for start in range(size + 1) for end in range(start, size + 1))


@primitive("SequencesExt!AllSubSeqs")
def all_subseqs(items: Value) -> Value:
    found = sequence(items, "AllSubSeqs")
    return frozenset(part for size in range(len(found) + 1) for part in combinations(found, size))


@primitive("SequencesExt!LongestCommonPrefix")
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


@primitive("SequencesExt!ReplaceFirstSubSeq")
def replace_first_subseq(new: Value, old: Value, items: Value) -> Value:
    if type(new) is str and type(old) is str and type(items) is str:
        return _string_or_sequence(items.replace(old, new, 1))
    whole, part = sequence(items, "ReplaceFirstSubSeq"), sequence(old, "ReplaceFirstSubSeq")
    for start in range(len(whole) - len(part) + 1):
        if equal(whole[start : start + len(part)], part):
            return whole[:start] + sequence(new, "ReplaceFirstSubSeq") + whole[start + len(part) :]
    return whole


@primitive("SequencesExt!ReplaceAllSubSeqs")
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


@primitive("SequencesExt!FoldSeq")
def fold_seq(operator: Binary, base: Value, items: Value) -> Value:
    return fold_function(operator, base, items)


@primitive("SequencesExt!FoldLeft")
def fold_left(operator: Binary, base: Value, items: Value) -> Value:
    return reduce(operator, sequence(items, "FoldLeft"), base)


@primitive("SequencesExt!FoldRight")
def fold_right(operator: Binary, items: Value, base: Value) -> Value:
    return reduce(lambda result, item: operator(item, result), reversed(sequence(items, "FoldRight")), base)


@primitive("SequencesExt!FoldLeftDomain")
def fold_left_domain(operator: Binary, base: Value, items: Value) -> Value:
    return reduce(operator, range(1, len(sequence(items, "FoldLeftDomain")) + 1), base)


@primitive("SequencesExt!FoldRightDomain")
def fold_right_domain(operator: Binary, items: Value, base: Value) -> Value:
    positions = range(len(sequence(items, "FoldRightDomain")), 0, -1)
    return reduce(lambda result, position: operator(position, result), positions, base)
