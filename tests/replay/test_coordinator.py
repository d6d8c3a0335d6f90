"""A system that does not do what the model says is found out where it does not: every kind of discrepancy."""

from __future__ import annotations

from pathlib import Path

import pytest
from posting import changed, posting, trace, two_orders

from gristmill.replay.conformance import new_outcome, replay_trace
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import read_mapping
from gristmill.replay.result import Discrepancy, Run
from gristmill.source import SourceError

# Without this the number of messages on their way is seen before anything else.
UNSEEN = (
    """per = "n"
when = 'n = "office"'
value = '[b \\in Box |-> Len(readSent[b])]'
model = "answers"
""",
    'unobserved = "not looked at"\n',
)


def run(folder: Path, *actions: tuple[str, str] | str, office: str = "Office", mapping: str | None = None) -> Run:
    with posting(folder, changed() if mapping is None else mapping, office) as coordinator:
        return coordinator.run("trace", trace(coordinator.mapping, *actions))


def found(run: Run) -> Discrepancy:
    assert run.discrepancy is not None
    return run.discrepancy


def test_what_the_model_says_is_done(tmp_path: Path) -> None:
    done = run(tmp_path, *two_orders(), ("Finish", "b2"), ("Order", "b1"), ("Crash", "b1"), ("Take", "b1"))
    assert done.discrepancy is None
    assert [step.action for step in done.steps][-4:] == ['Finish("b2")', 'Order("b1")', 'Crash("b1")', 'Take("b1")']
    assert [each.variable for each in done.initial] == ["taken", "orders", "orders", "answers", "done", "done"]
    assert all(each.equal for step in done.steps for each in step.comparisons)
    (taken,) = done.steps[1].moves
    assert (taken.what, taken.node, taken.other, taken.message) == ("release", "office", "b2", "Request")


# ----------------------------------------------------------------------------------------------------- the four kinds


def test_a_variable_that_differs(tmp_path: Path) -> None:
    done = run(tmp_path, *two_orders(), ("Finish", "b2"), office="Forgetful")
    discrepancy = found(done)
    assert (discrepancy.kind, discrepancy.step, discrepancy.action) == ("differs", 4, 'Take("b2")')
    assert (discrepancy.node, discrepancy.variable) == ("office", "taken")
    (comparison,) = discrepancy.comparisons
    assert (comparison.model, comparison.real) == ('<<"b2", "b2">>', '<<"b2", "b1">>')
    assert comparison.reading == 'readTaken = <<"b2", "b1">>'
    assert [(each.path, each.model, each.real) for each in comparison.differences] == [("[2]", '"b2"', '"b1"')]
    assert [each.partition(" of ")[0] for each in discrepancy.waiting] == [
        "office -> b2: Answer(1)",
        "office -> b2: Answer(2)",
    ]
    assert (len(done.steps), done.length) == (4, 5)  # the last step was not replayed


def test_an_action_that_never_comes(tmp_path: Path) -> None:
    actions = [*two_orders(), ("Finish", "b2"), ("Finish", "b2")]
    discrepancy = found(run(tmp_path, *actions, office="Silent", mapping=changed(UNSEEN)))
    assert (discrepancy.kind, discrepancy.step, discrepancy.action) == ("never-came", 6, 'Finish("b2")')
    assert (discrepancy.node, discrepancy.message) == ("b2", "nothing is held at answer on b2")
    assert discrepancy.waiting == ()
    assert discrepancy.doing == ("office is up", "b1 is up", "b2 is up")


def test_something_that_the_model_does_not_enable(tmp_path: Path) -> None:
    discrepancy = found(run(tmp_path, *two_orders(), office="Chatty", mapping=changed(UNSEEN)))
    assert (discrepancy.kind, discrepancy.step, discrepancy.action) == ("unexpected", 4, 'Take("b2")')
    assert discrepancy.node == "b1"
    assert discrepancy.message.startswith("office -> b1: Answer(2) of b1 at answer")
    assert discrepancy.message.endswith('the model does not enable Finish("b1")')
    assert len(discrepancy.waiting) == 3
    assert "office → b1: Answer(2)" in discrepancy.doing


def test_a_system_that_fails(tmp_path: Path) -> None:
    discrepancy = found(run(tmp_path, *two_orders(), office="Failing"))
    assert (discrepancy.kind, discrepancy.step, discrepancy.node) == ("failed", 4, "office")
    assert discrepancy.failure is not None
    assert discrepancy.failure.kind == "exception"
    assert discrepancy.failure.message.endswith("raised ValueError: no more room")


def test_a_system_that_does_not_get_to_the_initial_state(tmp_path: Path) -> None:
    mapping = changed(("[start]\ndo = [", "[start]\ndo = [{ settle = true }, "), ('"readDone"', '"readDone + 1"'))
    discrepancy = found(run(tmp_path, *two_orders(), mapping=mapping))
    assert (discrepancy.kind, discrepancy.step, discrepancy.action) == ("start", 0, "")
    assert [(each.node, each.model, each.real) for each in discrepancy.comparisons] == [
        ("b1", "0", "1"),
        ("b2", "0", "1"),
    ]


def test_a_start_that_never_comes(tmp_path: Path) -> None:
    mapping = changed(("[start]\ndo = [", """[start]\ndo = [{ await = "request", on = '"office"' }, """))
    discrepancy = found(run(tmp_path, *two_orders(), mapping=mapping))
    assert (discrepancy.kind, discrepancy.message) == ("start", "nothing comes to request on office")


def test_a_value_that_is_none(tmp_path: Path) -> None:
    """An expression that has no value for what was read is no agreement."""
    discrepancy = found(run(tmp_path, *two_orders(), mapping=changed(('"readTaken"', '"Tail(readTaken)"'))))
    assert discrepancy.kind == "start"
    assert discrepancy.comparisons[0].real.startswith("no value: ")


def test_an_action_that_is_not_mapped(tmp_path: Path) -> None:
    """That is no fault of the system's."""
    mapping = changed(("[action.OrderAll]\n", "[moves.all]\n"))
    with posting(tmp_path, mapping) as coordinator:
        steps = trace(coordinator.mapping, "OrderAll")
        with pytest.raises(SourceError, match="the mapping does not say what OrderAll is in the system"):
            coordinator.run("trace", steps)


# --------------------------------------------------------------------------------------------------------------- lawful


EARLY = ('from = "answer"\n', 'early = EARLY\nfrom = "answer"\n')


@pytest.mark.parametrize(("early", "conforms"), [("""'b = "b1"'""", True), ("""'b = "b2"'""", False), ("true", True)])
def test_early_says_when_an_actor_may_wait(tmp_path: Path, early: str, conforms: bool) -> None:
    mapping = changed(UNSEEN, EARLY).replace("EARLY", early)
    assert run(tmp_path, *two_orders(), office="Chatty", mapping=mapping).conforms is conforms


def test_what_waits_is_not_judged(tmp_path: Path) -> None:
    mapping = changed(("[point.answer]\n", "[point.answer]\nwaits = true\n"), UNSEEN)
    assert run(tmp_path, *two_orders(), office="Chatty", mapping=mapping).conforms


def test_where_no_action_begins(tmp_path: Path) -> None:
    mapping = changed(('from = "answer"\non = "b"', "settle = true"), UNSEEN)
    discrepancy = found(run(tmp_path, *two_orders(), mapping=mapping))
    assert (discrepancy.kind, discrepancy.step) == ("unexpected", 2)
    assert discrepancy.message.endswith("no action of the mapping begins there")


def test_an_actor_that_is_meant_by_no_action(tmp_path: Path) -> None:
    mapping = changed(('from = "answer"\non = "b"', 'from = "answer"\non = "b"\nwhere = "number > 1"'))
    discrepancy = found(run(tmp_path, *two_orders(), mapping=mapping))
    assert (discrepancy.kind, discrepancy.step) == ("unexpected", 2)
    assert discrepancy.message.endswith("no action of the mapping is meant for it")


ONCE = {
    "Once.tla": """
---- MODULE Once ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Fire == x = 0 /\\ x' = 1
Skip == x = 0 /\\ x' = 2
Next == Fire \\/ Skip
====
""",
    "Once.cfg": "INIT Init\nNEXT Next\n",
    "once.py": """
from gristmill.explore import Process, System, timer

class Gun(Process):
    def __init__(self):
        self.x = 0

    def start(self):
        self.set_timer("fire", 1.0)

    @timer("fire")
    def fire(self):
        self.x = 1

    def skip(self):
        self.x = 2

system = System({"gun": Gun()})
""",
    "once.map.toml": """
[system]
driver = "program"
specification = "Once.tla"
nodes = '{"gun"}'
[program]
file = "once.py:system"
[client.skip]
method = "skip"
[start]
do = [{ fault = "start", on = '"gun"' }]
[point.timer]
at = "timer fire"
[action.Fire]
on = '"gun"'
from = "timer"
[action.Skip]
on = '"gun"'
call = "skip"
[read.x_]
path = "x"
[variable.x]
per = "n"
value = "x_"
model = "x"
""",
}


@pytest.mark.parametrize("action", ["Fire", "Skip"])
def test_an_actor_is_judged_where_it_is_first_seen(tmp_path: Path, action: str) -> None:
    """Which is the initial state: then it may fire, and later it stays where it is."""
    for name, text in ONCE.items():
        (tmp_path / name).write_text(text)
    mapping = read_mapping(tmp_path / "once.map.toml")
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        done = coordinator.run("trace", trace(mapping, action))
    assert done.conforms, done.discrepancy


# ------------------------------------------------------------------------------------------------------------ shrinking


def both(*boxes: str) -> list[tuple[str, str]]:
    return [(action, box) for box in boxes for action in ("Order", "Take", "Finish")]


@pytest.mark.parametrize(
    ("office", "actions", "smallest"),
    [
        ("Failing", both("b1", "b2"), ["b1", "b2"]),
        ("Failing", [("Crash", "b2"), ("Order", "b1"), *both("b1", "b1")], ["b1", "b1"]),
        # Whoever comes second is b1 to it: that is only wrong of b2.
        ("Forgetful", both("b1", "b2", "b1", "b2"), ["b1", "b2"]),
        ("Forgetful", [("Order", "b1"), *both("b2"), ("Order", "b2"), *both("b2")], ["b2", "b2"]),
    ],
)
def test_the_smallest_trace_is_found(
    tmp_path: Path, office: str, actions: list[tuple[str, str]], smallest: list[str]
) -> None:
    with posting(tmp_path, office=office) as coordinator:
        shown = _shrunk(coordinator, actions)
    assert len(shown) == 4
    assert [each for each in shown if each.startswith("Take")] == [f'Take("{box}")' for box in smallest]


def test_a_trace_that_is_the_smallest_stays_as_it_is(tmp_path: Path) -> None:
    with posting(tmp_path, office="Failing") as coordinator:
        outcome = new_outcome(coordinator.mapping, "trace")
        steps = trace(coordinator.mapping, *two_orders())
        replayed = replay_trace(coordinator, outcome, "short", steps, shrink_seconds=60)
    assert replayed.smallest is None
    assert replayed.tries > 0


def _shrunk(coordinator: Coordinator, actions: list[tuple[str, str]]) -> list[str]:
    outcome = new_outcome(coordinator.mapping, "trace")
    steps = trace(coordinator.mapping, *actions)
    replayed = replay_trace(coordinator, outcome, "long", steps, shrink_seconds=60)
    assert outcome.replayed == [replayed]
    assert outcome.traces == 1  # those that were tried do not count
    assert replayed.tries > 0
    shown, shortest = replayed.shown
    assert shortest.discrepancy is not None
    assert replayed.run.discrepancy is not None
    assert shortest.discrepancy.signature == replayed.run.discrepancy.signature
    return [step.text for step in shown[1:]]
