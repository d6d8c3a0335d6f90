---- MODULE TLC ----
\* Output, registers and other services of a model checker, and a few operators on functions.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

\* Any value whatever; as a set, everything is in it.
Any == CHOOSE x : TRUE

\* Equals val; the tool also prints out and val.
Print(out, val) == val

\* TRUE; the tool also prints out.
PrintT(out) == TRUE

\* TRUE when val is TRUE; otherwise the tool reports out and stops.
Assert(val, out) == IF val = TRUE THEN TRUE ELSE Any

\* The clock of the machine.
JavaTime == CHOOSE t \in Nat : TRUE

\* The value of register or statistic i.
TLCGet(i) == CHOOSE v : TRUE

\* TRUE; the tool also stores v in register i.
TLCSet(i, v) == TRUE

\* The function that maps only d, to e.
d :> e == [x \in {d} |-> e]

\* The function f extended by g outside the domain of f.
f @@ g == [x \in DOMAIN f \cup DOMAIN g |-> IF x \in DOMAIN f THEN f[x] ELSE g[x]]

\* All bijections of the finite set S onto itself.
Permutations(S) == {p \in [S -> S] : S = {p[x] : x \in S}}

\* s sorted by Op: each element in turn is inserted behind the last one that it need not precede.
SortSeq(s, Op(_, _)) ==
    LET place(t, x) ==
            LET before == {0} \cup {i \in 1..Len(t) : ~Op(x, t[i])}
                k == CHOOSE i \in before : \A j \in before : j <= i
            IN SubSeq(t, 1, k) \o <<x>> \o SubSeq(t, k + 1, Len(t))
        sorted[i \in 0..Len(s)] ==
            IF i = 0 THEN << >> ELSE place(sorted[i - 1], s[i])
    IN sorted[Len(s)]

\* An element of s; the tool picks it at random.
RandomElement(s) == CHOOSE x \in s : TRUE

\* The text of v as the tool prints it.
ToString(v) == (CHOOSE f \in [{v} -> STRING] : TRUE)[v]

\* v; the tool evaluates it at once.
TLCEval(v) == v
====
