---- MODULE Sum ----
\* One process with a recursive procedure, in braces. PlusCal options (termination, labelRoot step_)
EXTENDS Naturals, Sequences
(* --algorithm Sum {
  variables input = <<4, 5, 6>>, total = 0;
  procedure add(from, acc)
    variable next = from + 1;
  {
    a1: if (from > Len(input)) {
          total := acc;
    a2:   return;
        };
    a3: acc := acc + input[from];
    a4: call add(next, acc);
        return;
  }
  {
    m1: call add(1, 0);
    m2: total := total + 1;
  }
} *)
====
