---- MODULE SequencesExt ----
\* Further operators on sequences.
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC

\* The set of the elements of s.
ToSet(s) == Range(s)

\* The bag of the elements of s.
ToBag(s) == [e \in Range(s) |-> Cardinality({i \in DOMAIN s : s[i] = e})]

\* The elements of the finite set S in the order of CHOOSE.
SetToSeq(S) ==
    LET listed[T \in SUBSET S] ==
            IF T = {} THEN << >>
            ELSE LET x == CHOOSE x \in T : TRUE
                 IN <<x>> \o listed[T \ {x}]
    IN listed[S]

\* All sequences in which each element of the finite set S occurs once.
SetToSeqs(S) ==
    LET orders[T \in SUBSET S] ==
            IF T = {} THEN {<< >>}
            ELSE UNION {{<<x>> \o t : t \in orders[T \ {x}]} : x \in T}
    IN orders[S]

\* The elements of S sorted by op.
SetToSortSeq(S, op(_, _)) == SortSeq(SetToSeq(S), op)

\* All sequences in which each element of the finite set S occurs at most once.
SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}

\* The sequences of n elements of set.
TupleOf(set, n) == [1..n -> set]

\* The sequences of at most n elements of set.
SeqOf(set, n) == UNION {TupleOf(set, k) : k \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)

\* e is an element of s.
Contains(s, e) == e \in ToSet(s)

\* Each element of s is in the relation op to all later ones.
IsSorted(s, op(_, _)) == \A j \in 1..Len(s) : \A i \in 1..(j - 1) : op(s[i], s[j])

\* s backwards.
Reverse(s) ==
    LET n == Len(s)
    IN [i \in 1..n |-> s[n + 1 - i]]

\* s without the elements equal to e.
Remove(s, e) == SelectSeq(s, LAMBDA x : x # e)

\* s with new in place of each old.
ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]

LOCAL Matches(seq, I, Test(_)) == {i \in I : Test(seq[i])}

\* The first and the last of the positions from..to whose element passes the test, or 0.
SelectInSubSeq(seq, from, to, Test(_)) ==
    LET found == Matches(seq, from..to, Test)
    IN IF found = {} THEN 0 ELSE Min(found)
SelectLastInSubSeq(seq, from, to, Test(_)) == Max({0} \cup Matches(seq, from..to, Test))

\* The same for all positions.
SelectInSeq(seq, Test(_)) == SelectInSubSeq(seq, 1, Len(seq), Test)
SelectLastInSeq(seq, Test(_)) == SelectLastInSubSeq(seq, 1, Len(seq), Test)

\* s with e inserted at position i.
InsertAt(s, i, e) == Append(SubSeq(s, 1, i - 1), e) \o SubSeq(s, i, Len(s))

\* s with e at position i.
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]

\* s without the element at position i.
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))

\* s without the first element that passes the test.
RemoveFirstMatch(s, Test(_)) ==
    LET i == SelectInSeq(s, Test)
    IN IF i = 0 THEN s ELSE RemoveAt(s, i)

\* s without the first e.
RemoveFirst(s, e) == RemoveFirstMatch(s, LAMBDA x : x = e)

\* seq with elt in front.
Cons(elt, seq) == <<elt>> \o seq

\* seq with elt at the end.
Snoc(elt, seq) == Append(seq, elt)

\* s without its last element.
Front(s) == SubSeq(s, 1, Len(s) - 1)

\* The last element of s.
Last(s) == s[Len(s)]

\* t begins with s.
IsPrefix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, 1, Len(s))

\* t begins with s and goes on.
IsStrictPrefix(s, t) == s # t /\ IsPrefix(s, t)

\* t ends with s.
IsSuffix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, Len(t) - Len(s) + 1, Len(t))

\* t ends with s and is longer.
IsStrictSuffix(s, t) == s # t /\ IsSuffix(s, t)

\* All sequences with which s begins.
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}

\* The sequences with which all sequences in S begin.
CommonPrefixes(S) == {p \in UNION {Prefixes(s) : s \in S} : \A s \in S : IsPrefix(p, s)}

\* The longest of them.
LongestCommonPrefix(S) == CHOOSE p \in CommonPrefixes(S) : \A q \in CommonPrefixes(S) : IsPrefix(q, p)

\* All sequences with which s ends.
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..(Len(s) + 1)}

\* The number in 1..b congruent to a modulo b.
SeqMod(a, b) == 1 + ((a - 1) % b)

\* op(s[n], ... op(s[2], op(s[1], base))) for the elements of seq.
FoldSeq(op(_, _), base, seq) == FoldFunction(op, base, seq)

\* op(... op(op(base, s[1]), s[2]) ..., s[n]) for the elements of seq.
FoldLeft(op(_, _), base, seq) ==
    LET upto[i \in 0..Len(seq)] == IF i = 0 THEN base ELSE op(upto[i - 1], seq[i])
    IN upto[Len(seq)]

\* op(s[1], op(s[2], ... op(s[n], base))) for the elements of seq.
FoldRight(op(_, _), seq, base) ==
    LET n == Len(seq)
        from[i \in 1..(n + 1)] == IF i > n THEN base ELSE op(seq[i], from[i + 1])
    IN from[1]

\* The same for the positions in seq.
FoldLeftDomain(op(_, _), base, seq) == FoldLeft(op, base, [i \in DOMAIN seq |-> i])
FoldRightDomain(op(_, _), seq, base) == FoldRight(op, [i \in DOMAIN seq |-> i], base)

\* The sequences in seqs one after the other.
FlattenSeq(seqs) == IF Len(seqs) = 0 THEN seqs ELSE FoldLeft(\o, seqs[1], Tail(seqs))

\* The pairs of elements of s and t at the same position, as far as both go.
Zip(s, t) == [i \in 1..Min({Len(s), Len(t)}) |-> <<s[i], t[i]>>]

\* <<s[1]>>, <<t[1]>>, <<s[2]>>, <<t[2]>> and so on for s and t of equal length; two empty sequences for empty ones.
Interleave(s, t) ==
    CASE Len(s) = Len(t) /\ Len(s) > 0 ->
            [i \in 1..(2 * Len(s)) |-> IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]
      [] Len(s) = Len(t) /\ Len(s) = 0 -> << << >>, << >> >>

\* All sequences of consecutive elements of s.
SubSeqs(s) == {SubSeq(s, i, j) : i \in 1..(Len(s) + 1), j \in 0..Len(s)}

\* All sequences of elements of s in their order, consecutive or not.
AllSubSeqs(s) ==
    LET positions == [i \in 1..Len(s) |-> i]
        taken(I) == SelectSeq(positions, LAMBDA i : i \in I)
        picked(p) == [i \in 1..Len(p) |-> s[p[i]]]
    IN {picked(taken(I)) : I \in SUBSET (1..Len(s))}

LOCAL Occurrences(s, t) == {i \in 1..(Len(t) - Len(s) + 1) : SubSeq(t, i, i + Len(s) - 1) = s}

\* The first position in t at which s begins.
IndexFirstSubSeq(s, t) == Min(Occurrences(s, t))

\* t with r in place of the s that begins at i.
ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))

\* t with r in place of the first s.
ReplaceFirstSubSeq(r, s, t) ==
    IF Occurrences(s, t) = {} THEN t ELSE ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t)

\* t with r in place of each s, from the left; r in front of each element for an empty s.
ReplaceAllSubSeqs(r, s, t) ==
    LET step == IF Len(s) = 0 THEN 1 ELSE Len(s)
        from[i \in 1..(Len(t) + 1)] ==
            IF Len(t) + 1 < i + step THEN SubSeq(t, i, Len(t))
            ELSE IF SubSeq(t, i, i + Len(s) - 1) # s THEN SubSeq(t, i, i) \o from[i + 1]
            ELSE IF Len(s) = 0 THEN r \o SubSeq(t, i, i) \o from[i + 1]
            ELSE r \o from[i + step]
    IN IF s = t THEN r ELSE from[1]
====
