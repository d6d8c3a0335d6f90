"""A lease that one node at a time can hold: small compositions to compare, with mistakes to be planted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from gristmill.building import build
from gristmill.checking.graphs import state_graph
from gristmill.checking.options import Options
from gristmill.compose.verify.sides import Side
from gristmill.search import Limits

# The fine module asks, is granted and takes, in three steps; `asked` and `offered` are its own.
FINE = r"""
---- MODULE Fine ----
EXTENDS Naturals
CONSTANTS Node, Most
VARIABLES role, asked, offered, up, jobs
vars == <<role, asked, offered, up, jobs>>
Nobody == \A n \in Node : role[n] = "idle"
Init == /\ role = [n \in Node |-> "idle"] /\ asked = {} /\ offered = {}
        /\ up = [n \in Node |-> TRUE] /\ jobs = 0
Ask(n) == /\ up[n] /\ role[n] = "idle" /\ n \notin asked /\ Nobody /\ asked = {}
          /\ asked' = {n} /\ role' = [role EXCEPT ![n] = "asking"] /\ UNCHANGED <<offered, up, jobs>>
Offer == /\ offered = {} /\ asked # {} /\ offered' = asked /\ UNCHANGED <<role, asked, up, jobs>>
Take(n) == /\ up[n] /\ n \in offered /\ role[n] = "asking"
           /\ role' = [role EXCEPT ![n] = "holder"] /\ asked' = {} /\ offered' = {} /\ UNCHANGED <<up, jobs>>
Work(n) == /\ role[n] = "holder" /\ jobs < Most
           /\ jobs' = jobs + 1 /\ role' = [role EXCEPT ![n] = "idle"] /\ UNCHANGED <<asked, offered, up>>
Crash(n) == /\ up[n] /\ up' = [up EXCEPT ![n] = FALSE] /\ role' = [role EXCEPT ![n] = "idle"]
            /\ asked' = asked \ {n} /\ offered' = offered \ {n} /\ UNCHANGED jobs
Tick == jobs = 0 /\ jobs' = Most /\ UNCHANGED <<role, asked, offered, up>>
Next == \/ \E n \in Node : Ask(n) \/ Take(n) \/ Work(n)
        \/ Offer
        EXTRA
====
"""
# The coarse one does all of it in one step.
COARSE = r"""
---- MODULE Coarse ----
EXTENDS Naturals
CONSTANTS Node, Most
VARIABLES role, up, jobs
Nobody == \A n \in Node : role[n] = "idle"
Init == role = [n \in Node |-> "idle"] /\ up = [n \in Node |-> TRUE] /\ jobs = 0
Get(n) == up[n] /\ Nobody /\ role' = [role EXCEPT ![n] = "holder"] /\ UNCHANGED <<up, jobs>>
Work(n) == /\ role[n] = "holder" /\ jobs < Most
           /\ jobs' = jobs + 1 /\ role' = [role EXCEPT ![n] = "idle"] /\ UNCHANGED up
Crash(n) == up[n] /\ up' = [up EXCEPT ![n] = FALSE] /\ role' = [role EXCEPT ![n] = "idle"] /\ UNCHANGED jobs
Tick == jobs = 0 /\ jobs' = Most /\ UNCHANGED <<role, up>>
Next == \/ \E n \in Node : Get(n) \/ Work(n)
        EXTRA
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANTS Node = {a, b}\nMost = 2\n"
MODULES = {"Ask": "Lease", "Offer": "Lease", "Take": "Lease", "Get": "Lease", "Work": "Jobs"}
CRASH = r"\/ \E n \in Node : Crash(n)"
Engine = Literal["auto", "python", "native"]


def side(
    text: str,
    extra: str = "",
    changed: Mapping[str, str] | None = None,
    engine: Engine = "python",
    limits: Limits | None = None,
) -> Side:
    """A composition. `extra`: disjuncts of its Next; `changed`: parts of the text, and what to put in their place."""
    for old, new in (changed or {}).items():
        assert old in text
        text = text.replace(old, new)
    model = build(text.replace("EXTRA", extra), config=CONFIG).model
    graph = state_graph(model, Options(engine=engine, limits=limits or Limits()))
    return Side(model.name, model, graph, [MODULES.get(action.name, "environment") for action in model.actions])
