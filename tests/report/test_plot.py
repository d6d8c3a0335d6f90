"""Values counted, and drawn in a file that is well-formed."""

import xml.etree.ElementTree as ElementTree

import pytest

from gristmill.report.plot import MOST_BARS, Bar, bars_of, render_svg


def test_a_bar_for_each_value_in_the_order_of_numbers() -> None:
    assert bars_of(["100", "10", "10", "9"]) == [Bar("9", 1), Bar("10", 2), Bar("100", 1)]
    assert bars_of(["b", "a", "b"]) == [Bar("a", 1), Bar("b", 2)]


@pytest.mark.parametrize("factor", [0.003, 1, 250])
def test_classes_of_many_numbers(factor: float) -> None:
    bars = bars_of([str(factor * number) for number in range(1000)])
    assert 3 < len(bars) <= MOST_BARS + 1
    assert sum(bar.count for bar in bars) == 1000
    assert max(bar.count for bar in bars) < 300


def test_the_drawing_is_well_formed_and_to_scale() -> None:
    drawing = ElementTree.fromstring(render_svg([Bar("<1>", 20), Bar("2 & 3", 80)], 'a "title" <b>'))
    heights = [float(bar.attrib["height"]) for bar in drawing.iterfind(".//{*}rect")][1:]
    assert heights[1] == pytest.approx(4 * heights[0], abs=0.5)
    texts = ["".join(text.itertext()) for text in drawing.iterfind(".//{*}text")]
    assert {"20.0 %", "80.0 %", "<1>", "2 & 3"} <= set(texts)
