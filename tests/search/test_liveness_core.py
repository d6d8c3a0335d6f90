"""The search for fair behaviours in C: against its twin in Python on larger graphs, and under sanitizers."""

import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from naive_liveness import Case, is_behaviour, random_case
from test_liveness_twin import found

from gristmill.cc import CompilerError, build
from gristmill.search import liveness, liveness_core
from gristmill.search.liveness import Poll, StateTruth, StepGraph, StepTruth, Valuation, find_behaviour
from gristmill.search.liveness_core import Core, PackedClause, PackedTransition
from gristmill.search.liveness_formula import Always, And, Atom, Eventually, Not, weakly_fair

FOLDER = Path(liveness_core.__file__).parent / "core"
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
    for name in ("components.c", "lasso.c"):
        build(paths=[FOLDER / name], flags=(*STRICT, "-O2"))


# --- under sanitizers ---------------------------------------------------------------------------------------------


class Recording(Core):
    """Keeps what the search is asked, as the driver reads it, and what it answers."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.questions: list[str] = []
        self.answers: list[str] = []

    def spread(self, graph: StepGraph, states: int) -> int:
        return self.core.spread(graph, states)

    def find(
        self,
        graph: StepGraph,
        automaton: Sequence[Sequence[PackedTransition]],
        clauses: Sequence[PackedClause],
        poll: Poll | None,
    ) -> tuple[list[int], list[int], int] | None:
        answer = self.core.find(graph, automaton, clauses, poll)
        self.questions.append(" ".join(map(str, numbers(graph, automaton, clauses))))
        states, loop = (answer[0], answer[2]) if answer is not None else ([], 0)
        self.answers.append(" ".join(map(str, [int(answer is not None), loop, *states])))
        return answer


def numbers(
    graph: StepGraph, automaton: Sequence[Sequence[PackedTransition]], clauses: Sequence[PackedClause]
) -> Iterator[int]:
    transitions = [each for state in automaton for each in state]
    yield from (graph.states, graph.initial, *graph.first, *graph.targets)
    yield from (len(automaton), 0, *(sum(map(len, automaton[: n + 1])) for n in range(len(automaton))))
    yield from (each.target for each in transitions)
    yield from (each.promises for each in transitions)
    for each in transitions:
        yield from sized(each.condition)
    yield from sized(bytes(liveness_core.passing(automaton)))
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
    driver = Path(__file__).parent / "lasso_driver.c"
    try:
        paths = [driver, FOLDER / "components.c", FOLDER / "lasso.c"]
        program = build(paths=paths, flags=(*STRICT, *SANITIZED), kind="program")
    except CompilerError as error:
        if "sanitize" in str(error) or "asan" in str(error):
            pytest.skip("this compiler has no sanitizers")
        raise
    text = f"{len(recording.questions)}\n" + "\n".join(recording.questions)
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.splitlines() == recording.answers
    assert len({answer[0] for answer in recording.answers}) == 2


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
