"""Models for tests of the IR, from the text of a module."""

from __future__ import annotations

from gristmill.building import build
from gristmill.ir.model import Model
from gristmill.ir.passes import PASSES


def model_of(module: str, config: str = "") -> Model:
    """`config` as in a file; without one, Spec or Init and Next are what is looked for."""
    return build(_text(module), config=f"{config}\n").model


def model_before(module: str, config: str, name: str) -> Model:
    """The model that the pass of this name is given."""
    names = ["lowered", *(each.__name__ for each in PASSES)]
    found: dict[str, Model] = {}
    build(_text(module), config=f"{config}\n", observers=[found.__setitem__])
    return found[names[names.index(name) - 1]]


def _text(module: str) -> str:
    return f"---- MODULE M ----\n{module}\n====\n"
