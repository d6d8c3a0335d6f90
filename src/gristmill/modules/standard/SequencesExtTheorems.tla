---- MODULE SequencesExtTheorems ----
\* Facts about the operators of SequencesExt.
EXTENDS Sequences, SequencesExt, Functions, Integers, WellFoundedInduction

\* The sequences of bounded length.
THEOREM SeqOfSeq ==
    ASSUME NEW A, NEW k \in Int
    PROVE SeqOf(A, k) = {q \in Seq(A) : Len(q) <= k}

\* The elements after putting one in front.
THEOREM ConsProperties ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE /\ Cons(x, q) \in Seq(A)
          /\ Cons(x, q) # << >>
          /\ Len(Cons(x, q)) = Len(q) + 1
          /\ Head(Cons(x, q)) = x
          /\ Tail(Cons(x, q)) = q
          /\ Cons(x, q)[1] = x
          /\ \A i \in 1..Len(q) : Cons(x, q)[i + 1] = q[i]
          /\ \A i \in 2..(Len(q) + 1) : Cons(x, q)[i] = q[i - 1]

\* In front of nothing.
THEOREM ConsEmpty == \A x : Cons(x, << >>) = <<x>>

\* Head in front of tail.
THEOREM ConsHeadTail ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE Cons(Head(q), Tail(q)) = q

\* Front and end do not interfere.
THEOREM ConsAppend ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A, NEW y \in A
    PROVE Cons(x, Append(q, y)) = Append(Cons(x, q), y)
THEOREM ConsConcat ==
    ASSUME NEW A, NEW x \in A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE Cons(x, p) \o q = Cons(x, p \o q)

\* Putting in front loses nothing.
THEOREM ConsInjective ==
    ASSUME NEW A, NEW x \in A, NEW p \in Seq(A), NEW y \in A, NEW q \in Seq(A)
    PROVE Cons(x, p) = Cons(y, q) <=> x = y /\ p = q

\* Induction by putting in front.
THEOREM SequencesInductionCons ==
    ASSUME NEW Prop(_), NEW A, Prop(<< >>), \A q \in Seq(A), x \in A : Prop(q) => Prop(Cons(x, q))
    PROVE \A q \in Seq(A) : Prop(q)

\* What various sequences contain.
THEOREM ContainsRange ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x
    PROVE Contains(q, x) <=> x \in Range(q)
THEOREM ContainsEmpty ==
    ASSUME NEW x
    PROVE ~Contains(<< >>, x)
THEOREM ContainsAppend ==
    ASSUME NEW A, NEW q \in Seq(A), NEW y, NEW x
    PROVE Contains(Append(q, y), x) <=> (Contains(q, x) \/ x = y)
THEOREM ContainsSingleton ==
    ASSUME NEW A, NEW y
    PROVE \A x : Contains(<<y>>, x) <=> x = y
THEOREM ContainsConcat ==
    ASSUME NEW A, NEW p \in Seq(A), NEW B, NEW q \in Seq(B), NEW x
    PROVE Contains(p \o q, x) <=> (Contains(p, x) \/ Contains(q, x))
THEOREM ContainsCons ==
    ASSUME NEW A, NEW q \in Seq(A), NEW y, NEW x
    PROVE Contains(Cons(y, q), x) <=> (x = y \/ Contains(q, x))
THEOREM ContainsTail ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>, NEW x
    PROVE Contains(Tail(q), x) => Contains(q, x)
THEOREM ContainsTailExceptHead ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>, NEW x, Contains(q, x), x # Head(q)
    PROVE Contains(Tail(q), x)

\* Short sequences are sorted.
THEOREM SortedEmpty ==
    ASSUME NEW op(_, _)
    PROVE IsSorted(<< >>, op)
THEOREM SortedSingleton ==
    ASSUME NEW A, NEW x \in A, NEW op(_, _)
    PROVE IsSorted(<<x>>, op)

\* A sorted sequence with one more element.
THEOREM SortedAppend ==
    ASSUME NEW A, NEW op(_, _),
           \A x, y, z \in A : op(x, y) /\ op(y, z) => op(x, z),
           NEW q \in Seq(A), IsSorted(q, op),
           NEW e \in A, q # << >> => op(q[Len(q)], e)
    PROVE IsSorted(Append(q, e), op)

\* Two sorted sequences one after the other.
THEOREM SortedConcat ==
    ASSUME NEW A, NEW op(_, _),
           \A x, y, z \in A : op(x, y) /\ op(y, z) => op(x, z),
           NEW p \in Seq(A), NEW q \in Seq(A), IsSorted(p, op), IsSorted(q, op),
           Len(p) > 0 /\ Len(q) > 0 => op(p[Len(p)], q[1])
    PROVE IsSorted(p \o q, op)

\* A strictly sorted sequence has no element twice.
THEOREM SortedInjective ==
    ASSUME NEW A, NEW op(_, _), \A x \in A : ~op(x, x), NEW q \in Seq(A), IsSorted(q, op)
    PROVE IsInjective(q)

\* A part of a sorted sequence.
THEOREM SortedSubSeq ==
    ASSUME NEW A, NEW op(_, _), NEW q \in Seq(A), IsSorted(q, op),
           NEW lo \in 1..(Len(q) + 1), NEW hi \in 0..Len(q)
    PROVE IsSorted(SubSeq(q, lo, hi), op)

\* The elements after inserting one.
THEOREM InsertAtProperties ==
    ASSUME NEW A, NEW q \in Seq(A), NEW k \in 1..(Len(q) + 1), NEW x \in A
    PROVE /\ InsertAt(q, k, x) \in Seq(A)
          /\ Len(InsertAt(q, k, x)) = Len(q) + 1
          /\ \A i \in 1..(Len(q) + 1) :
                InsertAt(q, k, x)[i] = IF i < k THEN q[i] ELSE IF i = k THEN x ELSE q[i - 1]

\* The elements after removing one.
THEOREM RemoveAtProperties ==
    ASSUME NEW A, NEW q \in Seq(A), NEW k \in 1..Len(q)
    PROVE /\ RemoveAt(q, k) \in Seq(A)
          /\ Len(RemoveAt(q, k)) = Len(q) - 1
          /\ \A i \in 1..(Len(q) - 1) : RemoveAt(q, k)[i] = IF i < k THEN q[i] ELSE q[i + 1]

\* All but the last element.
THEOREM FrontProperties ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE /\ Front(q) \in Seq(A)
          /\ Len(Front(q)) = IF q = << >> THEN 0 ELSE Len(q) - 1
          /\ \A i \in 1..(Len(q) - 1) : Front(q)[i] = q[i]
THEOREM FrontOfEmpty == Front(<< >>) = << >>

\* The last element.
THEOREM LastProperties ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE /\ Last(q) \in A
          /\ Append(Front(q), Last(q)) = q
THEOREM FrontLastOfSubSeq ==
    ASSUME NEW A, NEW q \in Seq(A), NEW lo \in 1..Len(q), NEW hi \in lo..Len(q)
    PROVE /\ Front(SubSeq(q, lo, hi)) = SubSeq(q, lo, hi - 1)
          /\ Last(SubSeq(q, lo, hi)) = q[hi]
THEOREM FrontLastAppend ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE /\ Front(Append(q, x)) = q
          /\ Last(Append(q, x)) = x
LEMMA FrontInjectiveSeq ==
    ASSUME NEW A, NEW q \in Seq(A), IsInjective(q), q # << >>
    PROVE /\ IsInjective(Front(q))
          /\ Range(Front(q)) = Range(q) \ {Last(q)}

\* Induction by fronts.
THEOREM SequencesInductionFront ==
    ASSUME NEW A, NEW Prop(_), Prop(<< >>), \A q \in Seq(A) : q # << >> /\ Prop(Front(q)) => Prop(q)
    PROVE \A q \in Seq(A) : Prop(q)

\* Sequences backwards.
THEOREM ReverseProperties ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE /\ Reverse(q) \in Seq(A)
          /\ Len(Reverse(q)) = Len(q)
          /\ Reverse(Reverse(q)) = q
THEOREM ReverseEmpty == Reverse(<< >>) = << >>
THEOREM ReverseEqual ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), Reverse(p) = Reverse(q)
    PROVE p = q
THEOREM ReverseEmptyIffEmpty ==
    ASSUME NEW A, NEW q \in Seq(A), Reverse(q) = << >>
    PROVE q = << >>
THEOREM ReverseConcat ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE Reverse(p \o q) = Reverse(q) \o Reverse(p)
THEOREM ReverseAppend ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE Reverse(Append(q, x)) = Cons(x, Reverse(q))
THEOREM ReverseCons ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE Reverse(Cons(x, q)) = Append(Reverse(q), x)
THEOREM ReverseSingleton == \A x : Reverse(<<x>>) = <<x>>
THEOREM ReverseSubSeq ==
    ASSUME NEW A, NEW q \in Seq(A), NEW lo \in 1..Len(q), NEW hi \in 0..Len(q)
    PROVE Reverse(SubSeq(q, lo, hi)) = SubSeq(Reverse(q), Len(q) - hi + 1, Len(q) - lo + 1)
THEOREM ReversePalindrome ==
    ASSUME NEW A, NEW q \in Seq(A), Reverse(q) = q
    PROVE Reverse(q \o q) = q \o q
THEOREM LastEqualsHeadReverse ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE Last(q) = Head(Reverse(q))
THEOREM ReverseFrontEqualsTailReverse ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE Reverse(Front(q)) = Tail(Reverse(q))
THEOREM RangeReverse ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE /\ DOMAIN Reverse(q) = DOMAIN q
          /\ Range(Reverse(q)) = Range(q)

\* What it means to begin with a sequence.
THEOREM IsPrefixProperties ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE /\ IsPrefix(p, q) <=> \E r \in Seq(A) : q = p \o r
          /\ IsPrefix(p, q) <=> Len(p) <= Len(q) /\ p = SubSeq(q, 1, Len(p))
          /\ IsPrefix(p, q) <=> Len(p) <= Len(q) /\ p = Restrict(q, DOMAIN p)
THEOREM IsStrictPrefixProperties ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE /\ IsStrictPrefix(p, q) <=> \E r \in Seq(A) : r # << >> /\ q = p \o r
          /\ IsStrictPrefix(p, q) <=> Len(p) < Len(q) /\ p = SubSeq(q, 1, Len(p))
          /\ IsStrictPrefix(p, q) <=> Len(p) < Len(q) /\ p = Restrict(q, DOMAIN p)
          /\ IsStrictPrefix(p, q) <=> IsPrefix(p, q) /\ Len(p) < Len(q)
THEOREM IsPrefixElts ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW i \in 1..Len(p), IsPrefix(p, q)
    PROVE p[i] = q[i]

\* Particular prefixes.
THEOREM EmptyIsPrefix ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE /\ IsPrefix(<< >>, q)
          /\ IsPrefix(q, << >>) <=> q = << >>
          /\ IsStrictPrefix(<< >>, q) <=> q # << >>
          /\ ~IsStrictPrefix(q, << >>)
THEOREM IsPrefixConcat ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE IsPrefix(p, p \o q)
THEOREM IsStrictPrefixAppend ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE IsStrictPrefix(q, Append(q, x))
THEOREM FrontIsPrefix ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE /\ IsPrefix(Front(q), q)
          /\ q # << >> => IsStrictPrefix(Front(q), q)

\* Beginning with is a partial order.
THEOREM IsPrefixPartialOrder ==
    ASSUME NEW A
    PROVE /\ \A p \in Seq(A) : IsPrefix(p, p)
          /\ \A p, q \in Seq(A) : IsPrefix(p, q) /\ IsPrefix(q, p) => p = q
          /\ \A p, q, r \in Seq(A) : IsPrefix(p, q) /\ IsPrefix(q, r) => IsPrefix(p, r)

\* Prefixes that are concatenations.
THEOREM ConcatIsPrefix ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW r \in Seq(A), IsPrefix(p \o q, r)
    PROVE IsPrefix(p, r)
THEOREM ConcatIsPrefixCancel ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW r \in Seq(A)
    PROVE IsPrefix(p \o q, p \o r) <=> IsPrefix(q, r)
THEOREM ConsIsPrefixCancel ==
    ASSUME NEW A, NEW x \in A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE IsPrefix(Cons(x, p), Cons(x, q)) <=> IsPrefix(p, q)
THEOREM ConsIsPrefix ==
    ASSUME NEW A, NEW x \in A, NEW p \in Seq(A), NEW r \in Seq(A), IsPrefix(Cons(x, p), r)
    PROVE /\ x = Head(r)
          /\ IsPrefix(p, Tail(r))

\* The strict order is well-founded.
THEOREM IsStrictPrefixStrictPartialOrder ==
    ASSUME NEW A
    PROVE /\ \A p \in Seq(A) : ~IsStrictPrefix(p, p)
          /\ \A p, q \in Seq(A) : IsStrictPrefix(p, q) => ~IsStrictPrefix(q, p)
          /\ \A p, q, r \in Seq(A) : IsStrictPrefix(p, q) /\ IsStrictPrefix(q, r) => IsStrictPrefix(p, r)
THEOREM IsStrictPrefixWellFounded ==
    ASSUME NEW A
    PROVE IsWellFoundedOn(OpToRel(IsStrictPrefix, Seq(A)), Seq(A))

\* Induction by strict prefixes.
THEOREM SeqStrictPrefixInduction ==
    ASSUME NEW Prop(_), NEW A,
           \A q \in Seq(A) : (\A p \in Seq(A) : IsStrictPrefix(p, q) => Prop(p)) => Prop(q)
    PROVE \A q \in Seq(A) : Prop(q)

\* What it means to end with a sequence.
THEOREM IsSuffixProperties ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE /\ IsSuffix(p, q) <=> \E r \in Seq(A) : q = r \o p
          /\ IsSuffix(p, q) <=> Len(p) <= Len(q) /\ p = SubSeq(q, Len(q) - Len(p) + 1, Len(q))
THEOREM IsStrictSuffixProperties ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE /\ IsStrictSuffix(p, q) <=> \E r \in Seq(A) : r # << >> /\ q = r \o p
          /\ IsStrictSuffix(p, q) <=> Len(p) < Len(q) /\ IsSuffix(p, q)
          /\ IsStrictSuffix(p, q) <=> Len(p) < Len(q) /\ p = SubSeq(q, Len(q) - Len(p) + 1, Len(q))
          /\ IsStrictSuffix(p, q) <=> IsStrictPrefix(Reverse(p), Reverse(q))
THEOREM IsSuffixElts ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW i \in 1..Len(p), IsSuffix(p, q)
    PROVE p[i] = q[Len(q) - Len(p) + i]

\* Particular suffixes.
THEOREM EmptyIsSuffix ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE /\ IsSuffix(<< >>, q)
          /\ IsSuffix(q, << >>) <=> q = << >>
          /\ IsStrictSuffix(<< >>, q) <=> q # << >>
          /\ ~IsStrictSuffix(q, << >>)
THEOREM IsSuffixConcat ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE IsSuffix(p, q \o p)
THEOREM IsStrictSuffixCons ==
    ASSUME NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE IsStrictSuffix(q, Cons(x, q))
THEOREM TailIsSuffix ==
    ASSUME NEW A, NEW q \in Seq(A), q # << >>
    PROVE IsStrictSuffix(Tail(q), q)

\* Ending with is a partial order.
THEOREM IsSuffixPartialOrder ==
    ASSUME NEW A
    PROVE /\ \A p \in Seq(A) : IsSuffix(p, p)
          /\ \A p, q \in Seq(A) : IsSuffix(p, q) /\ IsSuffix(q, p) => p = q
          /\ \A p, q, r \in Seq(A) : IsSuffix(p, q) /\ IsSuffix(q, r) => IsSuffix(p, r)

\* Suffixes that are concatenations.
THEOREM ConcatIsSuffix ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW r \in Seq(A), IsSuffix(p \o q, r)
    PROVE IsSuffix(q, r)
THEOREM ConcatIsSuffixCancel ==
    ASSUME NEW A, NEW p \in Seq(A), NEW q \in Seq(A), NEW r \in Seq(A)
    PROVE IsSuffix(p \o q, r \o q) <=> IsSuffix(p, r)
THEOREM AppendIsSuffixCancel ==
    ASSUME NEW A, NEW x \in A, NEW p \in Seq(A), NEW q \in Seq(A)
    PROVE IsSuffix(Append(p, x), Append(q, x)) <=> IsSuffix(p, q)
THEOREM AppendIsSuffix ==
    ASSUME NEW A, NEW x \in A, NEW p \in Seq(A), NEW r \in Seq(A), IsSuffix(Append(p, x), r)
    PROVE /\ x = Last(r)
          /\ IsSuffix(p, Front(r))

\* The strict order is well-founded.
THEOREM IsStrictSuffixStrictPartialOrder ==
    ASSUME NEW A
    PROVE /\ \A p \in Seq(A) : ~IsStrictSuffix(p, p)
          /\ \A p, q \in Seq(A) : IsStrictSuffix(p, q) => ~IsStrictSuffix(q, p)
          /\ \A p, q, r \in Seq(A) : IsStrictSuffix(p, q) /\ IsStrictSuffix(q, r) => IsStrictSuffix(p, r)
THEOREM IsStrictSuffixWellFounded ==
    ASSUME NEW A
    PROVE IsWellFoundedOn(OpToRel(IsStrictSuffix, Seq(A)), Seq(A))

\* Induction by strict suffixes.
THEOREM SeqStrictSuffixInduction ==
    ASSUME NEW Prop(_), NEW A,
           \A q \in Seq(A) : (\A p \in Seq(A) : IsStrictSuffix(p, q) => Prop(p)) => Prop(q)
    PROVE \A q \in Seq(A) : Prop(q)

\* Def(g, q) depends only on the values of g at strict prefixes of q.
StrictPrefixesDetermineDef(S, Def(_, _)) ==
    \A g, h : \A q \in Seq(S) :
        (\A p \in Seq(S) : IsStrictPrefix(p, q) => g[p] = h[p]) => Def(g, q) = Def(h, q)

\* Recursion by strict prefixes is well defined.
LEMMA StrictPrefixesDetermineDef_WFDefOn ==
    ASSUME NEW A, NEW Value(_, _), StrictPrefixesDetermineDef(A, Value)
    PROVE WFDefOn(OpToRel(IsStrictPrefix, Seq(A)), Seq(A), Value)
THEOREM PrefixRecursiveSequenceFunctionUnique ==
    ASSUME NEW A, NEW Value(_, _), StrictPrefixesDetermineDef(A, Value)
    PROVE WFInductiveUnique(Seq(A), Value)
THEOREM PrefixRecursiveSequenceFunctionDef ==
    ASSUME NEW A, NEW Value(_, _), NEW fcn,
           StrictPrefixesDetermineDef(A, Value), OpDefinesFcn(fcn, Seq(A), Value)
    PROVE WFInductiveDefines(fcn, Seq(A), Value)
THEOREM PrefixRecursiveSequenceFunctionType ==
    ASSUME NEW A, NEW Type, NEW Value(_, _), NEW fcn,
           Type # {},
           StrictPrefixesDetermineDef(A, Value),
           WFInductiveDefines(fcn, Seq(A), Value),
           \A g \in [Seq(A) -> Type], q \in Seq(A) : Value(g, q) \in Type
    PROVE fcn \in [Seq(A) -> Type]

\* Def(g, q) depends only on the values of g at strict suffixes of q.
StrictSuffixesDetermineDef(S, Def(_, _)) ==
    \A g, h : \A q \in Seq(S) :
        (\A p \in Seq(S) : IsStrictSuffix(p, q) => g[p] = h[p]) => Def(g, q) = Def(h, q)

\* Recursion by strict suffixes is well defined.
LEMMA StrictSuffixesDetermineDef_WFDefOn ==
    ASSUME NEW A, NEW Value(_, _), StrictSuffixesDetermineDef(A, Value)
    PROVE WFDefOn(OpToRel(IsStrictSuffix, Seq(A)), Seq(A), Value)
THEOREM SuffixRecursiveSequenceFunctionUnique ==
    ASSUME NEW A, NEW Value(_, _), StrictSuffixesDetermineDef(A, Value)
    PROVE WFInductiveUnique(Seq(A), Value)
THEOREM SuffixRecursiveSequenceFunctionDef ==
    ASSUME NEW A, NEW Value(_, _), NEW fcn,
           StrictSuffixesDetermineDef(A, Value), OpDefinesFcn(fcn, Seq(A), Value)
    PROVE WFInductiveDefines(fcn, Seq(A), Value)
THEOREM SuffixRecursiveSequenceFunctionType ==
    ASSUME NEW A, NEW Type, NEW Value(_, _), NEW fcn,
           Type # {},
           StrictSuffixesDetermineDef(A, Value),
           WFInductiveDefines(fcn, Seq(A), Value),
           \A g \in [Seq(A) -> Type], q \in Seq(A) : Value(g, q) \in Type
    PROVE fcn \in [Seq(A) -> Type]

\* f is the result of a definition by its value at the empty sequence and at tails, and satisfies it.
TailInductiveDefHypothesis(f, S, f0, Def(_, _)) ==
    f = CHOOSE g : g = [q \in Seq(S) |-> IF q = << >> THEN f0 ELSE Def(g[Tail(q)], q)]
TailInductiveDefConclusion(f, S, f0, Def(_, _)) ==
    f = [q \in Seq(S) |-> IF q = << >> THEN f0 ELSE Def(f[Tail(q)], q)]

\* Such a definition is a good one.
THEOREM TailInductiveDef ==
    ASSUME NEW A, NEW Value(_, _), NEW fcn, NEW first, TailInductiveDefHypothesis(fcn, A, first, Value)
    PROVE TailInductiveDefConclusion(fcn, A, first, Value)
THEOREM TailInductiveDefType ==
    ASSUME NEW A, NEW Value(_, _), NEW fcn, NEW first, NEW Type,
           TailInductiveDefConclusion(fcn, A, first, Value),
           first \in Type,
           \A v \in Type, q \in Seq(A) : q # << >> => Value(v, q) \in Type
    PROVE fcn \in [Seq(A) -> Type]

\* f is the result of a definition by its value at the empty sequence and at fronts, and satisfies it.
FrontInductiveDefHypothesis(f, S, f0, Def(_, _)) ==
    f = CHOOSE g : g = [q \in Seq(S) |-> IF q = << >> THEN f0 ELSE Def(g[Front(q)], q)]
FrontInductiveDefConclusion(f, S, f0, Def(_, _)) ==
    f = [q \in Seq(S) |-> IF q = << >> THEN f0 ELSE Def(f[Front(q)], q)]

\* Such a definition is a good one.
THEOREM FrontInductiveDef ==
    ASSUME NEW A, NEW Value(_, _), NEW fcn, NEW first, FrontInductiveDefHypothesis(fcn, A, first, Value)
    PROVE FrontInductiveDefConclusion(fcn, A, first, Value)
THEOREM FrontInductiveDefType ==
    ASSUME NEW A, NEW Value(_, _), NEW fcn, NEW first, NEW Type,
           FrontInductiveDefConclusion(fcn, A, first, Value),
           first \in Type,
           \A v \in Type, q \in Seq(A) : q # << >> => Value(v, q) \in Type
    PROVE fcn \in [Seq(A) -> Type]

\* The fold from the left.
THEOREM FoldLeftRecursion ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A)
    PROVE FoldLeft(op, start, q) = IF q = << >> THEN start ELSE op(FoldLeft(op, start, Front(q)), Last(q))
THEOREM FoldLeftEmpty ==
    ASSUME NEW op(_, _), NEW start
    PROVE FoldLeft(op, start, << >>) = start
THEOREM FoldLeftNonempty ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A), q # << >>
    PROVE FoldLeft(op, start, q) = op(FoldLeft(op, start, Front(q)), Last(q))
THEOREM FoldLeftAppend ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE FoldLeft(op, start, Append(q, x)) = op(FoldLeft(op, start, q), x)
THEOREM FoldLeftType ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type, NEW q \in Seq(Type),
           \A x, y \in Type : op(x, y) \in Type
    PROVE FoldLeft(op, start, q) \in Type
THEOREM FoldLeftConcat ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           \A x \in Type : op(x, start) = x,
           NEW p \in Seq(Type), NEW q \in Seq(Type)
    PROVE FoldLeft(op, start, p \o q) = op(FoldLeft(op, start, p), FoldLeft(op, start, q))

\* The fold from the right.
THEOREM FoldRightRecursion ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A)
    PROVE FoldRight(op, q, start) = IF q = << >> THEN start ELSE op(Head(q), FoldRight(op, Tail(q), start))
THEOREM FoldRightEmpty ==
    ASSUME NEW op(_, _), NEW start
    PROVE FoldRight(op, << >>, start) = start
THEOREM FoldRightNonempty ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A), q # << >>
    PROVE FoldRight(op, q, start) = op(Head(q), FoldRight(op, Tail(q), start))
THEOREM FoldRightCons ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A), NEW x \in A
    PROVE FoldRight(op, Cons(x, q), start) = op(x, FoldRight(op, q, start))
THEOREM FoldRightType ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type, NEW q \in Seq(Type),
           \A x, y \in Type : op(x, y) \in Type
    PROVE FoldRight(op, q, start) \in Type
THEOREM FoldRightConcat ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           \A x \in Type : op(start, x) = x,
           NEW p \in Seq(Type), NEW q \in Seq(Type)
    PROVE FoldRight(op, p \o q, start) = op(FoldRight(op, p, start), FoldRight(op, q, start))

\* The folds of positions as folds of sets.
THEOREM FoldLeftDomainIsMFS ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A)
    PROVE FoldLeftDomain(op, start, q) =
              MapThenFoldSet(LAMBDA x, y : op(y, x), start, LAMBDA i : i, LAMBDA I : Max(I), 1..Len(q))
THEOREM FoldRightDomainIsMFS ==
    ASSUME NEW op(_, _), NEW start, NEW A, NEW q \in Seq(A)
    PROVE FoldRightDomain(op, q, start) =
              MapThenFoldSet(op, start, LAMBDA i : i, LAMBDA I : Min(I), 1..Len(q))
====
