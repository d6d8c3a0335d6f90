"""State graphs for other programs."""

import io
import json
import xml.etree.ElementTree as xml
from collections.abc import Callable
from itertools import pairwise
from typing import TextIO

import pytest
from toy_models import TableModel

import gristmill
from gristmill.report.dump import write_dot, write_json, write_svg
from gristmill.report.graph.layout import laid_out
from gristmill.search import Graph, breadth_first

TICKETS = """---- MODULE Tickets ----
EXTENDS Naturals
VARIABLES held
Init == held = {}
Take(n, why) == n \\notin held /\\ held' = held \\cup {n}
Drop(n) == n \\in held /\\ held' = held \\ {n}
Clear == held # {} /\\ held' = {}
Next == \\E n \\in {1, 2} : Take(n, "now") \\/ Drop(n) \\/ Clear
====
"""


def graph() -> Graph:
    model = TableModel("x s", [(0, '"q"')], {"Flip": lambda x, s: [(1 - x, s), (1 - x, s)]})
    found = breadth_first(model, keep_graph=True).graph
    assert found is not None
    return found


def tickets(**options: object) -> Graph:
    found = gristmill.check(TICKETS, graph=True, init="Init", next="Next", **options).graph  # type: ignore[arg-type]
    assert found is not None
    return found


def written(write: Callable[[Graph, TextIO], None], graph: Graph) -> str:
    stream = io.StringIO()
    write(graph, stream)
    return stream.getvalue()


def test_dot():
    assert written(write_dot, graph()) == (
        "strict digraph states {\n"
        "  node [shape=box, fontname=monospace];\n"
        '  0 [label="x = 0\\ls = \\"\\\\\\"q\\\\\\"\\"\\l", style=filled];\n'
        '  1 [label="x = 1\\ls = \\"\\\\\\"q\\\\\\"\\"\\l"];\n'
        '  0 -> 1 [label="Flip"];\n'
        '  1 -> 0 [label="Flip"];\n'
        "}\n"
    )


def test_json():
    assert json.loads(written(write_json, graph())) == {
        "variables": ["x", "s"],
        "actions": ["Flip"],
        "initial": [0],
        "states": [{"x": 0, "s": '"q"'}, {"x": 1, "s": '"q"'}],
        "edges": [[0, 0, 1], [1, 0, 0]],
        "parameters": [{}, {}],
    }


def test_steps_between_the_same_states_stand_on_one_edge_with_their_parameters():
    text = written(write_dot, tickets())
    assert '0 -> 1 [label="Take(n = 1, why = \\"now\\")"]' in text
    assert '1 -> 0 [label="Drop(n = 1)\\lClear\\l"]' in text


def test_json_has_the_parameters_of_each_edge():
    document = json.loads(written(write_json, tickets()))
    steps = {
        (source, document["actions"][action], target, *given.items())
        for (source, action, target), given in zip(document["edges"], document["parameters"], strict=True)
    }
    assert (0, "Take", 1, ("n", 1), ("why", "now")) in steps
    assert (1, "Drop", 0, ("n", 1)) in steps
    assert (1, "Clear", 0) in steps


def test_steps_to_representatives_under_symmetry_have_parameters():
    spec = TICKETS.replace("EXTENDS Naturals", "EXTENDS TLC\nCONSTANT T").replace("{1, 2}", "T") + ""
    spec = spec.replace("====", "Symmetric == Permutations(T)\n====")
    values = {gristmill.ModelValue("t1"), gristmill.ModelValue("t2")}
    found = gristmill.check(spec, graph=True, init="Init", next="Next", symmetry="Symmetric", constants={"T": values})
    assert found.graph is not None
    assert len(found.graph.states) == 3
    text = written(write_dot, found.graph)
    assert 'Take(n = t1, why = \\"now\\")' in text
    assert 'Take(n = t2, why = \\"now\\")' in text


def test_what_prints_is_not_printed_again(capsys: pytest.CaptureFixture[str]):
    spec = TICKETS.replace("EXTENDS Naturals", "EXTENDS TLC, Naturals").replace(
        "Drop(n) ==", 'Drop(n) == PrintT("d") /\\'
    )
    found = gristmill.check(spec, graph=True, init="Init", next="Next").graph
    assert found is not None
    capsys.readouterr()
    assert "Drop(n = 1)" in written(write_dot, found)
    assert capsys.readouterr().out == ""


def test_svg_is_xml_with_a_box_a_state_and_a_curve_a_pair():
    root = xml.fromstring(written(write_svg, tickets()))
    groups = [each.attrib for each in root.iter("{http://www.w3.org/2000/svg}g")]
    assert [each["data-state"] for each in groups if "data-state" in each] == ["0", "1", "2", "3"]
    pairs = {(each["data-from"], each["data-to"]) for each in groups if "data-from" in each}
    assert pairs == {(a, b) for a, b in ("01", "02", "10", "20", "13", "23", "31", "32", "30")}
    assert 'Take(n = 2, why = "now")' in "".join(root.itertext())


def test_boxes_of_a_layer_do_not_overlap():
    edges = (
        {(0, n): [f"Go({n})"] for n in range(1, 30)} | {(n, n + 29): ["A"] for n in range(1, 30)} | {(3, 3): ["loop"]}
    )
    drawing = laid_out([[f"value = {n:0{n % 7}}"] for n in range(59)], 1, edges)
    layers: dict[int, list[tuple[float, float]]] = {}
    for box in drawing.boxes:
        layers.setdefault(box.layer, []).append((box.x - box.width / 2, box.x + box.width / 2 + box.beside))
    assert [len(each) for each in layers.values()] == [1, 29, 29]
    for row in layers.values():
        row.sort()
        assert all(end < start for (_, end), (start, _) in pairwise(row))
        assert row[0][0] >= 0
        assert row[-1][1] <= drawing.width
