"""The layout of states that an earlier run of the same model has come to, so that this one need not learn it.

It is what it is in any run: a speculation. A state that does not fit is found, as always, and then this run learns for
itself. So nothing but time depends on a note being right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from gristmill.cc.notes import recall, remember
from gristmill.ir.model import Model
from gristmill.ir.printer import print_model
from gristmill.native.emit.generate import Generated
from gristmill.native.plan.layout import Layout, Parts
from gristmill.native.run.checkpoint import layout_document, layout_of
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Fn, ModelValue, Value

_FORM = "2"  # of what is in a note: a version that writes or means it otherwise has another


@dataclass(frozen=True, slots=True)
class Learnt:
    layouts: tuple[Layout, ...]
    widths: tuple[int, ...]


class Notebook:
    """Of one model, with the names that are known before anything is evaluated: values in notes refer to them."""

    def __init__(self, model: Model, names: tuple[str, ...], under_symmetry: bool, with_view: bool) -> None:
        self._names = names
        self._variables = len(model.variables)
        how = f"{_FORM} {under_symmetry} {with_view}"
        self._about = (how, print_model(model), json.dumps(self._names))

    def recall(self) -> Learnt | None:
        data = recall(*self._about)
        if data is None:
            return None
        try:
            document = json.loads(data)
            layouts = tuple(layout_of(each) for each in document["layouts"])
            widths = tuple(document["widths"])
        except (ValueError, KeyError, TypeError, IndexError):  # another version's
            return None
        fits = len(layouts) == self._variables and sum(layout.size for layout in layouts) == len(widths)
        return Learnt(layouts, widths) if fits and set(widths) <= {1, 2, 4, 8} else None

    def remember(self, generated: Generated) -> None:
        """Not if it speaks of names that this run has met on its way: another one may meet them in another order."""
        if not set(_names_in_layouts(generated.layouts)) <= set(self._names):
            return
        layouts = [layout_document(layout) for layout in generated.layouts]
        remember(json.dumps({"layouts": layouts, "widths": generated.widths}).encode(), *self._about)


def _names_in_layouts(layouts: Sequence[Layout]) -> Iterator[str]:
    for layout in layouts:
        if isinstance(layout, Parts):
            for key in layout.keys:
                yield from _names_in(key)
            yield from _names_in_layouts(layout.children)


def _names_in(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, ModelValue):
        yield value.name
    elif isinstance(value, tuple | frozenset):
        for each in value:
            yield from _names_in(each)
    elif isinstance(value, Fn):
        for key, each in value.items():
            yield from _names_in(key)
            yield from _names_in(each)
