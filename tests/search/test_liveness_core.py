"""The search for fair behaviours in C: against its twin in Python on larger graphs, and under sanitizers."""

import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from naive_liveness import Case, is_behaviour, random_case
from test_liveness_twin import found, found_step_by_step

from gristmill.cc import CompilerError, build
from gristmill.search.liveness import core as liveness_core
from gristmill.search.liveness import emptiness as liveness
from gristmill.search.liveness.core import Core, CoreSearch, PackedClause, PackedTransition
from gristmill.search.liveness.emptiness import Poll, StateTruth, StepGraph, StepTruth, Valuation, find_behaviour
from gristmill.search.liveness.formula import Always, And, Atom, Eventually, Not, weakly_fair

FOLDER = Path(liveness_core.__file__).parents[1] / "core" / "liveness"
STRICT = ("-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror")
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

pytestmark = pytest.mark.skipif(liveness_core._core() is None, reason="there is no C compiler")


def large_case(seed: int) -> Case:
    return random_case(random.Random(f"large:{seed}"), states=60, most_parts=8, depth=5)


def test_agrees_with_its_twin_on_larger_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for seed in range(300):
        case = large_case(seed)
        monkeypatch.setattr(liveness_core, "WORTH_LOADING", 0)
        in_c = found(case)
        monkeypatch.setattr(liveness_core, "WORTH_LOADING", sys.maxsize)
        in_python = found(case)
        assert (in_c is None) == (in_python is None)
        if in_c is not None and in_python is not None:
            assert is_behaviour(case, list(in_c.states), in_c.loop)
            assert len(in_c.states) <= len(in_python.states) + 3
        answers.append(in_c is not None)
    assert 0.2 < sum(answers) / len(answers) < 0.95


def test_compiles_without_warnings() -> None:
    for name in liveness_core.SOURCES:
        build(paths=[FOLDER / name], flags=(*STRICT, "-O2"))


# --- under sanitizers ---------------------------------------------------------------------------------------------


class Recording(Core):
    """Keeps what searches are asked, as the driver reads it, and what they answer."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.searches: list[RecordingSearch] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.core, name)

    def spread(self, graph: StepGraph, states: int) -> int:
        return self.core.spread(graph, states)

    def search(self, graph: StepGraph, automaton: Sequence[Sequence[PackedTransition]], poll: Poll) -> CoreSearch:
        found = RecordingSearch(self.core, graph, automaton, poll)
        self.searches.append(found)
        return found


class RecordingSearch(CoreSearch):
    def __init__(
        self, core: Core, graph: StepGraph, automaton: Sequence[Sequence[PackedTransition]], poll: Poll
    ) -> None:
        super().__init__(core, graph, automaton, poll)
        self.begins = list(numbers(graph, automaton))
        self.asked: list[list[int]] = []
        self.answers: list[str] = []

    def find(self, more: Sequence[PackedClause]) -> tuple[list[int], list[int], int] | None:
        answer = super().find(more)
        self.asked.append(list(clause_numbers(more)))
        states, loop = (answer[0], answer[2]) if answer is not None else ([], 0)
        self.answers.append(" ".join(map(str, [int(answer is not None), loop, *states])))
        return answer

    @property
    def question(self) -> str:
        return " ".join(map(str, [*self.begins, len(self.asked), *(n for each in self.asked for n in each)]))


def numbers(graph: StepGraph, automaton: Sequence[Sequence[PackedTransition]]) -> Iterator[int]:
    moved = liveness_core.passing_last(automaton)
    transitions = [each for state in moved.states for each in state]
    yield from (graph.states, graph.initial, *graph.first, *graph.targets)
    yield from (len(automaton), moved.passing, moved.start, 0)
    yield from (sum(map(len, moved.states[: n + 1])) for n in range(len(automaton)))
    yield from (each.target for each in transitions)
    yield from (each.promises for each in transitions)
    for each in transitions:
        yield from sized(each.condition)


def clause_numbers(clauses: Sequence[PackedClause]) -> Iterator[int]:
    yield len(clauses)
    for clause in clauses:
        yield from (*sized(clause.some), clause.promise, len(clause.all))
        for part in clause.all:
            yield from sized(part)


def sized(data: bytes | None) -> list[int]:
    return [len(data or b""), *(data or b"")]


def test_reads_and_writes_only_what_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    core = liveness_core._core()
    assert core is not None
    recording = Recording(core)
    monkeypatch.setattr(liveness, "core", lambda graph, times=1: recording)
    for seed in range(150):
        found(large_case(seed))
        found_step_by_step(large_case(seed))
    driver = Path(__file__).parent / "lasso_driver.c"
    try:
        paths = [driver, *(FOLDER / name for name in liveness_core.SOURCES)]
        program = build(paths=paths, flags=(*STRICT, *SANITIZED), kind="program")
    except CompilerError as error:
        if "sanitize" in str(error) or "asan" in str(error):
            pytest.skip("this compiler has no sanitizers")
        raise
    text = f"{len(recording.searches)}\n" + "\n".join(each.question for each in recording.searches)
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
    answers = [answer for each in recording.searches for answer in each.answers]
    assert done.stdout.splitlines() == answers
    assert len({answer[0] for answer in answers}) == 2
    assert max(len(each.answers) for each in recording.searches) > 2


# --- interrupting it ----------------------------------------------------------------------------------------------


def test_what_is_raised_while_it_runs_ends_it() -> None:
    states = 400_000
    first, targets = [*range(states + 1)], [*((s + 1) % states for s in range(states))]
    graph = StepGraph(1, first, targets)
    atoms = [StateTruth(1), StateTruth((1 << states) - 1), StepTruth((1 << states) - 1, 0)]
    formula = And((weakly_fair(Atom(1), Atom(2)), Not(Always(Eventually(Atom(0))))))
    calls = []

    def poll() -> None:
        calls.append(1)
        raise KeyboardInterrupt

    assert find_behaviour(graph, Valuation(graph, atoms), formula) is None
    with pytest.raises(KeyboardInterrupt):
        find_behaviour(graph, Valuation(graph, atoms), formula, poll)
    assert calls == [1]
