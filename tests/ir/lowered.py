"""Models for tests of the IR, from the text of a module."""

from __future__ import annotations

from gristmill.building import build
from gristmill.ir.model import Model
from gristmill.ir.passes.observers import Observer


def model_of(module: str, config: str = "", *observers: Observer) -> Model:
    """`config` as in a file; without one, Spec or Init and Next are what is looked for."""
    text = f"---- MODULE M ----\n{module}\n====\n"
    return build(text, config=f"{config}\n", observers=observers).model
