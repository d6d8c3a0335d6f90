"""The words and symbols of the language, with a sentence about each, for hovering and completion."""

from __future__ import annotations

MEANINGS: dict[str, str] = {
    "TRUE": "The Boolean value that is true.",
    "FALSE": "The Boolean value that is false.",
    "BOOLEAN": "The set `{TRUE, FALSE}`.",
    "STRING": "The set of all strings.",
    "'": "`e'` is the value of `e` in the next state of a step.",
    "ENABLED": "`ENABLED A`: from this state, a step is possible that satisfies the action `A`.",
    "UNCHANGED": "`UNCHANGED e` is `e' = e`: a step does not change `e`.",
    "DOMAIN": "`DOMAIN f` is the set of values to which the function `f` can be applied.",
    "SUBSET": "`SUBSET S` is the set of all subsets of `S`.",
    "UNION": "`UNION S` is the union of all sets that are elements of `S`.",
    "CHOOSE": "`CHOOSE x \\in S : P` is an element of `S` that satisfies `P`, always the same one.",
    "EXCEPT": "`[f EXCEPT ![a] = e]` is `f` with the value `e` at `a`; in `e`, `@` is `f[a]`.",
    "LET": "`LET x == e IN …` defines names for the expression behind IN.",
    "CASE": "`CASE p -> a [] q -> b [] OTHER -> c`: the value of an arm whose condition is true.",
    "LAMBDA": "`LAMBDA x : e`: an operator without a name, to be handed to another operator.",
    "RECURSIVE": "`RECURSIVE F(_)` declares an operator that is used before it is defined.",
    "INSTANCE": "`INSTANCE M WITH x <- e` brings the definitions of `M`, with `e` put for what it declares as `x`.",
    "EXTENDS": "`EXTENDS M, N` brings the declarations and definitions of modules as if they stood here.",
    "CONSTANT": "Declares values that stay the same in all states; a configuration says which they are.",
    "VARIABLE": "Declares what states are made of: each state gives each variable a value.",
    "ASSUME": "A fact about the constants. It is checked before anything else.",
    "THEOREM": "A statement that is claimed to follow from the definitions, perhaps with a proof.",
    "LOCAL": "What follows is not seen by modules that extend or instantiate this one.",
    "~": "`~p` is true if `p` is false.",
    "/\\": "`p /\\ q` is true if both are true.",
    "\\/": "`p \\/ q` is true if one of them is true, or both.",
    "=>": "`p => q` is true if `p` is false or `q` is true.",
    "<=>": "`p <=> q` is true if both have the same truth value.",
    "=": "`a = b` is true if both are the same value.",
    "/=": "`a # b` (also `/=`) is true if they are different values.",
    "\\in": "`x \\in S` is true if `x` is an element of the set `S`.",
    "\\notin": "`x \\notin S` is true if `x` is not an element of the set `S`.",
    "\\subseteq": "`S \\subseteq T` is true if every element of `S` is one of `T`.",
    "\\cup": "`S \\cup T`: the elements of either set.",
    "\\cap": "`S \\cap T`: the elements that both sets have.",
    "\\": "`S \\ T`: the elements of `S` that are not in `T`.",
    "\\X": "`S \\X T` is the set of all pairs `<<s, t>>`.",
    "\\A": "`\\A x \\in S : P`: `P` is true for every element of `S`.",
    "\\E": "`\\E x \\in S : P`: `P` is true for some element of `S`.",
    "[]": "`[]F`: from now on, `F` is always true.",
    "<>": "`<>F`: now or later, `F` is true.",
    "~>": "`F ~> G`: whenever `F` is true, `G` is true then or later.",
    "-+->": "`F -+-> G`: `G` stays true at least one step longer than `F`.",
    "WF_": "`WF_v(A)`, weak fairness: an `A` step that changes `v` happens if it stays possible for ever.",
    "SF_": "`SF_v(A)`, strong fairness: an `A` step that changes `v` happens if it is possible again and again.",
}

# Words that begin something, or stand in it. Those of proofs come last in a list of completions.
KEYWORDS = (
    "EXTENDS CONSTANT CONSTANTS VARIABLE VARIABLES ASSUME THEOREM LEMMA RECURSIVE LOCAL INSTANCE WITH IF THEN ELSE CASE"
    " OTHER LET IN CHOOSE EXCEPT DOMAIN SUBSET UNION ENABLED UNCHANGED LAMBDA TRUE FALSE BOOLEAN STRING WF_ SF_"
).split()
PROOF_WORDS = (
    "PROOF BY DEF DEFINE OBVIOUS OMITTED QED SUFFICES ASSUME PROVE NEW TAKE PICK HAVE WITNESS USE HIDE ONLY"
    " COROLLARY PROPOSITION AXIOM ASSUMPTION ACTION STATE TEMPORAL"
).split()
PLUSCAL_WORDS = (
    "algorithm assert await begin call define do either else elsif end fair goto if macro or print procedure process"
    " return self skip then variable variables when while with"
).split()
