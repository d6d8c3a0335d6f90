------------------------------- MODULE SPSCinC -------------------------------
(* The queue of SPSC in the C-syntax of PlusCal.                             *)
EXTENDS Naturals, TLC

CONSTANTS Size, Spare, Mistake

Slots == 0..Size - 1
Positions == IF Spare THEN Size ELSE 2 * Size
After(position) == (position + 1) % Positions
Slot(position) == position % Size
Full(w, r) == IF Spare THEN After(w) = r ELSE (w + Positions - r) % Positions = Size
Item(slot) == slot + 1000

(* --fair algorithm SPSC {
  variables buffer = [slot \in Slots |-> 0], write = 0, read = 0;

  fair process (Writer = "writer")
    variable into = 0;
  {
    w_wait:
      await ~Full(write, read);
      into := Slot(write);
      if (Mistake = "writer early") write := After(write);
    w_fill:
      assert buffer[into] = 0;
      buffer[into] := Item(into);
    w_advance:
      if (Mistake # "writer early") write := After(write);
      goto w_wait;
  }

  fair process (Reader = "reader")
    variable from = 0;
  {
    r_wait:
      await read # write;
      from := Slot(read);
      if (Mistake = "reader early") read := After(read);
    r_take:
      assert buffer[from] = Item(from);
      buffer[from] := 0;
    r_advance:
      if (Mistake # "reader early") read := After(read);
      goto r_wait;
  }
} *)
\* BEGIN TRANSLATION
\* END TRANSLATION

MutualExclusion == ~(pc["writer"] = "w_fill" /\ pc["reader"] = "r_take" /\ into = from)

EachSlotIsUsed == \A slot \in Slots : /\ buffer[slot] = 0 ~> buffer[slot] # 0
                                      /\ buffer[slot] # 0 ~> buffer[slot] = 0
==============================================================================
