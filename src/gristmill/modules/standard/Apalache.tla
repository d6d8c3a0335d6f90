---- MODULE Apalache ----
\* Hints for a symbolic model checker, with a meaning for any other tool.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

\* __x is assigned __e.
__x := __e == __x = __e

\* A value generated with at most __size elements on each level.
Gen(__size) == {}

\* Some element of __S.
Guess(__S) == CHOOSE __x \in __S : TRUE

\* The function whose graph is the set of pairs __S.
SetAsFun(__S) ==
    [__x \in {__p[1] : __p \in __S} |-> CHOOSE __y \in {__p[2] : __p \in __S} : <<__x, __y>> \in __S]

\* The sequence of __F(1) to __F(__N).
MkSeq(__N, __F(_)) == [__i \in 1..__N |-> __F(__i)]

\* The sequence of the first __len values of __fn; at most __capacity.
FunAsSeq(__fn, __len, __capacity) ==
    LET __all == MkSeq(__capacity, LAMBDA __i : __fn[__i])
    IN SubSeq(__all, 1, __len)

\* The argument; hints to the symbolic encoding.
Skolem(__e) == __e
Expand(__S) == __S
ConstCardinality(__cardExpr) == __cardExpr

\* __Op(... __Op(__Op(__v, x), y) ..., z) for the elements of __S in the order of CHOOSE.
RECURSIVE ApaFoldSet(_, _, _)
ApaFoldSet(__Op(_, _), __v, __S) ==
    LET __x == CHOOSE __x \in __S : TRUE
    IN IF __S = {} THEN __v ELSE ApaFoldSet(__Op, __Op(__v, __x), __S \ {__x})

\* The same for the elements of a sequence.
RECURSIVE ApaFoldSeqLeft(_, _, _)
ApaFoldSeqLeft(__Op(_, _), __v, __seq) ==
    IF Len(__seq) = 0 THEN __v ELSE ApaFoldSeqLeft(__Op, __Op(__v, Head(__seq)), Tail(__seq))

\* __F(... __F(__F(__x, 1), 2) ..., __N).
RECURSIVE Repeat(_, _, _)
Repeat(__F(_, _), __N, __x) == IF __N < 1 THEN __x ELSE __F(Repeat(__F, __N - 1, __x), __N)
====
