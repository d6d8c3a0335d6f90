"""Counterexamples on a terminal: what each step changes, long ones, wide ones, lassos."""

import pytest

import gristmill
from gristmill.report.options import Options
from gristmill.report.terminal import render_result, render_trace
from gristmill.trace import Step, Trace
from gristmill.values import ModelValue, Value, make_function, make_record, make_set

SERVERS = [ModelValue(f"s{number}") for number in range(1, 6)]

pytestmark = pytest.mark.usefixtures("world")


def wide_trace(steps: int, variables: int = 40) -> Trace:
    """Each step adds messages to a set that every server has, and changes every variable."""

    def state(number: int) -> dict[str, Value]:
        messages = make_set(
            [make_record({"type": "AppendEntries", "term": n, "entries": (n, n + 1)}) for n in range(number)]
        )
        seen = make_function([(server, messages) for server in SERVERS])
        return {f"variable{n}": seen for n in range(variables)}

    parameters = (("from", SERVERS[0]), ("to", SERVERS[1]))
    taken = [Step(state(number), "Send", parameters) for number in range(1, steps)]
    return Trace(tuple(state(0)), (Step(state(0)), *taken))


def counting_trace(steps: int) -> Trace:
    taken = [Step({"n": n}, "Up" if n % 2 else "Down") for n in range(1, steps)]
    return Trace(("n",), (Step({"n": 0}), *taken))


@pytest.mark.parametrize("width", [80, 140])
def test_a_wide_state_takes_three_lines_a_step(width: int) -> None:
    lines = render_trace(wide_trace(20), Options(width=width))
    first = next(number for number, line in enumerate(lines) if line.startswith("  2  Send"))
    last = next(number for number, line in enumerate(lines) if line.startswith(" 20  Send"))
    assert last - first == 18 * 3
    assert max(map(len, lines)) <= width
    assert "more changes" in lines[first + 2]
    assert lines[-1] == "     …: something is left out; --trace full shows every state whole."


def test_everything_is_shown_if_it_is_asked_for() -> None:
    lines = render_trace(wide_trace(4, variables=3), Options(width=80, trace="full"))
    assert not any("…" in line for line in lines)
    assert sum("AppendEntries" in line for line in lines) == (1 + 2 + 3) * len(SERVERS) * 3


def test_of_a_long_behaviour_the_first_and_the_last_steps() -> None:
    lines = render_trace(counting_trace(1441))
    assert "1,440 steps: Up · Down · " in lines[1]
    assert len(lines) < 100
    between = next(number for number, line in enumerate(lines) if "between" in line)
    assert lines[between] == "   …  1,411 steps between"
    assert lines[between - 1] == "      n: 8 → 9"
    assert lines[between + 1].startswith("1422  ")
    assert "      n: 1439 → 1440" in lines


def test_where_a_long_loop_begins_is_shown() -> None:
    trace = counting_trace(500)
    looping = Trace(trace.variables, trace.steps, loop_start=200, closing=Step({"n": 200}, "Reset"))
    lines = render_trace(looping)
    assert "201  Down" in lines
    assert lines.count("  …  188 steps between") == 0
    assert [line for line in lines if "between" in line] == ["  …  189 steps between", "  …  277 steps between"]
    assert "     Back to state 201 by Reset" in lines


def test_all_of_the_last_state_if_many_steps_have_made_it() -> None:
    lines = render_trace(counting_trace(9))
    assert lines[-3:] == ["", "     All of state 9", "     n = 8"]


def test_the_last_state_has_room_for_long_values() -> None:
    """In a step they are cut to a line; what the last state is should not have to be asked for."""
    people = make_set(f"somebody_{number}" for number in range(9))
    steps = [Step({"boat": people}), *(Step({"boat": make_set(()), "n": n}, "Move") for n in range(4))]
    trace = Trace(("boat",), (*steps, Step({"boat": people}, "Move")))
    lines = render_trace(trace, Options(width=80))
    at = lines.index("     All of state 6")
    assert max(map(len, lines)) <= 80
    assert lines[at + 1 : at + 4] == [
        '     boat = {"somebody_0", "somebody_1", "somebody_2", "somebody_3",',
        '            "somebody_4", "somebody_5", "somebody_6", "somebody_7",',
        '            "somebody_8"}',
    ]
    huge = make_set(f"somebody_{number}" for number in range(99))
    assert " more}" in render_trace(Trace(("boat",), (*steps, Step({"boat": huge}, "Move"))))[at + 1]


def test_numbers_of_four_digits_shift_nothing() -> None:
    lines = render_trace(counting_trace(1_200), Options(width=200))[5:]
    assert {line.index("Up") for line in lines if "Up" in line} == {6}
    assert {line.index("n:") for line in lines if "→" in line} == {6}


def test_the_actions_in_short_with_what_repeats_counted() -> None:
    steps = [Step({"n": 0})]
    for number in range(1, 4):
        steps.append(Step({"n": number}, "Timeout", (("s", SERVERS[0]),)))
    steps.append(Step({"n": 4}, "RequestVote", (("from", SERVERS[0]), ("to", SERVERS[1]))))
    assert render_trace(Trace(("n",), tuple(steps)))[:2] == ["", "4 steps: Timeout(s1) ×3 · RequestVote(s1, s2)"]


def test_many_actions_do_not_fill_the_screen() -> None:
    names = [f"AnActionWithALongName{number}" for number in range(50)]
    trace = Trace(("n",), (Step({"n": 0}), *(Step({"n": 1}, name) for name in names)))
    lines = render_trace(trace, Options(width=80))
    told = lines[1 : lines.index("", 1)]
    assert len(told) == 4
    assert max(map(len, told)) <= 80
    assert told[-1] == "  … · AnActionWithALongName49"


# --- lassos -------------------------------------------------------------------------------------------------------

LIFT = r"""
---- MODULE Lift ----
EXTENDS Integers
CONSTANT People
VARIABLES floor, rides
Init == floor = 1 /\ rides = [p \in People |-> 0]
Up(p) == floor < 3 /\ floor' = floor + 1 /\ rides' = [rides EXCEPT ![p] = 1]
Down == floor > 1 /\ floor' = floor - 1 /\ rides' = [p \in People |-> 0]
Next == (\E p \in People : Up(p)) \/ Down
vars == <<floor, rides>>
Spec == Init /\ [][Next]_vars
Fair == Spec /\ WF_vars(Next)
Top == <>(floor = 3)
====
"""


def lift(specification: str) -> gristmill.Result:
    return gristmill.check(LIFT, specification=specification, properties=["Top"], constants={"People": {"a", "b"}})


def test_a_lasso_names_what_closes_it_and_what_fairness_excludes_it() -> None:
    text = str(lift("Fair"))
    assert "     Back to state 1 by Down  <text>:8\n" in text
    assert '  in state 2  Up(p = "b")  <text>:7\n' in text
    assert (
        'Which fairness would exclude this behaviour\n  WF_vars(Up(p))  (p = "b")  always possible, and never taken\n'
    ) in text


def test_who_stops_would_not_if_something_were_fair() -> None:
    text = str(lift("Spec"))
    assert "What could have happened instead: the specification demands no fairness\n" in text
    assert "  WF_vars(Up)  always possible, and never taken\n" in text


def test_the_fairness_that_is_proposed_does_exclude_the_behaviour() -> None:
    """Not this lasso, at least; here there is no other one."""
    fair = LIFT.replace(
        "Fair == Spec /\\ WF_vars(Next)",
        "Fair == Spec /\\ WF_vars(Next) /\\ SF_vars(floor = 2 /\\ \\E p \\in People : Up(p))",
    )
    result = gristmill.check(fair, specification="Fair", properties=["Top"], constants={"People": {"a", "b"}})
    assert result.ok


STRONG = r"""
---- MODULE Strong ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Go == x = 0 /\ x' = 1
Back == x = 1 /\ x' = 0
Leave == x = 1 /\ x' = 2
Stay == x = 2 /\ x' = 2
Spec == Init /\ [][Go \/ Back \/ Leave \/ Stay]_x /\ WF_x(Go \/ Back)
Gone == <>(x = 2)
====
"""


def test_strong_fairness_where_weak_fairness_is_not_enough() -> None:
    result = gristmill.check(STRONG, specification="Spec", properties=["Gone"])
    (remedy,) = result.violations[0].remedies
    assert (remedy.text, remedy.possible) == ("SF_x(Leave)", (2,))
    for fairness, verdict in (("WF_x(Leave)", "liveness"), ("SF_x(Leave)", "ok")):
        fair = STRONG.replace("WF_x(Go \\/ Back)", f"WF_x(Go \\/ Back) /\\ {fairness}")
        assert gristmill.check(fair, specification="Spec", properties=["Gone"]).verdict == verdict
    assert "  SF_x(Leave)  possible in state 2, and never taken\n" in render_result(result)


def test_a_message_that_is_cut_says_between_whom_it_went() -> None:
    """The server beside it leaves its room to the message; of that, numbers go first."""
    numbers: dict[str, Value] = dict.fromkeys(("term", "length", "last", "commit"), 123)
    ends: dict[str, Value] = {"type": "request", "from": SERVERS[0], "to": SERVERS[1]}
    parameters = (("s", SERVERS[1]), ("m", make_record({**numbers, **ends})))
    trace = Trace(("n",), (Step({"n": 0}), Step({"n": 1}, "GrantVote", parameters)))
    lines = render_trace(trace, Options(width=100))
    (title,) = (line for line in lines if "GrantVote(s" in line)
    assert len(title) <= 100
    assert '(s = s2, m = [type |-> "request", from |-> s1, to |-> s2, ' in title
