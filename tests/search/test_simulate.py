"""Random behaviours: repeatable, checked, and counted."""

import statistics

import pytest
from toy_models import TableModel, action_predicate, counter, die_hard, state_predicate

from gristmill.search import Limits, ModelError
from gristmill.search.simulate import simulate

NOT_SOLVED = state_predicate("NotSolved", lambda big, small: big != 4)


def coins(**features):
    """A walk that ends when both coins have shown heads."""
    return TableModel(
        "a b",
        [(0, 0)],
        {
            "First": lambda a, b: [(0, b), (1, b)] if not (a and b) else [],
            "Second": lambda a, b: [(a, 0), (a, 1)] if not (a and b) else [],
        },
        **{"check_deadlock": False} | features,
    )


def test_finds_a_violation_with_a_real_behaviour():
    model = die_hard(invariants=[NOT_SOLVED])
    found = simulate(model, seed=1, behaviours=1000)
    assert (found.result.verdict, found.result.property) == ("invariant", "NotSolved")
    states = [tuple(step.state.values()) for step in found.result.trace]
    assert states[0] == (0, 0)
    assert states[-1][0] == 4
    for before, step in zip(states, found.result.trace.steps[1:], strict=False):
        action = [each.name for each in model.actions].index(step.action)
        assert tuple(step.state.values()) in model.taking(before, action)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_seed_decides_whatever_the_number_of_workers(workers):
    def facts(found):
        result = found.result
        return result.generated, result.coverage, result.trace, found.lengths, result.verdict

    expected = simulate(coins(), seed=7, behaviours=50, depth=30)
    assert facts(simulate(coins(), seed=7, behaviours=50, depth=30, workers=workers)) == facts(expected)
    wrong = die_hard(invariants=[NOT_SOLVED])
    expected = simulate(wrong, seed=7, depth=12)
    assert expected.result.verdict == "invariant"
    assert facts(simulate(wrong, seed=7, depth=12, workers=workers)) == facts(expected)


def test_other_seeds_give_other_behaviours():
    results = {simulate(coins(), seed=seed, behaviours=20, depth=30).lengths for seed in range(5)}
    assert len(results) == 5


def test_a_run_can_be_continued():
    whole = simulate(coins(), seed=3, behaviours=30).result
    parts = [simulate(coins(), seed=3, behaviours=10, first=first).result for first in (1, 11, 21)]
    assert whole.generated == sum(part.generated for part in parts) - 2  # the initial state of each


def test_lengths():
    lengths = []

    class Watched(TableModel):
        follows_search = True

        def follow(self, position):
            self.position = position

    model = coins()
    model.__class__ = Watched
    watched = {}
    model.implied_actions = [
        action_predicate(
            "Note", lambda s, t: watched.__setitem__(model.position.behaviour, model.position.level) or True
        )
    ]
    found = simulate(model, seed=5, behaviours=40, depth=25)
    lengths = found.lengths
    assert lengths.behaviours == 40
    assert sorted(watched) == list(range(1, 41))
    expected = [min(level + 1, 25) for level in watched.values()]
    assert lengths.mean == pytest.approx(statistics.mean(expected))
    assert lengths.variance == pytest.approx(statistics.pvariance(expected))
    assert (lengths.minimum, lengths.maximum) == (min(expected), max(expected))


def test_depth_counts_states():
    found = simulate(counter(100), seed=0, behaviours=3, depth=10)
    assert (found.result.verdict, found.lengths.mean, found.result.depth) == ("ok", 10, 10)
    assert found.result.generated == 1 + 3 * 9


def test_deadlock():
    found = simulate(counter(3), seed=0, behaviours=3)
    assert (found.result.verdict, len(found.result.trace), found.lengths.behaviours) == ("deadlock", 4, 1)


def test_behaviours_end_at_a_constraint_without_deadlock():
    found = simulate(counter(9, constraints=[state_predicate("Low", lambda n: n < 4)]), seed=0, behaviours=2)
    assert (found.result.verdict, found.lengths.maximum) == ("ok", 4)
    assert any("2 generated states" in caveat for caveat in found.result.caveats)


def test_states_that_are_not_taken_are_checked():
    """As TLC does: all successors by the action that is taken."""
    model = TableModel(
        "n", [(0,)], {"Any": lambda n: [(m,) for m in range(50)]}, invariants=[state_predicate("I", lambda n: n != 49)]
    )
    found = simulate(model, seed=0, behaviours=1)
    assert (found.result.verdict, len(found.result.trace)) == ("invariant", 2)


def test_initial_states():
    wrong = counter(5, invariants=[state_predicate("I", lambda n: n > 0)])
    found = simulate(wrong, seed=0, behaviours=5)
    assert (found.result.verdict, len(found.result.trace)) == ("invariant", 1)
    nothing = simulate(TableModel("n", [], {"Up": lambda n: []}), seed=0, behaviours=5)
    assert (nothing.result.verdict, nothing.lengths.behaviours) == ("error", 0)
    assert nothing.result.message == "There is no initial state to begin with"


def test_errors():
    def fail(n):
        if n == 2:
            raise ModelError("no value")
        return [(n + 1,)]

    found = simulate(TableModel("n", [(0,)], {"Up": fail}), seed=0, behaviours=5, keep_going=True)
    assert (found.result.verdict, found.result.message, len(found.result.trace)) == ("error", "no value", 3)


def test_action_properties():
    down = action_predicate("Down", lambda s, t: t[0] < 3)
    found = simulate(counter(9, implied_actions=[down]), seed=0, behaviours=5)
    assert (found.result.verdict, found.result.property, len(found.result.trace)) == ("property", "Down", 4)


def test_keep_going():
    found = simulate(die_hard(invariants=[NOT_SOLVED]), seed=1, behaviours=200, keep_going=True)
    (violation,) = found.result.violations
    assert found.lengths.behaviours == 200
    assert violation.count > 1
    assert len(violation.trace) >= 7


def test_time_limit():
    found = simulate(coins(), seed=0, limits=Limits(seconds=0.3))
    assert (found.result.verdict, found.lengths.behaviours > 10) == ("incomplete", True)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_ends_the_simulation(workers):
    class Stopping(TableModel):
        follows_search = True

        def follow(self, position):
            self.position = position

    def enough(a, b):
        if model.position.behaviour == 5 and model.position.level == 3:
            model.position.stop()
        return True

    model = coins(invariants=[state_predicate("Enough", enough)])
    model.__class__ = Stopping
    found = simulate(model, seed=2, workers=workers)
    assert (found.result.verdict, found.lengths.behaviours) == ("ok", 5)
