"""State graphs for other programs."""

import io
import json

from toy_models import TableModel

from gristmill.report.dump import write_dot, write_json
from gristmill.search import Graph, breadth_first


def graph() -> Graph:
    model = TableModel("x s", [(0, '"q"')], {"Flip": lambda x, s: [(1 - x, s), (1 - x, s)]})
    found = breadth_first(model, keep_graph=True).graph
    assert found is not None
    return found


def test_dot():
    stream = io.StringIO()
    write_dot(graph(), stream)
    assert stream.getvalue() == (
        "strict digraph states {\n"
        "  node [shape=box, fontname=monospace];\n"
        '  0 [label="x = 0\\ls = \\"\\\\\\"q\\\\\\"\\"\\l", style=filled];\n'
        '  1 [label="x = 1\\ls = \\"\\\\\\"q\\\\\\"\\"\\l"];\n'
        '  0 -> 1 [label="Flip"];\n'
        '  1 -> 0 [label="Flip"];\n'
        "}\n"
    )


def test_json():
    stream = io.StringIO()
    write_json(graph(), stream)
    assert json.loads(stream.getvalue()) == {
        "variables": ["x", "s"],
        "actions": ["Flip"],
        "initial": [0],
        "states": [{"x": 0, "s": '"q"'}, {"x": 1, "s": '"q"'}],
        "edges": [[0, 0, 1], [1, 0, 0]],
    }
