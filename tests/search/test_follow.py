"""Following a model along a trace, against an enumeration of all behaviours."""

from collections.abc import Sequence
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from observed_graphs import GraphModel, all_ends, fits, hidden_sets, logs, models
from toy_models import TableModel, counter, die_hard, state_predicate

from gristmill.search import ModelError, breadth_first
from gristmill.search.follow import Followed, follow
from gristmill.search.observation import Observation, UnknownNameError
from gristmill.trace import Step, Trace

Order = Literal["breadth", "depth"]
orders = pytest.mark.parametrize("order", ["breadth", "depth"])


def _split(model: GraphModel, log: list[Observation]) -> tuple[GraphModel, list[Observation]]:
    """A first observation without an action is of the initial state."""
    if not log or log[0].action is not None:
        return model, log
    free = Observation(state=log[0].state, may_stay=True)
    return GraphModel([s[0] for s in model.initial_states() if fits(free, None, s)], model.edges), log[1:]


@orders
@pytest.mark.parametrize("hidden", [(), ("H",)])
@given(model=models, log=logs)
def test_the_longest_prefix_is_that_of_the_enumeration(
    model: GraphModel, log: list[Observation], hidden: Sequence[str], order: Order
) -> None:
    followed = follow(model, log, hidden=hidden, order=order)
    begun, rest = _split(model, log)
    expected = max((n for n in range(len(rest) + 1) if all_ends(begun, rest[:n], hidden)), default=-1)
    offset = len(log) - len(rest)
    assert followed.matched == (expected + offset if expected >= 0 else 0)
    complete = expected == len(rest)
    assert followed.verdict == ("matched" if complete else "left")
    assert (followed.departure is None) == complete
    if followed.departure is not None:
        assert followed.departure.number == followed.matched
    _is_a_behaviour(model, followed, rest[: max(0, expected)], hidden)


def _is_a_behaviour(model: GraphModel, followed: Followed, matched: list[Observation], hidden: Sequence[str]) -> None:
    """The trace that is shown is one of the model, and shows what was observed."""
    steps = followed.trace.steps
    if not steps:
        return
    states = [tuple(step.state.values()) for step in steps]
    assert states[0] in model.initial_states()
    for before, step, after in zip(states, steps[1:], states[1:], strict=False):
        taken = [(model.actions[each.action].name, each.parameters, each.state) for each in model.steps(before)]
        stays = step.action == "Stuttering" and before == after
        assert stays or (step.action, step.parameters, after) in taken
    alone = GraphModel([states[0][0]], _edges_of(model, states, steps))
    assert states[-1] in all_ends(alone, matched, hidden)


def _edges_of(
    model: GraphModel, states: Sequence[tuple[object, ...]], steps: Sequence[Step]
) -> dict[int, list[tuple[int, int, int]]]:
    """The steps of the trace, and no others."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    for before, step, after in zip(states, steps[1:], states[1:], strict=False):
        if step.action != "Stuttering":
            action = [each.name for each in model.actions].index(str(step.action))
            found.setdefault(before[0], []).append((action, step.parameters[0][1], after[0]))  # type: ignore[call-overload, arg-type]
    return found


@given(models, logs, hidden_sets, st.integers(1, 3), st.sampled_from(["breadth", "depth"]))
def test_a_bound_never_makes_a_wrong_claim(
    model: GraphModel, log: list[Observation], hidden: Sequence[str], bound: int, order: Order
) -> None:
    exact = follow(model, log, hidden=hidden)
    bounded = follow(model, log, hidden=hidden, bound=bound, order=order)
    assert bounded.verdict in (exact.verdict, "unknown")
    assert bounded.matched <= exact.matched
    assert (bounded.verdict == "unknown") <= bool(bounded.cuts)


@orders
def test_our_own_counterexamples(order: Order) -> None:
    model = die_hard(invariants=[state_predicate("NotSolved", lambda big, small: big != 4)])
    trace = breadth_first(model).trace
    assert trace is not None
    assert follow(model, trace, order=order) == follow(model, trace, order=order)
    followed = follow(model, trace, order=order)
    assert (followed.verdict, followed.matched, followed.trace) == ("matched", 7, trace)
    assert follow(model, [Observation(step.action) for step in trace.steps[1:]], order=order).trace == trace
    sizes = [Observation(state={"big": step.state["big"]}) for step in trace]
    assert follow(model, sizes, order=order).ok


@orders
def test_where_a_trace_leaves_the_model(order: Order) -> None:
    log = [Observation("FillBig"), Observation("BigToSmall", state={"big": 2, "small": 2})]
    followed = follow(die_hard(), log, order=order)
    assert (followed.verdict, followed.matched) == ("left", 1)
    assert followed.trace.steps[-1].state == {"big": 5, "small": 0}
    assert followed.departure is not None
    (candidate,) = followed.departure.candidates
    (elsewhere,) = candidate.elsewhere
    assert (elsewhere.action, elsewhere.differences) == ("BigToSmall", (("small", 2, 3),))


@orders
def test_hidden_steps_may_come_anywhere(order: Order) -> None:
    jugs = die_hard()
    log = [Observation(state={"big": 0, "small": 0}), Observation("EmptyBig", state={"small": 3})]
    assert follow(jugs, log, order=order).verdict == "left"
    followed = follow(jugs, log, hidden=["FillSmall"], order=order)
    assert followed.verdict == "matched"
    assert [step.action for step in followed.trace] == [None, "FillSmall", "EmptyBig"]
    assert follow(jugs, [*log, Observation(state={"big": 4})], hidden=["FillSmall"], order=order).matched == 2


def test_no_initial_state_fits() -> None:
    followed = follow(counter(3), [Observation(state={"n": 1})])
    assert (followed.verdict, followed.matched, len(followed.trace)) == ("left", 0, 0)
    assert followed.departure is not None
    assert followed.departure.candidates[0].elsewhere[0].differences == (("n", 1, 0),)


@orders
def test_the_step_back_into_a_loop_is_followed(order: Order) -> None:
    ring = TableModel("n", [(0,)], {"Next": lambda n: [((n + 1) % 3,)]})
    steps = (Step({"n": 0}), Step({"n": 1}, "Next"), Step({"n": 2}, "Next"))
    assert follow(ring, Trace(("n",), steps, loop_start=0), order=order).ok
    assert follow(ring, Trace(("n",), steps, loop_start=1), order=order).verdict == "left"
    assert follow(ring, Trace(("n",), steps, stuttering=True), order=order).ok


@orders
def test_an_error_of_the_model_is_one(order: Order) -> None:
    def fail(n: int) -> list[tuple[int]]:
        raise ModelError("no such thing")

    followed = follow(TableModel("n", [(0,)], {"Up": fail}), [Observation("Up")], order=order)
    assert followed.verdict == "error"
    assert followed.failure is not None
    assert followed.failure.message == "no such thing"


def test_depth_first_finds_what_is_too_wide_for_a_bound() -> None:
    wide = TableModel("n m", [(0, 0)], {"Any": lambda n, m: [(n + 1, each) for each in range(50)]})
    log = [Observation("Any")] * 20
    assert follow(wide, log, bound=30).cuts
    found = follow(wide, log, bound=30, order="depth")
    assert (found.verdict, found.cuts, len(found.trace)) == ("matched", (), 21)


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(UnknownNameError):
        follow(counter(3), [Observation("Up"), Observation("Down")])
