"""A behaviour in which the events of several strands happen, against all of their orders one by one."""

from itertools import islice

import pytest
from toy_models import TableModel
from woven_graphs import Case, cases, claim, judge, twin

from gristmill.search import ModelError
from gristmill.search.weave import Act, Event, Strands, Weaver, departure

CHANGES = ["any", "nothing", "remove", "alter", "reorder"]
COUNT = 2_000  # of each


def _weaver(case: Case, **options: object) -> Weaver:
    return Weaver(case.model, case.strands, hidden=case.hidden, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_found_is_what_there_is(change: str) -> None:
    verdicts = set()
    for case in islice(cases(1, change), COUNT):
        weaver, truth = _weaver(case), twin(case)
        verdicts.add(weaver.run())
        assert weaver.verdict == ("matched" if truth.ends else "left")
        if truth.ends:
            _is_a_behaviour(case, weaver)
        else:
            assert weaver.deepest == truth.deepest
            _is_a_departure(weaver)
    assert verdicts == ({"matched"} if change == "nothing" else {"matched", "left"})


@pytest.mark.parametrize("change", CHANGES)
def test_all_ends_are_found_with_what_was_false_on_the_way(change: str) -> None:
    for case in islice(cases(2, change), COUNT):
        weaver, truth = _weaver(case, judge=judge), twin(case)
        first = weaver.run()
        if truth.ends:  # behaviours in which all is well come first
            assert weaver.end is not None
            assert bool(weaver.pairs[weaver.end].broken) is all(broken for _, broken in truth.ends)
        assert weaver.run(to_the_end=True) == first
        found = {(pair.state, bool(pair.broken)) for pair in map(weaver.pairs.__getitem__, weaver.ends)}
        assert found == truth.ends
        assert weaver.is_complete


@pytest.mark.parametrize("change", CHANGES)
def test_a_bound_never_makes_a_wrong_claim(change: str) -> None:
    verdicts = set()
    for number, case in enumerate(islice(cases(3, change), COUNT)):
        weaver, truth = _weaver(case, bound=number % 5 + 1), twin(case)
        verdicts.add(verdict := weaver.run())
        assert verdict in (("matched", "unknown") if truth.ends else ("left", "unknown"))
        assert (verdict == "unknown") <= weaver.is_cut
        assert len(weaver.pairs) <= weaver.bound
    assert "unknown" in verdicts


def _is_a_behaviour(case: Case, weaver: Weaver) -> None:
    state, stitches = weaver.pairs.path(weaver.ends[0])
    assert state in case.model.initial_states()
    done = [0] * len(case.strands.events)
    for stitch in stitches:
        if stitch.strand is None:
            assert all(case.model.actions[taken.action].name in case.hidden for taken in stitch.taken)
        else:
            assert stitch.strand in case.strands.next_at(tuple(done))
            assert stitch.number == done[stitch.strand]
            event = case.strands.events[stitch.strand][stitch.number]
            assert (stitch.taken, stitch.state) in [(taken, end) for _, taken, end in weaver.outcomes(event, [state])]
            done[stitch.strand] += 1
        for taken in stitch.taken:
            assert taken in case.model.steps(state)
            state = taken.state
        assert state == stitch.state
    assert tuple(done) == case.strands.end


def _is_a_departure(weaver: Weaver) -> None:
    """Nothing that is said to be stuck can happen in any of the states."""
    found = departure(weaver)
    assert found.count == len(weaver.pairs.at(weaver.deepest))
    for stuck in found.stuck:
        states = [
            pair.state
            for pair in map(weaver.pairs.__getitem__, weaver.pairs.at(weaver.deepest))
            if pair.position[stuck.strand] == stuck.number
        ]
        assert not list(weaver.outcomes(stuck.event, states))
        if stuck.nearest is not None:
            assert stuck.nearest.differences


# --------------------------------------------------------------------------------------------------------- by example


def _counters() -> TableModel:
    return TableModel(
        "a b",
        [(0, 0)],
        {"A": lambda a, b: [(a + 1, b)], "B": lambda a, b: [(a, b + 1)] if b < a else []},
    )


def _acts(names: str, **more: tuple[object, ...]) -> list[Event]:
    return [Event(((Act(name),),), **more) for name in names]  # type: ignore[arg-type]


def test_strands_wait_for_each_other() -> None:
    weaver = Weaver(_counters(), Strands([_acts("BB"), _acts("AA")]))
    assert weaver.run() == "matched"
    _, stitches = weaver.pairs.path(weaver.ends[0])
    assert "".join("BA"[stitch.strand or 0] for stitch in stitches) in ("AABB", "ABAB")


def test_an_order_may_leave_no_behaviour() -> None:
    strands = Strands([_acts("B"), _acts("A")], [[None], [(1, 0)]])
    weaver = Weaver(_counters(), strands)
    assert weaver.run() == "left"
    found = departure(weaver)
    assert [(stuck.strand, stuck.number) for stuck in found.stuck] == [(0, 0)], "the other one has to wait"


def test_what_an_event_would_have_needed() -> None:
    seen = Event(((Act("A"),), (Act("B"),)), after=(_value("a", 3), _value("b", 0)))
    weaver = Weaver(_counters(), Strands([[*_acts("A"), seen]]))
    assert weaver.run() == "left"
    (stuck,) = departure(weaver).stuck
    assert [(lack.kind, lack.action, lack.text, lack.wanted, lack.owns) for lack in stuck.lacks] == [
        ("after", "A", "a", 3, ((2, 1),)),
        ("after", "B", "a", 3, ((1, 1),)),
        ("after", "B", "b", 0, ((1, 1),)),
    ]
    assert stuck.nearest is not None
    assert [(each.text, each.wanted, each.own) for each in stuck.nearest.differences] == [("a", 3, 2)]


def test_several_steps_may_be_one_event() -> None:
    both = Event(((Act("A"), Act("B")),), after=(_value("b", 1),))
    weaver = Weaver(_counters(), Strands([[both, both]]))
    assert weaver.run() == "left", "after the second one, b is 2"
    assert weaver.deepest == 1
    assert Weaver(_counters(), Strands([[both, Event(before=(_value("a", 1),))]])).run() == "matched"


def test_an_error_in_one_state_hides_no_behaviour() -> None:
    def fail(n: int) -> list[tuple[int]]:
        if n == 1:
            raise ModelError("no")
        return [(n + 10,)]

    model = TableModel("n", [(0,)], {"Any": lambda n: [(1,), (2,)], "Up": fail})
    log = [Event(((Act("Any"),),)), Event(((Act("Up"),),), after=(_value("n", 12, 0),))]
    assert Weaver(model, Strands([log])).run() == "matched"
    wrong = [log[0], Event(((Act("Up"),),), after=(_value("n", 13, 0),))]
    weaver = Weaver(model, Strands([wrong]))
    assert weaver.run() == "error"
    assert weaver.failure is not None
    assert weaver.failure.message == "no"


def test_hidden_steps_without_end_hide_no_behaviour() -> None:
    """What is wrong was chosen some events ago; here the model may go on unseen for ever."""
    for right in (1, 2):
        model = TableModel(
            "n k",
            [(0, 0)],
            {
                "Choose": lambda n, k: [(n, 1), (n, 2)],
                "Go": lambda n, k: [(n, k)],
                "Up": lambda n, k: [(n + 1, k)],
                "End": lambda n, k: [(n, k)] if n == 3 and k == right else [],  # noqa: B023
            },
        )
        log = [Event(((Act(name),),)) for name in ("Choose", "Go", "Go", "Go", "End")]
        assert Weaver(model, Strands([log]), hidden=["Up"], bound=2_000).run() == "matched"


def _value(name: str, wanted: int, place: int | None = None):  # type: ignore[no-untyped-def]
    at = "ab".index(name) if place is None else place
    return type(claim("x", 0))(name, wanted, lambda values: values[at])
