-------------------------------- MODULE Locks --------------------------------
(* Two workers need two tools each, and take them in an order of their own.  *)
EXTENDS Naturals, Sequences

CONSTANT Order      \* for each worker, the tools in the order of taking them

Workers == DOMAIN Order
Tools == UNION {{Order[w][1], Order[w][2]} : w \in Workers}

VARIABLE has        \* how many tools each worker has

Init == has = [w \in Workers |-> 0]

Held == UNION {{Order[w][i] : i \in 1..has[w]} : w \in Workers}

Take(w) == /\ has[w] < 2
           /\ Order[w][has[w] + 1] \notin Held
           /\ has' = [has EXCEPT ![w] = @ + 1]

Finish(w) == has[w] = 2 /\ has' = [has EXCEPT ![w] = 0]

Next == \E w \in Workers : Take(w) \/ Finish(w)
Spec == Init /\ [][Next]_has /\ WF_has(Next)

SomebodyFinishes == []<>(\E w \in Workers : has[w] = 2)

Crossed == [ann |-> <<"hammer", "saw">>, ben |-> <<"saw", "hammer">>]
Agreed == [ann |-> <<"hammer", "saw">>, ben |-> <<"hammer", "saw">>]
==============================================================================
