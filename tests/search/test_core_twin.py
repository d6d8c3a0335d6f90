"""The search core in C against the reference search, on random graphs: counts, verdicts, counterexamples."""

from __future__ import annotations

import ctypes
import shutil
from random import Random

import pytest
from graphs import ACTIONS, GraphModel, NativeGraph, RandomGraph, graph_library, random_graph

from gristmill.search import Limits, Result, breadth_first
from gristmill.search.core.search import CoreLimits, CoreReport, Incident, NativeSearch, Outcome

pytestmark = pytest.mark.skipif(
    all(shutil.which(name) is None for name in ("cc", "gcc", "clang")), reason="no C compiler on this machine"
)

STOPS = {
    "invariant": {Outcome.BAD_STATE},
    "property": {Outcome.BAD_STEP},
    "deadlock": {Outcome.DEADLOCK},
    "error": {Outcome.FAILED, Outcome.FAILED_CHECK},
    "ok": {Outcome.DONE},
    "incomplete": {Outcome.LIMIT},
}


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    return graph_library()


def native(library: ctypes.CDLL, graph: RandomGraph, limits: CoreLimits, keep_edges: bool = False) -> NativeSearch:
    """A search that is over. Initial states are checked as the reference search does it."""
    own = NativeGraph(library, graph, keep_edges=keep_edges)
    search = NativeSearch(library, own.model, limits, owner=own)
    for node in graph.initial:
        search.add_initial(own.state(node), 1 if node in graph.cut else 0)
    search.run()
    assert own.data.mistakes == 0
    return search


def healthy_start(graph: RandomGraph) -> RandomGraph:
    """What is wrong with initial states is none of the core's business."""
    for node in graph.initial:
        graph.check[node] = 0
    return graph


def nodes_of(result: Result) -> list[int]:
    return [step.state["node"] for step in result.trace or ()]


def path_of(search: NativeSearch, incident: Incident) -> list[int]:
    nodes = [words[0] for _, words in search.path(incident.parent)]
    return nodes + ([incident.words[0]] if incident.words is not None else [])


def compare(graph: RandomGraph, result: Result, search: NativeSearch) -> CoreReport:
    report = search.report()
    assert report.outcome in STOPS[result.verdict]
    assert (report.distinct, report.generated, report.depth, report.queue) == (
        result.distinct,
        result.generated,
        result.depth,
        result.queue,
    )
    rows = {row.name: row for row in result.coverage}
    names = [f"A{number}" for number in range(ACTIONS)]
    assert list(search.taken) == [rows[name].generated if name in rows else 0 for name in names]
    assert list(search.found) == [rows[name].distinct if name in rows else 0 for name in names]
    return report


def said(search: NativeSearch) -> list[tuple[int, ...]]:
    assert isinstance(search._owner, NativeGraph)
    return search._owner.said


def compare_whole(graph: RandomGraph, library: ctypes.CDLL, workers: int) -> None:
    model = GraphModel(graph)
    result = breadth_first(model)
    with native(library, graph, CoreLimits(workers=workers)) as search:
        compare(graph, result, search)
        assert said(search) == model.said
        if result.trace is not None:
            (incident,) = search.incidents()
            assert path_of(search, incident) == nodes_of(result)


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("trouble", [0.0, 0.02, 0.2])
def test_counts_and_verdicts(library: ctypes.CDLL, workers: int, trouble: float) -> None:
    random = Random(f"{workers} {trouble}")
    for _ in range(250):
        graph = random_graph(random, random.choice([2, 8, 40]), trouble=trouble, again=random.random() < 0.3)
        compare_whole(healthy_start(graph), library, workers)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_larger_graphs(library: ctypes.CDLL, workers: int) -> None:
    random = Random(workers)
    for trouble in (0.0, 0.001, 0.01):
        for _ in range(4):
            graph = random_graph(random, 3000, trouble=trouble, again=True)
            compare_whole(healthy_start(graph), library, workers)


@pytest.mark.parametrize("workers", [1, 3])
def test_depth_limits(library: ctypes.CDLL, workers: int) -> None:
    random = Random(workers)
    for _ in range(200):
        graph = healthy_start(random_graph(random, 40, degree=1, trouble=0.01))
        depth = random.randint(1, 6)
        model = GraphModel(graph)
        result = breadth_first(model, limits=Limits(depth=depth))
        with native(library, graph, CoreLimits(workers=workers, depth=depth)) as search:
            compare(graph, result, search)
            assert said(search) == model.said


@pytest.mark.parametrize("fingerprints", [False, True])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_what_is_said_in_several_runs_and_of_paths(library: ctypes.CDLL, workers: int, fingerprints: bool) -> None:
    """Nothing is said twice: not where a search goes on, nor where states are expanded to find their words."""
    random = Random(workers)
    for _ in range(40):
        graph = healthy_start(random_graph(random, 200, degree=2, trouble=0.01))
        model, own = GraphModel(graph), NativeGraph(library, graph)
        breadth_first(model)
        with NativeSearch(library, own.model, CoreLimits(workers=workers, fingerprints_only=fingerprints)) as search:
            for node in graph.initial:
                search.add_initial(own.state(node), 1 if node in graph.cut else 0)
            states = 1
            search.allow(None, states)
            while search.run().outcome is Outcome.LIMIT:
                states *= 2
                search.allow(None, states)
            for incident in search.incidents():
                search.path(incident.parent)
            assert own.said == model.said


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_going_on_after_violations(library: ctypes.CDLL, workers: int) -> None:
    random = Random(workers)
    for _ in range(250):
        graph = healthy_start(random_graph(random, random.choice([8, 40]), trouble=0.1, again=True))
        graph.check = [0 if status == 4 else status for status in graph.check]
        model = GraphModel(graph)
        result = breadth_first(model, keep_going=True)
        with native(library, graph, CoreLimits(workers=workers, keep_going=True)) as search:
            incidents = list(search.incidents())
            kinds = [incident.kind for incident in incidents]
            for violation in result.violations:
                (kind,) = STOPS[violation.verdict] if violation.verdict != "error" else ({Outcome.DONE},)
                if violation.verdict != "error":
                    assert kinds.count(kind) == violation.count
                    first = incidents[kinds.index(kind)]
                    assert path_of(search, first) == [step.state["node"] for step in violation.trace or ()]
            if not any(violation.verdict == "error" for violation in result.violations):
                assert search.report().outcome == Outcome.DONE
                assert len({violation.verdict for violation in result.violations}) == len(set(kinds))
            counts = (result.distinct, result.generated, result.depth)
            report = search.report()
            assert (report.distinct, report.generated, report.depth) == counts
            assert said(search) == model.said


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_edges(library: ctypes.CDLL, workers: int) -> None:
    random = Random(workers)
    for _ in range(100):
        degree = random.choice([3, 3, 25])  # rows of more than a few edges are looked through in another way
        graph = healthy_start(random_graph(random, 30, degree=degree, trouble=random.choice([0.0, 0.02]), again=True))
        result = breadth_first(GraphModel(graph), keep_graph=True)
        assert result.graph is not None
        with native(library, graph, CoreLimits(workers=workers), keep_edges=True) as search:
            states = [search.state(number)[0] for number in range(search.report().distinct)]
            assert states == [state[0] for state in result.graph.states]
            edges, got = search.edges(), []
            for source in range(search.report().expanded):
                span = range(edges.first[source], edges.first[source + 1])
                got += [(source, edges.actions[edge], edges.targets[edge]) for edge in span]
            wanted: dict[tuple[int, int], int] = {}
            for source, action, target in zip(
                result.graph.sources, result.graph.edge_actions, result.graph.targets, strict=True
            ):
                if source != target:
                    wanted.setdefault((source, target), action)
            assert got == [(source, action, target) for (source, target), action in wanted.items()]
            del edges


def test_numbers_and_parents_do_not_depend_on_workers(library: ctypes.CDLL) -> None:
    graph = random_graph(Random(5), 5000, degree=2)
    graph.initial = [1, 2]

    def everything(workers: int) -> list[tuple[tuple[int, ...], int | None, int | None]]:
        with native(library, graph, CoreLimits(workers=workers)) as search:
            count = search.report().distinct
            assert count > 1000
            assert [search.find(search.state(number)) for number in range(count)] == list(range(count))
            return [(search.state(each), search.parent(each), search.action(each)) for each in range(count)]

    alone = everything(1)
    assert everything(2) == alone
    assert everything(5) == alone
