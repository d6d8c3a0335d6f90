"""What an exploration tells people: how far it is, what was chosen, what an assert says, why nothing was left out."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gristmill.cli.explore import explore as verb
from gristmill.explore import Faults, Message, Options, Process, System, end_state, explore, invariant, on
from gristmill.explore.schedules import replay_saved
from gristmill.explore.text import render
from gristmill.report.progress import ProgressLine
from gristmill.search.progress import Progress
from gristmill.trace.chart import chart, render_text
from gristmill.trace.schedule import Event, SavedSchedule, Sent, Step, save


class Offer(Message):
    price: int


class Seller(Process):
    def start(self) -> None:
        self.send("buyer", Offer(self.choose([10, 20, 30])))


class Buyer(Process):
    def __init__(self) -> None:
        self.paid = 0

    @on(Offer)
    def offer(self, offer: Offer, sender: str) -> None:
        self.paid = offer.price


@invariant
def cheap(state: Any) -> None:
    assert state["buyer"].paid < 30, f"the buyer has paid {state['buyer'].paid}"


@invariant
def generous(state: Any) -> None:
    assert state["buyer"].paid <= 30


@invariant
def forgetful(state: Any) -> None:
    """Its `return` is missing."""
    _ = state["buyer"].paid < 1000


@end_state
def sold(state: Any) -> None:
    assert state["buyer"].paid > 10, "sold below cost"


def market(*properties: Any, **more: Any) -> System:
    return System({"seller": Seller(), "buyer": Buyer()}, properties, **more)


ENGINES = pytest.mark.parametrize("engine", ["python", "native"])


@ENGINES
def test_an_assert_in_an_invariant_is_the_invariant(engine: Any) -> None:
    found = explore(market(generous, cheap), Options(engine=engine))
    assert found.failure is not None
    assert (found.verdict, found.failure.name) == ("invariant", "cheap")
    assert found.failure.message == "the invariant cheap does not hold: the buyer has paid 30"
    assert explore(market(generous), Options(engine=engine)).ok


@ENGINES
def test_an_assert_where_a_run_ends(engine: Any) -> None:
    found = explore(market(sold), Options(engine=engine))
    assert found.failure is not None
    assert found.failure.message == "nothing more can happen, and sold does not hold: sold below cost"


@ENGINES
def test_a_property_that_forgets_its_return_does_not_hold(engine: Any) -> None:
    """Else it would hold whatever happens."""
    assert explore(market(forgetful), Options(engine=engine)).verdict == "invariant"


def test_what_was_chosen_is_shown_and_its_number_is_kept() -> None:
    system = market(cheap)
    found = explore(system)
    assert found.failure is not None
    text = render(system, found)
    assert "  1  start choosing 30\n" in text
    saved = SavedSchedule.from_json(save(found.failure.schedule, "market").to_json())
    assert saved.events[0] == "start choosing 2"
    again = replay_saved(system, saved)
    assert again.failure is not None
    assert again.failure.name == "cheap"


def test_a_system_without_properties_says_so() -> None:
    system = market()
    text = render(system, explore(system))
    assert "nothing was checked but exceptions and assertions of handlers" in text
    assert "note: the system has no properties to be checked" in text


# --- why a reduction leaves out nothing -------------------------------------------------------------------------


@ENGINES
def test_a_reduction_that_leaves_out_nothing_says_why(engine: Any) -> None:
    crashing = market(generous, faults=Faults(crashing=("buyer",), crashes=1))
    (caveat,) = [each for each in explore(crashing, Options(por="static", engine=engine)).caveats if "left out" in each]
    assert caveat.startswith("partial-order reduction has left out nothing: as long as a fault or a timeout can still")
    visible = explore(market(generous), Options(por="static", engine=engine)).caveats
    assert "every handler changes what the properties read" in visible[-1]


class Counter(Process):
    def __init__(self) -> None:
        self.count = 0

    @on(Offer)
    def offer(self, offer: Offer, sender: str) -> None:
        self.count = self.count + offer.price


class Talker(Process):
    def start(self) -> None:
        self.broadcast(Offer(1), ["left", "right"])


@ENGINES
def test_one_that_leaves_out_something_says_nothing(engine: Any) -> None:
    system = System({"left": Counter(), "right": Counter(), "talker": Talker()}, [fine])
    found = explore(system, Options("dfs", por="static", engine=engine))
    assert found.ok
    assert not any("left out" in each for each in found.caveats)
    assert found.counts.distinct < explore(system, Options("dfs", engine=engine)).counts.distinct


@end_state
def fine(state: Any) -> bool:
    return bool(state["left"].count == 1)


# --- progress -----------------------------------------------------------------------------------------------------

PROGRAM = """
from gristmill.explore import Message, Process, System, invariant, on

class Tick(Message):
    number: int

class Clock(Process):
    def start(self):
        self.send(self.name, Tick(1))

    @on(Tick)
    def tick(self, tick, sender):
        self.count = tick.number
        self.send(self.name, Tick(tick.number + 1))

    count = 0

@invariant
def counts(state):
    return state["clock"].count >= 0

system = System({"clock": Clock(), "other": Clock()}, [counts])
"""


@pytest.mark.parametrize("search", ["dfs", "bfs", "random"])
@ENGINES
def test_how_far_a_search_is(search: Any, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.explore.result._TELL_EVERY", 0.0)
    heard: list[Progress] = []
    explore(market(generous), Options(search, engine=engine, runs=5, on_progress=heard.append))
    if engine == "python":
        assert heard
        assert heard[-1].distinct > 0
    stream = io.StringIO()
    line = ProgressLine(stream, terminal=True, every=0.0)
    line(Progress(5, 9, 0, 3, 1.0, 0))
    assert "5 distinct  9 generated  depth 3" in stream.getvalue()


def test_progress_of_a_search_in_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.explore.result._TELL_EVERY", 0.0)
    heard: list[Progress] = []
    monkeypatch.setattr("gristmill.cli.explore.ProgressLine", lambda stream: _Heard(heard))
    path = tmp_path / "clocks.py"
    path.write_text(PROGRAM)
    ended = CliRunner().invoke(verb, [str(path), "--states", "20000"])
    assert ended.exit_code == 3, ended.output
    assert heard
    assert heard[-1].distinct > 0


class _Heard:
    def __init__(self, heard: list[Progress]) -> None:
        self.heard = heard

    def __call__(self, progress: Progress) -> None:
        self.heard.append(progress)

    def close(self) -> None: ...


# --- charts -------------------------------------------------------------------------------------------------------


def run_of(processes: int) -> tuple[list[str], list[Step]]:
    names = [f"process{number}" for number in range(processes)]
    steps = [Step(Event("start", ""))]
    for one, other in pairwise(names):
        sent = Sent(one, other, f"AppendEntries(term=1, to={other})")
        changed = (("log", "('a value that is longer than there is room for', 2)"),)
        steps.append(Step(Event("deliver", other, "append", (sent,)), changes=changed))
    return names, steps


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("processes", [1, 2, 3, 5, 7])
def test_a_chart_fits_the_terminal(width: int, processes: int) -> None:
    names, steps = run_of(processes)
    lines = render_text(
        chart(names, steps, "something that takes a long sentence to say " * 5), within=width
    ).splitlines()
    assert max(map(len, lines)) <= width
    assert [line.split()[0] for line in lines[1:-1]] == [str(n) for n in range(2, processes + 1) for _ in range(2)]
    assert len(lines[0].split()) == processes


def test_many_processes_are_for_a_drawing() -> None:
    names, steps = run_of(12)
    assert "--svg FILE draws it" in render_text(chart(names, steps), within=80)


def test_a_label_without_room_on_its_arrow_stands_beside_it() -> None:
    sent = Sent("a", "b", "a message of some length")
    steps = [Step(Event("start", "")), Step(Event("deliver", "b", "take", (sent,)))]
    text = render_text(chart(list("abcdef"), steps), within=72)
    assert text.splitlines()[1].startswith("2       ├─────────▶│ a message of some length")


def test_the_chosen_value_is_in_the_chart() -> None:
    steps = [Step(Event("timer", "a", "retry", choices=(1,), chosen=("'left'",)))]
    assert "· chooses 'left'" in render_text(chart(["a"], steps))
