------------------------------ MODULE RaftBase ------------------------------
(* Constants of the family, and operators that read no variable. Every grain EXTENDS this module. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Server,     \* who takes part
          Nobody,     \* the vote of a server that has not voted in its term
          MaxTerm,    \* elections are held up to this term
          MaxTimeout, \* this often a server runs out of patience with its leader, all servers together
          MaxCommand  \* clients send this many commands

Term == 0 .. MaxTerm
Majority == {group \in SUBSET Server : 2 * Cardinality(group) > Cardinality(Server)}

\* A log is a sequence of entries [term, command]; commands are numbered in the order in which clients sent them.
LastTerm(entries) == IF entries = <<>> THEN 0 ELSE entries[Len(entries)].term
TermAt(entries, index) == IF index = 0 THEN 0 ELSE entries[index].term

\* A log that ends in (lastTerm, length) has all that `entries` may have had committed.
Covers(lastTerm, length, entries) ==
    \/ lastTerm > LastTerm(entries)
    \/ lastTerm = LastTerm(entries) /\ length >= Len(entries)
=============================================================================
