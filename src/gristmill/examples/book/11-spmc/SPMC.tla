-------------------------------- MODULE SPMC --------------------------------
(* A queue in a ring of slots for one writer and several readers. A reader   *)
(* first reserves that there is something for it, by counting `ready` down,  *)
(* then looks for a slot of its own. Each step is one atomic operation.      *)
(* This is PlusCal in its C-syntax; SPMCinP has the same in P-syntax.        *)
EXTENDS Naturals, TLC

CONSTANTS Size, Readers,
          Mistake   \* "none", "no status check", "writer early" or "reader early"

Slots == 0..Size - 1
After(slot) == (slot + 1) % Size
Item(slot) == slot + 1000

(* --fair algorithm SPMC {
  variables buffer = [slot \in Slots |-> 0],
            status = [slot \in Slots |-> "unused"],
            ready = 0,                          \* slots written and not reserved
            write = 0,
            at = [reader \in Readers |-> 0];    \* where each reader looks next

  fair process (Writer = "writer")
  {
    w_room:
      await ready # Size - 1;
    w_status:
      if (status[write] # "unused" /\ Mistake # "no status check") goto w_room;
      else if (Mistake = "writer early") status[write] := "written";
    w_fill:
      buffer[write] := Item(write);
    w_mark:
      status[write] := "written";
    w_advance:
      write := After(write);
    w_count:
      ready := ready + 1;
      goto w_room;
  }

  fair process (Reader \in Readers)
  {
    r_reserve:
      await ready # 0;
      ready := ready - 1;
    r_lock:
      if (status[at[self]] = "written")
        status[at[self]] := IF Mistake = "reader early" THEN "unused" ELSE "reading";
      else {
        at[self] := After(at[self]);
        goto r_lock;
      };
    r_check:
      assert buffer[at[self]] = Item(at[self]);
    r_take:
      buffer[at[self]] := 0;
    r_free:
      status[at[self]] := "unused";
      goto r_reserve;
  }
} *)
\* BEGIN TRANSLATION
\* END TRANSLATION

TypeOK == /\ status \in [Slots -> {"unused", "written", "reading"}]
          /\ ready \in 0..Size

ExclusiveReservation == \A a, b \in Readers :
    a # b /\ pc[a] = "r_take" /\ pc[b] = "r_take" => at[a] # at[b]

ExclusiveReadWrite == \A a \in Readers :
    pc[a] = "r_take" /\ pc["writer"] = "w_fill" => at[a] # write

EachSlotIsUsed == \A slot \in Slots : /\ buffer[slot] = 0 ~> buffer[slot] # 0
                                      /\ buffer[slot] # 0 ~> buffer[slot] = 0

(* Readers that finish out of order do not stop the queue.                   *)
Gap(slot) == status[slot] = "reading" /\ status[slot + 1] = "unused" /\ status[slot + 2] = "reading"
GapsAreFilled == \A slot \in 0..Size - 3 : /\ Gap(slot) ~> status[slot] = "written"
                                           /\ Gap(slot) ~> status[slot + 2] = "written"
=============================================================================
