"""Small specifications for clusters, and what one machine says of them."""

from gristmill.api import Result, run
from gristmill.building import build
from gristmill.checking.options import Options

TOKENS = """---- MODULE Tokens ----
EXTENDS Naturals, FiniteSets, Sequences, TLC
CONSTANTS Node, Most
VARIABLES at, sent, log
vars == <<at, sent, log>>
Init == at = [n \\in Node |-> 0] /\\ sent = {} /\\ log = <<>>
Step(n) == at[n] < Most /\\ at' = [at EXCEPT ![n] = @ + 1] /\\ UNCHANGED <<sent, log>>
Send(n, m) == n # m /\\ at[n] > 0 /\\ sent' = sent \\cup {[from |-> n, to |-> m, value |-> at[n]]}
  /\\ at' = [at EXCEPT ![n] = @ - 1] /\\ UNCHANGED log
Take(n) == \\E m \\in sent :
  m.to = n /\\ Len(log) < 2 /\\ log' = Append(log, m) /\\ sent' = sent \\ {m} /\\ UNCHANGED at
Next == \\E n \\in Node : Step(n) \\/ Take(n) \\/ \\E m \\in Node : Send(n, m)
Spec == Init /\\ [][Next]_vars
Few == Cardinality(sent) < 3
Slowly == Cardinality(sent') <= Cardinality(sent) + 1
Perms == Permutations(Node)
TypeOK == at \\in [Node -> 0 .. Most] /\\ Len(log) <= 2
Bounded == Len(log) < 2 \\/ Cardinality(sent) < 2
Forward == [][Len(log') >= Len(log)]_vars
Back == [][at["a"] <= at'["a"]]_vars
Always == <>(Len(log) = 2)
Seen == <<at, sent>>
Loud == Next /\\ PrintT(log)
====
"""

NODES = "CONSTANTS Node = {a, b, c} Most = 1\n"
SAFE = f"SPECIFICATION Spec\n{NODES}CONSTRAINT Few\nACTION_CONSTRAINT Slowly\nINVARIANT TypeOK\nPROPERTY Forward\n"
SYMMETRIC = f"{SAFE}SYMMETRY Perms\n"
STRINGS = 'SPECIFICATION Spec\nCONSTANTS Node = {"a", "b"} Most = 1\nCHECK_DEADLOCK FALSE\n'
VIOLATED = f"SPECIFICATION Spec\n{NODES}CONSTRAINT Few\nINVARIANTS TypeOK Bounded\n"
BAD_STEP = f"{STRINGS}CONSTRAINT Few\nPROPERTY Back\n"

# The first states tell nothing of what comes: a number becomes a record, then a set, and there are many values.
SURPRISE = """---- MODULE Surprise ----
EXTENDS Naturals
VARIABLES n, x
Init == n = 0 /\\ x = 0
Next == n < 700 /\\ n' = n + 1
  /\\ x' \\in (IF n < 100 THEN {0, n} ELSE IF n < 200 THEN {[a |-> n]} ELSE {{n, n + 1}, {}})
====
"""
SURPRISE_CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"

# One behaviour that ends, in a state that nothing leads out of.
STUCK = """---- MODULE Stuck ----
EXTENDS Naturals, TLC
VARIABLES x, y
Init == x = 0 /\\ y \\in 0 .. 2
Next == x < 5 /\\ x' = x + 1 /\\ y' = (y * 2) % 3
Wrong == x < 5 /\\ x' = x + 1 /\\ y' = y /\\ Assert(x < 3, "too far")
====
"""
STUCK_CONFIG = "INIT Init\nNEXT Next\n"
ASSERT_CONFIG = "INIT Init\nNEXT Wrong\n"


def checked(text: str, config: str, cluster: str | None = None, **options: object) -> Result:
    chosen = Options(cluster=cluster, output=lambda line: None, **options)  # type: ignore[arg-type]
    return run(lambda: build(text, config=config), chosen)
