-------------------------------- MODULE SPSC --------------------------------
(* A queue in a ring of slots for one writer and one reader, without locks.  *)
(* The slot at `write` belongs to the writer and the one at `read` to the    *)
(* reader, unless they are the same: then the queue is empty.                *)
(* This is PlusCal in its P-syntax; SPSCinC has the same in C-syntax.        *)
EXTENDS Naturals, TLC

CONSTANTS Size,     \* of the ring
          Spare,    \* TRUE: one slot stays empty, so that "full" and "empty" look different
          Mistake   \* "none", "writer early" or "reader early"

ASSUME /\ Size \in Nat \ {0, 1} /\ Spare \in BOOLEAN
       /\ Mistake \in {"none", "writer early", "reader early"}

Slots == 0..Size - 1

(* Without a spare slot, positions go around twice as far as slots do.       *)
Positions == IF Spare THEN Size ELSE 2 * Size
After(position) == (position + 1) % Positions
Slot(position) == position % Size
Full(w, r) == IF Spare THEN After(w) = r ELSE (w + Positions - r) % Positions = Size
Item(slot) == slot + 1000       \* something that is not 0

(* --fair algorithm SPSC
variables buffer = [slot \in Slots |-> 0], write = 0, read = 0;

fair process Writer = "writer"
variable into = 0;
begin
  w_wait:
    await ~Full(write, read);
    into := Slot(write);
    if Mistake = "writer early" then
      write := After(write);
    end if;
  w_fill:
    assert buffer[into] = 0;
    buffer[into] := Item(into);
  w_advance:
    if Mistake # "writer early" then
      write := After(write);
    end if;
    goto w_wait;
end process;

fair process Reader = "reader"
variable from = 0;
begin
  r_wait:
    await read # write;                     \* not empty
    from := Slot(read);
    if Mistake = "reader early" then
      read := After(read);
    end if;
  r_take:
    assert buffer[from] = Item(from);
    buffer[from] := 0;
  r_advance:
    if Mistake # "reader early" then
      read := After(read);
    end if;
    goto r_wait;
end process;

end algorithm; *)
\* BEGIN TRANSLATION
\* END TRANSLATION

TypeOK == /\ buffer \in [Slots -> {0} \cup {Item(slot) : slot \in Slots}]
          /\ write \in 0..Positions - 1 /\ read \in 0..Positions - 1

MutualExclusion == ~(pc["writer"] = "w_fill" /\ pc["reader"] = "r_take" /\ into = from)

EachSlotIsUsed == \A slot \in Slots : /\ buffer[slot] = 0 ~> buffer[slot] # 0
                                      /\ buffer[slot] # 0 ~> buffer[slot] = 0
=============================================================================
