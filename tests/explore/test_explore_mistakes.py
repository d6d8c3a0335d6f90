"""Every mistake in a protocol gets one message that names process, handler and line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from gristmill.explore import Message, Network, Options, Process, System, explore, invariant, on, program, timer
from gristmill.explore.properties import View
from gristmill.source import SourceError


class Job(Message):
    items: list[int]


class Starter(Process):
    def start(self) -> None:
        self.send("b", Job([1]))


def failing(handle: Callable[[Process, Job], None]) -> System:
    class Worker(Process):
        def __init__(self) -> None:
            self.field: object = None

        @on(Job)
        def job(self, job: Job, sender: str) -> None:
            handle(self, job)

    return System({"a": Starter(), "b": Worker()})


def message_of(handle: Callable[[Process, Job], None]) -> str:
    try:
        failure = explore(failing(handle), Options(shrink=False)).failure
    except SourceError as error:
        return str(error)
    assert failure is not None
    return failure.message


def raises(self: Process, job: Job) -> None:
    raise ValueError("no such job")


def asserts(self: Process, job: Job) -> None:
    assert job.items == [], "there is work"


def mutates(self: Process, job: Job) -> None:
    job.items.append(2)


def sends_to_nobody(self: Process, job: Job) -> None:
    self.send("c", job)


def sends_what_nobody_handles(self: Process, job: Job) -> None:
    self.send("a", job)


def keeps_a_lock(self: Process, job: Job) -> None:
    self.field = threading.Lock()  # type: ignore[attr-defined]


def keeps_a_generator(self: Process, job: Job) -> None:
    self.field = (item for item in job.items)  # type: ignore[attr-defined]


def sends_an_object(self: Process, job: Job) -> None:
    self.send("b", Job([object()]))  # type: ignore[list-item]


def unknown_timer(self: Process, job: Job) -> None:
    self.set_timer("soon")


def chooses_nothing(self: Process, job: Job) -> None:
    self.choose([])


@pytest.mark.parametrize(
    ("handle", "says"),
    [
        (raises, "raised ValueError: no such job"),
        (asserts, "assertion failed: there is work"),
        (mutates, "changes the message it received: Job([1]) became Job([1, 2])"),
        (sends_to_nobody, "sends to 'c', and there is no such process"),
        (sends_what_nobody_handles, "which has no handler for Job"),
        (keeps_a_lock, "leaves in the field field a lock"),
        (keeps_a_generator, "leaves in the field field a generator"),
        (sends_an_object, "sends a message that holds a object"),
        (unknown_timer, "sets the timer 'soon', and no handler is declared"),
        (chooses_nothing, "chooses among nothing"),
    ],
)
def test_what_handlers_must_not_do(handle: Callable[[Process, Job], None], says: str) -> None:
    text = message_of(handle)
    assert says in text
    assert text.startswith("process b, handler job (")
    assert "test_explore_mistakes.py:" in text


@pytest.mark.parametrize("handle", [lambda self, job: time.sleep(30), lambda self, job: [None for _ in iter(int, 1)]])
def test_a_handler_that_does_not_come_back(
    handle: Callable[[Process, Job], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "HANDLER_SECONDS", 0.2)
    text = message_of(handle)
    assert "process b, handler job" in text
    assert "must not block or loop for ever" in text


COUNTER = [0]


def counts_outside(self: Process, job: Job) -> None:
    COUNTER[0] += 1
    self.field = COUNTER[0]  # type: ignore[attr-defined]


def reads_the_clock(self: Process, job: Job) -> None:
    self.field = time.perf_counter_ns()  # type: ignore[attr-defined]


@pytest.mark.parametrize("handle", [counts_outside, reads_the_clock])
def test_a_handler_that_is_no_function(handle: Callable[[Process, Job], None]) -> None:
    text = message_of(handle)
    assert "process b, handler job (" in text
    assert "run twice on the same state and message, it gave two results (fields field)" in text


def test_a_handler_that_changes_another_process() -> None:
    system: System | None = None

    def reaches_over(self: Process, job: Job) -> None:
        assert system is not None
        system.processes["a"].stolen = True  # type: ignore[attr-defined]

    system = failing(reaches_over)
    with pytest.raises(SourceError, match=r"process b, handler job \(.*: changes the state of the process a"):
        explore(system)


def test_a_process_that_holds_another_one() -> None:
    starter = Starter()
    system = failing(raises)
    system.processes["b"].field = starter  # type: ignore[attr-defined]
    with pytest.raises(SourceError, match="field field holds a Starter"):
        explore(system)


def test_a_coroutine_is_no_handler() -> None:
    class Late(Process):
        @on(Job)
        async def job(self, job: Job, sender: str) -> None: ...

    found = explore(System({"a": Starter(), "b": Late()}), Options(engine="python")).failure
    assert found is not None
    assert "handlers are plain functions" in found.message


def test_a_property_that_raises() -> None:
    @invariant
    def wrong(state: View) -> bool:
        return bool(state["a"].nothing)

    with pytest.raises(SourceError, match=r"the property wrong .* process a has no field 'nothing'"):
        explore(failing(lambda self, job: None).checked(wrong))


def test_options_that_do_not_go_together() -> None:
    system = failing(lambda self, job: None)
    for options in (Options("bfs", por="static"), Options("random", symmetry=True), Options("dfs", symmetry=True)):
        with pytest.raises(SourceError):
            explore(system, options)


def test_data_in_the_class_body_belongs_to_each_process() -> None:
    class Careless(Process):
        log: list[int] = []  # noqa: RUF012

        @on(Job)
        def job(self, job: Job, sender: str) -> None:
            self.log.append(len(self.log))

    system = System({"a": Starter(), "b": Careless(), "c": Careless()})
    found = explore(system, Options("dfs"))
    assert (found.verdict, found.counts.distinct) == ("ok", 2)
    assert Careless.log == []


@pytest.mark.parametrize(
    ("guard", "says"),
    [
        (lambda self, job: 1 / 0, "raised ZeroDivisionError"),
        (lambda self, job: self.seen.append(1) or True, "changes the process; guards only look"),
    ],
)
def test_guards_only_look(guard: Callable[..., object], says: str) -> None:
    class Guarded(Process):
        def __init__(self) -> None:
            self.seen: list[int] = []

        @on(Job, guard=guard)
        def job(self, job: Job, sender: str) -> None: ...

    found = explore(System({"a": Starter(), "b": Guarded()})).failure
    assert found is not None
    assert found.message.startswith("process b, guard of job (")
    assert says in found.message


class Ending(Process):
    def start(self) -> None:
        raise SystemExit(3)


def test_a_handler_that_ends_the_program_is_reported_as_one_that_raises() -> None:
    result = explore(System({"a": Ending()}))
    assert result.failure is not None
    assert "process a, handler start" in result.failure.message
    assert "raised SystemExit: 3" in result.failure.message


@pytest.mark.parametrize(
    ("system", "says"),
    [
        (lambda: System({"a": 3}), "the process 'a' is 3, no Process"),  # type: ignore[dict-item]
        (lambda: System({"a": Ending}), "the process 'a' is the class Ending"),  # type: ignore[dict-item]
        (lambda: System({"a": Ending()}, (lambda state: True,)), "<lambda> is no property"),  # type: ignore[arg-type]
        (lambda: System({"a": Ending()}, network=Network(loss=-1)), "loss is -1"),
        (lambda: System({"a": Ending()}, timeouts=-2), "timeouts is -2"),
    ],
)
def test_what_cannot_be_a_system(system: Callable[[], System], says: str) -> None:
    with pytest.raises(SourceError, match=says):
        explore(system())


def _look(process: Any) -> bool:
    return bool(process.seen < 5)


class Looked(Process):
    def __init__(self) -> None:
        self.seen = 0


@invariant
def looked_at_from_afar(state: View) -> bool:
    return _look(state["a"])


def test_what_a_property_reads_by_way_of_a_function_is_relevant_after_all() -> None:
    class Counting(Looked):
        def start(self) -> None:
            self.set_timer("t")

        @timer("t")
        def tick(self) -> None:
            self.seen += 1
            self.set_timer("t")

    result = explore(System({"a": Counting()}, (looked_at_from_afar,)))
    assert result.failure is not None
    assert result.failure.name == "looked_at_from_afar"
    assert any("Counting.seen is read by a property" in caveat for caveat in result.caveats)
