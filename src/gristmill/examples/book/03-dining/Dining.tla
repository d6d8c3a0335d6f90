------------------------------- MODULE Dining -------------------------------
(* Philosophers at a round table, a fork between each two of them. To eat,   *)
(* one takes both forks beside her, one after the other, and puts them back. *)
EXTENDS Naturals

CONSTANTS Count,    \* how many philosophers there are
          Rule      \* which fork to take first: the "left" one or the "lower" one

ASSUME Count \in Nat /\ Count > 1 /\ Rule \in {"left", "lower"}

Philosophers == 0..Count - 1
Nobody == Count

VARIABLES holder,   \* who holds each fork
          fed       \* whether each has eaten since she took her forks

vars == <<holder, fed>>

(* Fork k lies to the left of philosopher k.                                 *)
Left(k) == k
Right(k) == (k + 1) % Count
Swaps(k) == Rule = "lower" /\ Right(k) < Left(k)    \* one of them only
First(k) == IF Swaps(k) THEN Right(k) ELSE Left(k)
Second(k) == IF Swaps(k) THEN Left(k) ELSE Right(k)

Init == /\ holder = [f \in Philosophers |-> Nobody]
        /\ fed = [k \in Philosophers |-> FALSE]

Holds(k, f) == holder[f] = k

TakeFirst(k) == /\ ~fed[k]
                /\ holder[First(k)] = Nobody
                /\ holder' = [holder EXCEPT ![First(k)] = k]
                /\ UNCHANGED fed

TakeSecond(k) == /\ ~fed[k]
                 /\ Holds(k, First(k))
                 /\ holder[Second(k)] = Nobody
                 /\ holder' = [holder EXCEPT ![Second(k)] = k]
                 /\ UNCHANGED fed

Eat(k) == /\ ~fed[k]
          /\ Holds(k, First(k)) /\ Holds(k, Second(k))
          /\ fed' = [fed EXCEPT ![k] = TRUE]
          /\ UNCHANGED holder

PutFirst(k) == /\ fed[k]
               /\ Holds(k, First(k))
               /\ holder' = [holder EXCEPT ![First(k)] = Nobody]
               /\ UNCHANGED fed

PutSecond(k) == /\ fed[k]
                /\ ~Holds(k, First(k)) /\ Holds(k, Second(k))
                /\ holder' = [holder EXCEPT ![Second(k)] = Nobody]
                /\ fed' = [fed EXCEPT ![k] = FALSE]

Next == \E k \in Philosophers :
          TakeFirst(k) \/ TakeSecond(k) \/ Eat(k) \/ PutFirst(k) \/ PutSecond(k)

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

(* Fair to each of them: a fork that is free again and again is got hold of. *)
FairSpec == /\ Spec
            /\ \A k \in Philosophers : /\ SF_vars(TakeFirst(k)) /\ SF_vars(TakeSecond(k))
                                       /\ WF_vars(Eat(k)) /\ WF_vars(PutFirst(k)) /\ WF_vars(PutSecond(k))

-----------------------------------------------------------------------------
TypeOK == /\ holder \in [Philosophers -> Philosophers \cup {Nobody}]
          /\ fed \in [Philosophers -> BOOLEAN]

OnlyNeighbours == \A f \in Philosophers :
                    holder[f] # Nobody => f \in {Left(holder[f]), Right(holder[f])}

(* At least one of them goes on eating.                                      *)
SomebodyEats == \E k \in Philosophers : /\ ~fed[k] ~> fed[k]
                                        /\ fed[k] ~> ~fed[k]

NobodyStarves == \A k \in Philosophers : []<>fed[k]
=============================================================================
