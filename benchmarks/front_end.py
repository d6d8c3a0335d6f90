"""How long the front end takes for specifications of growing size, and whether the time grows linearly.

    python benchmarks/front_end.py                 # 1,000 to 100,000 lines
    python benchmarks/front_end.py 2000 --repeat 5

The specifications are generated, the same ones on every run. Each stage is timed by itself, in processor time; of
several repetitions the best counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from gristmill.modules import load_specification
from gristmill.source import SourceFile
from gristmill.syntax.lexer import lex_module
from gristmill.syntax.parser import parse_module

HEADER = r"""---------------------------- MODULE Generated ----------------------------
(***************************************************************************)
(* A token ring of replicas, once a section. Nobody checks it; it has the  *)
(* mix of definitions, lists, comments and operators that people write.    *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS Node,          \* the replicas
          Value,         \* what they agree on
          MaxBallot,
          Weight(_)      \* of a replica

VARIABLES ballot, accepted, inbox, log, state

ASSUME MaxBallot \in Nat /\ \A n \in Node : Weight(n) \in Nat

vars == <<ballot, accepted, inbox, log, state>>
Ballots == 0..MaxBallot
None == CHOOSE v : v \notin Value
Next0 == UNCHANGED vars
"""

# One section: about forty lines. `§` is its number, `¶` that of the section before it.
SECTION = r"""
--------------------------------------------------------------------------
(* Section §: how a replica that has been asked by another one replies. *)
Message§ == [kind : {"ask", "reply", "commit"}, from : Node, ballot : Ballots]
Quorum§ == {Q \in SUBSET Node : 2 * Cardinality(Q) > Cardinality(Node)}

TypeOK§ ==
  /\ ballot \in [Node -> Ballots]
  /\ accepted \in [Node -> Value \cup {None}]
  /\ \A n \in Node :
       \/ inbox[n] = <<>>
       \/ Head(inbox[n]) \in Message§   \* the first one is enough
  /\ state \in [Node -> {"idle", "busy", "done"}]

Send§(n, m) == [inbox EXCEPT ![m] = Append(@, [kind |-> "ask", from |-> n, ballot |-> ballot[n]])]

Ask§(n, m) ==
  /\ state[n] = "idle" /\ n # m
  /\ ballot[n] + 1 <= MaxBallot
  /\ ballot' = [ballot EXCEPT ![n] = @ + 1]
  /\ inbox' = Send§(n, m)
  /\ state' = [state EXCEPT ![n] = "busy", ![m] = IF @ = "done" THEN "done" ELSE "idle"]
  /\ UNCHANGED <<accepted, log>>

Reply§(n) ==
  LET first == Head(inbox[n])
      newer(b) == b > ballot[n]
  IN  /\ inbox[n] /= <<>>
      /\ CASE first.kind = "ask" /\ newer(first.ballot) -> ballot' = [ballot EXCEPT ![n] = first.ballot]
           [] first.kind = "commit" -> UNCHANGED ballot
           [] OTHER -> ballot' \in [Node -> Ballots]
      /\ inbox' = [inbox EXCEPT ![n] = Tail(@)]
      /\ log' = log \o <<first, [first EXCEPT !.kind = "reply", !.from = n]>>
      /\ UNCHANGED <<accepted, state>>

RECURSIVE Sum§(_)
Sum§(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE y \in S : TRUE IN Weight(x) + Sum§(S \ {x})

Next§ == Next¶ \/ \E n, m \in Node : Ask§(n, m) \/ Reply§(n) \/ (Sum§({n}) > 3 * (2 + 1) - 4 /\ UNCHANGED vars)
Safe§ == \A Q1, Q2 \in Quorum§ : Q1 \cap Q2 # {} => {n \in Q1 : accepted[n] = None} \subseteq DOMAIN ballot
Live§ == [](state # [n \in Node |-> "done"] => <>(\E n \in Node : state[n] = "done")) /\ WF_vars(Next§)
"""

FOOTER = r"""
Init == ballot = [n \in Node |-> 0] /\ accepted = [n \in Node |-> None] /\ inbox = [n \in Node |-> <<>>]
        /\ log = <<>> /\ state = [n \in Node |-> "idle"]
Spec == Init /\ [][Next§]_vars
THEOREM Spec => []TypeOK§
==========================================================================
"""


def specification(lines: int) -> str:
    """A specification of that many lines, or a section more."""
    sections = max(1, -(-(lines - HEADER.count("\n") - FOOTER.count("\n")) // SECTION.count("\n")))
    numbered = [SECTION.replace("§", str(n)).replace("¶", str(n - 1)) for n in range(1, sections + 1)]
    return "".join([HEADER, *numbered, FOOTER.replace("§", str(sections))])


def best(repeat: int, stage: Callable[[], object]) -> float:
    """Seconds of processor time of the quickest of several runs."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        stage()
        times.append(time.process_time() - begin)
    return min(times)


def measure(lines: int, repeat: int) -> tuple[int, dict[str, float]]:
    """The true number of lines, and the seconds of every stage; a stage's own time, without that of those before it."""
    file = SourceFile("Generated.tla", specification(lines))
    loaded = load_specification(file)
    if loaded.specification is None:
        raise SystemExit("the generated specification is at fault:\n" + "\n".join(map(str, loaded.diagnostics[:5])))
    lex = best(repeat, lambda: lex_module(file))
    parse = best(repeat, lambda: parse_module(file))
    total = best(repeat, lambda: load_specification(file))
    return file.text.count("\n"), {"lex": lex, "parse": parse - lex, "resolve, levels": total - parse, "all": total}


def main() -> None:
    arguments = argparse.ArgumentParser(description="Time the front end on generated specifications.")
    arguments.add_argument("lines", nargs="*", type=int, default=[1_000, 2_000, 10_000, 100_000])
    arguments.add_argument("--repeat", type=int, default=3, help="runs of which the best counts (3)")
    options = arguments.parse_args()
    print(f"{'lines':>8}  {'lex':>8} {'parse':>8} {'resolve, levels':>16} {'all':>8}   {'µs/line':>8}   (seconds)")
    rates = []
    for lines in options.lines:
        true_lines, seconds = measure(lines, options.repeat)
        rates.append(seconds["all"] / true_lines * 1e6)
        print(
            f"{true_lines:>8,}  {seconds['lex']:>8.3f} {seconds['parse']:>8.3f} {seconds['resolve, levels']:>16.3f}"
            f" {seconds['all']:>8.3f}   {rates[-1]:>8.1f}",
            flush=True,
        )
    if len(rates) > 1:
        print(f"the last takes {rates[-1] / rates[0]:.2f} times as long a line as the first (linear: 1)")


if __name__ == "__main__":
    main()
