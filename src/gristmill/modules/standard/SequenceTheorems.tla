---- MODULE SequenceTheorems ----
\* Facts about sequences.
EXTENDS Sequences, Functions
LOCAL INSTANCE Integers

\* What sequences are.
LEMMA SeqDef == \A A : Seq(A) = UNION {[1..k -> A] : k \in Nat}

\* A sequence over a set is one over a larger set.
THEOREM SeqMonotonic ==
    ASSUME NEW A, NEW B, NEW q \in Seq(A), A \subseteq B
    PROVE q \in Seq(B)

\* The elements of a sequence.
THEOREM ElementOfSeq ==
    ASSUME NEW A, NEW q \in Seq(A), NEW i \in 1..Len(q)
    PROVE q[i] \in A

\* The empty sequence.
THEOREM EmptySeq ==
    ASSUME NEW A
    PROVE /\ << >> \in Seq(A)
          /\ Len(<< >>) = 0
          /\ \A q \in Seq(A) : q # << >> => Len(q) \in Nat \ {0}

\* Length and domain.
THEOREM LenProperties ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE /\ Len(q) \in Nat
          /\ q \in [1..Len(q) -> A]
          /\ DOMAIN q = 1..Len(q)

\* A function on 1..n is a sequence.
THEOREM IsASeq ==
    ASSUME NEW k \in Nat, NEW item(_), NEW A, \A i \in 1..k : item(i) \in A
    PROVE [i \in 1..k |-> item(i)] \in Seq(A)

\* A sequence with one element changed.
THEOREM ExceptSeq ==
    ASSUME NEW A, NEW q \in Seq(A), NEW i \in 1..Len(q), NEW x \in A
    PROVE /\ [q EXCEPT ![i] = x] \in Seq(A)
          /\ Len([q EXCEPT ![i] = x]) = Len(q)
          /\ \A k \in 1..Len(q) : [q EXCEPT ![i] = x][k] = IF k = i THEN x ELSE q[k]

\* Sequences with the same elements are equal.
THEOREM SeqEqual ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), Len(p) = Len(q), \A i \in 1..Len(p) : p[i] = q[i]
    PROVE p = q

\* The elements of a concatenation.
THEOREM ConcatProperties ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE /\ p \o q \in Seq(A)
          /\ Len(p \o q) = Len(p) + Len(q)
          /\ \A i \in 1..(Len(p) + Len(q)) : (p \o q)[i] = IF i <= Len(p) THEN p[i] ELSE q[i - Len(p)]

\* The empty sequence is neutral.
THEOREM ConcatEmptySeq ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE q \o << >> = q /\ << >> \o q = q

\* Only the empty sequence is neutral.
THEOREM ConcatEqualIffEmpty ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE /\ p \o q = p <=> q = << >>
          /\ p \o q = q <=> p = << >>
          /\ p \o q = << >> <=> p = << >> /\ q = << >>

\* Concatenation is associative.
THEOREM ConcatAssociative ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW r \in Seq(A)
    PROVE (p \o q) \o r = p \o (q \o r)

\* Cancellation.
THEOREM ConcatSimplifications ==
    /\ idRight:: \A A : \A p, q \in Seq(A) : p \o q = p => q = << >>
    /\ idLeft:: \A A : \A p, q \in Seq(A) : p \o q = q => p = << >>
    /\ concIsEmpty:: \A A : \A p, q \in Seq(A) : p \o q = << >> => p = << >> /\ q = << >>
    /\ cancelLeft:: \A A : \A p, q, r \in Seq(A) : p \o q = p \o r => q = r
    /\ cancelRight:: \A A : \A p, q, r \in Seq(A) : p \o r = q \o r => p = q

\* The elements of a subsequence.
THEOREM SubSeqProperties ==
    ASSUME NEW A, NEW q, NEW lo \in Int, NEW hi \in Int, \A i \in lo..hi : q[i] \in A
    PROVE /\ SubSeq(q, lo, hi) \in Seq(A)
          /\ Len(SubSeq(q, lo, hi)) = IF lo <= hi THEN hi - lo + 1 ELSE 0
          /\ \A i \in 1..(hi - lo + 1) : SubSeq(q, lo, hi)[i] = q[lo + i - 1]

\* Empty subsequences.
THEOREM SubSeqEmpty ==
    ASSUME NEW q, NEW lo \in Int, NEW hi \in Int, hi < lo
    PROVE SubSeq(q, lo, hi) = << >>

\* The set of elements of a subsequence.
THEOREM SubSeqRange ==
    ASSUME NEW A, NEW q \in Seq(A), NEW lo \in 1..Len(q), NEW hi \in 1..Len(q)
    PROVE Range(SubSeq(q, lo, hi)) \subseteq Range(q)

\* Head and tail.
THEOREM HeadTailProperties ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE /\ Head(q) \in A
          /\ Head(q) \in Range(q)
          /\ Tail(q) \in Seq(A)
          /\ Len(Tail(q)) = Len(q) - 1
          /\ \A i \in 1..Len(Tail(q)) : Tail(q)[i] = q[i + 1]
          /\ Range(Tail(q)) \subseteq Range(q)

\* The tail as a subsequence.
THEOREM TailIsSubSeq ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE Tail(q) = SubSeq(q, 2, Len(q))

\* A subsequence from the first element is a restriction.
THEOREM SubSeqRestrict ==
    ASSUME NEW A, NEW q \in Seq(A), NEW k \in 0..Len(q)
    PROVE SubSeq(q, 1, k) = Restrict(q, 1..k)

\* Head and tail of a subsequence.
THEOREM HeadTailOfSubSeq ==
    ASSUME NEW A, NEW q \in Seq(A), NEW lo \in 1..Len(q), NEW hi \in lo..Len(q)
    PROVE /\ Head(SubSeq(q, lo, hi)) = q[lo]
          /\ Tail(SubSeq(q, lo, hi)) = SubSeq(q, lo + 1, hi)

\* A subsequence from a shorter one.
THEOREM SubSeqRecursive ==
    ASSUME NEW A, NEW q \in Seq(A), NEW lo \in 1..Len(q), NEW hi \in lo..Len(q)
    PROVE /\ SubSeq(q, lo, hi) = <<q[lo]>> \o SubSeq(q, lo + 1, hi)
          /\ SubSeq(q, lo, hi) = SubSeq(q, lo, hi - 1) \o <<q[hi]>>

\* A subsequence of a subsequence.
THEOREM SubSeqOfSubSeq ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A),
           NEW i \in 1..Len(p), NEW j \in 1..Len(p),
           NEW lo \in 1..(j - i + 1), NEW hi \in 1..(j - i + 1)
    PROVE SubSeq(SubSeq(p, i, j), lo, hi) = SubSeq(p, i + lo - 1, i + hi - 1)

\* Two subsequences side by side.
THEOREM ConcatAdjacentSubSeq ==
    ASSUME NEW A, NEW q \in Seq(A),
           NEW lo \in 1..(Len(q) + 1), NEW mid \in (lo - 1)..Len(q), NEW hi \in mid..Len(q)
    PROVE SubSeq(q, lo, mid) \o SubSeq(q, mid + 1, hi) = SubSeq(q, lo, hi)

\* A subsequence within the first of two sequences.
THEOREM SubSeqOfConcat1 ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW lo \in 1..Len(p), NEW hi \in 1..Len(p)
    PROVE SubSeq(p \o q, lo, hi) = SubSeq(p, lo, hi)

\* A subsequence within the second of two sequences.
THEOREM SubSeqOfConcat2 ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A),
           NEW lo \in (Len(p) + 1)..(Len(p) + Len(q)), NEW hi \in (Len(p) + 1)..(Len(p) + Len(q))
    PROVE SubSeq(p \o q, lo, hi) = SubSeq(q, lo - Len(p), hi - Len(p))

\* The elements after appending one.
THEOREM AppendProperties ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE /\ Append(q, x) \in Seq(A)
          /\ Append(q, x) # << >>
          /\ Len(Append(q, x)) = Len(q) + 1
          /\ \A i \in 1..Len(q) : Append(q, x)[i] = q[i]
          /\ Append(q, x)[Len(q) + 1] = x
          /\ Range(Append(q, x)) = Range(q) \cup {x}

\* Appending is concatenation.
THEOREM AppendIsConcat ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE Append(q, x) = q \o <<x>>

\* Head and tail after appending.
THEOREM HeadTailAppend ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x
    PROVE /\ Head(Append(q, x)) = IF q = << >> THEN x ELSE Head(q)
          /\ Tail(Append(q, x)) = IF q = << >> THEN << >> ELSE Append(Tail(q), x)

\* Appending loses nothing.
THEOREM AppendInjective ==
    ASSUME NEW A, NEW x \in A, NEW p \in Seq(A), NEW y \in A, NEW q \in Seq(A)
    PROVE Append(p, x) = Append(q, y) <=> p = q /\ x = y

\* A sequence is empty or the result of appending.
THEOREM SequenceEmptyOrAppend ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE \E p \in Seq(A), x \in A : q = Append(p, x)

\* Induction by appending.
THEOREM SequencesInductionAppend ==
    ASSUME NEW Prop(_), NEW A, Prop(<< >>), \A q \in Seq(A), x \in A : Prop(q) => Prop(Append(q, x))
    PROVE \A q \in Seq(A) : Prop(q)

\* Induction by tails.
THEOREM SequencesInductionTail ==
    ASSUME NEW A, NEW Prop(_), Prop(<< >>), \A q \in Seq(A) : q # << >> /\ Prop(Tail(q)) => Prop(q)
    PROVE \A q \in Seq(A) : Prop(q)

\* The set of elements is a subset.
THEOREM RangeOfSeq ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE Range(q) \in SUBSET A

\* The set of elements by positions.
THEOREM RangeEquality ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE Range(q) = {q[i] : i \in 1..Len(q)}

\* A sequence is one over its own elements.
THEOREM SeqOfRange ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE q \in Seq(Range(q))

\* The set of elements of a concatenation.
THEOREM RangeConcatenation ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE Range(p \o q) = Range(p) \cup Range(q)

\* Short sequences have no element twice.
LEMMA EmptySingletonIsInjective ==
    /\ IsInjective(<< >>)
    /\ \A x : IsInjective(<<x>>)

\* When a concatenation has no element twice.
LEMMA ConcatInjectiveSeq ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE IsInjective(p \o q) <=> IsInjective(p) /\ IsInjective(q) /\ Range(p) \cap Range(q) = {}

\* The same after appending.
LEMMA AppendInjectiveSeq ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE IsInjective(Append(q, x)) <=> IsInjective(q) /\ x \notin Range(q)

\* The same for the tail.
LEMMA TailInjectiveSeq ==
    ASSUME NEW A, NEW q \in Seq(A), IsInjective(q), q # << >>
    PROVE /\ IsInjective(Tail(q))
          /\ Range(Tail(q)) = Range(q) \ {Head(q)}
====
