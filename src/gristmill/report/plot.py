"""How often each value of a sample occurs, as bars in an SVG: for a look, without a program to draw with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 48, 48  # margins around the bars
MOST_BARS = 20  # more values than this are put into classes


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    count: int


def bars_of(values: Sequence[str]) -> list[Bar]:
    """One for each value, in order; of many numbers, one for each of up to `MOST_BARS` classes of the same width."""
    numbers = [number_of(value) for value in values]
    counts = Counter(values)
    if None in numbers or len(counts) <= MOST_BARS:
        return [Bar(value, counts[value]) for value in sorted(counts, key=_order)][: 2 * MOST_BARS]
    return _classes([number for number in numbers if number is not None])


def number_of(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _order(value: str) -> tuple[int, float, str]:
    number = number_of(value)
    return (1, 0.0, value) if number is None else (0, number, value)


def _classes(numbers: Sequence[float]) -> list[Bar]:
    low = min(numbers)
    width = _round_width((max(numbers) - low) / (MOST_BARS - 1))
    first = math.floor(low / width)
    counts = Counter(math.floor(number / width) for number in numbers)
    return [Bar(f"{at * width:g}", counts[at]) for at in range(first, max(counts) + 1)]


def _round_width(width: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, …: classes that people can read."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9))


def render_svg(bars: Sequence[Bar], title: str) -> str:
    total, most = sum(bar.count for bar in bars), max(bar.count for bar in bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{escape(title)}</text>',
    ]
    lines += _grid(most / total)
    step = (WIDTH - LEFT - RIGHT) / len(bars)
    for at, bar in enumerate(bars):
        lines += _bar(bar, LEFT + at * step, step, bar.count / most, bar.count / total, len(bars) <= 10)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _grid(highest: float) -> list[str]:
    """Lines at round shares, up to the highest bar."""
    step = next((each for each in (0.01, 0.02, 0.05, 0.1) if highest / each <= 8), 0.2)
    lines = []
    for number in range(int(highest / step + 1e-9) + 1):
        y = _y(number * step / highest)
        lines.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        text = f"{100 * number * step:.0f} %"
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{text}</text>')
    return lines


def _bar(bar: Bar, x: float, step: float, height: float, share: float, wide: bool) -> list[str]:
    top, middle, base = _y(height), x + step / 2, HEIGHT - BOTTOM
    place = f'x="{x + 0.1 * step:.1f}" y="{top:.1f}" width="{0.8 * step:.1f}" height="{base - top:.1f}"'
    lines = [
        f'<rect {place} fill="#4477aa"><title>{escape(bar.label)}: {bar.count:,}</title></rect>',
        f'<text x="{middle:.1f}" y="{base + 16}" text-anchor="middle">{escape(bar.label[:12])}</text>',
    ]
    if wide:
        text = f"{100 * share:.1f} %"
        lines.append(f'<text x="{middle:.1f}" y="{top - 5:.1f}" text-anchor="middle">{text}</text>')
    return lines


def _y(height: float) -> float:
    return HEIGHT - BOTTOM - height * (HEIGHT - TOP - BOTTOM)
