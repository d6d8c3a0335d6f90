"""A specification with two modules, a fault and a history, as it is written by people; used by several tests."""

from __future__ import annotations

from pathlib import Path

LEASE = """---- MODULE Lease ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Most
VARIABLES holder, epoch, asked, granted, store, copies, net, history
vars == <<holder, epoch, asked, granted, store, copies, net, history>>
Nobody == "nobody"
Send(m) == net' = net \\cup {m}
Init ==
  /\\ holder = Nobody /\\ epoch = 0
  /\\ asked = [n \\in Node |-> FALSE] /\\ granted = [n \\in Node |-> {}]
  /\\ store = [n \\in Node |-> [data |-> 0, at |-> 0]] /\\ copies = {} /\\ net = {} /\\ history = {}

\\* Who may write.
Ask(n) ==
  /\\ ~asked[n] /\\ epoch < Most
  /\\ asked' = [asked EXCEPT ![n] = TRUE]
  /\\ Send([type |-> "ask", from |-> n, epoch |-> epoch])
  /\\ UNCHANGED <<holder, epoch, granted, store, copies, history>>
Grant(n) ==
  \\E m \\in net :
    /\\ m.type = "ask" /\\ m.epoch = epoch
    /\\ Send([type |-> "grant", from |-> n, to |-> m.from])
    /\\ UNCHANGED <<holder, epoch, asked, granted, store, copies, history>>
Count(n) ==
  \\E m \\in net :
    /\\ m.type = "grant" /\\ m.to = n
    /\\ granted' = [granted EXCEPT ![n] = @ \\cup {m.from}]
    /\\ UNCHANGED <<holder, epoch, asked, store, copies, net, history>>
Take(n) ==
  /\\ holder = Nobody /\\ granted[n] = Node
  /\\ holder' = n /\\ epoch' = epoch + 1
  /\\ history' = history \\cup {<<n, epoch>>}
  /\\ granted' = [i \\in Node |-> {}] /\\ asked' = [i \\in Node |-> FALSE]
  /\\ UNCHANGED <<store, copies, net>>

\\* What is written.
Write(n) ==
  /\\ holder = n /\\ store[n].data < Most
  /\\ store' = [store EXCEPT ![n].data = @ + 1, ![n].at = epoch]
  /\\ UNCHANGED <<holder, epoch, asked, granted, copies, net, history>>
Publish(n) ==
  /\\ holder = n
  /\\ Send([type |-> "copy", data |-> store[n].data])
  /\\ UNCHANGED <<holder, epoch, asked, granted, store, copies, history>>
Keep(n) ==
  \\E m \\in net :
    /\\ m.type = "copy" /\\ m.data \\notin copies
    /\\ copies' = copies \\cup {m.data}
    /\\ UNCHANGED <<holder, epoch, asked, granted, store, net, history>>

\\* A fault.
Crash(n) ==
  /\\ holder = n /\\ holder' = Nobody
  /\\ granted' = [granted EXCEPT ![n] = {}] /\\ asked' = [asked EXCEPT ![n] = FALSE]
  /\\ store' = [store EXCEPT ![n] = [data |-> 0, at |-> 0]]
  /\\ UNCHANGED <<epoch, copies, net, history>>

Next ==
  \\/ \\E n \\in Node : Ask(n) \\/ Grant(n) \\/ Count(n) \\/ Take(n)
  \\/ \\E n \\in Node : Write(n) \\/ Publish(n) \\/ Keep(n)
  \\/ \\E n \\in Node : Crash(n)
Spec == Init /\\ [][Next]_vars
OneEach == \\A a, b \\in history : a[2] = b[2] => a = b
====
"""
CONFIG = """CONSTANTS Node = {"a", "b"}
Most = 1
SPECIFICATION Spec
INVARIANT OneEach
"""
MANIFEST = """[system]
root = "Lease.tla"
config = "Lease.cfg"
invariants = ["OneEach"]
slice = { net = "type" }

[module.Lease]
actions = ["Ask", "Grant", "Count", "Take"]

[module.Store]
actions = ["Write", "Publish", "Keep"]

[environment]
actions = ["Crash"]
"""
MODULES = {"Lease": ["Ask", "Grant", "Count", "Take"], "Store": ["Write", "Publish", "Keep"], "environment": ["Crash"]}


def written(folder: Path) -> Path:
    """The files of the system in a folder; the manifest."""
    (folder / "Lease.tla").write_text(LEASE, encoding="utf-8")
    (folder / "Lease.cfg").write_text(CONFIG, encoding="utf-8")
    (folder / "lease.toml").write_text(MANIFEST, encoding="utf-8")
    return folder / "lease.toml"
