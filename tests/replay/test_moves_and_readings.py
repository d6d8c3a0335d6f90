"""What a mapping can say of moves and of readings, on a system that does as it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from posting import changed, posting, trace, two_orders, write_post

from gristmill.replay.conformance import new_outcome, replay_random, replay_trace
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import read_mapping
from gristmill.replay.result import Run
from gristmill.source import SourceError


def replayed(folder: Path, mapping: str, *actions: tuple[object, ...] | str) -> Run:
    with posting(folder, mapping) as coordinator:
        return coordinator.run("trace", trace(coordinator.mapping, *actions))


def moves_of(run: Run, step: int = 1) -> list[str]:
    assert run.conforms, run.discrepancy
    return [f"{each.node}: {each.text}" for each in run.steps[step - 1].moves]


# ---------------------------------------------------------------------------------------------------------------- moves


def test_for_goes_through_a_sequence_in_its_order(tmp_path: Path) -> None:
    assert moves_of(replayed(tmp_path, changed(), "OrderAll")) == ["b2: order", "b1: order"]


def test_for_goes_through_a_set(tmp_path: Path) -> None:
    mapping = changed((r"""'each \in <<"b2", "b1">>'""", r"'each \in Box'"))
    assert moves_of(replayed(tmp_path, mapping, "OrderAll")) == ["b1: order", "b2: order"]


def test_repeat_in_shared_moves(tmp_path: Path) -> None:
    """`do = "deliver"`, for which `with` says how often."""
    run = replayed(tmp_path, changed(), ("Order", "b1"), ("Order", "b1"), ("TakeMany", "b1", 2))
    assert moves_of(run, 3) == [
        "office: b1 -> office: Request(1) from request",
        "office: b1 -> office: Request(2) from request",
    ]


def test_shared_moves_know_only_what_they_are_given(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="the name `b` is not declared or defined"):
        replayed(tmp_path, changed(('where = "from = box"', 'where = "from = b"')), ("Order", "b1"))


def test_if_says_when(tmp_path: Path) -> None:
    """Both boxes order, but one of them through another move."""
    each = """do = [
  { call = "order", on = '"b2"', if = "orders.b2 = 0" },
  { call = "order", on = '"b1"', if = "after.orders.b1 = 1" },
  { call = "order", on = '"b1"', if = "orders.b2 > 0" },
]"""
    mapping = changed((r"""do = [{ for = 'each \in <<"b2", "b1">>', call = "order", on = "each" }]""", each))
    assert moves_of(replayed(tmp_path, mapping, "OrderAll")) == ["b2: order", "b1: order"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('repeat = "times"', "repeat = 'TRUE'", "`repeat` must be a number, which `TRUE` is not"),
        ('repeat = "times"', "if = 'times'", "`if` must be true or false, which `times` is not"),
        ('repeat = "times"', r"for = 'x \in times'", "`for` goes through a set or a sequence, which `times` is not"),
    ],
)
def test_values_of_another_kind(tmp_path: Path, old: str, new: str, told: str) -> None:
    """Known when they are evaluated, and told with their place."""
    with pytest.raises(SourceError) as error:
        replayed(tmp_path, changed((old, new)), ("Order", "b1"), ("Take", "b1"))
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.message == told
    assert diagnostic.span is not None
    assert diagnostic.span.file.path.endswith("post.map.toml")


def test_a_node_that_is_none(tmp_path: Path) -> None:
    run = replayed(tmp_path, changed(('call = "order"\non = "b"', 'call = "order"\non = \'"b3"\'')), ("Order", "b1"))
    assert run.discrepancy is not None
    assert run.discrepancy.message == "b3 is no node"


def test_all_lets_everybody_go_who_is_held(tmp_path: Path) -> None:
    all_at_once = """[action.TakeMany]
do = [{ from = "request", on = '"office"', where = "from = b", all = true }, { settle = true }]
"""
    mapping = changed(('[action.TakeMany]\ndo = "deliver"\nwith = { box = "b", times = "n" }\n', all_at_once))
    run = replayed(tmp_path, mapping, ("Order", "b1"), ("Order", "b2"), ("Order", "b1"), ("TakeMany", "b1", 2))
    assert len(moves_of(run, 4)) == 2


def test_points_are_opened_for_one_action(tmp_path: Path) -> None:
    """Whatever passes there goes on by itself, and what comes later is held again."""
    opened = """[action.TakeMany]
do = [{ open = ["request"] }, { settle = true }]
"""
    mapping = changed(('[action.TakeMany]\ndo = "deliver"\nwith = { box = "b", times = "n" }\n', opened))
    run = replayed(tmp_path, mapping, ("Order", "b1"), ("Order", "b1"), ("TakeMany", "b1", 2), ("Order", "b2"))
    assert run.conforms, run.discrepancy


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('fault = "kill"', 'fault = "kil"', "the driver `program` has no fault `kil`"),
        ('from = "answer"', "from = \"answer\"\nset = { number = '3' }", "the driver `program` cannot set values"),
    ],
)
def test_what_the_driver_cannot_do_is_told_before_anything_runs(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        replayed(tmp_path, changed((old, new)), ("Order", "b1"))


# ------------------------------------------------------------------------------------------------------------- readings


def reading_last(value: str, null: str = "") -> str:
    """The office's last customer, in place of all that it has taken."""
    model = 'IF taken = <<>> THEN "-" ELSE Head(taken)'
    return changed(
        ('readTaken = { path = "taken" }', f'readLast = {{ path = "last"{null} }}'),
        ('value = "readTaken"\nmodel = "taken"', f"value = '{value}'\nmodel = '{model}'"),
    )


@pytest.mark.parametrize(
    "mapping",
    [
        reading_last('IF readLast = "null" THEN "-" ELSE readLast'),
        reading_last("readLast", ', null = "-"'),
    ],
)
def test_what_has_no_value_is_null(tmp_path: Path, mapping: str) -> None:
    assert replayed(tmp_path, mapping, ("Order", "b1"), ("Take", "b1")).conforms


def test_null_is_no_other_value(tmp_path: Path) -> None:
    discrepancy = replayed(tmp_path, reading_last("readLast"), ("Order", "b1")).discrepancy
    assert discrepancy is not None
    assert [(each.model, each.real) for each in discrepancy.comparisons] == [('"-"', '"null"')]


def test_when_says_in_which_states_a_variable_is_compared(tmp_path: Path) -> None:
    wrong = ('value = "readTaken"', "value = 'IF Len(readTaken) = 1 THEN <<>> ELSE readTaken'")
    actions = [("Order", "b1"), ("Take", "b1"), ("Order", "b1"), ("Take", "b1")]
    assert not replayed(tmp_path, changed(wrong), *actions).conforms
    when = (
        'per = "n"\nwhen = \'n = "office"\'\nvalue = "readTaken"',
        'per = "n"\nwhen = \'n = "office" /\\ Len(taken) # 1\'\nvalue = "readTaken"',
    )
    run = replayed(tmp_path, changed(when, (wrong[0], wrong[1])), *actions)
    assert run.conforms
    assert ["taken" in {each.variable for each in step.comparisons} for step in run.steps] == [True, False, False, True]


def test_readings_of_all_nodes_at_once(tmp_path: Path) -> None:
    """Without `per`, they are functions of nodes."""
    whole = ('per = "n"\nwhen = \'n \\in Box\'\nvalue = "readDone"', r"value = '[b \in Box |-> readDone[b]]'")
    actions = [("Order", "b1"), ("Take", "b1"), ("Finish", "b1")]
    run = replayed(tmp_path, changed(whole), *actions)
    assert run.conforms, run.discrepancy
    (done,) = [each for each in run.steps[2].comparisons if each.variable == "done"]
    assert (done.node, done.real) == (None, "[b1 |-> 1, b2 |-> 0]")


def test_what_is_down_is_not_compared(tmp_path: Path) -> None:
    run = replayed(tmp_path, changed(), ("Crash", "b1"))
    assert {each.node for each in run.steps[0].comparisons if each.variable == "done"} == {"b2"}


def test_held_reads_what_is_held(tmp_path: Path) -> None:
    answers = '[variable.answers]\nper = "n"\nwhen = \'n '
    mapping = changed(
        (answers + '= "office"', answers + "\\in Box"),
        ("value = '[b \\in Box |-> Len(readSent[b])]'\nmodel = \"answers\"", "value = 'numbers'\nmodel = '<<>>'"),
        ("[read]\n", '[read]\nnumbers = { held = "answer", bind = "number" }\n'),
    )
    run = replayed(tmp_path, mapping, *two_orders())
    assert run.discrepancy is not None
    (wrong,) = run.discrepancy.comparisons
    assert (run.discrepancy.step, wrong.node, wrong.real, wrong.reading) == (2, "b2", "<<1>>", "numbers = <<1>>")


# ---------------------------------------------------------------------------------------------- one trace after another

RESET = """[reset]
do = [{ call = "clear", on = '"office"' }, { for = 'b \\in Box', call = "clear", on = "b" }]
[start]
"""


def cleared(coordinator: Coordinator) -> int:
    """How often the office was cleared since it was started."""
    (reading,) = (each for each in coordinator.mapping.readings.values() if each.name == "cleared")
    return int(coordinator.driver.observe("office", [reading])["cleared"])


@pytest.mark.parametrize(("office", "expected"), [("Office", 1), ("Stubborn", 0)])
def test_a_system_that_can_be_reset_is_not_started_anew(tmp_path: Path, office: str, expected: int) -> None:
    """One that cannot is."""
    mapping = changed(("[start]\n", RESET), ("[read]\n", '[read]\ncleared = { path = "cleared" }\n'))
    with posting(tmp_path, mapping, office) as coordinator:
        steps = trace(coordinator.mapping, ("Order", "b1"), ("Order", "b1"), ("Take", "b1"))
        assert coordinator.run("first", steps).conforms
        assert coordinator.run("second", steps).conforms
        assert cleared(coordinator) == expected


def test_what_came_in_the_trace_before_makes_no_copy(tmp_path: Path) -> None:
    """Copies of requests go on by themselves; one of the next trace that looks the same is no copy."""
    stray = '[stray.copy]\nfrom = "request"\non = \'"office"\'\nwhere = "again"\n[start]\n'
    mapping = changed(("[start]\n", RESET), ("[read]\n", '[read]\ncleared = { path = "cleared" }\n'))
    with posting(tmp_path, mapping.replace("[start]\n", stray)) as coordinator:
        steps = trace(coordinator.mapping, ("Order", "b1"), ("Take", "b1"), ("Finish", "b1"))
        for number in range(2):
            run = coordinator.run("again", steps)
            assert run.conforms, run.discrepancy
            assert cleared(coordinator) == number


def test_what_is_kept_is_counted_from(tmp_path: Path) -> None:
    """The office does not forget how many orders there were before it was cleared; expressions can."""
    kept = changed(
        ("[start]\n", RESET),
        ('readTaken = { path = "taken" }', 'total = { path = "total", keep = true }'),
        ('value = "readTaken"\nmodel = "taken"', "value = 'total - kept.total[\"office\"]'\nmodel = 'Len(taken)'"),
        ("[read]\n", '[read]\ncleared = { path = "cleared" }\n'),
    )
    actions = [("Order", "b1"), ("Take", "b1"), ("Finish", "b1"), ("Order", "b2"), ("Take", "b2")]
    with posting(tmp_path, kept) as coordinator:
        for number in range(3):
            run = coordinator.run("again", trace(coordinator.mapping, *actions))
            assert run.conforms, run.discrepancy
            assert cleared(coordinator) == number


def test_known_steps_are_avoided_and_counted(tmp_path: Path) -> None:
    known = '\n[known.crashes]\nwhen = \'action = "Crash" /\\ before.up[parameters.b]\'\nbecause = "they do"\n'
    mapping = read_mapping(write_post(tmp_path, changed() + known))
    outcome = new_outcome(mapping, "random", 1)
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        replay_random(coordinator, outcome, seconds=600, seed=1, depth=12, traces=10)
    assert (outcome.traces, outcome.conforming) == (10, 10)
    assert outcome.actions["Order"] > 5
    assert outcome.actions["Crash"] == 0
    assert outcome.avoided["crashes"] > 10
    assert outcome.reasons == {"crashes": "they do"}


def test_traces_without_a_step_are_none(tmp_path: Path) -> None:
    mapping = read_mapping(write_post(tmp_path, changed() + "\n[known.all]\nwhen = 'TRUE'\n"))
    outcome = new_outcome(mapping, "random", 1)
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        replay_random(coordinator, outcome, seconds=600, seed=1, depth=12, traces=2)
    assert (outcome.traces, outcome.steps, outcome.verdict) == (2, 0, "incomplete")


def test_what_was_never_compared_does_not_agree(tmp_path: Path) -> None:
    """Nobody is started, and nothing is done."""
    nothing = changed(
        ("""do = [{ for = 'n \\in Box \\union {"office"}', fault = "start", on = "n" }]""", "do = []"),
        ('call = "order"\non = "b"', "settle = true"),
    )
    with posting(tmp_path, nothing) as coordinator:
        outcome = new_outcome(coordinator.mapping, "trace")
        replay_trace(coordinator, outcome, "trace", trace(coordinator.mapping, ("Order", "b1")))
    assert outcome.conforming == 1
    assert outcome.verdict == "incomplete"
    assert outcome.never_compared == ("taken", "orders", "answers", "done")
