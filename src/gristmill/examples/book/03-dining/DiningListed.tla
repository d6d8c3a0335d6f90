---------------------------- MODULE DiningListed ----------------------------
(* In the listing of chapter 3, taking the first fork leaves open who holds  *)
(* it then: an action must say what every variable is in the next state.     *)
EXTENDS Dining

ForgetfulTakeFirst(k) == /\ ~fed[k]
                         /\ holder[First(k)] = Nobody
                         /\ UNCHANGED fed

ForgetfulNext == \E k \in Philosophers :
                   \/ ForgetfulTakeFirst(k) \/ TakeSecond(k)
                   \/ Eat(k) \/ PutFirst(k) \/ PutSecond(k)
=============================================================================
