"""How states are counted and what ends a search. The numbers in `TestAsTLC` are what TLC prints for the same model."""

import pytest
from toy_models import TableModel, action_predicate, counter, die_hard, state_predicate

from gristmill.search import Limits, Result, breadth_first


def model_a(**features) -> TableModel:
    """MODULE A:  Init  == x \\in {0, 1, 7} /\\ y = 0
    Inc   == x < 3 /\\ x' = x + 1 /\\ y' \\in {0, 1}
    Dup   == \\E i \\in 1..3 : x < 2 /\\ x' = x + 1 /\\ y' = 0
    Stay  == x = 7 /\\ UNCHANGED <<x, y>>
    Reset == x = 3 /\\ x' = 0 /\\ y' = 0
    """
    return TableModel(
        "x y",
        [(0, 0), (1, 0), (7, 0)],
        {
            "Inc": lambda x, y: [(x + 1, 0), (x + 1, 1)] if x < 3 else [],
            "Dup": lambda x, y: [(x + 1, 0)] * 3 if x < 2 else [],
            "Stay": lambda x, y: [(x, y)] if x == 7 else [],
            "Reset": lambda x, y: [(0, 0)] if x == 3 else [],
        },
        **features,
    )


def model_d(**features) -> TableModel:
    """MODULE D: Init == x = 0 /\\ y = 0,  Next == x < 3 /\\ x' = x + 1 /\\ y' \\in {0, 1}"""
    return TableModel("x y", [(0, 0)], {"Next": lambda x, y: [(x + 1, 0), (x + 1, 1)] if x < 3 else []}, **features)


def counts(result: Result) -> tuple[int, int, int, int]:
    return result.generated, result.distinct, result.queue, result.depth


SMALL = state_predicate("Small", lambda x, y: x < 3)
TINY = state_predicate("Tiny", lambda x, y: x < 2)
NOT_TWO_ONE = state_predicate("NotTwoOne", lambda x, y: (x, y) != (2, 1))
NOT_SEVEN = state_predicate("NotSeven", lambda x, y: x != 7)
NOT_THREE = state_predicate("NotThree", lambda x, y: x != 3)


class TestAsTLC:
    def test_plain(self):
        result = breadth_first(model_a())
        assert result.verdict == "ok"
        assert counts(result) == (25, 8, 0, 3)
        assert [(row.name, row.distinct, row.generated) for row in result.coverage] == [
            ("Init", 3, 3),
            ("Inc", 5, 10),
            ("Dup", 0, 9),
            ("Stay", 0, 1),
            ("Reset", 0, 2),
        ]
        degree = result.out_degree
        assert (degree.minimum, round(degree.average), degree.maximum, degree.percentile_95) == (0, 1, 2, 2)

    def test_constraint_also_cuts_initial_states(self):
        assert counts(breadth_first(model_a(constraints=[SMALL]))) == (22, 5, 0, 2)

    def test_no_deadlock_where_all_successors_are_cut(self):
        result = breadth_first(model_a(constraints=[TINY]))
        assert result.verdict == "ok"
        assert counts(result) == (18, 3, 0, 2)
        result = breadth_first(model_d(constraints=[TINY]))
        assert result.verdict == "ok"
        assert counts(result) == (7, 3, 0, 2)

    def test_invariant_of_a_cut_state(self):
        result = breadth_first(model_a(constraints=[TINY], invariants=[NOT_TWO_ONE]))
        assert (result.verdict, result.property) == ("invariant", "NotTwoOne")
        assert counts(result) == (10, 3, 1, 2)
        assert [step.state for step in result.trace] == [{"x": 1, "y": 0}, {"x": 2, "y": 1}]

    def test_cut_state_does_not_count_in_the_depth(self):
        result = breadth_first(model_a(constraints=[SMALL], invariants=[NOT_THREE]))
        assert counts(result) == (19, 5, 1, 2)
        assert len(result.trace) == 3

    @pytest.mark.parametrize("constraints", [[], [SMALL]])
    def test_invariant_of_an_initial_state(self, constraints):
        result = breadth_first(model_a(constraints=constraints, invariants=[NOT_SEVEN]))
        assert (result.verdict, result.exit_code) == ("invariant", 12)
        assert [step.state for step in result.trace] == [{"x": 7, "y": 0}]
        assert result.trace.steps[0].action is None

    def test_invariant_counts_up_to_the_violation(self):
        result = breadth_first(model_a(invariants=[NOT_TWO_ONE]))
        assert counts(result) == (10, 6, 3, 2)

    def test_the_first_violation_found_is_reported_whatever_the_order_of_invariants(self):
        result = breadth_first(model_a(invariants=[NOT_THREE, NOT_TWO_ONE]))
        assert result.property == "NotTwoOne"

    def test_action_constraint_is_not_for_initial_states(self):
        skip = action_predicate("Skip", lambda s, t: not (s[0] == 1 and t == (2, 1)))
        assert counts(breadth_first(model_a(action_constraints=[skip]))) == (23, 7, 0, 3)

    def test_view(self):
        assert counts(breadth_first(model_a(view=lambda state: state[0]))) == (17, 5, 0, 3)

    def test_action_property_of_a_step_to_a_known_state(self):
        up = action_predicate("Up", lambda s, t: t[0] >= s[0])
        result = breadth_first(model_a(implied_actions=[up]))
        assert (result.verdict, result.property, result.exit_code) == ("property", "Up", 13)
        assert counts(result) == (24, 8, 1, 3)
        assert [step.state["x"] for step in result.trace] == [1, 2, 3, 0]

    @pytest.mark.parametrize(("constraints", "expected"), [([], (9, 5, 2, 2)), ([TINY], (9, 3, 1, 2))])
    def test_action_property_of_a_step_to_a_new_or_cut_state(self, constraints, expected):
        no_jump = action_predicate("NoJump", lambda s, t: t[0] != 2)
        result = breadth_first(model_a(implied_actions=[no_jump], constraints=constraints))
        assert counts(result) == expected
        assert len(result.trace) == 2

    def test_implied_init(self):
        result = breadth_first(model_a(implied_inits=[state_predicate("Start0", lambda x, y: x == 0)]))
        assert (result.verdict, result.property, result.exit_code) == ("property", "Start0", 13)
        assert [step.state["x"] for step in result.trace] == [1]

    def test_deadlock(self):
        result = breadth_first(model_d())
        assert (result.verdict, result.exit_code) == ("deadlock", 11)
        assert counts(result) == (11, 7, 1, 4)
        assert [step.state for step in result.trace] == [{"x": x, "y": 0} for x in range(4)]

    def test_deadlock_is_found_after_a_violation_at_the_same_depth(self):
        result = breadth_first(model_d(invariants=[state_predicate("T", lambda x, y: x + y < 4)]))
        assert result.property == "T"
        assert counts(result) == (9, 7, 2, 4)

    def test_all_initial_states_cut(self):
        result = breadth_first(model_d(constraints=[state_predicate("Never", lambda x, y: x < 0)]))
        assert result.verdict == "ok"
        assert counts(result) == (1, 0, 0, 1)

    def test_keep_going_has_the_counts_of_a_full_search(self):
        result = breadth_first(model_a(invariants=[NOT_THREE, NOT_TWO_ONE]), keep_going=True)
        assert counts(result) == (25, 8, 0, 3)
        assert result.exit_code == 12  # TLC exits with 0
        assert [(v.property, v.count, len(v.trace)) for v in result.violations] == [
            ("NotTwoOne", 1, 2),
            ("NotThree", 2, 3),
        ]

    def test_keep_going_reports_every_false_step(self):
        up = action_predicate("Up", lambda s, t: t[0] >= s[0])
        result = breadth_first(model_a(implied_actions=[up]), keep_going=True)
        assert [(v.property, v.count, len(v.trace)) for v in result.violations] == [("Up", 2, 4)]
        assert counts(result) == (25, 8, 0, 3)


def test_no_initial_state():
    result = breadth_first(TableModel("x", [], {"Next": lambda x: []}))
    assert (result.verdict, *counts(result)) == ("ok", 0, 0, 0, 0)
    assert any("no initial state" in caveat for caveat in result.caveats)


def test_die_hard():
    not_solved = state_predicate("NotSolved", lambda big, small: big != 4)
    result = breadth_first(die_hard(invariants=[not_solved]))
    assert (result.verdict, len(result.trace)) == ("invariant", 7)
    assert [step.action for step in result.trace][1:] == [
        "FillBig",
        "BigToSmall",
        "EmptySmall",
        "BigToSmall",
        "FillBig",
        "BigToSmall",
    ]
    assert counts(breadth_first(die_hard())) == (97, 16, 0, 8)  # 1 + 16 * 6


def test_duplicate_initial_states_are_generated_twice():
    result = breadth_first(TableModel("x", [(1,), (1,), (2,)], {"Stay": lambda x: [(x,)]}))
    assert counts(result) == (5, 2, 0, 1)


def test_keep_going_after_deadlocks():
    result = breadth_first(model_d(), keep_going=True)
    assert [(v.verdict, v.count) for v in result.violations] == [("deadlock", 2)]
    assert (result.exit_code, *counts(result)) == (11, 11, 7, 0, 4)


def test_no_deadlock_checking():
    assert breadth_first(counter(3, check_deadlock=False)).verdict == "ok"


def test_depth_limit_is_no_ok():
    result = breadth_first(counter(10), limits=Limits(depth=4))
    assert (result.verdict, result.exit_code, *counts(result)) == ("incomplete", 3, 4, 4, 1, 4)
    assert "depth limit of 4" in result.message
    assert any("1 state was found" in caveat for caveat in result.caveats)


def test_depth_limit_that_is_not_reached():
    assert breadth_first(counter(10, check_deadlock=False), limits=Limits(depth=12)).verdict == "ok"


def test_violation_at_the_depth_limit_is_found():
    low = state_predicate("Low", lambda n: n < 3)
    assert breadth_first(counter(10, invariants=[low]), limits=Limits(depth=4)).verdict == "invariant"


def test_graph():
    graph = breadth_first(model_d(check_deadlock=False), keep_graph=True).graph
    assert (graph.initial, len(graph.states), len(graph.sources)) == (1, 7, 10)
    edges = {(graph.states[s], graph.states[t]) for s, t in zip(graph.sources, graph.targets, strict=True)}
    assert ((1, 1), (2, 0)) in edges
    assert all(t[0] == s[0] + 1 for s, t in edges)


def test_steps_for_temporal_properties():
    """Each once, and none that changes nothing: eight bytes each."""
    graph = breadth_first(model_d(check_deadlock=False), keep_steps=True).graph
    every = breadth_first(model_d(check_deadlock=False), keep_graph=True).graph
    wanted = {(s, t) for s, t in zip(every.sources, every.targets, strict=True) if s != t}
    steps = graph.steps.graph(len(graph.states), graph.initial)
    assert [(steps.source(edge), steps.target(edge)) for edge in range(steps.edges)] == sorted(wanted)
    assert len(graph.sources) == len(graph.targets) == 0
    assert sum(each.itemsize for each in (graph.steps.targets, graph.steps.labels)) == 8
