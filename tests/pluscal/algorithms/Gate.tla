---- MODULE Gate ----
\* Labels inside branches, goto, several assignments at once, paths into records and functions, fair as a whole.
EXTENDS Integers, TLC
CONSTANT Cars
(***************************************************************************
--fair algorithm Gate {
  variables lane = [c \in Cars |-> [at |-> 0, paid |-> FALSE]],
            bar = "down", passed = 0;
  macro move(car, by) { car.at := car.at + by; }
  process (car \in Cars)
    variables coins = 3, was;
  {
    drive: move(lane[self], 1);
    pay:   while (coins > 0 /\ ~lane[self].paid) {
             either { coins := coins - 1 || lane[self].paid := TRUE || lane[self].at := 2; }
             or { await bar = "up"; goto through; };
    wait:    if (bar = "down") {
               bar := "up";
    look:      was := lane[self];
             } else if (bar = "up") {
               skip;
             };
    again:   print <<self, coins, was>>;
           };
    through: with (p = passed) {
               assert p >= 0;
               passed := p + 1;
             };
    close: if (passed > 1) { bar := "down"; goto Done; }
           else { when bar # "stuck"; goto close2; };
    close2: { bar := "down"; lane[self].at := -1; };
  }
}
 ***************************************************************************)
====
