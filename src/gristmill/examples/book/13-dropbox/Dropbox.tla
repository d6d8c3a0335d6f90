------------------------------- MODULE Dropbox -------------------------------
(* Clients share files through a server that keeps every revision. A client  *)
(* works on copies, without being connected for as long as it likes. The     *)
(* first to upload a revision wins; others give up theirs and begin again.   *)
EXTENDS Naturals, Integers, Sequences, FiniteSets

CONSTANTS Clients, Files, Sizes,    \* of a file we only know how long it is
          Limit,                    \* of revisions, for an exhaustive search
          Mistake

ASSUME Mistake \in {"none", "old copy", "two changes", "unmarked change", "late upload"}

VARIABLES latest,   \* server: the number of the last revision of each file
          stored,   \* server: all revisions of each file
          known,    \* clients: the revision of each file that they know of
          copy,     \* clients: their copies of the files that they have downloaded
          changed   \* clients: which of them they have changed

vars == <<latest, stored, known, copy, changed>>

Init == \E size \in Sizes :
          /\ latest = [f \in Files |-> 1]
          /\ stored = [f \in Files |-> <<size>>]
          /\ known = [c \in Clients |-> latest]
          /\ copy = [c \in Clients |-> <<>>]
          /\ changed = [c \in Clients |-> [f \in Files |-> FALSE]]

Has(c, f) == f \in DOMAIN copy[c]
Newest(f) == stored[f][Len(stored[f])]
With(c, f, size) == [copy EXCEPT ![c] = [g \in DOMAIN copy[c] \cup {f} |-> IF g = f THEN size ELSE copy[c][g]]]

(* The server has something newer, or somebody was quicker: take over what   *)
(* the server has, and forget own changes.                                   *)
Sync(c, f) == /\ known[c][f] < latest[f] \/ (known[c][f] = latest[f] /\ changed[c][f])
              /\ known' = [known EXCEPT ![c][f] = latest[f]]
              /\ copy' = IF Has(c, f) /\ Mistake # "old copy" THEN With(c, f, Newest(f)) ELSE copy
              /\ changed' = [changed EXCEPT ![c][f] = FALSE]
              /\ UNCHANGED <<latest, stored>>

Download(c, f) == /\ ~changed[c][f] /\ known[c][f] = latest[f]
                  /\ copy' = With(c, f, Newest(f))
                  /\ UNCHANGED <<latest, stored, known, changed>>

(* However often a client changes a file, it is one revision to come.        *)
Modify(c, f) == /\ Has(c, f)
                /\ ~changed[c][f] \/ Mistake = "two changes"
                /\ \E size \in Sizes : copy' = With(c, f, size)
                /\ known' = [known EXCEPT ![c][f] = @ + 1]
                /\ changed' = [changed EXCEPT ![c][f] = Mistake # "unmarked change"]
                /\ UNCHANGED <<latest, stored>>

Upload(c, f) == /\ changed[c][f]
                /\ known[c][f] > latest[f] \/ Mistake = "late upload"
                /\ latest' = [latest EXCEPT ![f] = known[c][f]]
                /\ stored' = [stored EXCEPT ![f] = Append(@, copy[c][f])]
                /\ changed' = [changed EXCEPT ![c][f] = FALSE]
                /\ UNCHANGED <<known, copy>>

Next == \E c \in Clients, f \in Files : Sync(c, f) \/ Download(c, f) \/ Modify(c, f) \/ Upload(c, f)
Spec == Init /\ [][Next]_vars

FewRevisions == \A f \in Files : latest[f] <= Limit

------------------------------------------------------------------------------
(* A copy that was not changed is that of the revision that the client knows. *)
CopiesAreTrue == \A c \in Clients, f \in Files :
                   Has(c, f) /\ ~changed[c][f] => /\ known[c][f] \in DOMAIN stored[f]
                                                  /\ copy[c][f] = stored[f][known[c][f]]

(* A client may be far behind, but not more than one ahead.                  *)
OneAhead == \A c \in Clients, f \in Files : known[c][f] - latest[f] <= 1

(* Who is ahead has changed the file.                                        *)
AheadIsChanged == \A c \in Clients, f \in Files : known[c][f] > latest[f] => changed[c][f]

ServerCounts == \A f \in Files : latest[f] = Len(stored[f])
==============================================================================
