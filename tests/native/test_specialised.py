"""What is known while C is written: loops written out, definitions for known arguments, slots that stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gristmill
from gristmill.checking.native import NativeExplorer

HEAD = "---- MODULE Made ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n"


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Check with both engines, which must agree; the C."""
    texts: list[str] = []
    monkeypatch.setattr(NativeExplorer, "emit", lambda self, name, text: texts.append(text))

    def check(text: str, **options: Any) -> str:
        texts.clear()
        module = f"{HEAD}{text}\n====\n"
        expected = gristmill.check(module, engine="python", **options)
        found = gristmill.check(module, engine="native", **options)
        assert found.engine == "native", found.diagnostics
        for name in ("verdict", "property", "distinct", "generated", "depth"):
            assert getattr(found, name) == getattr(expected, name), name
        return texts[0]

    return check


def test_loops_over_constants_are_written_out(both: Callable[..., str]) -> None:
    text = both(
        """VARIABLE pc
Proc == 1..3
Init == pc = [p \\in Proc |-> 0]
Next == \\E p \\in Proc : /\\ \\A q \\in Proc \\ {p} : pc[q] >= pc[p]
                         /\\ pc[p] < 3
                         /\\ pc' = [pc EXCEPT ![p] = @ + 1]
Close == \\A p, q \\in Proc : pc[p] - pc[q] <= 1""",
        init="Init",
        next="Next",
        invariants=["Close"],
        deadlock=False,
    )
    assert "for (" not in text
    assert "gm_index" not in text


def test_a_recursive_definition_for_known_arguments_ends(both: Callable[..., str]) -> None:
    """There is an end to specialising also where the arguments never come to one."""
    text = both(
        """VARIABLE x
RECURSIVE Sum(_, _), Up(_)
Sum(f, S) == IF S = {} THEN 0 ELSE LET i == CHOOSE i \\in S : TRUE IN f[i] + Sum(f, S \\ {i})
Up(n) == IF n * x > 600 THEN n ELSE Up(n + 1)
Init == x = [i \\in 1..3 |-> 0]
Next == x' = [i \\in 1..3 |-> IF Sum(x, 1..3) % 3 = i - 1 THEN (x[i] + 1) % 3 ELSE x[i]]
Small == Sum(x, {1, 3}) < 5""",
        init="Init",
        next="Next",
        invariants=["Small"],
    )
    assert "gm_difference" not in text
    both(
        """VARIABLE x
RECURSIVE Up(_)
Up(n) == IF n * x > 600 THEN n ELSE Up(n + 1)
Init == x = 1
Next == x < 7 /\\ x' = x + 1
Far == Up(1) > 80""",
        init="Init",
        next="Next",
        invariants=["Far"],
        deadlock=False,
    )


def test_a_function_that_is_an_action_in_itself(both: Callable[..., str]) -> None:
    """It is written inside itself, where what it binds is not known."""
    both(
        """VARIABLES x, seen
Can(b, v) == LET Go[n \\in 0..2] == \\/ n = 0
                                    \\/ \\E Q \\in {{1, 2}, {2, 3}} : /\\ \\A a \\in Q : x[a] >= n
                                                                     /\\ \\E c \\in 0..(n - 1) : Go[c] /\\ v >= c
             IN Go[b]
Init == x = [i \\in 1..3 |-> 0] /\\ seen = {}
Next == \\E i \\in 1..3, v \\in 0..1 : /\\ x[i] < 2
                                     /\\ Can(x[i], v)
                                     /\\ x' = [x EXCEPT ![i] = @ + 1]
                                     /\\ seen' = seen \\cup {<<i, v>>}""",
        init="Init",
        next="Next",
        deadlock=False,
    )


@pytest.mark.parametrize(
    "step",
    [
        "f' = [f EXCEPT ![a] = @ + 1, ![b] = @ + 1, ![a] = (@ * 2) % 4]",
        "f' = [f EXCEPT ![x] = 1 - @] /\\ f'[a] = f[a]",
        "f' = [i \\in DOMAIN f |-> IF i = a THEN f[b] ELSE f[i]]",
        "f' = IF x = b THEN f ELSE [f EXCEPT ![b] = (@ + 1) % 3]",
        "UNCHANGED f /\\ Cardinality({i \\in DOMAIN f : f'[i] = 0}) >= 0",
        "f' = [f EXCEPT ![a] = LET old == @ IN IF old > 1 THEN 0 ELSE old + 1] /\\ f' # f",
    ],
)
def test_slots_that_stay_as_they_are(both: Callable[..., str], step: str) -> None:
    both(
        f"""CONSTANTS a, b, c
VARIABLES f, x, g
Init == f = [i \\in {{a, b, c}} |-> 0] /\\ x = a /\\ g = [i \\in {{a, b}} |-> [j \\in {{b, c}} |-> 0]]
Move == \\E y \\in {{a, b}} : x' = y /\\ {step} /\\ g' = [g EXCEPT ![y][b] = (f'[a] + @) % 2]
Next == Move \\/ (x = b /\\ g' = [g EXCEPT ![x] = [@ EXCEPT ![c] = 1 - @]] /\\ UNCHANGED <<f, x>>)
Bound == f[a] < 3 /\\ f[b] < 3 /\\ f[c] < 3
Rule == [][\\A i \\in {{a, b, c}} : f'[i] >= 0]_<<f, x, g>>""",
        init="Init",
        next="Next",
        constraints=["Bound"],
        properties=["Rule"],
        constants={"a": gristmill.ModelValue("a"), "b": gristmill.ModelValue("b"), "c": gristmill.ModelValue("c")},
        deadlock=False,
    )


def test_no_operator_is_handed_over_that_is_known(both: Callable[..., str]) -> None:
    text = both(
        """VARIABLE x
RECURSIVE Reduce(_, _, _)
Reduce(Op(_, _), S, end) == IF S = {} THEN end
                            ELSE LET one == CHOOSE one \\in S : TRUE IN Op(one, Reduce(Op, S \\ {one}, end))
Twice(F(_), n) == F(F(n))
Init == x = {}
Next == \\E n \\in 0..3 : x' = x \\cup {Twice(LAMBDA m : (m + 1) % 4, n)}
Sums == Reduce(+, x, 0) < 6 /\\ Reduce(LAMBDA a, b : a + b, x, 1) < 8""",
        init="Init",
        next="Next",
        invariants=["Sums"],
    )
    assert "gm_make_operator" not in text


def test_a_definition_about_the_state_is_evaluated_once_a_state(both: Callable[..., str]) -> None:
    text = both(
        """VARIABLES x, y
Others == {n \\in 0..x : \\A m \\in 1..y : n # 2 * m}
Init == x = 0 /\\ y = 0
Next == /\\ x' \\in {n \\in 0..5 : n \\in Others \\/ n = x + 1} /\\ y' = Cardinality(Others) % 4
Sane == Others # {} \\/ x = 0""",
        init="Init",
        next="Next",
        invariants=["Sane"],
    )
    assert ".remembered = 1," in text or ".remembered = 2," in text


LARGE = """VARIABLES s, n
Lists == UNION {[1..k -> 1..4] : k \\in 1..7}
Sorted == {l \\in Lists : \\A i, j \\in 1..Len(l) : i < j => l[i] <= l[j]}
Init == s \\in {l \\in Sorted : l[1] = 4 \\/ Len(l) < 3} /\\ n = 0
Next == n < 2 /\\ n' = n + 1 /\\ s' = Append(Tail(s), 4)
IsSorted == s \\in Sorted
Often == <>(s \\in Sorted /\\ n = 2)
Spec == Init /\\ [][Next]_<<s, n>> /\\ WF_<<s, n>>(Next)"""


def test_a_large_constant_is_found_natively(both: Callable[..., str]) -> None:
    text = both(LARGE, specification="Spec", invariants=["IsSorted"], properties=["Often"], deadlock=False)
    assert "gm_lasting" in text


_SEVERAL_CALLS = """VARIABLES x, y
Add(n) == LET Sum(k) == n + k + x
              Far[k \\in 0..3] == IF k = 0 THEN n ELSE Far[k - 1] + 1
          IN  \\/ \\E q \\in 1..2 : x' = Sum(Sum(q)) % 9 /\\ y' = {m \\in 0..2 : m < n % 3}
              \\/ y' = {Far[2] % 5} /\\ x' = x
Twice(n, m) == Add(n) /\\ n # m
Init == x = 0 /\\ y = {}
Next == \\E i \\in 1..50 : Add(i) \\/ Add(x + i) \\/ Twice(i, x) \\/ Twice(Cardinality(y) + i, i)"""


def test_a_parameter_may_be_a_value_in_one_call_and_not_in_another(both: Callable[..., str]) -> None:
    """What is written for the one must not do for the other: operators and functions of LET read parameters, too."""
    both(_SEVERAL_CALLS, init="Init", next="Next")
    module = f"{HEAD}{_SEVERAL_CALLS}\n====\n"
    profile = gristmill.check(module, engine="native", init="Init", next="Next", profile=True).profile
    assert profile is not None
    assert all(part.native and part.kind != "state" for part in profile.parts)  # none that native code gave up on


def test_parameters_that_are_values_are_read_without_asking(both: Callable[..., str]) -> None:
    text = both(
        """VARIABLES x, y
Up(n, m) == n > x /\\ n - x < m /\\ x' = n /\\ y' = m
Init == x = 0 /\\ y = 0
Next == \\E i \\in 1..50, j \\in 1..3 : Up(i, j)""",
        init="Init",
        next="Next",
        deadlock=False,
    )
    assert "for (" in text
    assert "gm_get" not in text


@pytest.mark.parametrize(
    "servers", ["{s1, s2, s3}", '{"b", "a", "z"}', "{s3, 7, s1}", "{-3, 0, 12}", "{<<1, 2>>, <<2>>}"]
)
def test_arguments_are_found_wherever_they_stand_in_the_domain(servers: str, both: Callable[..., str]) -> None:
    """Names that were introduced together follow each other, but others do not."""
    text = both(
        f"""CONSTANTS s1, s2, s3
VARIABLES at, last
Server == {servers}
Init == at = [s \\in Server |-> 0] /\\ last \\in Server
Move(s, k) == /\\ at[s] < 2 /\\ (s = last \\/ at[last] > at[s]) /\\ k = 3 * at[s] + at[last] + 1
              /\\ at' = [at EXCEPT ![s] = @ + 1] /\\ last' = s
Next == \\E s \\in Server, k \\in 1..50 : Move(s, k)
Within == \\A s \\in Server : at[s] \\in 0..2 /\\ at[last] >= 0""",
        config="CONSTANTS s1 = s1 s2 = s2 s3 = s3\nINIT Init NEXT Next INVARIANT Within",
        deadlock=False,
    )
    assert "gm_index(" in text
