"""Random calls of library operators, as text: arguments mostly of the types that they ask for, sometimes not."""

from __future__ import annotations

from random import Random
from typing import Any

from random_expressions import INTS, MODULE
from random_expressions import Expressions as RandomExpressions

CASES = 12  # for each operator
SEQ: Any = ("seq", "int")
MAP: Any = ("map", "int")
BAG, BAGS, GRAPH, JOINED, LOG, SEQS, SETS = "a bag", "bags", "a graph", "an undirected graph", "a log", "seqs", "sets"
TEST, UNARY, BINARY, CHOICE, CLOCK, NODE, HOSTS = "P(_)", "F(_)", "Op(_, _)", "C(_)", "a clock", "a node", "hosts"
SMALL = "a small number"

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "Bags!BagCardinality": (BAG,),
    "Bags!BagIn": ("int", BAG),
    "Bags!BagOfAll": (UNARY, BAG),
    "Bags!BagToSet": (BAG,),
    "Bags!BagUnion": (BAGS,),
    "Bags!CopiesIn": ("int", BAG),
    "Bags!IsABag": (BAG,),
    "Bags!SetToBag": (INTS,),
    "Bags!\\ominus": (BAG, BAG),
    "Bags!\\oplus": (BAG, BAG),
    "Bags!\\sqsubseteq": (BAG, BAG),
    "BagsExt!FoldBag": (BINARY, "int", BAG),
    "Bitwise!&": ("int", "int"),
    "Bitwise!Not": ("int",),
    "Bitwise!^^": ("int", "int"),
    "Bitwise!shiftR": ("int", SMALL),
    "Bitwise!|": ("int", "int"),
    "Combinatorics!choose": (SMALL, SMALL),
    "FiniteSetsExt!FlattenSet": (SETS,),
    "FiniteSetsExt!FoldSet": (BINARY, "int", INTS),
    "FiniteSetsExt!MapThenSumSet": (UNARY, INTS),
    "FiniteSetsExt!Max": (INTS,),
    "FiniteSetsExt!Min": (INTS,),
    "FiniteSetsExt!ProductSet": (INTS,),
    "FiniteSetsExt!Quantify": (INTS, TEST),
    "FiniteSetsExt!ReduceSet": (BINARY, INTS, "int"),
    "FiniteSetsExt!SumSet": (INTS,),
    "FiniteSetsExt!kSubset": (SMALL, INTS),
    "Folds!MapThenFoldSet": (BINARY, "int", UNARY, CHOICE, INTS),
    "Functions!AntiFunction": (MAP,),
    "Functions!ExistsBijection": (INTS, INTS),
    "Functions!ExistsInjection": (INTS, INTS),
    "Functions!ExistsSurjection": (INTS, INTS),
    "Functions!FoldFunction": (BINARY, "int", MAP),
    "Functions!FoldFunctionOnSet": (BINARY, "int", MAP, ("set", "proc")),
    "Functions!IsInjective": (MAP,),
    "Functions!Range": (MAP,),
    "Functions!Restrict": (MAP, ("set", "proc")),
    "Functions!RestrictDomain": (SEQ, TEST),
    "Functions!RestrictValues": (MAP, TEST),
    "Functions!SumFunction": (MAP,),
    "Functions!SumFunctionOnSet": (MAP, ("set", "proc")),
    "Graphs!AreConnectedIn": (SMALL, SMALL, GRAPH),
    "Graphs!IsStronglyConnected": (GRAPH,),
    "Graphs!SimplePath": (GRAPH,),
    "SequencesExt!AllSubSeqs": (SEQ,),
    "SequencesExt!Cons": ("int", SEQ),
    "SequencesExt!Contains": (SEQ, "int"),
    "SequencesExt!FlattenSeq": (("seq", SEQ),),
    "SequencesExt!FoldLeft": (BINARY, "int", SEQ),
    "SequencesExt!FoldLeftDomain": (BINARY, "int", SEQ),
    "SequencesExt!FoldRight": (BINARY, SEQ, "int"),
    "SequencesExt!FoldRightDomain": (BINARY, SEQ, "int"),
    "SequencesExt!FoldSeq": (BINARY, "int", SEQ),
    "SequencesExt!Front": (SEQ,),
    "SequencesExt!InsertAt": (SEQ, SMALL, "int"),
    "SequencesExt!IsPrefix": (SEQ, SEQ),
    "SequencesExt!IsStrictPrefix": (SEQ, SEQ),
    "SequencesExt!IsStrictSuffix": (SEQ, SEQ),
    "SequencesExt!IsSuffix": (SEQ, SEQ),
    "SequencesExt!Last": (SEQ,),
    "SequencesExt!LongestCommonPrefix": (SEQS,),
    "SequencesExt!Prefixes": (SEQ,),
    "SequencesExt!Remove": (SEQ, "int"),
    "SequencesExt!RemoveAt": (SEQ, SMALL),
    "SequencesExt!RemoveFirst": (SEQ, "int"),
    "SequencesExt!RemoveFirstMatch": (SEQ, TEST),
    "SequencesExt!ReplaceAll": (SEQ, "int", "int"),
    "SequencesExt!ReplaceAllSubSeqs": (SEQ, SEQ, SEQ),
    "SequencesExt!ReplaceAt": (SEQ, SMALL, "int"),
    "SequencesExt!ReplaceFirstSubSeq": (SEQ, SEQ, SEQ),
    "SequencesExt!Reverse": (SEQ,),
    "SequencesExt!SelectInSeq": (SEQ, TEST),
    "SequencesExt!SelectInSubSeq": (SEQ, SMALL, SMALL, TEST),
    "SequencesExt!SelectLastInSeq": (SEQ, TEST),
    "SequencesExt!SelectLastInSubSeq": (SEQ, SMALL, SMALL, TEST),
    "SequencesExt!SetToAllKPermutations": (INTS,),
    "SequencesExt!SetToSeq": (INTS,),
    "SequencesExt!SetToSeqs": (INTS,),
    "SequencesExt!SetToSortSeq": (INTS, ">"),
    "SequencesExt!Snoc": ("int", SEQ),
    "SequencesExt!SubSeqs": (SEQ,),
    "SequencesExt!Suffixes": (SEQ,),
    "SequencesExt!ToBag": (SEQ,),
    "SequencesExt!ToSet": (SEQ,),
    "SequencesExt!Zip": (SEQ, ("seq", "proc")),
    "TLC!Permutations": (("set", "proc"),),
    "TLC!SortSeq": (SEQ, "<"),
    "TLCExt!TLCNoOp": (SEQ,),
    "UndirectedGraphs!AreConnectedIn": (SMALL, SMALL, JOINED),
    "UndirectedGraphs!ConnectedComponents": (JOINED,),
    "UndirectedGraphs!SimplePath": (JOINED,),
    "VectorClocks!CausalOrder": (LOG, CLOCK, NODE, HOSTS),
}
HEAD = MODULE.replace("Bitwise\n", "Bitwise, TLCExt, Combinatorics, VectorClocks\n") + (
    "G == INSTANCE Graphs\nU == INSTANCE UndirectedGraphs\n"
)
_PREFIX = {"Graphs": "G!", "UndirectedGraphs": "U!"}
_BETWEEN = {"\\oplus": "(+)", "\\ominus": "(-)"}


def _several(e: RandomExpressions, type_: Any, most: int) -> str:
    return ", ".join(_argument(e, type_) for _ in range(e.rng.randint(0, most)))


def _edges(e: RandomExpressions, left: str, right: str) -> str:
    rng = e.rng
    return ", ".join(f"{left}{rng.randint(1, 4)}, {rng.randint(1, 4)}{right}" for _ in range(rng.randint(0, 5)))


def _entry(e: RandomExpressions) -> str:
    ticks = ", ".join(f"{name} |-> {e.rng.randint(0, 2)}" for name in ("a", "s"))
    return f'[at |-> "{e.rng.choice("as")}", when |-> [{ticks}]]'


def _special(e: RandomExpressions, type_: str) -> str | None:
    """Of what no variable has the type."""
    rng, one, other = e.rng, e.name(), e.name()
    match type_:
        case "a small number":
            return str(rng.randint(-1, 5))
        case "a bag":
            return rng.choice((f"SetToBag({_argument(e, INTS)})", f"ToBag({_argument(e, SEQ)})", _argument(e, SEQ)))
        case "bags" | "seqs" | "sets":
            return "{" + _several(e, {"bags": BAG, "seqs": SEQ, "sets": INTS}[type_], 3) + "}"
        case "a graph" | "an undirected graph":
            edges = _edges(e, "<<", ">>") if type_ == GRAPH else _edges(e, "{", "}")
            return f"[node |-> {{1, 2, x, 4}}, edge |-> {{{edges}}}]"
        case "a log":
            return "<<" + ", ".join(_entry(e) for _ in range(rng.randint(0, 4))) + ">>"
        case "a clock":
            return "LAMBDA c : c.when"
        case "a node":
            return "LAMBDA c : c.at"
        case "hosts":
            return "LAMBDA c : DOMAIN c"
        case "P(_)":
            return f"LAMBDA {one} : {e.inside('bool', 1, **{one: 'int'})}"
        case "F(_)":
            return f"LAMBDA {one} : {e.inside('int', 1, **{one: 'int'})}"
        case "C(_)":
            return rng.choice(("Max", "Min", f"LAMBDA {one} : CHOOSE {other} \\in {one} : TRUE"))
        case "Op(_, _)":
            return f"LAMBDA {one}, {other} : {e.inside('int', 1, **{one: 'int', other: 'int'})}"
        case "<" | ">":
            return type_
    return None


def _argument(e: RandomExpressions, type_: Any) -> str:
    special = _special(e, type_) if isinstance(type_, str) else None
    return special or e.expression(type_, e.rng.randint(0, 2))


def _call(e: RandomExpressions, name: str) -> str:
    module, _, operator = name.partition("!")
    args = [_argument(e, each) for each in ARGUMENTS[name]]
    if not operator[0].isalpha():
        return f"({args[0]}) {_BETWEEN.get(operator, operator)} ({args[1]})"
    return f"{_PREFIX.get(module, '')}{operator}({', '.join(args)})"


def calls(seed: int, names: list[str]) -> list[str]:
    """Some of each of these operators."""
    rng = Random(seed)
    return [
        _call(RandomExpressions(rng, rng.choice((0.0, 0.05, 0.2)), total=True), name)
        for name in names
        for _ in range(CASES)
    ]
