"""The last messages before an alarm as a sequence chart that fits the terminal."""

from __future__ import annotations

from dataclasses import replace

from gristmill.trace.chart import Chart, Row, render_svg, render_text
from gristmill.watch.judging import Alarm
from gristmill.watch.report.words import chart_of, cut

_NARROWEST, _WIDEST = 16, 44  # columns for each node
_IN_SVG = 36  # letters between two lifelines
_AROUND = 6  # columns of an arrow that are no label


def chart_text(alarm: Alarm, width: int) -> str:
    """Nothing if there is no room."""
    drawn = chart_of(alarm)
    digits = len(str(alarm.message.number))
    column = min(_WIDEST, (width - digits - 2) // max(1, len(drawn.processes)))
    if column < _NARROWEST:
        return ""
    return render_text(_fitted(drawn, column), column)


def chart_svg(alarm: Alarm) -> str:
    return render_svg(_fitted(chart_of(alarm), _IN_SVG))


def _fitted(drawn: Chart, column: int) -> Chart:
    """With labels that are cut where that can be seen."""
    places = {name: number for number, name in enumerate(drawn.processes)}

    def fitted(row: Row) -> Row:
        apart = abs(places[row.sender] - places[row.receiver])
        return replace(row, text=cut(row.text, max(apart, 1) * column - _AROUND))

    return replace(drawn, rows=tuple(map(fitted, drawn.rows)))
