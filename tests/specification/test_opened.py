"""`gristmill.open`: states, steps, expressions and traces of a specification, from Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest

import gristmill
from gristmill import ModelValue, Observation, SourceError, Specification, UnknownNameError
from gristmill.cc import NoCompilerError, find_compiler
from gristmill.trace.itf import itf_document
from gristmill.values import Fn

MAIL = r"""---- MODULE Mail ----
EXTENDS Naturals, Sequences
CONSTANTS Nodes, Most
VARIABLES sent, got
vars == <<sent, got>>
Init == sent = {} /\ got = [n \in Nodes |-> <<>>]
Send(from, body) == Len(got[from]) < Most /\ sent' = sent \cup {[from |-> from, body |-> body]} /\ UNCHANGED got
Receive(n, m) == /\ m.from # n
                 /\ Len(got[n]) < Most
                 /\ got' = [got EXCEPT ![n] = Append(@, m)]
                 /\ sent' = sent \ {m}
Lose(m) == sent' = sent \ {m} /\ UNCHANGED got
Next == \/ \E n \in Nodes, k \in {1, 2} : Send(n, k)
        \/ \E n \in Nodes : \E m \in sent : Receive(n, m)
        \/ \E m \in sent : Lose(m)
Few == \A n \in Nodes : Len(got[n]) < 2
Shown == [inboxes |-> got, flying |-> sent]
Spec == Init /\ [][Next]_vars
===="""
A, B = ModelValue("a"), ModelValue("b")
GIVEN: dict[str, Any] = {"constants": {"Nodes": {A, B}, "Most": 2}}
LETTER = Fn({"from": A, "body": 1})


class Node(Enum):
    A = ModelValue("a")
    B = ModelValue("b")


@pytest.fixture(params=["python", "native"])
def mail(request: pytest.FixtureRequest) -> Iterator[Specification]:
    if request.param == "native":
        try:
            find_compiler()
        except NoCompilerError as error:
            pytest.skip(str(error))
    with gristmill.open(MAIL, engine=request.param, **GIVEN) as opened:
        yield opened
        assert opened.reason is None


def test_states_and_steps(mail: Specification) -> None:
    (first,) = mail.initial()
    assert first == {"sent": frozenset(), "got": {A: (), B: ()}}
    assert dict(first) == {"sent": frozenset(), "got": {A: (), B: ()}}
    steps = mail.steps(first)
    assert [(step.action, step.parameters) for step in steps] == [
        ("Send", {"from": n, "body": k}) for k in (1, 2) for n in (A, B)
    ]
    assert steps[0].state["sent"] == {LETTER}
    assert steps[0].state.raw["sent"] == frozenset([LETTER])
    assert len({step.state for step in steps}) == 4
    assert mail.steps_from([first, steps[0].state]) == [steps, mail.steps(steps[0].state)]


def test_a_state_may_be_any_mapping(mail: Specification) -> None:
    (first,) = mail.initial()
    plain = {"sent": set(), "got": {Node.A: [], Node.B: []}}
    assert mail.steps(plain) == mail.steps(first)
    with pytest.raises(UnknownNameError, match="no value for `got`"):
        mail.steps({"sent": set()})
    with pytest.raises(UnknownNameError, match="no variable `more`"):
        mail.steps({**plain, "more": 1})
    with pytest.raises(SourceError, match="a Python float"):
        mail.steps({"sent": 1.5, "got": {}})


def test_taking_an_action_with_parameters(mail: Specification) -> None:
    (first,) = mail.initial()
    (step,) = mail.take(first, "Send", {"from": Node.A, "body": 1})
    assert step.state["sent"] == {LETTER}
    assert len(mail.take(first, "Send", {"body": 1})) == 2
    assert len(mail.take(first, "Send")) == 4
    assert mail.take(first, "Send", {"body": 3}) == []
    assert mail.take(first, "Lose") == []
    for action in mail.actions:
        taken = mail.take(step.state, action.name)
        assert taken == [each for each in mail.steps(step.state) if each.action == action.name]
    with pytest.raises(UnknownNameError, match="did you mean `Send`"):
        mail.take(first, "Sned")
    with pytest.raises(UnknownNameError, match="no parameter of `Send`"):
        mail.take(first, "Send", {"to": A})


def test_actions(mail: Specification) -> None:
    assert [(action.name, action.names) for action in mail.actions] == [
        ("Send", ("from", "body")),
        ("Receive", ("n", "m")),
        ("Lose", ("m",)),
    ]
    assert mail.actions[0].location is not None


def test_why_an_action_is_blocked(mail: Specification) -> None:
    state = {"sent": {LETTER}, "got": {A: [], B: [LETTER, LETTER]}}
    (blocked,) = mail.blocked(state, "Receive", {"n": B})
    assert blocked.guard.text == "Len(got[n]) < Most"
    assert mail.blocked(state, "Lose") == []


def test_evaluating_expressions(mail: Specification) -> None:
    (first,) = mail.initial()
    assert mail.evaluate("Most + 1") == 3
    assert mail.evaluate("Few", first) is True
    assert mail.evaluate("{n \\in Nodes : got[n] = <<>>}", first) == {A, B}
    assert mail.evaluate("Shown.inboxes", first) == {A: (), B: ()}
    assert mail.evaluate("[n \\in Nodes |-> 0]", raw=True) == Fn({A: 0, B: 0})
    with pytest.raises(SourceError, match="no state is given"):
        mail.evaluate("Few")
    with pytest.raises(SourceError, match="Fewer"):
        mail.evaluate("Fewer", first)
    with pytest.raises(SourceError):
        mail.evaluate("got[1]", first)


def test_converting_to_types_of_the_program(mail: Specification) -> None:
    (step,) = mail.take(mail.initial()[0], "Send", {"from": A, "body": 1})
    assert step.state.convert("got", dict[Node, list[Any]]) == {Node.A: [], Node.B: []}


def test_runs(mail: Specification) -> None:
    result = mail.check(invariants=["Few"], deadlock=False)
    assert result.verdict == "invariant"
    assert mail.check(depth=2).verdict == "incomplete"
    assert mail.simulate(num=3, depth=5, seed=1).result.ok


def test_following_a_counterexample(mail: Specification, tmp_path: Path) -> None:
    """One of another run, whose world is another; from a file; as its parts."""
    trace = mail.check(invariants=["Few"], deadlock=False).trace
    assert trace is not None
    followed = mail.follow(trace)
    assert (followed.verdict, followed.matched) == ("matched", len(trace))
    assert [step.action for step in followed.trace] == [step.action for step in trace]
    file = tmp_path / "trace.itf.json"
    file.write_text(json.dumps(itf_document(trace)))
    assert mail.follow(str(file)).ok
    document = itf_document(trace)
    del document["#meta"]["model-values"]  # as other tools write it: the configuration knows which names are values
    file.write_text(json.dumps(document))
    assert mail.follow(file).ok
    names = [(step.action, dict(step.parameters)) for step in trace.steps[1:]]
    assert mail.follow(names).ok
    assert mail.follow([step.action for step in trace.steps[1:]], order="depth").ok
    broken = [step.state for step in trace]
    broken[-1] = {**broken[-1], "sent": {LETTER, Fn({"from": B, "body": 2})}}
    assert (mail.follow(broken).verdict, mail.follow(broken).matched) == ("left", len(trace) - 1)


def test_why_a_trace_leaves_the_specification(mail: Specification) -> None:
    followed = mail.follow([("Send", {"from": A, "body": 1}), ("Receive", {"n": A}), "Lose"])
    assert (followed.verdict, followed.matched) == ("left", 1)
    assert followed.departure is not None
    (candidate,) = followed.departure.candidates
    assert [each.guard.text for each in candidate.blocked] == ["m.from # n"]
    assert {name for name, _, _ in candidate.elsewhere[0].differences} == {"n"}


def test_hidden_steps(mail: Specification) -> None:
    log = [("Send", {"from": A}), ("Receive", {"n": B}), ("Receive", {"n": B})]
    assert mail.follow(log).verdict == "left"
    assert mail.follow(log, hidden=["Send"]).ok
    frontier = mail.frontier(hidden=["Send"])
    assert all(frontier.advance(each) for each in log)
    assert not frontier.advance({"got": {A: [LETTER], B: []}})
    assert (frontier.verdict, frontier.cuts, frontier.advanced) == ("left", (), 3)
    assert all(len(state["got"][B]) == 2 for state in frontier.states)
    assert mail.frontier(hidden=["Send"], bound=3).cuts
    with pytest.raises(UnknownNameError):
        mail.frontier().advance("Sned")


def test_observations(mail: Specification) -> None:
    (first,) = mail.initial()
    (step,) = mail.take(first, "Send", {"from": A, "body": 1})
    for thing in (step, step.state, ("Send", {"from": A, "body": 1}), Observation(state={"sent": [LETTER]})):
        assert mail.follow([first, thing]).ok is not isinstance(thing, Observation)  # a sequence is no set
    with pytest.raises(TypeError, match="no observation"):
        mail.follow([3])


def test_mistakes_are_source_errors() -> None:
    with pytest.raises(SourceError, match="constant-without-value"):
        gristmill.open(MAIL)
    with pytest.raises(SourceError):
        gristmill.open("---- MODULE M ----\nVARIABLE x\nInit == y = 0\n====")
    assumed = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nASSUME 1 > 2\nInit == x = 0\nNext == x' = 1\n===="
    with pytest.raises(SourceError, match="assumption-false"):
        gristmill.open(assumed)
    wrong = gristmill.open(
        '---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x\' = x + "a"\n===='
    )
    with pytest.raises(SourceError) as error:
        wrong.steps({"x": 0})
    assert error.value.diagnostics[0].span is not None
    assert wrong.follow(["Next"]).verdict == "error"


def test_what_cannot_be_native_is_the_reference_evaluators_and_says_so() -> None:
    printing = "---- MODULE M ----\nEXTENDS TLC\nVARIABLE x\nInit == x = 0\nNext == PrintT(x) /\\ x' = 1\n===="
    lines: list[str] = []
    with gristmill.open(printing, engine="native", output=lines.append) as opened:
        assert [step.state["x"] for step in opened.steps({"x": 7})] == [1]
        assert opened.reason is not None
    assert lines == ["7"]


def test_a_deep_recursion_is_no_error() -> None:
    deep = r"""---- MODULE M ----
    EXTENDS Naturals
    VARIABLE x
    RECURSIVE Sum(_)
    Sum(n) == IF n = 0 THEN 0 ELSE n + Sum(n - 1)
    Init == x = 0
    Next == x' = Sum(2000)
    ===="""
    with gristmill.open(deep) as opened:
        assert opened.steps({"x": 0})[0].state["x"] == 2001000
        assert opened.follow(["Next"]).ok


# --- several at once -------------------------------------------------------------------------------------------------


def ordered(words: tuple[str, ...], engine: Literal["python", "native"]) -> Specification:
    """CHOOSE takes the string that was met first: what is right for one specification is wrong for the other."""
    listed = ", ".join(f'"{word}"' for word in words)
    text = f"""---- MODULE Order ----
EXTENDS Naturals, Sequences
Words == <<{listed}>>
VARIABLES left, taken
Init == left = {{"alpha", "beta", "gamma"}} /\\ taken = <<>>
Take(k) == /\\ left # {{}}
           /\\ LET w == CHOOSE e \\in left : TRUE IN taken' = Append(taken, <<w, k>>) /\\ left' = left \\ {{w}}
Next == \\E k \\in 1..2 : Take(k)
===="""
    return gristmill.open(text, engine=engine)


def words_taken(opened: Specification) -> list[str]:
    (state,) = opened.initial()
    while steps := opened.take(state, "Take", {"k": 1}):
        state = steps[0].state
    assert opened.follow([state], start=[state]).ok
    assert opened.evaluate("Len(taken)", state) == 3
    return [word for word, _ in state["taken"]]


ORDERS = [
    ("alpha", "beta", "gamma"),
    ("gamma", "alpha", "beta"),
    ("beta", "gamma", "alpha"),
    ("gamma", "beta", "alpha"),
]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_several_specifications_interleaved(engine: Literal["python", "native"]) -> None:
    opened = [ordered(order, engine) for order in ORDERS]
    states = [each.initial()[0] for each in opened]
    for _ in range(3):
        states = [each.take(state, "Take", {"k": 2})[0].state for each, state in zip(opened, states, strict=True)]
    assert [tuple(word for word, _ in state["taken"]) for state in states] == ORDERS
    for each in opened:
        each.close()


@pytest.mark.parametrize("engine", ["python", "native"])
def test_several_specifications_in_threads(engine: Literal["python", "native"]) -> None:
    opened = [ordered(order, engine) for order in ORDERS]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: words_taken(opened[number % 4]), range(24)))
    assert [tuple(each) for each in found] == [ORDERS[number % 4] for number in range(24)]
    for each in opened:
        each.close()


def test_processes_of_an_algorithm() -> None:
    text = r"""---- MODULE Two ----
EXTENDS Naturals
(* --algorithm Two
variables x = 0;
process worker \in {1, 2}
begin add: x := x + self;
end process;
process other = 9
begin last: await x = 3; x := 0;
end process;
end algorithm; *)
===="""
    with gristmill.open(text, output=lambda line: None) as opened:
        (state,) = opened.initial()
        assert [(step.action, step.parameters) for step in opened.steps(state)] == [
            ("add", {"self": 1}),
            ("add", {"self": 2}),
        ]
        followed = opened.follow([("add", {"self": 2}), ("add", {"self": 1}), ("last", {"self": 9})])
        assert (followed.verdict, followed.matched) == ("matched", 3)
        assert opened.follow([("add", {"self": 2}), ("last", {"self": 9})]).verdict == "left"


def test_what_is_printed_of_a_trace_that_leaves_the_specification() -> None:
    with gristmill.open(MAIL, **GIVEN) as mail:
        told = str(mail.follow([("Send", {"from": A, "body": 1}), ("Receive", {"n": A})]))
        assert told.startswith("Error: no behaviour fits the trace beyond 1 item\n")
        for line in (
            "  2  Send(from = a, body = 1)  <text>:7",
            "Item 2 of the trace, which nothing fits\n  Receive(n = a)",
            "  Receive(n = a, m = [from |-> a, body |-> 1])  m.from # n   (m.from = a)",
            "  Receive(n = b, m = [from |-> a, body |-> 1]): n is b, not a",
        ):
            assert line in told
        assert str(mail.follow(["Send"])).startswith("The trace is that of a behaviour: 1 item\n")
        undecided = mail.follow(["Send", "Send", ("Receive", {"n": A}), ("Receive", {"n": A})], bound=1)
        assert undecided.verdict == "unknown"
        assert str(undecided).startswith("Not decided: ")
        assert "more than 1 states" in str(undecided)
        assert "a state: sent is {}, not {1}" in str(mail.follow([{"sent": {1}}]))


def test_expressions_may_name_model_values() -> None:
    """They are in every state that is shown; whoever asks about `box[a]` writes what was read there."""
    with gristmill.open(MAIL, **GIVEN) as mail:
        (state, *_) = mail.initial()
        assert mail.evaluate("{a, b}") == {A, B}
        assert mail.expression("a \\in {b}").value(state) is False
        assert mail.expression("a + 1", ["a"]).value(state, {"a": 2}) == 3  # a name of the expression's own goes first
