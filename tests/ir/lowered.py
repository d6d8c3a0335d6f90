"""Models for tests of the IR, from the text of a module."""

from __future__ import annotations

from gristmill.building import build
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Model
from gristmill.ir.passes import optimised_for_native
from gristmill.ir.passes.observers import Observer, with_verifier
from gristmill.native.plan.constant_values import ConstantValues
from gristmill.native.plan.effects import NativeAnalysis
from gristmill.native.plan.facts import EvaluatedForNative


def model_of(module: str, config: str = "", *observers: Observer) -> Model:
    """`config` as in a file; without one, Spec or Init and Next are what is looked for."""
    text = f"---- MODULE M ----\n{module}\n====\n"
    return build(text, config=f"{config}\n", observers=observers).model


def native_model_of(model: Model, *observers: Observer) -> Model:
    """What native code is generated from."""
    with model.world.active():
        evaluator, analysis = Evaluator(model.variables), NativeAnalysis()
        values = ConstantValues(lambda code: evaluator.value(code)(), analysis)
        return optimised_for_native(model, EvaluatedForNative(analysis, values), with_verifier(*observers))
