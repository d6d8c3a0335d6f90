---- MODULE _Possible ----
\* Counts how often named predicates hold during a check.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

LOCAL Register == "s:_possible"

\* TRUE; counts one more state in which the predicate of that name holds, if expr does.
_Track(expr, name) ==
    LET old == TLCGetOrDefault(Register, << >>)
        so_far == IF name \in DOMAIN old THEN old[name] ELSE 0
    IN TLCSet(Register, (name :> (IF expr THEN so_far + 1 ELSE so_far)) @@ old)

\* The function from names to counts, summed over all workers.
_Counts ==
    LET workers == TLCGet("all:named")[Register]
        names == UNION {DOMAIN workers[w] : w \in DOMAIN workers}
        sum(name) ==
            LET upto[w \in 0..Len(workers)] ==
                    IF w = 0 THEN 0
                    ELSE upto[w - 1] + (IF name \in DOMAIN workers[w] THEN workers[w][name] ELSE 0)
            IN upto[Len(workers)]
    IN [name \in names |-> sum(name)]

\* The predicate of that name held at least once; otherwise the counts are printed.
_CheckName(name) ==
    LET counts == _Counts
    IN IF name \in DOMAIN counts /\ counts[name] # 0 THEN TRUE ELSE PrintT(counts) /\ FALSE

\* TRUE; prints all counts.
_PrintCounts == PrintT(_Counts)
====
