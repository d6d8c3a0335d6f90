---- MODULE Apalache ----
\* Hints for a symbolic model checker, with a meaning for any other tool.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

\* x is assigned e.
x := e == x = e

\* A value generated with at most size elements on each level.
Gen(size) == {}

\* Some element of S.
Guess(S) == CHOOSE x \in S : TRUE

\* The function whose graph is the set of pairs S.
SetAsFun(S) ==
    [x \in {p[1] : p \in S} |-> CHOOSE y \in {p[2] : p \in S} : <<x, y>> \in S]

\* The sequence of F(1) to F(N).
MkSeq(N, F(_)) == [i \in 1..N |-> F(i)]

\* The sequence of the first len values of fn; at most capacity.
FunAsSeq(fn, len, capacity) ==
    LET all == MkSeq(capacity, LAMBDA i : fn[i])
    IN SubSeq(all, 1, len)

\* The argument; hints to the symbolic encoding.
Skolem(e) == e
Expand(S) == S
ConstCardinality(cardExpr) == cardExpr

\* Op(... Op(Op(v, x), y) ..., z) for the elements of S in the order of CHOOSE.
RECURSIVE ApaFoldSet(_, _, _)
ApaFoldSet(Op(_, _), v, S) ==
    LET x == CHOOSE x \in S : TRUE
    IN IF S = {} THEN v ELSE ApaFoldSet(Op, Op(v, x), S \ {x})

\* The same for the elements of a sequence.
RECURSIVE ApaFoldSeqLeft(_, _, _)
ApaFoldSeqLeft(Op(_, _), v, seq) ==
    IF Len(seq) = 0 THEN v ELSE ApaFoldSeqLeft(Op, Op(v, Head(seq)), Tail(seq))

\* F(... F(F(x, 1), 2) ..., N).
RECURSIVE Repeat(_, _, _)
Repeat(F(_, _), N, x) == IF N < 1 THEN x ELSE F(Repeat(F, N - 1, x), N)
====
