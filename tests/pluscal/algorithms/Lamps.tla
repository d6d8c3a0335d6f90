---- MODULE Lamps ----
\* Loops for ever of one step need neither pc nor Termination.
EXTENDS Naturals
CONSTANT Rooms
(* --algorithm Lamps {
  variables lit = [r \in Rooms |-> FALSE], switches = 0;
  define {
    \* a comment that stays
    Dark == \A r \in Rooms : ~lit[r]
    Bright ==
      /\ ~Dark
      /\ switches > 0
  }
  process (visitor \in Rooms)
    variable visits = 0;
  {
    go: while (TRUE) {
      lit[self] := ~lit[self];
      visits := visits + 1;
      if (Dark) switches := 0; else switches := switches + visits;
    }
  }
  process (caretaker = "caretaker") {
    off: while (TRUE) {
      await Bright;
      with (r \in {q \in Rooms : lit[q]}, was = switches) {
        lit[r] := FALSE;
        switches := was - 1;
      }
    }
  }
} *)
====
