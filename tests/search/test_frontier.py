"""The states a model may be in, against an enumeration of all behaviours."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from observed_graphs import GraphModel, all_ends, hidden_sets, logs, models
from toy_models import TableModel, counter

from gristmill.search import ModelError
from gristmill.search.frontier import Frontier
from gristmill.search.observation import Observation, UnknownNameError


@given(models, logs, hidden_sets)
def test_the_states_are_those_where_behaviours_end(
    model: GraphModel, log: list[Observation], hidden: Sequence[str]
) -> None:
    frontier = Frontier(model, hidden=hidden)
    assert set(frontier.states) == all_ends(model, [], hidden)
    for number, observation in enumerate(log, 1):
        expected = all_ends(model, log[:number], hidden)
        before = set(frontier.states)
        assert frontier.advance(observation) == bool(expected)
        assert frontier.verdict == ("matched" if expected else "left")
        assert set(frontier.states) == (expected or before)
        if not expected:
            return
    assert frontier.advanced == len(log)


@given(models, logs, hidden_sets, st.integers(1, 2))
def test_a_bound_never_makes_a_wrong_claim(
    model: GraphModel, log: list[Observation], hidden: Sequence[str], bound: int
) -> None:
    frontier = Frontier(model, hidden=hidden, bound=bound)
    for number in range(len(log) + 1):
        if number:
            frontier.advance(log[number - 1])
        expected = all_ends(model, log[:number], hidden)
        if frontier.verdict == "left":
            assert not expected
            return
        if frontier.verdict == "unknown":
            assert frontier.cuts
            return
        assert expected
        assert set(frontier.states) <= expected
        assert len(frontier.states) <= bound
        if set(frontier.states) != expected:
            assert frontier.cuts, "something is missing, and nobody says so"


def test_a_cut_is_told_and_makes_the_end_unknown() -> None:
    wide = TableModel(
        "n", [(0,)], {"Any": lambda n: [(each,) for each in range(10)], "Nine": lambda n: [(0,)] * (n == 9)}
    )
    frontier = Frontier(wide, bound=5)
    assert frontier.advance(Observation("Any"))
    assert [str(cut) for cut in frontier.cuts] == [
        "after 1 observations: more than 5 states, and the others were left out"
    ]
    assert not frontier.advance(Observation("Nine"))
    assert frontier.verdict == "unknown"
    complete = Frontier(wide)
    assert complete.advance(Observation("Any"))
    assert complete.advance(Observation("Nine"))
    assert (complete.verdict, complete.cuts) == ("matched", [])


def test_hidden_steps_without_end_are_cut() -> None:
    endless = TableModel("n", [(0,)], {"Up": lambda n: [(n + 1,)], "Stop": lambda n: [(-1,)] * (n == 50)})
    assert Frontier(endless, hidden=["Up"], bound=100).advance(Observation("Stop"))
    short = Frontier(endless, hidden=["Up"], bound=50)
    assert not short.advance(Observation("Stop"))
    assert (short.verdict, len(short.cuts)) == ("unknown", 1)


def test_an_error_leaves_the_frontier_where_it_was() -> None:
    def fail(n: int) -> list[tuple[int]]:
        if n == 1:
            raise ModelError("no")
        return [(n + 1,)]

    frontier = Frontier(TableModel("n", [(0,)], {"Up": fail}))
    assert frontier.advance(Observation("Up"))
    with pytest.raises(ModelError):
        frontier.advance(Observation("Up"))
    assert (list(frontier.states), frontier.advanced, frontier.verdict) == ([(1,)], 1, "matched")


def test_where_to_begin() -> None:
    model = counter(5)
    frontier = Frontier(model, [(3,), (4,)], first=Observation(state={"n": 4}))
    assert list(frontier.states) == [(4,)]
    assert frontier.advance(Observation("Up"))
    assert not frontier.advance(Observation("Up"))
    assert Frontier(model, first=Observation(state={"n": 7})).verdict == "left"


@pytest.mark.parametrize(
    ("observation", "said"),
    [
        (Observation("Upp"), "no action that is called `Upp`; did you mean `Up`?"),
        (Observation(state={"m": 1}), "no variable that is called `m`"),
    ],
)
def test_a_name_that_nobody_has_is_an_error_and_no_mismatch(observation: Observation, said: str) -> None:
    frontier = Frontier(counter(5))
    with pytest.raises(UnknownNameError, match="the model has"):
        frontier.advance(observation)
    with pytest.raises(UnknownNameError) as error:
        Frontier(counter(5), first=observation)
    assert said in str(error.value)
    with pytest.raises(UnknownNameError):
        Frontier(counter(5), hidden=["Down"])


def test_parameters_that_an_action_does_not_have_are_an_error() -> None:
    with pytest.raises(UnknownNameError, match="no parameter of `A` that is called `q`"):
        Frontier(GraphModel([0], {})).advance(Observation("A", {"q": 1}))


def test_truth_is_no_number() -> None:
    flags = TableModel("on", [(False,)], {"Set": lambda on: [(True,)]})
    assert not Frontier(flags).advance(Observation("Set", state={"on": 1}))
    assert Frontier(flags).advance(Observation("Set", state={"on": True}))
