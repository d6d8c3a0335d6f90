"""Where the states of a graph are drawn: in layers by their distance from an initial state, with few crossings.

Layers are sorted by where their neighbours stand (the barycentre heuristic of layered drawing), a few times down and
up. Then every box moves to the middle of its neighbours, as far as those beside it leave room.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

LETTER, LINE = 7.3, 16  # pixels of a letter and of a line, in a font of 12 pixels of one width
_PADDING = 8
_BESIDE, _BETWEEN = 48, 96  # pixels between boxes of a layer, and between layers
_MARGIN = 24
_SWEEPS = 6
LONGEST_LABEL = 40  # letters
LABEL_LETTER = 6.1  # pixels
LOOP = 30  # pixels

Pair = tuple[int, int]


@dataclass(slots=True)
class Box:
    """A state: `x` and `y` are its middle."""

    number: int
    lines: list[str]
    initial: bool
    width: float
    height: float
    beside: float = 0.0  # pixels at its right, for a step to itself and what that is called
    layer: int = 0
    x: float = 0.0
    y: float = 0.0

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Drawing:
    boxes: list[Box]
    edges: dict[Pair, list[str]] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def laid_out(lines: Sequence[list[str]], initial: int, edges: Mapping[Pair, list[str]]) -> Drawing:
    """`lines`: what stands in each box; the first `initial` of them are of initial states."""
    boxes = [_box(number, texts, number < initial) for number, texts in enumerate(lines)]
    for (source, target), texts in edges.items():
        if source == target:
            boxes[source].beside = LOOP + _label_width(texts)
    neighbours = _neighbours(len(boxes), edges)
    layers = _layers(boxes, initial, edges)
    for sweep in range(_SWEEPS):
        _sort(layers if sweep % 2 == 0 else layers[::-1], neighbours, boxes)
    for layer in layers:
        _spread(layer)
    for sweep in range(_SWEEPS):
        _pull(layers if sweep % 2 == 0 else layers[::-1], neighbours, boxes)
    return _placed(boxes, layers, edges)


def _box(number: int, lines: list[str], initial: bool) -> Box:
    width = max(map(len, lines), default=0) * LETTER + 2 * _PADDING
    return Box(number, lines, initial, max(width, 34), max(1, len(lines)) * LINE + _PADDING)


def _label_width(texts: Sequence[str]) -> float:
    return LABEL_LETTER * min(LONGEST_LABEL, max(map(len, texts)))


def _neighbours(count: int, edges: Mapping[Pair, list[str]]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        if source != target:
            found[source].append(target)
            found[target].append(source)
    return found


def _layers(boxes: list[Box], initial: int, edges: Mapping[Pair, list[str]]) -> list[list[Box]]:
    """By the distance from an initial state. What cannot be reached, as there are none, stands at the top."""
    following: dict[int, list[int]] = {}
    for source, target in edges:
        following.setdefault(source, []).append(target)
    depth = dict.fromkeys(range(initial), 0)
    waiting = deque(depth)
    while waiting:
        number = waiting.popleft()
        for target in following.get(number, ()):
            if target not in depth:
                depth[target] = depth[number] + 1
                waiting.append(target)
    layers: list[list[Box]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for box in boxes:
        box.layer = depth.get(box.number, 0)
        layers[box.layer].append(box)
    return layers


def _sort(layers: Sequence[list[Box]], neighbours: list[list[int]], boxes: list[Box]) -> None:
    place = {box.number: at / max(1, len(layer)) for layer in layers for at, box in enumerate(layer)}
    for before, layer in pairwise(layers):
        wanted = {box.number: _mean([place[n] for n in _in_layer(neighbours, box, before, boxes)]) for box in layer}
        layer.sort(key=lambda box: _or(wanted[box.number], place[box.number]))
        place.update({box.number: at / max(1, len(layer)) for at, box in enumerate(layer)})


def _in_layer(neighbours: list[list[int]], box: Box, layer: list[Box], boxes: list[Box]) -> list[int]:
    wanted = layer[0].layer if layer else -1
    return [each for each in neighbours[box.number] if boxes[each].layer == wanted]


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _or(number: float | None, otherwise: float) -> float:
    return otherwise if number is None else number


def _spread(layer: list[Box]) -> None:
    """Side by side, around 0."""
    whole = sum(box.width + box.beside for box in layer) + _BESIDE * (len(layer) - 1)
    left = -whole / 2
    for box in layer:
        box.x = left + box.width / 2
        left += box.width + box.beside + _BESIDE


def _pull(layers: Sequence[list[Box]], neighbours: list[list[int]], boxes: list[Box]) -> None:
    for before, layer in pairwise(layers):
        wanted = [_or(_mean([boxes[n].x for n in _in_layer(neighbours, box, before, boxes)]), box.x) for box in layer]
        right: float | None = None
        for box, x in zip(layer, wanted, strict=True):
            box.x = x if right is None else max(x, right + _BESIDE + box.width / 2)
            right = box.x + box.width / 2 + box.beside
        shift = _mean([box.x - x for box, x in zip(layer, wanted, strict=True)]) or 0.0
        for box in layer:
            box.x -= shift


def _placed(boxes: list[Box], layers: list[list[Box]], edges: Mapping[Pair, list[str]]) -> Drawing:
    """With nothing left of 0 or above it. Labels may stick out beside the boxes, so there is room for them."""
    room = max((_label_width(texts) for texts in edges.values()), default=0.0) / 2
    left = min((box.x - box.width / 2 for box in boxes), default=0.0) - _MARGIN - room
    y = float(_MARGIN)
    for layer in layers:
        height = max((box.height for box in layer), default=0.0)
        for box in layer:
            box.x -= left
            box.y = y + height / 2
        y += height + _BETWEEN
    width = max((box.x + box.width / 2 + max(box.beside, room) for box in boxes), default=0.0) + _MARGIN
    return Drawing(boxes, dict(edges), width, y - _BETWEEN + _MARGIN)
