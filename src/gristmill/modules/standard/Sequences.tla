---- MODULE Sequences ----
\* Finite sequences: functions whose domain is 1..n.
LOCAL INSTANCE Naturals

\* All finite sequences of elements of S.
Seq(S) == UNION {[1..n -> S] : n \in Nat}

\* The number of elements of s.
Len(s) == IF DOMAIN s = {} THEN 0 ELSE CHOOSE n \in DOMAIN s : n + 1 \notin DOMAIN s

\* s followed by t.
s \o t ==
    LET n == Len(s)
    IN [i \in 1..(n + Len(t)) |-> IF i > n THEN t[i - n] ELSE s[i]]

\* s followed by the single element e.
Append(s, e) == s \o <<e>>

\* The elements of s at positions m to n.
SubSeq(s, m, n) == [i \in 1..(n - m + 1) |-> s[i + (m - 1)]]

\* The first element of s.
Head(s) == s[1]

\* s without its first element; there is none when s is empty.
Tail(s) == CASE DOMAIN s # {} -> SubSeq(s, 2, Len(s))

\* The elements of s that pass the test, in their order.
SelectSeq(s, Test(_)) ==
    LET n == Len(s)
        from[i \in 1..(n + 1)] ==
            IF i > n THEN << >>
            ELSE IF Test(s[i]) THEN <<s[i]>> \o from[i + 1]
            ELSE from[i + 1]
    IN from[1]
====
