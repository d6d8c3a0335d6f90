# ruff: noqa: E501 (one formula a line)
r"""True formulas, by what they are about. TLC finds every one of them true, too (checked when they were written;
two on strings need a Java library that it comes without).

The key is what the module must extend besides the usual modules.
"""

LANGUAGE = {
    "": r"""
        1 + 2 * 3 = 7
        7 \div 2 = 3 /\ (-7) \div 2 = -4 /\ (-7) % 2 = 1
        2^10 = 1024 /\ 5 - 7 = -2
        1..0 = {} /\ 3..5 = {3, 4, 5}
        {x \in 1..10 : x % 3 = 0} = {3, 6, 9}
        {<<i, j>> \in {<<1, 2>>, <<2, 1>>} : i < j} = {<<1, 2>>}
        {x + y : x, y \in 1..2} = {2, 3, 4}
        {x * y : x \in 1..2, <<y, z>> \in {<<3, 4>>}} = {3, 6}
        {} \subseteq {1} /\ {1} \subseteq Nat /\ 1..3 \subseteq Int
        UNION {{1, 2}, {2, 3}} = 1..3
        SUBSET {1, 2} = {{}, {1}, {2}, {1, 2}}
        {1, 2, 3} \ {2} = {1, 3} /\ {1, 2} \cap {2, 3} = {2}
        [x \in 1..3 |-> x] = <<1, 2, 3>>
        [x \in {"a", "b"} |-> 1] = [a |-> 1, b |-> 1]
        [x, y \in 1..2 |-> x + y][1, 2] = 3
        [x \in 1..2, <<y, z>> \in {<<5, 6>>} |-> x + y * z][2, <<5, 6>>] = 32
        [[a |-> 1, b |-> 2] EXCEPT !.a = @ + 10] = [a |-> 11, b |-> 2]
        [<<1, 2, 3>> EXCEPT ![2] = 5, ![3] = @ * 2] = <<1, 5, 6>>
        [[i \in 1..2 |-> [j \in 1..2 |-> i + j]] EXCEPT ![1][2] = 0] = <<<<2, 0>>, <<3, 4>>>>
        [f \in [1..2 -> 1..2] |-> f[1]][<<2, 1>>] = 2
        DOMAIN [a |-> 1] = {"a"} /\ DOMAIN <<4, 5>> = 1..2
        [a |-> 1, b |-> 2].b = 2
        <<1, "a">> \in Nat \X {"a", "b"}
        [a |-> 3] \in [a : Nat] /\ <<1, 2>> \in Seq(Nat) /\ [i \in {3} |-> 4] \in [{3} -> Nat]
        {1} \in SUBSET Nat
        (CHOOSE x \in 3..9 : x > 4) = 5
        (CHOOSE <<x, y>> \in {<<1, 2>>, <<2, 1>>} : x > y) = <<2, 1>>
        (IF TRUE THEN 1 ELSE 1 \div 0) = 1
        (CASE 1 > 2 -> "a" [] 2 > 1 -> "b" [] OTHER -> "c") = "b"
        (LET a == 1 b == a + 1 IN a + b) = 3
        (LET Sq(n) == n * n IN {Sq(i) : i \in 1..3}) = {1, 4, 9}
        (LET f[n \in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f[10]) = 3628800
        (LET f[n \in 0..3] == IF n = 0 THEN <<>> ELSE Append(f[n - 1], n) IN f) = (0 :> <<>> @@ 1 :> <<1>> @@ 2 :> <<1, 2>> @@ 3 :> <<1, 2, 3>>)
        (LET bad == 1 \div 0 IN 5) = 5
        (LET K(a, b) == a IN K(1, 1 \div 0)) = 1
        (LET f == [i \in 1..3 |-> 6 \div (i - 1)] IN f[3]) = 3
        [i \in {0, 2} |-> 4 \div i][2] = 2
        (LET Twice(F(_), a) == F(F(a)) IN Twice(LAMBDA n : n + 3, 1)) = 7
        (LET Ap(F(_, _), a, b) == F(a, b) IN Ap(+, 2, 3)) = 5
        \A x \in 1..3 : \E y \in 1..3 : x + y = 4
        \A x, y \in 1..2, z \in {3} : x + y < z + 2
        \E <<x, y>> \in {<<1, 2>>} : x < y
        (TRUE <=> FALSE) = FALSE /\ (FALSE => 1 \div 0 = 1) /\ ~FALSE
        <<>> = [x \in {} |-> x]
        {[i \in 1..n |-> 0] : n \in 0..2} = {<<>>, <<0>>, <<0, 0>>}
        5 \in {n \in Nat : n > 4} /\ 4 \notin {n \in Nat : n > 4}
        <<2, 3>> \in UNION {[1..n -> 1..9] : n \in 1..2}
        <<1, 2>> \in {f \in UNION {[S -> {1, 2}] : S \in SUBSET {1, 2}} : f[2] = 2}
        {Cardinality(S) : S \in {{n \in SUBSET (1..3) : Cardinality(n) = k} : k \in 0..3}} = {1, 3}
        (LET Above(a) == {n \in Nat : n > a} Sets == [k \in 1..2 |-> Above(k + 1)] IN {i \in 1..5 : \A k \in 1..2 : i \in Sets[k]}) = {4, 5}
        [i \in Int |-> i + 1][41] = 42
        [[i \in Int |-> i] EXCEPT ![3] = 0][3] + [[i \in Int |-> i] EXCEPT ![3] = 0][4] = 4
        DOMAIN [i \in Nat |-> i] = Nat
    """,
}

STANDARD = {
    "": r"""
        Len(<<1, 2>>) = 2 /\ Len("abc") = 3
        Head(<<1, 2>>) = 1 /\ Tail(<<1, 2>>) = <<2>>
        <<1>> \o <<2>> = <<1, 2>> /\ "a" \o "b" = "ab"
        SubSeq(<<1, 2, 3>>, 2, 3) = <<2, 3>> /\ SubSeq(<<1>>, 2, 1) = <<>>
        SelectSeq(<<1, 2, 3, 4>>, LAMBDA n : n % 2 = 0) = <<2, 4>>
        Append(<<1>>, {}) = <<1, {}>>
        Cardinality({1, 2, 2}) = 2 /\ Cardinality(SUBSET (1..4)) = 16
        IsFiniteSet({1}) /\ ~IsFiniteSet(Nat)
        (1 :> 2) @@ (1 :> 3 @@ 2 :> 4) = <<2, 4>>
        SortSeq(<<3, 1, 2>>, LAMBDA a, b : a < b) = <<1, 2, 3>>
        Cardinality(Permutations({1, 2, 3})) = 6
        ToString(<<1, {2}, "a", [b |-> TRUE]>>) = "<<1, {2}, \"a\", [b |-> TRUE]>>"
        Assert(TRUE, "no") /\ TLCEval({1}) = {1}
        RandomElement({7}) = 7
        1 \in Any
        TLCSet(7, <<1>>) /\ TLCGet(7) = <<1>>
    """,
    "Bags": r"""
        SetToBag({1, 2}) (+) SetToBag({2}) = (1 :> 1 @@ 2 :> 2)
        (1 :> 3) (-) (1 :> 1) = (1 :> 2)
        (1 :> 1) (-) (1 :> 1) = EmptyBag
        BagCardinality("a" :> 2 @@ "b" :> 3) = 5
        CopiesIn("a", "a" :> 2) = 2 /\ CopiesIn("c", "a" :> 2) = 0
        BagIn("a", "a" :> 2) /\ ~BagIn("b", "a" :> 2)
        IsABag(1 :> 2) /\ ~IsABag(1 :> 0) /\ ~IsABag(5)
        (1 :> 1) \sqsubseteq (1 :> 2) /\ ~((1 :> 3) \sqsubseteq (1 :> 2))
        BagUnion({1 :> 1, 2 :> 2}) = (1 :> 1 @@ 2 :> 2)
        BagOfAll(LAMBDA n : n % 2, SetToBag(1..3)) = (0 :> 1 @@ 1 :> 2)
        BagToSet("a" :> 2) = {"a"}
        Cardinality(SubBag(1 :> 2 @@ 2 :> 1)) = 6
    """,
    "TLCExt": r"""
        TLCGetOrDefault(99, 5) = 5
        TLCSet(8, 1) /\ TLCGetAndSet(8, LAMBDA a, b : a + b, 2, 0) = 1 /\ TLCGet(8) = 3
        TLCModelValue("m1") = TLCModelValue("m1") /\ TLCModelValue("m1") # 1
        TLCNoOp(5) = 5
        AssertError("no element of {} satisfies this CHOOSE", CHOOSE x \in {} : TRUE)
        AssertError("Attempted to check equality of integer 1 with non-integer:\n{}", 1 = {})
        AssertError("The first argument of Assert evaluated to FALSE; the second argument was:\n\"no\"", Assert(FALSE, "no"))
        ~AssertError("The first argument of Assert evaluated to FALSE; the second argument was:\n\"yes\"", Assert(FALSE, "no"))
        ~AssertError("Attempted to check equality of integer 1 with non-integer:\n{}", CHOOSE x \in {} : TRUE)
        ~AssertError("no element of {} satisfies this CHOOSE", 1 + 1)
        TLCCache(1 + 1, {}) = 2
    """,
    "Randomization": r"""
        Cardinality(RandomSubset(2, 1..5)) = 2 /\ RandomSubset(2, 1..5) \subseteq 1..5
        \A S \in RandomSetOfSubsets(3, 1, 1..4) : S \subseteq 1..4
    """,
}

COMMUNITY = {
    "SequencesExt": r"""
        ToSet(<<1, 2, 1>>) = {1, 2}
        SetToSeq({3, 1, 2}) = <<1, 2, 3>>
        SetToSeqs({1, 2}) = {<<1, 2>>, <<2, 1>>}
        SetToSortSeq({1, 3, 2}, LAMBDA a, b : a > b) = <<3, 2, 1>>
        Contains(<<1, 2>>, 2) /\ ~Contains(<<1, 2>>, 3)
        Reverse(<<1, 2, 3>>) = <<3, 2, 1>>
        Remove(<<1, 2, 1>>, 1) = <<2>>
        ReplaceAll(<<1, 2, 1>>, 1, 9) = <<9, 2, 9>>
        InsertAt(<<1, 3>>, 2, 2) = <<1, 2, 3>>
        ReplaceAt(<<1, 3>>, 2, 2) = <<1, 2>>
        RemoveAt(<<1, 2, 3>>, 2) = <<1, 3>>
        Cons(1, <<2>>) = <<1, 2>> /\ Snoc(2, <<1>>) = <<1, 2>>
        Front(<<1, 2>>) = <<1>> /\ Last(<<1, 2>>) = 2
        IsPrefix(<<1>>, <<1, 2>>) /\ ~IsPrefix(<<2>>, <<1, 2>>) /\ IsPrefix("a", "ab")
        IsStrictPrefix(<<1>>, <<1, 2>>) /\ ~IsStrictPrefix(<<1>>, <<1>>)
        IsSuffix(<<2>>, <<1, 2>>) /\ IsStrictSuffix(<<2>>, <<1, 2>>)
        Prefixes(<<1, 2>>) = {<<>>, <<1>>, <<1, 2>>}
        Suffixes(<<1, 2>>) = {<<>>, <<2>>, <<1, 2>>}
        LongestCommonPrefix({<<1, 2, 3>>, <<1, 2, 4>>}) = <<1, 2>>
        FoldSeq(LAMBDA a, b : a + b, 0, <<1, 2, 3>>) = 6
        FoldLeft(LAMBDA a, b : a - b, 10, <<1, 2>>) = 7
        FoldRight(LAMBDA a, b : a - b, <<1, 2>>, 10) = 9
        FoldLeftDomain(LAMBDA a, i : a + i, 0, <<7, 7>>) = 3
        FlattenSeq(<<<<1>>, <<2, 3>>>>) = <<1, 2, 3>>
        Zip(<<1, 2>>, <<3, 4>>) = <<<<1, 3>>, <<2, 4>>>>
        SelectInSeq(<<1, 2, 3>>, LAMBDA n : n > 1) = 2
        SelectLastInSeq(<<1, 2, 3>>, LAMBDA n : n < 3) = 2
        SelectInSubSeq(<<1, 2, 3>>, 2, 3, LAMBDA n : n > 0) = 2
        SelectLastInSubSeq(<<1, 2, 3>>, 1, 2, LAMBDA n : n > 0) = 2
        RemoveFirst(<<1, 2, 1>>, 1) = <<2, 1>>
        RemoveFirstMatch(<<1, 2, 1>>, LAMBDA n : n = 2) = <<1, 1>>
        SubSeqs(<<1, 2>>) = {<<>>, <<1>>, <<2>>, <<1, 2>>}
        AllSubSeqs(<<1, 2, 3>>) = {<<>>, <<1>>, <<2>>, <<3>>, <<1, 2>>, <<1, 3>>, <<2, 3>>, <<1, 2, 3>>}
        ReplaceFirstSubSeq("x", "b", "abcb") = "axcb"
        ReplaceAllSubSeqs("x", "b", "abcb") = "axcx"
        ReplaceAllSubSeqs(<<9>>, <<1>>, <<1, 2, 1>>) = <<9, 2, 9>>
        Cardinality(BoundedSeq({1, 2}, 2)) = 7
        <<1, 1>> \in SeqOf({1}, 3)
    """,
    "FiniteSetsExt": r"""
        FoldSet(LAMBDA a, b : a + b, 0, 1..4) = 10
        SumSet({1, 2, 3}) = 6 /\ ProductSet({2, 3}) = 6
        ReduceSet(LAMBDA a, b : a * b, {2, 5}, 1) = 10
        MapThenSumSet(LAMBDA n : n * n, 1..3) = 14
        FlattenSet({{1}, {2}}) = {1, 2}
        SymDiff({1, 2}, {2, 3}) = {1, 3}
        Quantify(1..5, LAMBDA n : n > 3) = 2
        kSubset(2, 1..3) = {{1, 2}, {1, 3}, {2, 3}}
        kSubset(0, 1..3) = {{}} /\ kSubset(4, 1..3) = {}
        Max({1, 5, 3}) = 5 /\ Min({4, 2}) = 2
        Choices({{1, 2}, {3}}) = {{1, 3}, {2, 3}}
    """,
    "Functions": r"""
        Restrict([a |-> 1, b |-> 2], {"a"}) = [a |-> 1]
        RestrictDomain(<<1, 2, 3>>, LAMBDA n : n < 3) = <<1, 2>>
        RestrictValues(<<5, 6>>, LAMBDA n : n < 6) = <<5>>
        Range([a |-> 1, b |-> 1]) = {1}
        IsInjective(<<1, 2>>) /\ ~IsInjective(<<1, 1>>)
        AntiFunction([a |-> 1, b |-> 2]) = <<"a", "b">>
        FoldFunction(LAMBDA a, b : a + b, 0, <<1, 2, 3>>) = 6
        FoldFunctionOnSet(LAMBDA a, b : a + b, 0, <<1, 2, 3>>, {1, 3}) = 4
        Cardinality(Injection({1, 2}, {1, 2, 3})) = 6
        ExistsInjection({1}, {2}) /\ ~ExistsSurjection({}, {1}) /\ ExistsBijection({1}, {2})
    """,
    "Folds": r"""
        MapThenFoldSet(LAMBDA a, b : a - b, 0, LAMBDA n : n, LAMBDA S : CHOOSE x \in S : \A y \in S : x <= y, {1, 2, 3}) = 2
    """,
    "BagsExt": r"""
        FoldBag(LAMBDA a, b : a + b, 0, (2 :> 3 @@ 5 :> 1)) = 11
        SumBag(2 :> 3 @@ 5 :> 1) = 11 /\ ProductBag(2 :> 3 @@ 5 :> 1) = 40
        BagAdd(1 :> 1, 1) = (1 :> 2) /\ BagRemove(1 :> 2, 1) = (1 :> 1) /\ BagRemoveAll(1 :> 2, 1) = <<>>
    """,
    "Bitwise": r"""
        (5 & 3) = 1 /\ (5 | 3) = 7 /\ (5 ^^ 3) = 6
        Not(5) = 2 /\ shiftR(20, 2) = 5
    """,
    "Combinatorics": r"""
        factorial[5] = 120 /\ choose(5, 2) = 10
    """,
    "Graphs": r"""
        AreConnectedIn(1, 3, [node |-> 1..3, edge |-> {<<1, 2>>, <<2, 3>>}])
        ~AreConnectedIn(3, 1, [node |-> 1..3, edge |-> {<<1, 2>>, <<2, 3>>}])
        SimplePath([node |-> 1..2, edge |-> {<<1, 2>>}]) = {<<1>>, <<2>>, <<1, 2>>}
        ~IsStronglyConnected([node |-> 1..2, edge |-> {<<1, 2>>}])
    """,
    "Relation": r"""
        IsTransitive([x, y \in 1..3 |-> x < y], 1..3)
        TransitiveClosure([x, y \in 1..3 |-> y = x + 1], 1..3)[1, 3]
    """,
    "Json": r"""
        ToJson([a |-> 1, b |-> <<TRUE, "c">>]) = "{\"a\":1,\"b\":[true,\"c\"]}"
        ToJsonArray({2, 1}) = "[1,2]"
        ToJsonObject(<<"a">>) = "{\"0\":\"a\"}"
    """,
    "IOUtils": r"""
        atoi("-12") = -12
    """,
    "SVG": r"""
        SVGElemToString(Group(<<Group(<<>>, <<>>)>>, [stroke_width |-> "2"])) = "<g stroke-width='2'><g></g></g>"
        NodeOfRingNetwork(10, 10, 5, 0, 4) = [x |-> 15, y |-> 10]
        PointOnLine([x |-> 0, y |-> 0], [x |-> 10, y |-> 4], 2) = [x |-> 5, y |-> 2]
    """,
    "Statistics": r"""
        ChiSquare(<<10, 10, 10>>, <<11, 9, 10>>, "0.05")
        ~ChiSquare(<<10, 10, 10>>, <<30, 0, 0>>, "0.05")
    """,
    "VectorClocks": r"""
        CausalOrder(<<[n |-> "b", c |-> [a |-> 1, b |-> 1]], [n |-> "a", c |-> [a |-> 1, b |-> 0]]>>, LAMBDA e : e.c, LAMBDA e : e.n, LAMBDA c : DOMAIN c) = <<[n |-> "a", c |-> [a |-> 1, b |-> 0]], [n |-> "b", c |-> [a |-> 1, b |-> 1]]>>
    """,
}


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


ALL = [
    (modules, formula)
    for group in (LANGUAGE, STANDARD, COMMUNITY)
    for modules, text in group.items()
    for formula in lines(text)
]

# Expressions without a value, for TLC as for us, and the id of our error.
REFUSED = {
    r"1 + TRUE": "not-an-integer",
    r"1 \div 0": "division-by-zero",
    r"1 % 0": "modulus-not-positive",
    r"2 > {}": "not-an-integer",
    r'1 = "a"': "incomparable-values",
    r"{1} = TRUE": "incomparable-values",
    r"<<1>> = {1}": "incomparable-values",
    r'"a" \in {1}': "incomparable-values",
    r'"a" \in Nat': "incomparable-values",
    r"<<1, 2>>[3]": "not-in-domain",
    r"[a |-> 1].b": "no-such-field",
    r"[x \in {1, 2} |-> x][3]": "not-in-domain",
    r"5[1]": "not-a-function",
    r"5.a": "not-a-record",
    r"DOMAIN 5": "not-a-function",
    r"[5 EXCEPT ![1] = 2]": "not-a-function",
    r"CHOOSE x \in {1} : x > 1": "choose-without-witness",
    r"CHOOSE x : x > 1": "unbounded-binder",
    r"\E x : x = 1": "unbounded-binder",
    r"\A x \in Nat : x >= 0": "not-enumerable",
    r"{x \in Nat : x > 1} = {2}": "incomparable-values",
    r"Cardinality(Nat)": "not-enumerable",
    r"CASE FALSE -> 1": "no-case-applies",
    r"IF 1 THEN 2 ELSE 3": "not-a-boolean",
    r"TRUE /\ 1": "not-a-boolean",
    r"1 => TRUE": "not-a-boolean",
    r"~1": "not-a-boolean",
    r"\A x \in {1} : x": "not-a-boolean",
    r"{x \in {1} : x}": "not-a-boolean",
    r"\E <<x, y>> \in {1} : TRUE": "tuple-expected",
    r"1 \subseteq {1}": "not-a-set",
    r"UNION {1}": "not-a-set",
    r"Nat \subseteq {1}": "not-enumerable",
    r"Head(<<>>)": "empty-sequence",
    r"Tail(<<>>)": "empty-sequence",
    r"Head(5)": "not-a-sequence",
    r"SubSeq(<<1>>, 0, 1)": "not-in-domain",
    r'Append("a", 1)': "not-a-sequence",
    r'Assert(FALSE, "no")': "assert",
    r'Assert(5, "no")': "assert",
    r"TLCGet(98)": "register-not-set",
    r"[n \in Nat |-> n] = [n \in Nat |-> n + 0]": "incomparable-values",
    r"[n \in Nat |-> n] \in {[n \in Nat |-> n + 0]}": "incomparable-values",
    r"Cardinality({[n \in Nat |-> n], [n \in Nat |-> n + 0]})": "incomparable-values",
    r"<<[n \in Nat |-> n], 1>> = <<[n \in Nat |-> n], 2>>": "incomparable-values",
    r"[n \in Nat |-> n] = <<1>>": "incomparable-values",
    r"SelectSeq(<<1>>, LAMBDA n : n)": "not-a-boolean",
    r"(LET f[n \in Nat] == f[n + 1] IN f[0])": "unbounded-recursion",
    r"[n \in Nat |-> n][-1]": "not-in-domain",
    r"Permutations(5)": "wrong-argument",
    r"{1, {}} = {2, {}}": "incomparable-values",
}
