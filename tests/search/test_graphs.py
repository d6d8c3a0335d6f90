"""State graphs as numbers: the same by both engines, with every action of a step, and what is observed of states."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import pytest

from gristmill.building import build
from gristmill.checking.graphs import GraphError, Observations, StateGraph, observed, state_graph
from gristmill.checking.options import Options
from gristmill.search import Limits
from gristmill.search.inclusion import decide

MODULE = r"""
---- MODULE Workers ----
EXTENDS Naturals, Sequences
CONSTANTS P, Most
VARIABLES pc, done, log
vars == <<pc, done, log>>
Init == pc = [p \in P |-> "idle"] /\ done = [p \in P |-> 0] /\ log = <<>>
Begin(p) == pc[p] = "idle" /\ done[p] < Most /\ pc' = [pc EXCEPT ![p] = "busy"] /\ UNCHANGED <<done, log>>
Restart(p) == pc[p] = "idle" /\ done[p] < Most /\ pc' = [pc EXCEPT ![p] = "busy"] /\ UNCHANGED <<done, log>>
End(p) == /\ pc[p] = "busy"
          /\ pc' = [pc EXCEPT ![p] = "idle"] /\ done' = [done EXCEPT ![p] = @ + 1]
          /\ log' = IF Len(log) < 2 THEN Append(log, p) ELSE log
Look == UNCHANGED vars
Next == (\E p \in P : Begin(p) \/ Restart(p) \/ End(p)) \/ Look
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANTS P = {p1, p2, p3}\nMost = 2\n"
Engine = Literal["auto", "python", "native"]


def graph(engine: Engine, config: str = CONFIG, limits: Limits | None = None, module: str = MODULE) -> StateGraph:
    return state_graph(build(module, config=config).model, Options(engine=engine, limits=limits or Limits()))


def steps(graph: StateGraph) -> Counter[tuple[str, str, str]]:
    """Each once."""
    texts = [repr(graph.state(number)) for number in range(len(graph.states))]
    return Counter(
        {
            (texts[source], graph.actions[graph.labels[edge]].name, texts[graph.targets[edge]])
            for source in range(len(texts))
            for edge in range(graph.first[source], graph.first[source + 1])
        }
    )


def test_both_engines_find_the_same_graph() -> None:
    with graph("python") as by_reference, graph("native") as natively:
        assert (by_reference.engine, natively.engine) == ("python", "native")
        assert len(by_reference.states) == len(natively.states)
        assert by_reference.initial == natively.initial == 1
        assert by_reference.incomplete is natively.incomplete is None
        assert steps(by_reference) == steps(natively)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_step_has_all_of_its_actions_also_if_it_changes_nothing(engine: Engine) -> None:
    with graph(engine) as found:
        row = range(found.first[0], found.first[1])
        names = Counter(found.actions[found.labels[edge]].name for edge in row)
        assert names == {"Begin": 3, "Restart": 3, "Look": 1}
        assert [found.targets[edge] for edge in row if found.actions[found.labels[edge]].name == "Look"] == [0]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_states_are_told_apart_by_some_variables(engine: Engine) -> None:
    with graph(engine) as found:
        for names in (["done"], ["pc", "done"], ["log", "pc"], ["pc", "done", "log"], []):
            places = [found.variables.index(name) for name in names]
            projection = found.project(names)
            expected = [tuple(found.state(each)[place] for place in places) for each in range(len(found.states))]
            assert len(set(expected)) == len(projection.examples)
            assert [expected[projection.examples[number]] for number in projection.numbers] == expected


SHARED = r"""
---- MODULE Shared ----
EXTENDS Integers, Sequences
VARIABLES net, queue, mixed
Init == net = {} /\ queue = <<>> /\ mixed = {}
Send(n) == net' = net \union {[to |-> n, kind |-> "m"], [to |-> -n, kind |-> "r"]} /\ UNCHANGED <<queue, mixed>>
Put(n) == Len(queue) < 3 /\ queue' = Append(queue, <<n, {n, n + 1}>>) /\ UNCHANGED <<net, mixed>>
Mix(n) == mixed' = {{n}, {n, 1}, {}} /\ UNCHANGED <<net, queue>>
Next == \E n \in 1..3 : Send(n) \/ Put(n) \/ Mix(n)
====
"""


def test_values_that_share_parts_are_the_same_as_those_of_the_states() -> None:
    with graph("native", "INIT Init\nNEXT Next\n", module=SHARED) as found:
        for place, name in enumerate(found.variables):
            column = found.project([name]).columns[0]
            states = range(len(found.states))
            assert [column.values[column.numbers[each]] for each in states] == [
                found.state(each)[place] for each in states
            ]


def test_observations_of_two_graphs_are_compared_by_value() -> None:
    other = CONFIG.replace("p1, p2, p3", "p3, p1, p2")  # other numbers for the same values
    with graph("python") as first, graph("native", other) as second:
        observations = Observations()
        one, two = (observed(each, observations.of(each.project(["done", "log"]))) for each in (first, second))
        assert len(observations) == len(set(one.observations)) == len(set(two.observations))
        assert decide(one, two).verdict == decide(two, one).verdict == "included"


DESCRIBED = r"""
---- MODULE Described ----
EXTENDS Integers, Sequences
VARIABLES numbers, pairs, function
Init == /\ numbers \in {1..2, {}, {1, 2, 4}} /\ pairs \in {{1, 2} \X {3}, {}}
        /\ function \in {[x \in 1..2 |-> x], <<1, 2>>, <<2>>}
Grow == numbers = 1..2 /\ numbers' = {3} \union numbers /\ UNCHANGED <<pairs, function>>
Fill == numbers = 1..3 /\ pairs' = [1..2 -> {1, 2}] /\ numbers' = {n \in 1..9 : n < 3} /\ UNCHANGED function
Call == Len(function) = 1 /\ function' = [x \in 1..2 |-> x] /\ UNCHANGED <<pairs, numbers>>
Next == Grow \/ Fill \/ Call
====
"""


def test_sets_that_are_described_are_the_same_by_both_engines() -> None:
    config = "INIT Init\nNEXT Next\n"
    with graph("python", config, module=DESCRIBED) as first, graph("native", config, module=DESCRIBED) as second:
        assert second.engine == "native"
        observations = Observations()
        one, two = (
            observed(each, observations.of(each.project(["numbers", "pairs", "function"]))) for each in (first, second)
        )
        assert len(observations) == len(first.states) == len(second.states)
        assert decide(one, two).verdict == decide(two, one).verdict == "included"


def test_what_is_seen_of_a_value() -> None:
    with graph("python") as found:
        observations = Observations({"log": len})  # type: ignore[dict-item]
        assert len(set(observations.of(found.project(["log"])))) == 3


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_limit_leaves_it_incomplete(engine: Engine) -> None:
    with graph(engine, limits=Limits(depth=3)) as found:
        assert found.incomplete == "The depth limit of 3 was reached"
        assert 0 < len(found.states) == len(found.first) - 1


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_cannot_be_evaluated_has_no_graph(engine: Engine) -> None:
    broken = MODULE.replace("Look == UNCHANGED vars", 'Look == pc["nobody"] = 1 /\\ UNCHANGED vars')
    with pytest.raises(GraphError) as caught:
        graph(engine, module=broken)
    assert caught.value.result.verdict == "error"
