"""Operators of the community modules and of Bags: functions of the runtime, in community.h.

Operators among their arguments are handed over as closures; everything else is evaluated first, from left to right.
"""

from __future__ import annotations

from gristmill.ir.nodes import LocalOperator, OperatorArgument, Primitive, PrimitiveOperator
from gristmill.native.emit.calls import operator
from gristmill.native.emit.emitter import Emitter

VALUES = {
    "Bitwise!&": "gm_bit_and",
    "Bitwise!|": "gm_bit_or",
    "Bitwise!^^": "gm_bit_xor",
    "Functions!Restrict": "gm_restrict",
    "Functions!RestrictDomain": "gm_restrict_domain",
    "Functions!RestrictValues": "gm_restrict_values",
    "Functions!Range": "gm_range",
    "Functions!FoldFunction": "gm_fold_function",
    "Functions!FoldFunctionOnSet": "gm_fold_function_on_set",
    "Functions!SumFunction": "gm_sum_function",
    "Functions!SumFunctionOnSet": "gm_sum_function_on_set",
    "Folds!MapThenFoldSet": "gm_map_then_fold_set",
    "FiniteSetsExt!FoldSet": "gm_fold_set",
    "FiniteSetsExt!ReduceSet": "gm_reduce_set",
    "FiniteSetsExt!SumSet": "gm_sum_set",
    "FiniteSetsExt!ProductSet": "gm_product_set",
    "FiniteSetsExt!MapThenSumSet": "gm_map_then_sum_set",
    "FiniteSetsExt!FlattenSet": "gm_big_union",
    "FiniteSetsExt!Quantify": "gm_quantify",
    "FiniteSetsExt!Max": "gm_greatest",
    "FiniteSetsExt!Min": "gm_least",
    "SequencesExt!ToSet": "gm_to_set",
    "SequencesExt!SetToSeq": "gm_set_to_seq",
    "SequencesExt!SetToSortSeq": "gm_set_to_sort_seq",
    "SequencesExt!SelectInSeq": "gm_select_in_seq",
    "SequencesExt!SelectLastInSeq": "gm_select_last_in_seq",
    "SequencesExt!Reverse": "gm_reverse",
    "SequencesExt!Remove": "gm_remove",
    "SequencesExt!ReplaceAll": "gm_replace_all",
    "SequencesExt!InsertAt": "gm_insert_at",
    "SequencesExt!RemoveAt": "gm_remove_at",
    "SequencesExt!RemoveFirst": "gm_remove_first",
    "SequencesExt!RemoveFirstMatch": "gm_remove_first_match",
    "SequencesExt!Cons": "gm_cons",
    "SequencesExt!Snoc": "gm_snoc",
    "SequencesExt!Front": "gm_front",
    "SequencesExt!Last": "gm_last",
    "SequencesExt!FlattenSeq": "gm_flatten_seq",
    "SequencesExt!FoldSeq": "gm_fold_function",
    "SequencesExt!FoldLeft": "gm_fold_left",
    "SequencesExt!FoldRight": "gm_fold_right",
    "SequencesExt!FoldLeftDomain": "gm_fold_left_domain",
    "SequencesExt!FoldRightDomain": "gm_fold_right_domain",
    "TLC!SortSeq": "gm_sort_seq",
    "Bags!BagToSet": "gm_domain",
    "Bags!SetToBag": "gm_set_to_bag",
    "Bags!CopiesIn": "gm_copies_in",
    "Bags!\\oplus": "gm_bag_sum",
    "Bags!\\ominus": "gm_bag_difference",
    "Bags!BagCardinality": "gm_bag_cardinality",
    "BagsExt!FoldBag": "gm_fold_bag",
}
TESTS = {
    "Functions!IsInjective": "gm_is_injective",
    "SequencesExt!Contains": "gm_contains",
    "SequencesExt!IsPrefix": "gm_is_prefix",
    "SequencesExt!IsStrictPrefix": "gm_is_strict_prefix",
    "SequencesExt!IsSuffix": "gm_is_suffix",
    "SequencesExt!IsStrictSuffix": "gm_is_strict_suffix",
    "Bags!IsABag": "gm_is_bag",
    "Bags!BagIn": "gm_bag_in",
    "Bags!\\sqsubseteq": "gm_bag_included",
}


def operands(emitter: Emitter, node: Primitive) -> list[str]:
    """The arguments, as names of values and of closures."""
    found = []
    for arg in node.args:
        if isinstance(arg, OperatorArgument | LocalOperator | PrimitiveOperator):
            found.append(operator(emitter, arg))
        else:
            found.append(emitter.keep(emitter.value(arg)))
    return found
