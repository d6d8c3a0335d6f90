---- MODULE Folds ----
\* The fold on which the others rest.

\* op(f(x), op(f(y), ... op(f(z), base))), where x, y, ..., z are taken out of the finite set S by choose.
MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
    LET folded[T \in SUBSET S] ==
            IF T = {} THEN base
            ELSE LET x == choose(T)
                 IN op(f(x), folded[T \ {x}])
    IN folded[S]
====
