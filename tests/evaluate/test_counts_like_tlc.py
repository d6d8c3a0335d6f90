"""How often TLC finds a state: recorded from TLC, one small specification for each rule."""

import pytest
from checking import run
from evaluating import counts

# what it shows: (specification, states generated, distinct states)
SPECIFICATIONS = {
    "a witness after the last assignment counts once": (
        r"""
        Init == x = 0 /\ y = 0
        Next == /\ x' = (x+1)%3
         /\ y' = y
         /\ \E i \in 1..3 : i > 0
        """,
        4,
        3,
    ),
    "before it, every witness counts": (
        r"""
        Init == x = 0 /\ y = 0
        Next == /\ x' = (x+1)%3
         /\ \E i \in 1..3 : i > 0
         /\ y' = y
        """,
        10,
        3,
    ),
    "so do disjuncts": (
        r"""
        Init == x = 0 /\ y = 0 /\ (x = 0 \/ y = 0)
        Next == /\ (x < 5 \/ y < 5)
         /\ x' = (x+1)%3
         /\ y' = y /\ (x' < 5 \/ y' < 5)
        """,
        7,
        3,
    ),
    "also through a parameter": (
        r"""
        Init == x = 0 /\ (x = 0 \/ x < 3) /\ y = 0
        D(a) == a \/ a
        Next == /\ x' = (x+1)%3
         /\ D(x' < 5) /\ y' = y
        """,
        8,
        3,
    ),
    "an action that branches, again when all is assigned": (
        r"""
        Init == x = 0 /\ y = 0
        T == x' = (x+1)%3 \/ x' = (x+1)%3
        Next == T /\ y' = y /\ T
        """,
        7,
        3,
    ),
    "every instance of a universal formula assigns or tests": (
        r"""
        Init == x = [i \in 1..3 |-> 0] /\ y = 0
        Next == /\ y < 2 /\ \A i \in 1..3 : y' \in {y, y+1, i}
         /\ x' = x
        """,
        5,
        3,
    ),
    "the instances assign different variables": (
        r"""
        Init == x = 0 /\ y = 0
        Next == \A i \in 1..2 : IF i = 1 THEN x' \in 0..2 ELSE y' \in 0..x
        """,
        55,
        9,
    ),
    "no instances": (
        r"""
        Init == x = 0 /\ y = 0
        Next == (\A i \in {} : x' = i) /\ x' = 1 /\ y' = 2
        """,
        3,
        2,
    ),
    "a variable as an argument is assigned": (
        r"""
        F(var) == \/ var \in 0..9 /\ var % 2 = 0
                  \/ var = 1
        Init == F(x) /\ y = 0
        Next == F(x') /\ y' = y
        """,
        42,
        6,
    ),
    "an operator that assigns": (
        r"""
        Set(v, e) == v = e
        Init == Set(x, 0) /\ Set(y, 1)
        Next == Set(x', y) /\ Set(y', x)
        """,
        3,
        2,
    ),
    "a definition and a LET that stand for a primed variable": (
        r"""
        xp == x'
        Init == x = 0 /\ y = 0
        Next == xp = (x + 1) % 4 /\ LET q == y' IN q \in {xp, 7}
        """,
        17,
        8,
    ),
    "subsets, and a union whose common elements count twice": (
        r"""
        Init == x \subseteq {1,2} /\ y = {}
        Next == x' \subseteq x /\ y' \in UNION {1..2, 2..3}
        """,
        148,
        16,
    ),
    "a lazy set and a listed one": (
        r"""
        Init == x = {1} /\ y = 0
        Next == x' = x /\ y' \in (1..2) \cup (SUBSET {})
        """,
        13,
        4,
    ),
    "listed sets have no duplicates": (
        r"""
        Init == x = {1} /\ y = 0
        Next == x' = x /\ y' \in {1,2} \cup {2,3}
        """,
        13,
        4,
    ),
    "power sets joined": (
        r"""
        Init == x = {1} /\ y = {}
        Next == x' = x /\ y' \in (SUBSET {1,2}) \cup (SUBSET {2,3})
        """,
        49,
        6,
    ),
    "a step or stuttering": (
        r"""
        Init == x = 0 /\ y = 0
        Next == [x' = 1 - x /\ y' = y]_<<x,y>>
        """,
        5,
        2,
    ),
    "implications": (
        r"""
        Init == x = 0 /\ y = 0
        Next == (x = 0 => x' = 1) /\ (x # 0 => x' \in {0,1}) /\ y' = y
        """,
        4,
        2,
    ),
    "cases": (
        r"""
        Init == x = 0 /\ y = 0
        Next == CASE x = 0 -> x' = 1 /\ y' = 0 [] x = 1 -> x' = 2 /\ y' \in 0..2 [] OTHER -> x' = 0 /\ y' = y
        """,
        10,
        7,
    ),
    "LET actions": (
        r"""
        Init == x = 0 /\ y = 0
        Next == LET A == x' \in 0..2
         B(i) == y' = i IN A /\ \E i \in 0..x' : B(i)
        """,
        37,
        6,
    ),
    "a step that changes something": (
        r"""
        Init == x = 0 /\ y = 0
        Next == <<x' \in 0..2 /\ y' \in 0..1>>_x
        """,
        25,
        6,
    ),
    "an operator parameter": (
        r"""
        Init == x = 0 /\ y = 0
        Do(A(_), S) == \E i \in S : A(i)
        Sx(i) == x' = i /\ y' \in {i, i+1}
        Next == x < 3 /\ Do(Sx, 1..3)
        """,
        31,
        7,
    ),
    "a recursive action": (
        r"""
        RECURSIVE R(_)
        R(n) == IF n = 0 THEN x' = 0 /\ y' = y ELSE \/ (x' = n /\ y' = n) \/ R(n-1)
        Init == x = 0 /\ y = 0
        Next == R(3)
        """,
        29,
        7,
    ),
    "actions as arguments": (
        r"""
        Init == x = 0 /\ y = 0
        Twice(A, B) == A /\ B
        Next == Twice(x' \in 0..1, y' = x' + x)
        """,
        9,
        4,
    ),
    "the same action as an argument twice": (
        r"""
        Init == x = 0 /\ y = 0
        Both(A) == A /\ A
        Next == Both(\E i \in 0..1 : x' \in {i, 2} /\ y' = i)
        """,
        17,
        4,
    ),
    "a function of actions": (
        r"""
        Init == x = 0 /\ y = 0
        Next == [i \in 1..3 |-> x' = i /\ y' \in {1, i}][2]
        """,
        7,
        3,
    ),
    "functions as witnesses": (
        r"""
        Init == x = 0 /\ y = 0
        Next == \E f \in [1..2 -> 0..1] : x' = f /\ y' \in {f[1], f[2]}
        """,
        43,
        7,
    ),
    "ENABLED has its own next state": (
        r"""
        Init == x = 0 /\ y = 0
        Next == /\ x' \in 0..3 /\ ENABLED (x' \in {x+7} /\ y' = 1) /\ y' = x'
        """,
        17,
        4,
    ),
    "UNCHANGED of an expression tests": (
        r"""
        Init == x = 0 /\ y = 0
        Next == x' \in {0,1} /\ UNCHANGED y /\ UNCHANGED (x + y)
        """,
        2,
        1,
    ),
    "EXCEPT outside the domain": (
        r"""
        Init == x = [a |-> 1] /\ y = 0
        Next == x' = [x EXCEPT !.b = 3] /\ y' = y
        """,
        2,
        1,
    ),
    "UNCHANGED of what is assigned": (
        r"""
        Init == x = 0 /\ y \in {1,2} /\ x \in {0,1}
        Next == x' = x /\ y' = y /\ UNCHANGED <<x, y>> /\ (TRUE \/ TRUE)
        """,
        4,
        2,
    ),
    "two names, many ways": (
        r"""
        Init == \E i \in 1..2, j \in 1..2 : x = i + j /\ y = 0 /\ (i = 1 \/ j = 1)
        Next == \E i \in 1..2, j \in 1..2 : x' = i + j /\ y' = 0 /\ (i = 1 \/ j = 1)
        """,
        9,
        2,
    ),
    "nested quantifiers": (
        r"""
        Init == x = 0 /\ y = 0
        Next == \E i \in 1..3 : \E j \in 1..i : (x' = i /\ y' = j) \/ (j = 1 /\ x' = 0 /\ UNCHANGED y)
        """,
        91,
        10,
    ),
    "a function on an infinite set": (
        r"""
        f[i \in Nat] == IF i = 0 THEN 1 ELSE i * f[i-1]
        Init == x = f[5] /\ y = [f EXCEPT ![3] = 7][3]
        Next == x' = x /\ y' = [i \in 0..3 |-> f[i]]
        """,
        3,
        2,
    ),
    "sets of sequences": (
        r"""
        Init == x = {} /\ y = 0
        Next == /\ y < 3 /\ y' = y + 1 /\ x' = x \cup {[i \in 1..y |-> i]} /\ \A s \in x' : Len(s) <= 3
        """,
        4,
        4,
    ),
    "infinite sets that capture a loop's element": (
        r"""
        Init == x = {} /\ y = 0
        Op(a) == {z \in Nat : z > a}
        Next == /\ y < 3 /\ y' = y + 1 /\ x' = {i \in 1..3 : \A S \in {Op(k + 0) : k \in {i}} : (y + 1) \in S}
        """,
        4,
        4,
    ),
}


@pytest.mark.parametrize("what", SPECIFICATIONS)
def test_counts(what: str) -> None:
    body, generated, distinct = SPECIFICATIONS[what]
    assert counts(body) == (generated, distinct)


def test_the_level_of_the_next_state() -> None:
    program = r"""
    EXTENDS Naturals, TLC
    VARIABLES x, level
    Init == x = 0 /\ level = 1
    Next == x < 3 /\ x' = x + 1 /\ level' = TLCGet("level")' /\ Assert(TLCGet("level")' = level + 1, "one more")
    Counted == level = TLCGet("level")
    Steps == [][TLCGet("level")' = TLCGet("level") + 1 /\ level' = TLCGet("level")']_x
    """
    assert run(program, "INIT Init NEXT Next INVARIANT Counted PROPERTY Steps CHECK_DEADLOCK FALSE").verdict == "ok"
