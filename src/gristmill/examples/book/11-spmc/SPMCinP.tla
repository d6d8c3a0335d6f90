------------------------------- MODULE SPMCinP -------------------------------
(* The queue of SPMC in the P-syntax of PlusCal.                             *)
EXTENDS Naturals, TLC

CONSTANTS Size, Readers, Mistake

Slots == 0..Size - 1
After(slot) == (slot + 1) % Size
Item(slot) == slot + 1000

(* --fair algorithm SPMC
variables buffer = [slot \in Slots |-> 0],
          status = [slot \in Slots |-> "unused"],
          ready = 0,
          write = 0,
          at = [reader \in Readers |-> 0];

fair process Writer = "writer"
begin
  w_room:
    await ready # Size - 1;
  w_status:
    if status[write] # "unused" /\ Mistake # "no status check" then
      goto w_room;
    elsif Mistake = "writer early" then
      status[write] := "written";
    end if;
  w_fill:
    buffer[write] := Item(write);
  w_mark:
    status[write] := "written";
  w_advance:
    write := After(write);
  w_count:
    ready := ready + 1;
    goto w_room;
end process;

fair process Reader \in Readers
begin
  r_reserve:
    await ready # 0;
    ready := ready - 1;
  r_lock:
    if status[at[self]] = "written" then
      status[at[self]] := IF Mistake = "reader early" THEN "unused" ELSE "reading";
    else
      at[self] := After(at[self]);
      goto r_lock;
    end if;
  r_check:
    assert buffer[at[self]] = Item(at[self]);
  r_take:
    buffer[at[self]] := 0;
  r_free:
    status[at[self]] := "unused";
    goto r_reserve;
end process;

end algorithm; *)
\* BEGIN TRANSLATION
\* END TRANSLATION

ExclusiveReservation == \A a, b \in Readers :
    a # b /\ pc[a] = "r_take" /\ pc[b] = "r_take" => at[a] # at[b]

ExclusiveReadWrite == \A a \in Readers :
    pc[a] = "r_take" /\ pc["writer"] = "w_fill" => at[a] # write
==============================================================================
