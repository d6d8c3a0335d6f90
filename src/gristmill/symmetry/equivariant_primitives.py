"""Operators of the library that treat permuted values alike: permute the arguments, and the result is permuted.

What is not here may depend on the order of values (`SetToSeq`), on how they are spelt (`ToString`), on the search
(`TLCGet`) or on the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gristmill.evaluate.dependencies import Analysis
from gristmill.ir import nodes

_BY_MODULE: Final = {
    "Naturals": "+ - * ^ \\div % .. < <= > >= Nat",
    "Integers": "-. Int",
    "Reals": "Real / Infinity",
    "Gristmill": "Decimal",
    "Sequences": "Len \\o Append Head Tail SubSeq Seq SelectSeq",
    "FiniteSets": "Cardinality IsFiniteSet",
    "Bags": "IsABag EmptyBag BagToSet SetToBag BagIn CopiesIn \\oplus \\ominus \\sqsubseteq BagUnion BagCardinality",
    "TLC": ":> @@ Any Print PrintT Assert TLCEval Permutations SortSeq",
    "TLCExt": "TLCNoOp TLCCache",
    "Functions": "Restrict RestrictDomain RestrictValues Range IsInjective ExistsInjection"
    " ExistsSurjection ExistsBijection SumFunctionOnSet SumFunction",
    "FiniteSetsExt": "SumSet ProductSet MapThenSumSet FlattenSet Quantify kSubset Max Min",
    "SequencesExt": "ToSet ToBag SetToSeqs SetToAllKPermutations Contains SelectInSeq SelectLastInSeq SelectInSubSeq"
    " SelectLastInSubSeq Reverse Remove ReplaceAll InsertAt ReplaceAt RemoveAt RemoveFirst RemoveFirstMatch Cons Snoc"
    " Front Last FlattenSeq Zip IsPrefix IsStrictPrefix IsSuffix IsStrictSuffix Prefixes Suffixes SubSeqs AllSubSeqs"
    " LongestCommonPrefix ReplaceFirstSubSeq ReplaceAllSubSeqs FoldSeq FoldLeft FoldRight FoldLeftDomain"
    " FoldRightDomain",
    "Graphs": "SimplePath AreConnectedIn IsStronglyConnected",
    "UndirectedGraphs": "SimplePath AreConnectedIn ConnectedComponents",
    "IOUtils": "IOEnv atoi",
    "Bitwise": "& | ^^ Not shiftR",
    "Combinatorics": "choose",
}
_EQUIVARIANT: Final = frozenset(
    ["\\cup", "\\cap", "\\", "UNION", "SUBSET", "DOMAIN", "\\subseteq"]
    + [f"{module}!{name}" for module, names in _BY_MODULE.items() for name in names.split()]
)

# These go through a set in some order, and put the elements together by an operator, their first argument: a function
# of an element and of what there is so far.
_IN_SOME_ORDER: Final = frozenset(
    [
        "Functions!FoldFunction",
        "Functions!FoldFunctionOnSet",
        "Folds!MapThenFoldSet",
        "FiniteSetsExt!FoldSet",
        "FiniteSetsExt!ReduceSet",
        "BagsExt!FoldBag",
    ]
)
_COMMUTATIVE: Final = frozenset(["Naturals!+", "Naturals!*", "\\cup", "\\cap"])

# The argument of these that nothing depends on.
ONLY_SHOWN: Final = {"TLC!Print": 0, "TLC!PrintT": 0, "TLC!Assert": 1}


def is_equivariant(operator: str, args: Sequence[Any]) -> bool:
    if operator in _IN_SOME_ORDER:
        return bool(args) and _order_does_not_matter(args[0])
    return operator in _EQUIVARIANT


def _order_does_not_matter(argument: Any) -> bool:
    """Elements, or something of them, are added, multiplied, united or intersected."""
    match argument:
        case nodes.PrimitiveOperator(operator):
            return operator in _COMMUTATIVE
        case nodes.OperatorArgument(definition):
            return any(_accumulates(definition.body, 1, by, Analysis()) for by in _COMMUTATIVE)
    return False


def _accumulates(node: Any, slot: int, by: str, analysis: Analysis) -> bool:
    """Whether it is what stands in a slot, or something put together with it that does not depend on it."""
    match node:
        case nodes.Local(0, found):
            return found == slot
        case nodes.Let(slots, _, values, body):
            renamed = [new for new, value in zip(slots, values, strict=True) if _is_local(value, slot)]
            others = [value for value in values if not _is_local(value, slot)]
            if len(renamed) != 1 or analysis.mentions(body, slot):
                return False
            apart = not any(analysis.mentions(value, each) for value in others for each in (slot, *renamed))
            return apart and _accumulates(body, renamed[0], by, analysis)
        case nodes.Primitive(operator, (one, other)) if operator == by:
            return any(
                _accumulates(this, slot, by, analysis) and not analysis.mentions(that, slot)  # type: ignore[arg-type]
                for this, that in ((one, other), (other, one))
            )
        case nodes.If(condition, then, otherwise):
            branches = all(_accumulates(branch, slot, by, analysis) for branch in (then, otherwise))
            return branches and not analysis.mentions(condition, slot)
    return False


def _is_local(node: Any, slot: int) -> bool:
    return isinstance(node, nodes.Local) and (node.depth, node.slot) == (0, slot)


def plain(operator: str) -> str:
    """As it is written in a specification."""
    return operator.partition("!")[2] or operator
