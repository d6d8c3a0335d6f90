"""Steps with their parameters, by native code and by the reference evaluator: the same, in the same order."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pytest
from random_specifications import random_specification

from gristmill.building import build
from gristmill.checking.steps import NotNativeError, native_steps
from gristmill.evaluate import Context, Evaluator
from gristmill.native.run.steps import NativeSteps
from gristmill.search import State, Taken
from gristmill.search.frontier import Frontier
from gristmill.search.observation import Observation
from gristmill.source import SourceError
from gristmill.trace import Shown
from gristmill.values import EvaluationError, ModelValue, make_record, show

COUNTERS = r"""---- MODULE Counters ----
EXTENDS Integers, Sequences
VARIABLES n, sent
Nodes == {"a", "b", "c"}
Init == n = [i \in Nodes |-> 0] /\ sent = <<>>
Add(i, k) == n[i] + k < 4 /\ n' = [n EXCEPT ![i] = @ + k] /\ UNCHANGED sent
Send(m) == n[m.from] > 0 /\ Len(sent) < 2 /\ sent' = Append(sent, m) /\ UNCHANGED n
Either(i) == (sent # <<>> \/ n[i] > 1) /\ sent' = <<>> /\ n' = [n EXCEPT ![i] = 0]
Clear == sent # <<>> /\ sent' = Tail(sent) /\ UNCHANGED n
Next == \/ \E i \in Nodes, k \in 1..2 : Add(i, k)
        \/ \E i \in Nodes : \E j \in {1, n[i]} : Send([from |-> i, body |-> j + 1])
        \/ \E i \in Nodes : Either(i)
        \/ Clear
====
"""


@contextmanager
def opened(text: str, config: str | None = None) -> Iterator[NativeSteps]:
    model = build(text, config=config).model
    steps = native_steps(model, Evaluator(model.variables, Context(model.variables, output=lambda line: None)))
    try:
        with model.world.active():
            yield steps
    finally:
        steps.close()


def reached(model: NativeSteps, most: int) -> list[Any]:
    """Some states, breadth first, without those where evaluation fails."""
    found = dict.fromkeys(model.initial_states())
    waiting = list(found)
    while waiting and len(found) < most:
        state = waiting.pop(0)
        try:
            new = [taken.state for taken in model.steps(state) if taken.state not in found]
        except EvaluationError:
            continue
        found |= dict.fromkeys(new)
        waiting += dict.fromkeys(new)
    return list(islice(found, most))


def told(model: NativeSteps, steps: Any) -> list[tuple[str, Any, State]] | str:
    try:
        return [(model.actions[t.action].name, t.parameters, model.values(t.state)) for t in steps()]
    except EvaluationError as error:
        return error.id


def same_as_reference(model: NativeSteps, state: Any) -> list[Taken]:
    """Compares steps, and each `take`, with the reference evaluator's."""
    values = model.values(state)
    ours = told(model, lambda: model.steps(state))
    assert ours == told(model, lambda: model.searchable.steps(values))
    if isinstance(ours, str):
        return []
    for name in {action.name for action in model.actions}:
        expected = [each for each in ours if each[0] == name]
        assert told(model, lambda: model.take(state, name)) == expected  # noqa: B023
    for name, parameters, _ in ours[:4]:
        expected = [each for each in ours if each[:2] == (name, parameters)]
        assert told(model, lambda: model.take(state, name, dict(parameters))) == expected  # noqa: B023
    return list(model.steps(state))


@pytest.mark.parametrize("seed", range(12))
def test_random_specifications(seed: int) -> None:
    made = random_specification(seed)
    try:
        with opened(made.text, made.config) as model:
            for state in reached(model, 25):
                same_as_reference(model, state)
    except (NotNativeError, SourceError) as error:
        pytest.skip(f"not this one: {error}")


def test_what_blocks_an_action_with_parameters() -> None:
    """Something does if and only if there is no such step; what is said is about these parameters."""
    with opened(COUNTERS) as model:
        reference = model.searchable
        states = [model.values(state) for state in reached(model, 40)]
        known = {(reference.actions[t.action].name, t.parameters) for state in states for t in reference.steps(state)}
        assert len(known) > 15
        partial = {(name, parameters[-1:]) for name, parameters in known}
        for state in states:
            for name, parameters in known | partial:
                blocked = list(reference.blocked(state, name, dict(parameters)))
                assert bool(blocked) != bool(reference.take(state, name, dict(parameters)))
                texts = {(n, show(value)) for n, value in parameters}
                assert all(_agree(each.parameters, texts) for each in blocked)


def _agree(said: Shown, wanted: set[tuple[str, str]]) -> bool:
    """Whether no parameter is said to have another value than the wanted one."""
    values = dict(said)
    return all(values.get(name, value) == value for name, value in wanted)


def test_actions_inside_of_conjunctions() -> None:
    """Names are bound, and guards stand, around several actions."""
    text = r"""---- MODULE Inside ----
    EXTENDS Integers
    VARIABLES x, y, z
    Init == x = 0 /\ y = {} /\ z = 0
    Add(k) == x' = x + k /\ z' = k
    Back(m) == x > 1 /\ x' = x - m /\ z' = -m
    Next == /\ x < 6
            /\ \/ \E k \in 1..2 : Add(k)
               \/ \E m \in {1, x} : (x # 3 \/ m = 1) /\ Back(m)
               \/ \E k \in 1..3 : Add(k) \/ Back(k)
            /\ y' = {x}
    ===="""
    with opened(text) as model:
        states = reached(model, 30)
        steps = [taken for state in states for taken in same_as_reference(model, state)]
        assert model.left == 0
        names = {(model.actions[taken.action].name, *(name for name, _ in taken.parameters)) for taken in steps}
        assert names == {("Add", "k"), ("Back", "m")}
        for state in states:
            values = model.values(state)
            found = [each for _, successors in model.searchable.successors(values) for each in successors]
            assert sorted(map(repr, found)) == sorted(repr(each.state) for each in model.searchable.steps(values))
            for taken in steps[:40]:
                name, wanted = model.actions[taken.action].name, dict(taken.parameters)
                blocked = list(model.searchable.blocked(values, name, wanted))
                possible = {t.action for t in model.searchable.take(values, name, wanted)}
                named = [number for number, action in enumerate(model.actions) if action.name == name]
                assert bool(blocked) == any(number not in possible for number in named)


def test_parameters_of_loops_that_are_written_out_and_of_those_that_are_not() -> None:
    with opened(COUNTERS) as model:
        states = reached(model, 150)
        steps = [taken for state in states for taken in same_as_reference(model, state)]
        assert model.left == 0
        names = {(model.actions[taken.action].name, *(name for name, _ in taken.parameters)) for taken in steps}
        assert names == {("Add", "i", "k"), ("Send", "m"), ("Either", "i"), ("Clear",)}
        both = model.steps_from(states)
        assert both == [model.steps(state) for state in states]
        message = make_record({"from": "b", "body": 2})
        taken = model.take_from(states, "Send", {"m": message})
        assert taken == [[t for t in each if t.parameters == (("m", message),)] for each in both]
        assert any(taken)


@pytest.mark.parametrize(
    "parameters",
    [{"k": 7}, {"i": ModelValue("a")}, {"q": 1}, {"k": 1 << 80}, {"i": "never seen"}, {"i": 1}],
)
def test_what_no_step_is_taken_with(parameters: dict[str, Any]) -> None:
    with opened(COUNTERS) as model:
        (state,) = model.initial_states()
        assert model.take(state, "Add", parameters) == []
        assert model.searchable.take(model.values(state), "Add", parameters) == []


def test_states_that_do_not_fit_are_the_reference_evaluators() -> None:
    """The layout is learnt from the first states, in which y is a function on {1, 2}; later it is on {1}, and large."""
    text = r"""---- MODULE Misfit ----
    EXTENDS Integers
    VARIABLES x, y
    Init == x = 0 /\ y = [i \in {5, 6} |-> 0]
    Up(k) == x < 400000 /\ x' = x + k /\ y' = [y EXCEPT ![5] = 0]
    Odd(k) == x > 399990 /\ x' = x + k /\ y' = [i \in {5} |-> 2^70]
    Next == \E k \in 1..2 : Up(k) \/ Odd(k)
    ===="""
    with opened(text) as model:
        late = model.pack((399_995, model.values(next(iter(model.initial_states())))[1]))
        assert isinstance(late, bytes)
        steps = same_as_reference(model, late)
        assert model.left > 0
        odd = [taken.state for taken in steps if model.actions[taken.action].name == "Odd"]
        assert len(odd) == 2
        assert all(isinstance(state, tuple) for state in odd)
        for state in odd:
            same_as_reference(model, state)


GROWING = r"""---- MODULE Growing ----
EXTENDS Integers, Sequences
VARIABLES x, y
Init == x = 0 /\ y = [i \in {5, 6} |-> 0]
Up(k) == x < 400000 /\ x' = x + k /\ y' = [y EXCEPT ![5] = 0]
Odd(k) == x > 399990 /\ x' = (x + k) % 500000 /\ y' = [i \in {k} |-> k]
Next == \E k \in 1..2 : Up(k) \/ Odd(k)
===="""


def test_native_code_is_made_anew_for_states_that_often_do_not_fit() -> None:
    with opened(GROWING) as model:
        (first,) = model.initial_states()
        y = model.values(first)[1]
        others = [(400_000 + number, y) for number in range(300)]
        before = model.steps_from(others)
        packed = [taken.state for steps in before for taken in steps]
        assert all(isinstance(state, tuple) for state in packed), "a function on {1} or {2}"
        assert model.left > 0
        old = model.pack(others[0])
        form = model.renew()
        assert form == 2
        assert model.renew() == form, "once is enough"
        left = model.left
        for state in [*others[:3], *packed[:3], first, old]:
            same_as_reference(model, state)
        assert model.left == left, "native code takes these steps now"
        assert all(isinstance(model.pack(state), bytes) for state in packed)
        assert model.values(old) == others[0], "what was packed before is still understood"
        assert model.pack(old) == model.pack(others[0]) != old
        assert model.take(first, "Up", {"k": 2})[0].parameters == (("k", 2),)


def test_a_frontier_moves_on_over_another_form_of_states() -> None:
    with opened(GROWING) as model:
        y = model.values(next(iter(model.initial_states())))[1]
        states = [(400_000 + number, y) for number in range(150)]
        native = Frontier(model, [model.pack(state) for state in states])
        reference = Frontier(model.searchable, states)
        for _ in range(5):
            observation = Observation("Odd", may_stay=True)
            assert native.advance(observation)
            assert reference.advance(observation)
            assert len(native.states) == len(reference.states)
            assert {model.values(state) for state in native.states} == set(reference.states)
        assert model.renew() > 1
        assert all(isinstance(state, bytes) for state in native.states)


def test_an_error_is_the_reference_evaluators() -> None:
    text = r"""---- MODULE Wrong ----
    EXTENDS Integers
    VARIABLES x
    Init == x = 0
    Up == x' = x + 1
    Bad == x = 3 /\ x' = x + "one"
    Next == Up \/ Bad
    ===="""
    with opened(text) as model:
        assert [len(model.steps(model.pack((n,)))) for n in range(3)] == [1, 1, 1]
        with pytest.raises(EvaluationError):
            model.steps(model.pack((3,)))
        assert len(model.steps(model.pack((4,)))) == 1


def test_a_model_with_effects_is_refused() -> None:
    text = "---- MODULE P ----\nEXTENDS TLC\nVARIABLES x\nInit == x = 0\nNext == PrintT(x) /\\ x' = 0\n===="
    with pytest.raises(NotNativeError, match="effects"), opened(text):
        pass


def test_a_frontier_of_packed_states() -> None:
    log = [
        Observation("Add", {"i": "a"}),
        Observation("Send", state={"sent": (make_record({"from": "a", "body": 2}),)}),
        Observation("Clear"),
    ]
    with opened(COUNTERS) as model:
        native, reference = Frontier(model), Frontier(model.searchable)
        for observation in log:
            assert native.advance(observation)
            assert reference.advance(observation)
            assert {model.values(state) for state in native.states} == set(reference.states)
        assert all(isinstance(state, bytes) for state in native.states)
        assert not native.advance(Observation("Clear"))


def test_two_models_of_the_same_program_do_not_share_constants() -> None:
    """Constants are data of the library: the same C, loaded twice, must not have them once."""
    text = r"""---- MODULE Same ----
    EXTENDS Integers
    CONSTANT Name
    VARIABLES x
    Init == x = Name
    Next == x' \in {Name, "one"} /\ x' # x
    ===="""
    with opened(text, 'INIT Init\nNEXT Next\nCONSTANT Name = "seven"') as seven:
        (first,) = seven.initial_states()
        with opened(text, 'INIT Init\nNEXT Next\nCONSTANT Name = "nine"') as nine:
            (second,) = nine.initial_states()
            for _ in range(2):
                assert [seven.values(t.state) for t in seven.steps(seven.pack(("one",)))] == [("seven",)]
                assert [nine.values(t.state) for t in nine.steps(nine.pack(("one",)))] == [("nine",)]
            assert (seven.values(first), nine.values(second)) == (("seven",), ("nine",))


def test_values_of_some_variables() -> None:
    with opened(COUNTERS) as model:
        states = [state for state in reached(model, 200) if isinstance(state, bytes)]
        assert len(states) > 100
        for number, state in enumerate(states):
            which = [(0,), (1,), (), (0, 1)][number % 4]
            some = model.some_values(state, which)
            whole = model.values(state)
            assert [some[index] for index in which] == [whole[index] for index in which]
            assert whole == model.engine.state(_words(state))
            assert model.some_values(state, which) is whole, "it is known by now"


def _words(state: bytes) -> list[int]:
    return [int.from_bytes(state[at : at + 4], sys.byteorder) for at in range(0, len(state), 4)]
