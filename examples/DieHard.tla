------------------------------ MODULE DieHard ------------------------------
(* Two jugs, a tap, and a bomb that wants exactly four gallons.            *)
EXTENDS Naturals

CONSTANTS Small, Big, Goal      \* the sizes of the jugs, and what is wanted

VARIABLES small, big            \* how much is in each

vars == <<small, big>>

Min(a, b) == IF a < b THEN a ELSE b

Init == small = 0 /\ big = 0

FillSmall  == small' = Small /\ UNCHANGED big
FillBig    == big' = Big /\ UNCHANGED small
EmptySmall == small' = 0 /\ UNCHANGED big
EmptyBig   == big' = 0 /\ UNCHANGED small

SmallToBig == LET poured == Min(small, Big - big)
              IN  /\ small' = small - poured
                  /\ big' = big + poured

BigToSmall == LET poured == Min(big, Small - small)
              IN  /\ big' = big - poured
                  /\ small' = small + poured

Next == \/ FillSmall  \/ FillBig
        \/ EmptySmall \/ EmptyBig
        \/ SmallToBig \/ BigToSmall

Spec == Init /\ [][Next]_vars

TypeOK == small \in 0..Small /\ big \in 0..Big

(* Claim that the goal cannot be reached; a counterexample is the recipe.   *)
NotSolved == big /= Goal
=============================================================================
