"""Passes over the intermediate representation, one a file, with one function of its name.

`PASSES` is the optimiser: what is done to every model, in order. (`dependencies` changes nothing; it is asked for.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gristmill.ir.model import Model
from gristmill.ir.passes.facts import Facts
from gristmill.ir.passes.split_next import split_next

Pass = Callable[[Model, Facts], Model]

PASSES: Final[tuple[Pass, ...]] = (split_next,)


def _nobody(name: str, model: Model) -> None:
    pass


def optimised(model: Model, facts: Facts, after: Callable[[str, Model], None] = _nobody) -> Model:
    """A model after all passes. `after` is shown what was lowered, and what each pass makes of it, by name."""
    after("lowered", model)
    for each in PASSES:
        model = each(model, facts)
        after(each.__name__, model)
    return model


__all__ = ["PASSES", "Facts", "Pass", "optimised"]
