"""The search against a twin too simple to be wrong, on random graphs."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from toy_models import TableModel, action_predicate, dumb_search, state_predicate

from gristmill.search import breadth_first

SIZE = 12
NODES = st.integers(0, SIZE - 1)
EDGES = st.lists(st.lists(NODES, max_size=4), min_size=SIZE, max_size=SIZE)
FORBIDDEN = st.frozensets(NODES, max_size=3)
FORBIDDEN_STEPS = st.frozensets(st.tuples(NODES, NODES), max_size=6)


@st.composite
def models(draw: st.DrawFn) -> TableModel:
    first, second = draw(EDGES), draw(EDGES)
    cut, wrong, cut_steps, wrong_steps = draw(FORBIDDEN), draw(FORBIDDEN), draw(FORBIDDEN_STEPS), draw(FORBIDDEN_STEPS)
    features = {}
    if draw(st.booleans()):
        features["constraints"] = [state_predicate("Inside", lambda n: n not in cut)]
    if draw(st.booleans()):
        features["action_constraints"] = [action_predicate("Allowed", lambda s, t: (s[0], t[0]) not in cut_steps)]
    if draw(st.booleans()):
        features["invariants"] = [state_predicate("Right", lambda n: n not in wrong)]
    if draw(st.booleans()):
        features["implied_actions"] = [action_predicate("RightStep", lambda s, t: (s[0], t[0]) not in wrong_steps)]
    return TableModel(
        "n",
        [(n,) for n in draw(st.lists(NODES, max_size=3))],
        {"First": lambda n: [(m,) for m in first[n]], "Second": lambda n: [(m,) for m in second[n]]},
        check_deadlock=draw(st.booleans()),
        **features,
    )


@settings(max_examples=300, deadline=None)
@given(models())
def test_full_search_counts_like_the_twin(model):
    twin = dumb_search(model)
    result = breadth_first(model, keep_going=True)
    assert (result.generated, result.distinct, result.depth) == (twin.generated, twin.distinct, twin.depth)
    assert {v.property or v.verdict for v in result.violations} == set(twin.violated)
    assert result.queue == 0
    assert sum(row.generated for row in result.coverage) == result.generated
    assert sum(row.distinct for row in result.coverage) == result.distinct


@settings(max_examples=300, deadline=None)
@given(models())
def test_counterexamples_are_shortest_and_real(model):
    twin = dumb_search(model)
    result = breadth_first(model)
    if twin.shortest is None:
        assert result.verdict == "ok"
        return
    # A violation of a step or state is found one level before a deadlock of the same length is.
    assert len(result.trace) in (twin.shortest, twin.shortest + 1 if "deadlock" in twin.violated else twin.shortest)
    states = [tuple(step.state.values()) for step in result.trace]
    assert states[0] in model.initial_states()
    for number, (before, after) in enumerate(pairwise(states), start=1):
        action = [action.name for action in model.actions].index(result.trace.steps[number].action)
        assert after in dict(model.successors(before))[action]


@settings(max_examples=100, deadline=None)
@given(models())
def test_the_graph_has_every_step_between_stored_states(model):
    graph = breadth_first(model, keep_going=True, keep_graph=True).graph
    stored = set(graph.states)
    expected = [
        (state, number, successor)
        for state in graph.states
        for number, successors in model.successors(state)
        for successor in successors
        if successor in stored
        and all(each.holds(successor) for each in model.constraints)
        and all(each.holds(state, successor) for each in model.action_constraints)
    ]
    found = [
        (graph.states[source], action, graph.states[target])
        for source, action, target in zip(graph.sources, graph.edge_actions, graph.targets, strict=True)
    ]
    assert found == expected
