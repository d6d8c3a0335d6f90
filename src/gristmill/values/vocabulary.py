"""Words that TLC has met before it sees a string of the specification.

The order of strings is that of their first appearance as *any* word: the string "a" takes the place of the identifier
`a`, and TLC's own modules use some. Before a run, register in this order:

1. the strings and model values of the configuration (`parse_config` does),
2. `BUILTIN`,
3. the words of the modules' texts, strings left out: the root module, then the modules it needs in the order in which
   they are first named, breadth first; of a standard module, `words_of` it, as our texts are not TLC's. TLC adds
   `_TLCTrace` to what the root module extends, for its counterexamples;
4. the strings in the texts, of a module behind those of the modules it needs.
"""

BUILTIN = tuple("STRING FALSE TRUE BOOLEAN SUBSET UNION DOMAIN ENABLED UNCHANGED".split())

_WORDS = {
    "Naturals": "Nat a b n",
    "Integers": "Naturals Int a",
    "Reals": "Integers Real a b m Infinity i r",
    "Sequences": "Naturals Seq S n Nat Len s t i Append e Head Tail SubSeq m SelectSeq Test F",
    "FiniteSets": "Naturals Sequences IsFiniteSet S seq Seq s n Len Cardinality CS T x",
    "Bags": """TLC Naturals IsABag B n Nat BagToSet SetToBag S e BagIn EmptyBag B1 B2 d Sum f DSum elt BagUnion SubBag
        RemoveFromDom x y Combine BagSet i Biggest Range r s RSB BB BagOfAll F BagCardinality CopiesIn""",
    "TLC": """Naturals Sequences FiniteSets Print out val PrintT Assert v JavaTime n Nat TLCGet i TLCSet d e x f g
        Permutations S w SortSeq s Op Perm p Len j RandomElement Any ToString a b TLCEval""",
    "TLCExt": """TLC Integers AssertEq a b PrintT AssertError err exp FailsEval e TLCError s Assert TLCGetOrDefault key
        defaultVal n TLCGetAndSet Op val oldVal v TLCSet Trace CounterExample ToTrace CE TLCModelValue str ToString
        TLCDefer expression TLCNoOp PickSuccessor bool TLCCache closure TLCFP var i Int""",
    "Randomization": "Naturals FiniteSets RandomSubset k S T Cardinality RandomSetOfSubsets n",
    "Json": """Sequences FiniteSets TLC IsSequence F D d ToString ToJson value ToJsonArray ToJsonObject JsonSerialize
        absoluteFilename JsonDeserialize val ndJsonSerialize ndJsonDeserialize""",
    "_TLCTrace": """TLC TLCExt Sequences Naturals absoluteFilename val verbose CounterExample state trace ToTrace vars i
        counterexample PrintT level Trace actions e TLCGet dump pair v lassoTarget""",
}


def words_of(module: str) -> tuple[str, ...] | None:
    """What TLC meets in its text of a standard module; None for the others, whose words are those of their texts."""
    words = _WORDS.get(module)
    return None if words is None else (module, *words.split())
